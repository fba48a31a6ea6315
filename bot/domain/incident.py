"""An incident: what alarms about one subject become over time. One incident is one card and one thread.

The card is a function of these values; how they may change is `life`.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.alarm import Severity, Subject, TaskState
from bot.domain.job import Job, JobState
from bot.domain.series import UseLine


class IncidentState(StrEnum):
    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    RESOLVED = "resolved"


class Resolution(StrEnum):
    """Why an incident ended. Unknown is not among them: absence from an answer ends nothing."""

    JOB_SUCCEEDED = "job_succeeded"
    JOB_FAILED = "job_failed"
    JOB_STOPPED = "job_stopped"
    JOB_GONE = "job_gone"
    TASK_RECOVERED = "task_recovered"
    USE_RECOVERED = "use_recovered"
    SOURCE_ANSWERS = "source_answers"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Condition:
    """One kind of trouble from one source within an incident, with how often and since when."""

    source: str
    kind: str
    severity: Severity
    count: int
    first_at: datetime
    last_at: datetime
    task_state: TaskState = TaskState.UNKNOWN
    ended_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who did something and when; `by` is a Slack user id."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Mute:
    by: str
    at: datetime
    until: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop asked for by a person. `verified` is set once the platform's own state showed that the job stopped.

    `before` is the job's state when it was asked for.
    """

    by: str
    at: datetime
    reason: str = ""
    verified: bool = False
    failure: str | None = None
    before: JobState | None = None

    @property
    def is_under_way(self) -> bool:
        return not self.verified and self.failure is None


@dataclass(frozen=True, slots=True)
class Ending:
    at: datetime
    why: Resolution
    by: str | None = None
    late: bool = False  # it ended while the bot was away


@dataclass(frozen=True, slots=True)
class Incident:
    """`id` is 0 until it was stored. `conditions` are in order of appearance; `job` is the job as last seen."""

    id: int
    key: str
    subject: Subject
    opened_at: datetime
    last_at: datetime
    channel: str
    conditions: tuple[Condition, ...]
    job: Job | None = None
    acknowledged: Stamp | None = None
    mute: Mute | None = None
    stop: Stop | None = None
    ending: Ending | None = None
    use: UseLine | None = None
    reminded_at: datetime | None = None
    time_unknown: bool = False
    late: bool = False  # its first alarm is older than the bot could have seen in time
    kin: tuple[int, ...] = ()  # incidents about its machine, or about the jobs on it

    @property
    def is_open(self) -> bool:
        return self.ending is None

    @property
    def count(self) -> int:
        return sum(condition.count for condition in self.conditions)

    @property
    def worst(self) -> Condition:
        """The condition that names the card: open before ended, then severity, then the earliest."""
        return max(
            self.conditions,
            key=lambda c: (c.is_open, c.severity, -c.first_at.timestamp()),
        )

    @property
    def kind(self) -> str:
        return self.worst.kind

    @property
    def severity(self) -> Severity:
        return self.worst.severity

    def state(self, now: datetime) -> IncidentState:
        if self.ending is not None:
            return IncidentState.RESOLVED
        if self.mute is not None and now < self.mute.until:
            return IncidentState.MUTED
        return IncidentState.ACKNOWLEDGED if self.acknowledged else IncidentState.FIRING
