"""How long things take in the simulated Slack: time limits that people and networks live by. They are seconds of the
real world, not of the workspace's clock, because the bot's sockets and sleeps are real too; tests compress them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. Defaults are Slack's own (Slack reference §1-§3)."""

    acknowledge: float = 3.0
    trigger: float = 3.0
    retries: tuple[float, ...] = (0.0, 60.0, 300.0)
    link_grace: float = 0.25
    share: float = 0.1
    disconnect_after_notice: float = 10.0
    stream_pause: float = 0.03

    @staticmethod
    def quick() -> "Timing":
        """For tests: a late answer is late after 0.3 s, retries follow at once."""
        return Timing(
            acknowledge=0.3,
            trigger=0.3,
            retries=(0.0, 0.02, 0.05),
            link_grace=0.1,
            share=0.02,
            disconnect_after_notice=0.2,
            stream_pause=0.01,
        )


class Timers:
    """Things that happen a little later; whatever has not happened at the end is dropped."""

    def __init__(self) -> None:
        self._pending: set[asyncio.TimerHandle] = set()

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()

        def run() -> None:
            self._pending.discard(handle)
            action()

        handle = loop.call_later(seconds, run)
        self._pending.add(handle)

    def cancel(self) -> None:
        for handle in self._pending:
            handle.cancel()
        self._pending.clear()
