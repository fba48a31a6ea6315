"""Jobs and their pods in one vocabulary for all platforms; the platform's own word is kept beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands. `UNKNOWN` is a state: it ends nothing and proves nothing."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_over(self) -> bool:
        return self in _OVER

    @property
    def holds_gpus(self) -> bool:
        return self in _HOLDING


_OVER = frozenset({JobState.STOPPED, JobState.SUCCEEDED, JobState.FAILED})
_HOLDING = frozenset({JobState.STARTING, JobState.RUNNING, JobState.STOPPING})


@dataclass(frozen=True, slots=True, order=True)
class JobKey:
    """A job's address: the cloud's configured name and the platform's id. Written `cloud/id`."""

    cloud: str
    id: str

    def __str__(self) -> str:
        return f"{self.cloud}/{self.id}"


@dataclass(frozen=True, slots=True)
class Job:
    """One training job. Times are aware UTC; None is "the platform did not say", never a guess."""

    key: JobKey
    name: str
    state: JobState
    platform_state: str
    owner: str | None = None
    pool: str | None = None
    queue: str | None = None
    gpu_count: int | None = None
    gpu_model: str | None = None
    replicas: int | None = None
    priority: str | None = None
    framework: str | None = None
    image: str | None = None
    command: str | None = None
    queue_position: int | None = None
    reason: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def cloud(self) -> str:
        return self.key.cloud

    @property
    def id(self) -> str:
        return self.key.id

    def is_same_run(self, other: "Job") -> bool:
        """Whether both are one run: a platform may start the same id again, which is another run."""
        return self.key == other.key and self.started_at == other.started_at


OWNER_LABEL = "gpubot-owner"  # on jobs submitted through the bot: whose they are, for the platform only knows its key


@dataclass(frozen=True, slots=True)
class Mount:
    """Storage in a job's containers. `options` are the platform's own, in its words."""

    kind: str
    path: str
    name: str = ""
    source: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobDefinition:
    """What a person wants to run. `resources` are per replica, by the platform's resource names.

    `more` is what only the platform knows, in its own spelling. None leaves a value to the platform.
    """

    name: str
    image: str
    command: str
    replicas: int
    resources: Mapping[str, float]
    queue: str | None = None
    framework: str | None = None
    priority: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    rdma: bool = False
    fault_tolerance: bool = False
    more: Mapping[str, object] = field(default_factory=dict, repr=False)


class PodState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod of a job. `has_terminal` says only whether a terminal is offered; its URL is a credential."""

    job: JobKey
    name: str
    state: PodState
    platform_state: str
    node: str | None = None
    ip: str | None = None
    role: str | None = None
    reason: str | None = None
    restarts: int | None = None
    gpu_count: int | None = None
    has_terminal: bool = False
    created_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PodDetail:
    """What a platform tells about one pod beyond the list; `facts` are label and value, as the platform words them."""

    pod: Pod
    namespace: str | None = None
    host_ip: str | None = None
    qos_class: str | None = None
    created_by: str | None = None
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TerminalLink:
    """A web terminal's address. It is a credential: shown once to one person, never stored, logged or posted."""

    url: str
    expires_in: float | None = None

    def __repr__(self) -> str:
        return "TerminalLink(url=<secret>)"
