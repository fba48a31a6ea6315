"""Delivery: what waits in the outbox reaches Slack, each thing once, in order, as fast as Slack takes it.

One worker per channel, started while something is due there. A failure is answered by its remedy: wait, look,
park and tell, or post anew. There is no last try for an alarm.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import structlog

from bot.domain.errors import (
    ChannelClosed,
    CredentialsRefused,
    DeliveryError,
    MessageGone,
    PayloadRefused,
    RateLimited,
    StoreError,
)
from bot.domain.outbox import Parcel, What
from bot.domain.ports import Chat, Outbox
from bot.domain.wording import Sentence, say
from bot.relay.pace import Pace, Sleep
from bot.relay.sending import BlindRetry, Sender

log = structlog.get_logger()

PROBE_EVERY = 180.0  # seconds between looks whether a closed channel takes messages again
ODD_TRIES = 3
CLOSED = (ChannelClosed.__name__, CredentialsRefused.__name__)


class Delivery:
    """`run()` until `drain()`. Call `nudge()` when something was queued and `wake(channel)` when one may have opened.

    `speak` turns a sentence into the operators' language; `sleep` and `monotonic` count real seconds, `clock` the time
    that is written down.
    """

    def __init__(
        self,
        outbox: Outbox,
        chat: Chat,
        operator_channel: str,
        clock: Callable[[], datetime],
        *,
        speak: Callable[[Sentence], str] = str,
        sleep: Sleep = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
        look_every: float = 1.0,
    ) -> None:
        self._outbox = outbox
        self._operator_channel = operator_channel
        self._clock = clock
        self._speak = speak
        self._look_every = look_every
        self._pace = Pace(sleep, monotonic, jitter)
        self._sender = Sender(outbox, chat, self._pace, clock, sleep, self._tell_blindness)
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._reopening: set[str] = set()
        self._odd: Counter[int] = Counter()
        self._nudged = asyncio.Event()
        self._stopping = False

    async def run(self) -> None:
        """Deliver until `drain` is called. A store that fails is asked again; it ends nothing."""
        begun = False
        while not self._stopping:
            try:
                if not begun:
                    await self.begin()
                    begun = True
                await self.sweep()
            except StoreError as error:
                log.error("the outbox cannot be read", error=str(error))
            await self._rest()

    async def begin(self) -> None:
        """What a process that is gone had claimed is doubtful now, not in five minutes."""
        left_behind = await self._outbox.take_over()
        if left_behind:
            log.info("messages were under way when the last process ended", count=left_behind)

    async def sweep(self) -> None:
        """Start a worker for every channel that has something due and is not paused."""
        for channel in await self._outbox.parked_channels(CLOSED):
            if not self._pace.is_paused(channel) and channel not in self._workers:
                self._reopening.add(channel)
                await self._outbox.unpark(channel, CLOSED)
        for channel in await self._outbox.channels_due(self._clock()):
            if not self._stopping and channel not in self._workers and not self._pace.is_paused(channel):
                self._start(channel)

    async def quiet(self) -> None:
        """Wait until no worker is busy."""
        while self._workers:
            await asyncio.wait(list(self._workers.values()))

    async def drain(self, deadline: float) -> None:
        """Stop: what is being sent may finish within `deadline` seconds; the rest waits for the next start."""
        self._stopping = True
        self.nudge()
        busy = list(self._workers.values())
        if busy:
            _, unfinished = await asyncio.wait(busy, timeout=deadline)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)

    def nudge(self) -> None:
        """Something was queued."""
        self._nudged.set()

    async def wake(self, channel: str) -> None:
        """The bot was invited to the channel, or it was unarchived (its id or name): try what is parked there now."""
        for name in await self._outbox.names_of(channel):
            self._pace.resume(name)
        self.nudge()

    def _start(self, channel: str) -> None:
        def ended(done: asyncio.Task[None]) -> None:
            del self._workers[channel]
            if not done.cancelled() and done.exception() is not None:
                log.error("delivery stumbled", channel=channel, exc_info=done.exception())
                self._pace.back_off(channel)
            self.nudge()  # something may have been queued just after the worker's last look

        self._workers[channel] = task = asyncio.create_task(self._work(channel), name=f"deliver {channel}")
        task.add_done_callback(ended)

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._nudged.wait(), self._look_every)
        except TimeoutError:
            return
        self._nudged.clear()

    async def _work(self, channel: str) -> None:
        try:
            while parcel := await self._next(channel):
                await self._deliver(parcel)
        except StoreError as error:
            log.error("delivery waits for the store", channel=channel, error=str(error))
            self._pace.back_off(channel)

    async def _next(self, channel: str) -> Parcel | None:
        if self._pace.is_paused(channel):
            return None
        await self._pace.turn(channel)
        return None if self._stopping else await self._outbox.claim(channel, self._clock())

    async def _deliver(self, parcel: Parcel) -> None:
        try:
            asked = await self._sender.send(parcel)
        except DeliveryError as error:
            log.warning("not delivered", **_about(parcel), error=type(error).__name__, reason=error.reason)
            await self._remedy(parcel, error)
        except StoreError:
            raise
        except Exception as error:  # the edge: one odd parcel must not end its channel's deliveries
            log.exception("not delivered", **_about(parcel))
            await self._survive(parcel, type(error).__name__)
        else:
            if asked:
                await self._went_well(parcel.channel)

    async def _survive(self, parcel: Parcel, error: str) -> None:
        """An error of our own: it may pass, but a parcel that fails every time must not hold up those behind it."""
        self._odd[parcel.id] += 1
        if self._odd[parcel.id] < ODD_TRIES:
            await self._again(parcel, error)
        else:
            await self._park(parcel, PayloadRefused(f"unexpected {error}"))

    async def _remedy(self, parcel: Parcel, error: DeliveryError) -> None:
        match error:
            case RateLimited():
                await self._release(parcel, error.reason)
                self._pace.pause(parcel.channel, error.retry_after)
            case BlindRetry() | PayloadRefused():
                await self._park(parcel, error)
            case ChannelClosed() | CredentialsRefused():
                await self._close(parcel, error)
            case MessageGone():
                if not await self._outbox.replace_card(parcel, self._clock()):
                    await self._park(parcel, error)
            case _:
                await self._again(parcel, error.reason)

    async def _again(self, parcel: Parcel, reason: str) -> None:
        await self._release(parcel, reason)
        self._pace.back_off(parcel.channel)

    async def _release(self, parcel: Parcel, reason: str) -> None:
        """Limited or broken off, a gateway's 503 too: each was seen with the message posted all the same."""
        await self._outbox.release(parcel, doubtful=_is_post(parcel), reason=reason)

    async def _park(self, parcel: Parcel, error: DeliveryError) -> None:
        """This parcel will never go as it is; those behind it do."""
        await self._outbox.park(parcel, error)
        about = parcel.channel if parcel.incident is None else parcel.incident.id
        await self._tell(_refusal(parcel, error), parcel.channel, f"parked:{about}:{error.reason}")

    async def _close(self, parcel: Parcel, error: DeliveryError) -> None:
        """The whole channel waits, and is tried again every few minutes or when something says that it opened."""
        if parcel.doubtful:
            await self._release(parcel, error.reason)
        else:
            await self._outbox.park(parcel, error)
        await self._outbox.park_channel(parcel.channel, error)
        self._pace.pause(parcel.channel, PROBE_EVERY)
        self._reopening.add(parcel.channel)
        sentence = say(
            "Messages for {channel} are waiting: Slack answers {reason}. They are tried again every few minutes.",
            channel=parcel.channel,
            reason=error.reason,
        )
        await self._tell(sentence, parcel.channel, f"closed:{parcel.channel}:")

    async def _went_well(self, channel: str) -> None:
        self._pace.went_well(channel)
        if channel in self._reopening:
            self._reopening.discard(channel)
            await self._outbox.may_say_again(f"closed:{channel}:")

    async def _tell(self, sentence: Sentence, channel: str, once: str) -> None:
        """Speak to the operators; about their own channel there is nowhere else to speak than the log."""
        log.error("operators told", sentence=str(sentence))
        if channel != self._operator_channel:
            await self._outbox.notice(self._speak(sentence), self._operator_channel, self._clock(), once)
            self.nudge()

    async def _tell_blindness(self, reason: str) -> None:
        sentence = say(
            "Slack does not let me read the history ({reason}), so after a lost answer a message may appear twice. "
            "Give the app the scopes channels:history and groups:history.",
            reason=reason,
        )
        await self._tell(sentence, "", "blind")


def _about(parcel: Parcel) -> dict[str, str | int]:
    return {"what": parcel.what.value, "parcel": parcel.id, "channel": parcel.channel, "tries": parcel.tries}


def _is_post(parcel: Parcel) -> bool:
    """Whether a try may have left a new message behind; an edit can be repeated freely."""
    return parcel.card is None or parcel.what is What.NOTE


def _refusal(parcel: Parcel, error: DeliveryError) -> Sentence:
    if parcel.incident is None:
        return say(
            "A message to {channel} was not taken by Slack: {reason}.", channel=parcel.channel, reason=error.reason
        )
    return say(
        "A message about incident {id} to {channel} was not taken by Slack: {reason}.",
        id=parcel.incident.id,
        channel=parcel.channel,
        reason=error.reason,
    )
