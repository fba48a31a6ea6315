"""How the bot itself is doing: its sources, what waits to be sent, its connection."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.wording import Sentence


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One watched source: a cloud's jobs, a monitor's alarms, a low-use rule.

    `skipped` counts unusable records of its latest reading; `catching_up` says that more is there than one poll may
    read; `wait` is how many seconds the platform asked us to wait.
    """

    name: str
    last_success: datetime | None
    last_error: str | None = None
    failing_since: datetime | None = None
    next_try: datetime | None = None
    note: str | None = None
    skipped: int = 0
    catching_up: bool = False
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class OutboxHealth:
    due: int
    oldest_due: datetime | None
    parked: tuple[tuple[str, str, int], ...] = ()  # channel, reason, rows


@dataclass(frozen=True, slots=True)
class HealthView:
    version: str
    started_at: datetime
    sources: tuple[SourceHealth, ...]
    outbox: OutboxHealth
    socket: Sentence | None = None  # the state of the Slack connection in words
    socket_ok: bool = True
    open_incidents: int = 0
