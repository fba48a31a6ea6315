"""An alarm: one observation by a monitor, a rule, or the bot about itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import TypeVar

from bot.domain.job import Job, JobKey
from bot.domain.series import UseLine
from bot.domain.topology import Topology

T = TypeVar("T")


class Severity(IntEnum):
    """How bad; a higher number is worse, so `max` finds the worst."""

    INFO = 1
    WARNING = 2
    CRITICAL = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class TaskState(StrEnum):
    """What the monitor says of the task at the time of asking (SysOM reference §4)."""

    RUNNING = "running"
    BLOCKING = "blocking"
    RESTART = "restart"
    EXITED = "exited"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_bad(self) -> bool:
        return self in (TaskState.BLOCKING, TaskState.RESTART, TaskState.FAILED)


LOW_USE = "LOW USE"
JOB_FAILED = "JOB FAILED"
SOURCE_BLIND = "SOURCE BLIND"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an alarm is about. `job` is set once the task was found in a cloud; `task` is the monitor's own id."""

    cloud: str
    cluster: str | None = None
    task: str | None = None
    job: JobKey | None = None
    pods: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    gpus: tuple[tuple[str, int], ...] = ()  # (node, device index)

    def widened(self, further: "Subject") -> "Subject":
        """The same subject, naming also every pod, node and GPU that the further one names."""
        return replace(
            self,
            cluster=self.cluster or further.cluster,
            job=self.job or further.job,
            pods=_union(self.pods, further.pods),
            nodes=_union(self.nodes, further.nodes),
            gpus=_union(self.gpus, further.gpus),
        )


@dataclass(frozen=True, slots=True)
class Alarm:
    """One observation. `(source, id)` is unique; `at` is None where the record carried no readable time."""

    source: str
    id: str
    kind: str
    severity: Severity
    subject: Subject
    at: datetime | None = None
    task_state: TaskState = TaskState.UNKNOWN
    platform_state: str = ""
    log: str = ""
    topology: Topology | None = None
    job: Job | None = None
    use: UseLine | None = None  # the job's GPU use as last read when the alarm was seen
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def incident_key(self) -> str:
        """One incident per job; per node where there is no job; else per kind within the cluster."""
        subject = self.subject
        if subject.job is not None:
            return f"job:{subject.job}"
        if subject.task:
            return f"task:{subject.cloud}/{subject.task}"
        if subject.nodes:
            return f"node:{subject.cloud}/{subject.nodes[0]}"
        return f"kind:{subject.cloud}/{subject.cluster or ''}/{self.kind.casefold()}"


@dataclass(frozen=True, slots=True)
class AlarmBatch:
    """The answer of one poll, oldest first. `skipped` counts unreadable records; `complete` is False at a page cap."""

    alarms: tuple[Alarm, ...]
    skipped: int = 0
    complete: bool = True


def _union(known: tuple[T, ...], further: tuple[T, ...]) -> tuple[T, ...]:
    return (*known, *(item for item in further if item not in known))
