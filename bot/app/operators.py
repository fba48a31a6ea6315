"""What the bot says about itself in the operator channel, through the same outbox as everything else."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.wording import Sentence
from bot.store.outbox import OutboxStore


@dataclass(frozen=True, slots=True)
class Operators:
    """`speak` gives the sentence in the operators' language; `nudge` tells the delivery that something waits."""

    outbox: OutboxStore
    channel: str
    speak: Callable[[Sentence], str]
    nudge: Callable[[], None]

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None:
        """Say it once per key, however often it is asked for."""
        if await self.outbox.notice(self.speak(sentence), self.channel, now, once=key):
            self.nudge()
