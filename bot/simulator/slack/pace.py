"""Slack's pace rule for posting: about one message per second per channel, short bursts allowed (Slack reference §5).
It counts who went faster, and refuses only when told to."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaceViolation:
    """A post that came when the channel's allowance was used up; `wait` is how many seconds early it was."""

    channel: str
    wait: float


class Pace:
    """One allowance per channel: `burst` posts at once, refilled at `per_second`. `now` gives real seconds."""

    def __init__(self, now: Callable[[], float], burst: int = 4, per_second: float = 1.0) -> None:
        self.violations: list[PaceViolation] = []
        self.enforced = False
        self._now = now
        self._burst = burst
        self._per_second = per_second
        self._allowances: dict[str, tuple[float, float]] = {}

    def spend(self, channel: str) -> float:
        """Take one post from the channel's allowance; returns the seconds it was too early, 0 when it was in time."""
        now = self._now()
        left, at = self._allowances.get(channel, (float(self._burst), now))
        left = min(float(self._burst), left + (now - at) * self._per_second)
        if left >= 1.0:
            self._allowances[channel] = (left - 1.0, now)
            return 0.0
        wait = (1.0 - left) / self._per_second
        self.violations.append(PaceViolation(channel, wait))
        self._allowances[channel] = (left, now)
        return wait
