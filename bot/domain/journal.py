"""What a platform writes down about a job or a pod: log lines and events."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LogLines:
    """The newest lines of a pod's log, oldest first. `cut` says that earlier lines exist and were not fetched."""

    pod: str
    lines: tuple[str, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One event as the platform words it; `warning` is its own judgement."""

    reason: str
    message: str
    warning: bool = False
    count: int = 1
    first_at: datetime | None = None
    last_at: datetime | None = None
    pod: str | None = None
    node: str | None = None
