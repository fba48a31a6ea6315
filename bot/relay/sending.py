"""Sending one parcel: look for it first where it is doubtful, post or edit, and settle what was done.

Nothing is decided here about failures: they leave as `DeliveryError`, and the delivery decides.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.domain.errors import CredentialsRefused, OutcomeUnknown, StoreError
from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.outbox import Parcel, Storm, What
from bot.domain.ports import Chat, Outbox
from bot.relay.pace import Pace

log = structlog.get_logger()

LATE_AFTER = timedelta(minutes=10)
CLOCKS_DIFFER = timedelta(minutes=10)  # how far Slack's clock and ours may be apart when looking back
SETTLE_AGAIN = (1.0, 30.0)  # seconds between tries to write down what was sent


class BlindRetry(OutcomeUnknown):
    """The outcome is unknown for the second time, and the history cannot be read: a third copy would help nobody."""


class Sender:
    """Moves one claimed parcel into Slack. `cannot_look` is called when the history cannot be read."""

    def __init__(
        self,
        outbox: Outbox,
        chat: Chat,
        pace: Pace,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]],
        cannot_look: Callable[[str], Awaitable[None]],
    ) -> None:
        self._outbox = outbox
        self._chat = chat
        self._pace = pace
        self._clock = clock
        self._sleep = sleep
        self._cannot_look = cannot_look
        self._unknown: set[int] = set()  # parcels whose last try ended without an answer
        self._blind: set[int] = set()  # of these, those that were sent again without a look

    async def send(self, parcel: Parcel) -> bool:
        """True if Slack was asked. Raises `DeliveryError`; then the parcel is still claimed."""
        match parcel:
            case Parcel(what=What.CARD, incident=Incident() as incident):
                return await self._card(parcel, incident)
            case Parcel(what=What.STORM, storm=Storm() as storm):
                return await self._storm(parcel, storm)
            case Parcel(what=What.NOTE, incident=Incident() as incident, note=Note() as note):
                return await self._note(parcel, incident, note)
            case _:
                return await self._notice(parcel)

    async def _card(self, parcel: Parcel, incident: Incident) -> bool:
        now = self._clock()
        shown = self._chat.fingerprint(incident, now)
        if parcel.card is None:
            return await self._post(
                parcel, shown, lambda: self._chat.announce(incident, parcel.channel, parcel.mark, now)
            )
        ts, channel = parcel.card.ts, parcel.card.channel
        return await self._edit(parcel, shown, lambda: self._chat.amend(incident, channel, ts, now))

    async def _storm(self, parcel: Parcel, storm: Storm) -> bool:
        now = self._clock()
        shown = self._chat.fingerprint_storm(storm, now)
        if parcel.card is None:
            return await self._post(
                parcel, shown, lambda: self._chat.announce_storm(storm, parcel.channel, parcel.mark, now)
            )
        ts, channel = parcel.card.ts, parcel.card.channel
        return await self._edit(parcel, shown, lambda: self._chat.amend_storm(storm, channel, ts, now))

    async def _note(self, parcel: Parcel, incident: Incident, note: Note) -> bool:
        assert parcel.card is not None, "a note is claimed only once its card stands"
        channel, thread_ts = parcel.card.channel, parcel.card.ts
        told = _told_late(note, self._clock())
        if await self._found(parcel, thread_ts) is None:
            await self._asking(parcel, lambda: self._chat.reply(incident, told, channel, thread_ts, parcel.mark))
        await self._settle(lambda: self._outbox.sent(parcel, self._clock()))
        return True

    async def _notice(self, parcel: Parcel) -> bool:
        if await self._found(parcel) is None:
            await self._asking(parcel, lambda: self._chat.notify(parcel.text or "", parcel.channel, parcel.mark))
        await self._settle(lambda: self._outbox.sent(parcel, self._clock()))
        return True

    async def _post(self, parcel: Parcel, shown: str, post: Callable[[], Awaitable[str]]) -> bool:
        ts = await self._found(parcel)
        if ts is not None:
            shown = ""  # it may show an older state: the next edit is sent whatever it says
        else:
            ts = await self._asking(parcel, post)
        posted_as = ts
        await self._settle(lambda: self._outbox.posted(parcel, posted_as, shown, self._clock()))
        return True

    async def _edit(self, parcel: Parcel, shown: str, edit: Callable[[], Awaitable[None]]) -> bool:
        """An equal card is not sent; an edit may be repeated freely, so its outcome is never looked for."""
        assert parcel.card is not None
        if parcel.card.fingerprint == shown:
            await self._settle(lambda: self._outbox.sent(parcel, self._clock()))
            return False
        self._pace.used(parcel.channel)
        await edit()
        await self._settle(lambda: self._outbox.edited(parcel, shown, self._clock()))
        return True

    async def _asking(self, parcel: Parcel, post: Callable[[], Awaitable[str]]) -> str:
        self._pace.used(parcel.channel)
        try:
            ts = await post()
        except OutcomeUnknown as error:
            if parcel.id in self._blind:
                raise BlindRetry(error.reason) from error
            self._unknown.add(parcel.id)
            raise
        self._unknown.discard(parcel.id)
        self._blind.discard(parcel.id)
        return ts

    async def _found(self, parcel: Parcel, thread_ts: str | None = None) -> str | None:
        """The ts of an earlier try that reached Slack after all."""
        if not parcel.doubtful:
            return None
        since = parcel.claimed_at - CLOCKS_DIFFER
        try:
            found = await self._chat.find(parcel.channel, parcel.mark, since, thread_ts)
        except CredentialsRefused as error:
            log.warning("the history cannot be read: a copy may appear", channel=parcel.channel, reason=error.reason)
            if parcel.id in self._unknown:
                self._blind.add(parcel.id)
            await self._cannot_look(error.reason)
            return None
        log.info("looked for an earlier try", what=parcel.what.value, parcel=parcel.id, found=found)
        return found

    async def _settle(self, write: Callable[[], Awaitable[None]]) -> None:
        """What was sent must be written down: while the store fails, nothing else is worth doing for this channel."""
        pause, longest = SETTLE_AGAIN
        while True:
            try:
                return await write()
            except StoreError as error:
                log.error("sent, but not yet written down", error=str(error))
            await self._sleep(pause)
            pause = min(pause * 2, longest)


def _told_late(note: Note, now: datetime) -> Note:
    delay = now - note.at
    if delay <= LATE_AFTER:
        return note
    return replace(note, figures={**note.figures, "late": int(delay.total_seconds())})
