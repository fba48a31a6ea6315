"""A cloud that does not answer is asked less and less: the first call pays its deadline, the next ones nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from bot.domain.errors import Unreachable


class Circuit:
    """When a cloud may be asked again. Silence opens it at once, failing gateways after three answers in a row.

    Each failure doubles the pause, from `first` to `most`. When a pause is over, exactly one call tries the cloud;
    its answer closes the circuit, whatever it says. `threshold` is not 1 because a single 502 may be one request's bad
    luck, while silence is the cloud's.
    """

    def __init__(
        self, cloud: str, clock: Callable[[], datetime], first: timedelta, most: timedelta, threshold: int = 3
    ) -> None:
        self._cloud = cloud
        self._clock = clock
        self._first = first
        self._most = most
        self._threshold = threshold
        self._openings = 0
        self._failures = 0
        self._next_try: datetime | None = None
        self._probing = False
        self._why = ""

    @property
    def next_try(self) -> datetime | None:
        """When the cloud will be asked again; None while it answers."""
        return self._next_try

    @contextmanager
    def call(self) -> Iterator[int]:
        """Let one call through, or raise `Unreachable` at once, with what went wrong when the cloud was asked last.

        The value tells the circuit's age to `failed`.
        """
        age = self._openings
        if self._next_try is None:
            yield age
            return
        if self._probing:
            raise Unreachable(self._cloud, self._why)
        if self._must_wait(self._next_try):
            raise Unreachable(self._cloud, self._why, (self._next_try - self._clock()).total_seconds())
        self._probing = True
        try:
            yield age
        finally:
            self._probing = False

    def answered(self) -> None:
        self._openings = self._failures = 0
        self._next_try = None

    def failed(self, age: int, *, silent: bool, why: str = "no answer") -> None:
        """Count a call that began at `age` and got no answer (`silent`) or only a gateway's excuse."""
        self._failures += 1
        self._why = why
        if age == self._openings and (silent or self._next_try or self._failures >= self._threshold):
            pause = min(self._first * 2 ** min(age, 20), self._most)
            self._openings += 1
            self._next_try = self._clock() + pause

    def _must_wait(self, until: datetime) -> bool:
        # A wait longer than the longest pause means that the clock was set back: do not wait for it to catch up.
        return timedelta() < until - self._clock() <= self._most
