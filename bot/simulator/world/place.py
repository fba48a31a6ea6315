"""Values of where jobs run: pools (or clusters), their nodes and queues. No platform's spelling."""

from dataclasses import dataclass, field
from datetime import datetime

from bot.simulator.world.job import Platform


@dataclass(frozen=True, slots=True)
class Pool:
    """A Baidu resource pool or an Alaya compute centre; `cluster` is the monitor's name for it."""

    id: str
    name: str
    platform: Platform
    cluster: str
    created_at: datetime
    region: str = "bj"
    phase: str = "running"


@dataclass(frozen=True, slots=True)
class Node:
    """`name` is the platform's name, `instance` the monitor's id of the same machine."""

    name: str
    instance: str
    pool: str
    gpu_model: str
    gpus: int
    created_at: datetime
    cordoned: bool = False
    phase: str = "running"
    cpu_cores: int = 128
    memory_gb: int = 1024


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    pool: str
    created_at: datetime
    description: str = ""
    parent: str = ""
    kind: str = "Regular"
    reclaimable: bool = False
    disable_oversell: bool = False
    strategy: str = "BestEffortFIFO"
    deserved: dict[str, str] = field(default_factory=dict)
    guarantee: dict[str, str] = field(default_factory=dict)
    capability: dict[str, str] = field(default_factory=dict)
