"""How fast the bot's own waits pass: those between polls, between messages, and between two looks at a stopping job.

Slack's and the clouds' real deadlines are none of them. It is 1 wherever there are people; tests let time pass faster.
"""

import asyncio
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pulse:
    """`speed` is how many of these seconds pass in a real one."""

    speed: float = 1.0

    def monotonic(self) -> float:
        return time.monotonic() * self.speed

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speed)
