"""One part of the configuration that is tried by itself."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.app.check.line import Line, warn
from bot.domain.durations import written

DEADLINE = 15.0  # seconds
SKEW = timedelta(seconds=60)  # far below the five minutes at which Slack and Alaya begin to refuse


@dataclass(frozen=True, slots=True)
class Part:
    """`look` gives the lines to say, none where another part's failure made the look pointless."""

    name: str
    look: Callable[[], Awaitable[Sequence[Line]]]
    seconds: float = DEADLINE


def clock_lines(whose: str, ahead: timedelta | None) -> list[Line]:
    """A remark where our clock is more than a minute away from somebody's; `ahead` None where they did not tell."""
    if ahead is None or abs(ahead) <= SKEW:
        return []
    way = "ahead of" if ahead > timedelta() else "behind"
    return [warn(f"clock: ours is {written(abs(ahead))} {way} {whose}'s. Set this host's clock (NTP)")]
