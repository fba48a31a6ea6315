"""What will happen in the world, in order of time. Acts are taken out when the clock has passed them,
at whatever moment somebody looks: so reads never change what happens."""

import heapq
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.simulator.world.state import State

Act = Callable[["State", datetime], None]


class Agenda:
    def __init__(self) -> None:
        self._heap: list[tuple[datetime, int, Act]] = []
        self._count = 0

    def plan(self, at: datetime, act: Act) -> None:
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, act))

    def due(self, now: datetime) -> tuple[datetime, Act] | None:
        """The next act whose time has come, or None."""
        if not self._heap or self._heap[0][0] > now:
            return None
        at, _, act = heapq.heappop(self._heap)
        return at, act
