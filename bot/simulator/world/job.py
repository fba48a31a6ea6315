"""Values of the world's jobs: a job, its pods, how it uses its GPUs over time, what happened to it.
They carry facts, not a platform's spelling of them; times are aware UTC datetimes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from bot.simulator.world.trace_use import UseTrace

Platform = Literal["baidu", "alaya"]


class JobState(StrEnum):
    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    SUCCEEDED = "succeeded"

    @property
    def over(self) -> bool:
        return self in _OVER


_OVER = frozenset({JobState.STOPPED, JobState.FAILED, JobState.SUCCEEDED})


class Load(StrEnum):
    """How a job uses its GPUs; OFF means that no process holds them (no samples)."""

    TRAINING = "training"
    LOADING = "loading"
    EVALUATION = "evaluation"
    INFERENCE = "inference"
    DEBUG = "debug"
    NOTEBOOK = "notebook"
    IDLE = "idle"
    LOW = "low"
    HANG = "hang"
    DARK = "dark"
    TRACE = "trace"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Regime:
    """From `since` on, the job loads its GPUs in this way."""

    since: datetime
    load: Load


@dataclass(frozen=True, slots=True)
class Pod:
    name: str
    role: str
    index: int
    gpus: int
    node: str = ""
    ip: str = ""
    restarts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    name: str
    platform: Platform
    place: str
    queue: str
    owner: str
    gpu_model: str
    load: Load
    pods: tuple[Pod, ...]
    state: JobState
    created_at: datetime
    uid: str
    grain: int
    priority: str = "normal"
    framework: str = "pytorch"
    image: str = "registry.example.com/team/train:1.0"
    command: str = "bash /workspace/run.sh"
    rdma: bool = False
    fault_tolerance: bool = False
    scheduled_at: datetime | None = None
    running_at: datetime | None = None
    finished_at: datetime | None = None
    reason: str = ""
    failure: str = ""
    regimes: tuple[Regime, ...] = ()
    lifetime: timedelta | None = None
    ending: JobState = JobState.SUCCEEDED
    doom: str = ""
    word: str = ""
    trace: UseTrace | None = None
    cpu_cores: int = 64
    memory_gb: int = 512
    resources: tuple[tuple[str, float], ...] = ()
    envs: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def gpus(self) -> int:
        return sum(pod.gpus for pod in self.pods)

    @property
    def placed(self) -> bool:
        """Whether the job's pods exist on nodes."""
        return any(pod.node for pod in self.pods)

    @property
    def holds(self) -> bool:
        """Whether the job holds its GPUs now."""
        return self.placed and not self.state.over

    def pod(self, name: str) -> Pod | None:
        return next((pod for pod in self.pods if pod.name == name), None)

    def regime(self, at: datetime) -> Regime | None:
        """How the GPUs were loaded at that time, None before the job ran."""
        found = None
        for regime in self.regimes:
            if regime.since > at:
                break
            found = regime
        return found


@dataclass(frozen=True, slots=True)
class JobEvent:
    at: datetime
    reason: str
    message: str
    warning: bool = False
    pod: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class LogLine:
    at: datetime
    text: str
