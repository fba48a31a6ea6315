"""Delivery as a part of the running bot, and the bot's own voice to its operators, which goes the same way."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from bot.app.pulse import Pulse
from bot.app.store import Store
from bot.config import Settings
from bot.domain.ports import Chat
from bot.domain.wording import Sentence, say
from bot.messages import texts
from bot.relay.deliver import Delivery
from bot.store.outbox import OutboxStore

GRACE = 3.0  # seconds that messages under way get at the end
log = structlog.get_logger()


@dataclass(slots=True)
class Bell:
    """Tells the delivery that something was queued; the store that rings it is there before the delivery is."""

    delivery: Delivery | None = None

    def ring(self) -> None:
        if self.delivery is not None:
            self.delivery.nudge()


@dataclass(frozen=True, slots=True)
class Operators:
    """What the bot says about itself. `speak` gives a sentence in the operators' language."""

    outbox: OutboxStore
    channel: str
    speak: Callable[[Sentence], str]
    bell: Bell

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None:
        """Say it once per key, however often it is asked for."""
        if await self.outbox.notice(self.speak(sentence), self.channel, now, once=key):
            self.bell.ring()

    async def tell_of_damage(self, kept_aside: Path | None, now: datetime) -> None:
        """Where a damaged database was replaced at the start."""
        if kept_aside is not None:
            sentence = say(
                "The database was damaged. It was kept as {path}, and a fresh one begins: incidents that were open are "
                "not known any more, and older alarms are not posted again.",
                path=str(kept_aside),
            )
            await self.tell_operators(f"damaged:{kept_aside}", sentence, now)


@asynccontextmanager
async def delivering(
    settings: Settings,
    store: Store,
    chat: Chat,
    bell: Bell,
    clock: Callable[[], datetime],
    ended: asyncio.Event,
    pulse: Pulse,
) -> AsyncIterator[tuple[Delivery, Operators]]:
    """Deliver during the block. If delivery breaks, the bot ends, and whoever supervises it starts it again."""
    speak, channel = texts(settings.language).sentence, settings.slack.operator_channel
    bell.delivery = delivery = Delivery(
        store.outbox,
        chat,
        channel,
        clock,
        speak=speak,
        sleep=pulse.sleep,
        monotonic=pulse.monotonic,
        look_every=1 / pulse.speed,
    )
    task = asyncio.create_task(delivery.run(), name="delivery")
    task.add_done_callback(lambda done: _end_if_broken(done, ended))
    try:
        yield delivery, Operators(store.outbox, channel, speak, bell)
    finally:
        await delivery.drain(GRACE)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _end_if_broken(task: asyncio.Task[None], ended: asyncio.Event) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("delivery broke", exc_info=task.exception())
        ended.set()
