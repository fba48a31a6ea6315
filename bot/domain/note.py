"""A note: one thing that happened, to be told in an incident's thread."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.domain.alarm import Alarm


class NoteKind(StrEnum):
    ALARM = "alarm"  # a new, worse or returning alarm, with its log excerpt and topology
    TASK_CHANGED = "task_changed"
    EASED = "eased"  # one of several troubles ended
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    UNMUTED = "unmuted"
    STOP_ASKED = "stop_asked"
    STOPPED = "stopped"  # the receipt
    STOP_FAILED = "stop_failed"
    TERMINAL_OPENED = "terminal_opened"
    PRIORITY_CHANGED = "priority_changed"
    DELETED = "deleted"
    RESTARTED = "restarted"
    SUBMITTED = "submitted"  # a job, perhaps this one again
    REMINDER = "reminder"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Note:
    """`by` is a Slack user id, `figures` values for the sentence (times as Unix seconds), `alarm` its evidence."""

    kind: NoteKind
    at: datetime
    by: str | None = None
    figures: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    alarm: Alarm | None = None
