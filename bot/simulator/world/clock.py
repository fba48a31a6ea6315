"""The world's own clock: it starts where it is told to, runs at a speed of choice against the
machine's monotonic clock (0 stands still), and can be pushed forward by hand."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta


class Clock:
    def __init__(self, start: datetime, speed: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        if start.utcoffset() is None:
            raise ValueError("the world's start must be an aware datetime")
        self.start = start
        self.speed = speed
        self._monotonic = monotonic
        self._began = monotonic()
        self._advanced = timedelta()

    def now(self) -> datetime:
        ran = timedelta(seconds=(self._monotonic() - self._began) * self.speed) if self.speed else timedelta()
        return self.start + self._advanced + ran

    def advance(self, by: timedelta) -> None:
        """Push the clock forward; time never runs backwards."""
        if by < timedelta():
            raise ValueError("the world's clock does not run backwards")
        self._advanced += by
