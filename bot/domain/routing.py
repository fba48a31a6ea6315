"""Which channel an alarm belongs to. Routes are data: the first that matches wins, else the default."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from bot.domain.alarm import SOURCE_BLIND, Alarm, Severity


@dataclass(frozen=True, slots=True)
class Route:
    """Every field given must match; patterns compare without case and know `*`. An empty field matches anything."""

    channel: str
    kind: tuple[str, ...] = ()
    cloud: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    severity_from: Severity = Severity.INFO

    def matches(self, alarm: Alarm) -> bool:
        job = alarm.job
        return (
            alarm.severity >= self.severity_from
            and _fits(self.kind, alarm.kind)
            and _fits(self.cloud, job.cloud if job else alarm.subject.cloud)
            and _fits(self.queue, job.queue if job else None)
            and _fits(self.owner, job.owner if job else None)
        )


def router(routes: Sequence[Route], alert_channel: str, operator_channel: str) -> Callable[[Alarm], str]:
    """A function from alarm to channel; what the bot says about itself goes to its operators."""

    def route(alarm: Alarm) -> str:
        if alarm.kind == SOURCE_BLIND:
            return operator_channel
        return next((one.channel for one in routes if one.matches(alarm)), alert_channel)

    return route


def _fits(patterns: Sequence[str], value: str | None) -> bool:
    if not patterns:
        return True
    return value is not None and any(fnmatchcase(value.casefold(), pattern.casefold()) for pattern in patterns)
