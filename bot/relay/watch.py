"""The bot's eye on itself: when each source last answered, and an incident of its own when one goes quiet."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.alarm import SOURCE_BLIND, Alarm, Severity, Subject
from bot.domain.answers import SourceHealth
from bot.domain.errors import CloudError, Throttled
from bot.domain.incident import Resolution
from bot.domain.life import end_condition
from bot.domain.ports import Incidents
from bot.domain.wording import Sentence, say

SELF = "gpubot"


class Speaker(Protocol):
    """Says a sentence of the bot about itself in the operator channel, once per key."""

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None: ...


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known of one source. `read` and `skipped` are records of the latest reading."""

    source: str
    last_success: datetime | None = None
    failing_since: datetime | None = None
    error: CloudError | None = None
    cause: CloudError | None = None  # the first error of this silence: later ones may only say that it was not asked
    failures: int = 0
    read: int = 0
    skipped: int = 0
    behind: bool = False


@dataclass
class Watch:
    """Keeps the sight of every source; after `patience` of failing a source becomes an incident."""

    incidents: Incidents
    speaker: Speaker
    patience: timedelta = timedelta(minutes=5)
    _sights: dict[str, Sight] = field(default_factory=dict)

    async def succeeded(self, source: str, now: datetime) -> None:
        before = self._sight(source)
        self._sights[source] = replace(before, last_success=now, failing_since=None, error=None, cause=None, failures=0)
        if before.last_success is None or before.failing_since is not None:
            await self._see_again(source, now)

    async def failed(self, source: str, error: CloudError, now: datetime) -> None:
        before = self._sight(source)
        since = before.failing_since or now
        cause = before.cause or error
        self._sights[source] = replace(
            before, failing_since=since, error=error, cause=cause, failures=before.failures + 1
        )
        if now - since >= self.patience and not self._is_explained(source):
            await self.incidents.observe(SELF, [_blindness(source, cause, since)], now)

    def count(self, source: str, *, read: int, skipped: int, complete: bool) -> None:
        before = self._sight(source)
        self._sights[source] = replace(before, read=read, skipped=skipped, behind=not complete)

    async def mention_baseline(self, source: str, older: int, now: datetime) -> None:
        sentence = say(
            "First look at {source}: {n} older alarms of the last 24 hours were counted and not posted.",
            source=source,
            n=older,
        )
        await self.speaker.tell_operators(f"baseline:{source}", sentence, now)

    def sources(self) -> Sequence[SourceHealth]:
        return [_health(sight) for _, sight in sorted(self._sights.items())]

    def sight(self, source: str) -> Sight:
        """What is known of the source; an empty sight before its first tick."""
        return self._sight(source)

    def _sight(self, source: str) -> Sight:
        return self._sights.get(source, Sight(source))

    def _is_explained(self, source: str) -> bool:
        """Whether a part of a cloud (`use:beijing`) is silent while all of that cloud is: one trouble, one incident."""
        whole = source.partition(":")[2]
        return bool(whole) and self._sight(whole).failing_since is not None

    async def _see_again(self, source: str, now: datetime) -> None:
        for incident in await self.incidents.open():
            if incident.subject.cloud == source and any(c.kind == SOURCE_BLIND for c in incident.conditions):
                await self.incidents.change(
                    incident.id,
                    lambda one: end_condition(one, SELF, SOURCE_BLIND, Resolution.SOURCE_ANSWERS, now),
                    now,
                    at_once=True,
                )


def _blindness(source: str, error: CloudError, since: datetime) -> Alarm:
    return Alarm(
        source=SELF,
        id=f"{source}/{int(since.timestamp())}",
        kind=SOURCE_BLIND,
        severity=Severity.CRITICAL,
        subject=Subject(cloud=source),
        at=since,
        log=error.detail,
        details={"error": type(error).__name__},
    )


def _health(sight: Sight) -> SourceHealth:
    waits = sight.error.retry_after if isinstance(sight.error, Throttled) else None
    return SourceHealth(
        name=sight.source,
        last_success=sight.last_success,
        last_error=sight.error.detail if sight.error else None,
        failing_since=sight.failing_since,
        skipped=sight.skipped,
        catching_up=sight.behind,
        wait=waits,
    )
