"""When a channel may get its next message: one a second, and nothing while it is limited or closed.

Every channel has its own pause, so that a limited or broken one delays nobody else.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Sleep = Callable[[float], Awaitable[None]]

FIRST_BACK_OFF = 3.0  # seconds; also the time a lost answer gets to show up in the channel's history
LONGEST_BACK_OFF = 60.0


@dataclass(slots=True)
class _Lane:
    next_turn: float = 0.0
    paused_until: float = 0.0
    failures: int = 0


class Pace:
    """`jitter` gives a number 0..1, so that channels that failed together do not come back together."""

    def __init__(
        self, sleep: Sleep, monotonic: Callable[[], float], jitter: Callable[[], float], gap: float = 1.0
    ) -> None:
        self._sleep = sleep
        self._monotonic = monotonic
        self._jitter = jitter
        self._gap = gap
        self._lanes: dict[str, _Lane] = {}

    async def turn(self, channel: str) -> None:
        """Wait until the channel's last message is old enough."""
        wait = self._lane(channel).next_turn - self._monotonic()
        if wait > 0:
            await self._sleep(wait)

    def used(self, channel: str) -> None:
        """A call to Slack about this channel begins now."""
        self._lane(channel).next_turn = self._monotonic() + self._gap

    def went_well(self, channel: str) -> None:
        self._lane(channel).failures = 0

    def is_paused(self, channel: str) -> bool:
        return self._monotonic() < self._lane(channel).paused_until

    def pause(self, channel: str, seconds: float) -> None:
        self._lane(channel).paused_until = self._monotonic() + seconds

    def back_off(self, channel: str) -> None:
        """Pause for longer with every failure in a row, up to a minute; there is no last try."""
        lane = self._lane(channel)
        step = min(FIRST_BACK_OFF * 2.0 ** min(lane.failures, 8), LONGEST_BACK_OFF)
        lane.failures += 1
        self.pause(channel, step * (1 + self._jitter() / 4))

    def resume(self, channel: str) -> None:
        lane = self._lane(channel)
        lane.paused_until = 0.0
        lane.failures = 0

    def _lane(self, channel: str) -> _Lane:
        return self._lanes.setdefault(channel, _Lane())
