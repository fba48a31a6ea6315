"""Pools, queues and nodes: what there is to run jobs on, and how much of it is taken."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

Amounts = Mapping[str, float | str]


@dataclass(frozen=True, slots=True)
class Pool:
    """A resource pool. Counts are None where the platform did not give them."""

    cloud: str
    id: str
    name: str
    platform_state: str
    region: str | None = None
    nodes_total: int | None = None
    nodes_used: int | None = None
    gpus_total: int | None = None
    gpus_used: int | None = None
    gpu_models: tuple[tuple[str, int, int], ...] = ()  # model, total, used
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A pool in which a job can be run or a queue be made."""

    cloud: str
    pool: str
    name: str


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a pool. `gpus_quota` and `gpus_used` sum all GPU resources of the maps beside them.

    `quota` is what counts as its share; `deserved`, `guarantee` and `capability` are the platform's three maps.
    """

    cloud: str
    pool: str
    name: str
    kind: str | None = None
    platform_state: str | None = None
    parent: str | None = None
    description: str | None = None
    gpus_quota: float | None = None
    gpus_used: float | None = None
    running: int | None = None
    pending: int | None = None
    reclaimable: bool | None = None
    preemptable: bool | None = None
    oversell: bool | None = None
    strategy: str | None = None
    quota: Mapping[str, str] = field(default_factory=dict)
    used: Mapping[str, str] = field(default_factory=dict)
    deserved: Mapping[str, str] = field(default_factory=dict)
    guarantee: Mapping[str, str] = field(default_factory=dict)
    capability: Mapping[str, str] = field(default_factory=dict)
    created_at: datetime | None = None

    @property
    def key(self) -> "QueueKey":
        return QueueKey(self.cloud, self.pool, self.name)


@dataclass(frozen=True, slots=True, order=True)
class QueueKey:
    """A queue's address. Written `cloud/pool/queue`."""

    cloud: str
    pool: str
    name: str

    def __str__(self) -> str:
        return f"{self.cloud}/{self.pool}/{self.name}"


@dataclass(frozen=True, slots=True)
class Node:
    """A machine. `schedulable` is False when it is cordoned or tainted.

    `health` is a monitor's score 0..100, `abnormal` the number of its abnormal events; None where no monitor knows it.
    """

    cloud: str
    name: str
    platform_state: str
    id: str | None = None
    pool: str | None = None
    zone: str | None = None
    schedulable: bool | None = None
    gpu_model: str | None = None
    gpus_total: int | None = None
    gpus_used: int | None = None
    cpus_total: float | None = None
    cpus_used: float | None = None
    memory_total_gb: float | None = None
    memory_used_gb: float | None = None
    health: float | None = None
    abnormal: int | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class QueueDefinition:
    """What a person wants a queue to be. None leaves a value as it is, or to the platform when the queue is new.

    An amount is a number, or a text that the platform itself had written there.
    """

    name: str
    description: str | None = None
    kind: str | None = None
    parent: str | None = None
    deserved: Amounts | None = None
    guarantee: Amounts | None = None
    capability: Amounts | None = None
    oversell: bool | None = None
    reclaimable: bool | None = None
    strategy: str | None = None
