"""The outbox: rows written with the change that they tell, claimed before they are sent, settled afterwards.

A row is due, claimed, doubtful (it may have reached Slack), parked (it cannot go until something changes) or sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.domain.answers import OutboxHealth
from bot.domain.errors import DeliveryError
from bot.domain.outbox import Parcel, What
from bot.store.codec import maybe_moment, moment, stamp
from bot.store.database import Database, Session
from bot.store.incidents import LATE_AFTER
from bot.store.parcels import channels_due, claim, waiting
from bot.store.queue import posting_of, queue_card, queue_notice, queue_storm

REPLACEMENTS = 3  # of one card that people keep deleting; then its parcels are parked


@dataclass(frozen=True, slots=True)
class ParkedParcel:
    id: int
    what: What
    channel: str
    incident_id: int | None
    trouble: str
    reason: str
    queued_at: datetime


class OutboxStore:
    """Implements `bot.domain.ports.Outbox`. `owner` names this process; its claims are free once it is gone."""

    def __init__(self, database: Database, owner: str, late_after: timedelta = LATE_AFTER) -> None:
        self._database = database
        self._owner = owner
        self._late_after = late_after

    async def take_over(self) -> int:
        """At start: what processes that are gone had claimed becomes doubtful at once. Returns how many rows."""

        def work(session: Session) -> int:
            query = "UPDATE outbox SET state = 'doubtful' WHERE state <> 'sent' AND state = 'claimed' AND owner <> ?"
            return int(session.execute(query, (self._owner,)).rowcount)

        return await self._database.transact(work)

    async def channels_due(self, now: datetime) -> Sequence[str]:
        return await self._database.run(lambda session: channels_due(session, now))

    async def claim(self, channel: str, now: datetime) -> Parcel | None:
        return await self._database.transact(
            lambda session: claim(session, channel, self._owner, now, self._late_after)
        )

    async def posted(self, parcel: Parcel, ts: str, fingerprint: str, now: datetime) -> None:
        """A card or storm card stands in Slack for the first time (or again)."""

        def work(session: Session) -> None:
            if parcel.storm is not None:
                _storm_posted(session, parcel.storm.id, ts, fingerprint)
            elif parcel.incident is not None:
                _card_posted(session, parcel.incident.id, parcel.channel, ts, fingerprint, now)
            _sent(session, parcel.id, now)

        await self._database.transact(work)

    async def edited(self, parcel: Parcel, fingerprint: str, now: datetime) -> None:
        def work(session: Session) -> None:
            table, key, value = _card_row(parcel)
            session.execute(
                f"UPDATE {table} SET fingerprint = ?, edited_at = ? WHERE {key} = ?", (fingerprint, stamp(now), value)
            )
            _sent(session, parcel.id, now)

        await self._database.transact(work)

    async def sent(self, parcel: Parcel, now: datetime) -> None:
        """A note or notice is out, or a card needed no edit."""
        await self._database.transact(lambda session: _sent(session, parcel.id, now))

    async def release(self, parcel: Parcel, *, doubtful: bool, reason: str) -> None:
        """It was not sent, or nobody knows. It keeps its place; where doubtful, its mark is looked for first."""

        def work(session: Session) -> None:
            if not doubtful and _is_superseded(session, parcel):
                session.execute("DELETE FROM outbox WHERE id = ?", (parcel.id,))
                return
            session.execute(
                "UPDATE outbox SET state = ?, reason = ?, owner = NULL WHERE id = ?",
                ("doubtful" if doubtful else "due", reason, parcel.id),
            )

        await self._database.transact(work)

    async def park(self, parcel: Parcel, error: DeliveryError) -> None:
        """Only this parcel cannot go as it is."""
        trouble = type(error).__name__
        await self._database.transact(lambda session: _park(session, "id = ?", parcel.id, trouble, error.reason))

    async def park_channel(self, channel: str, error: DeliveryError) -> int:
        """Nothing can go to this channel for now; returns how many further parcels wait for it to open."""
        where = "channel = ? AND state = 'due'"
        trouble = type(error).__name__
        return await self._database.transact(lambda session: _park(session, where, channel, trouble, error.reason))

    async def unpark(self, channel: str, troubles: Sequence[str]) -> int:
        """The channel may have opened: what is parked for one of these troubles is due again."""
        return await self._database.transact(lambda session: _unpark(session, channel, troubles))

    async def parked_channels(self, troubles: Sequence[str]) -> Sequence[str]:
        places = ", ".join("?" * len(troubles))
        query = (
            f"SELECT DISTINCT channel FROM outbox WHERE state <> 'sent' AND state = 'parked' AND trouble IN ({places})"
        )
        return [row[0] for row in await self._rows(query, *troubles)]

    async def names_of(self, channel: str) -> Sequence[str]:
        """The names under which the outbox knows a channel of which an event told the id."""
        rows = await self._rows("SELECT name FROM channels WHERE id = ?", channel)
        return [channel, *(row[0] for row in rows)]

    async def replace_card(self, parcel: Parcel, now: datetime) -> bool:
        """The card was deleted: post it anew once more, then let the thread go on there. False: it was enough."""
        return await self._database.transact(lambda session: _replace_card(session, parcel, now))

    async def notice(self, text: str, channel: str, now: datetime, once: str | None = None) -> bool:
        """Queue a sentence about the bot itself; with `once`, only if nobody said it under this key yet."""

        def work(session: Session) -> bool:
            if once is not None and not _first_time(session, once, now):
                return False
            queue_notice(session, text, channel, now)
            return True

        return await self._database.transact(work)

    async def may_say_again(self, once: str) -> None:
        """Forget every key that begins so."""
        query = "DELETE FROM claims WHERE substr(key, 1, length(?)) = ?"
        await self._database.run(lambda session: session.execute(query, (once, once)))

    async def parked(self) -> Sequence[ParkedParcel]:
        rows = await self._rows(
            """SELECT id, what, channel, incident_id, trouble, reason, queued_at FROM outbox
               WHERE state <> 'sent' AND state = 'parked' ORDER BY id"""
        )
        return [
            ParkedParcel(id_, What(what), channel, incident_id, trouble, reason, moment(queued_at))
            for id_, what, channel, incident_id, trouble, reason, queued_at in rows
        ]

    async def health(self, now: datetime) -> OutboxHealth:
        """What should be out by now: how much, since when, and what is parked for which reason."""

        def work(session: Session) -> OutboxHealth:
            due, oldest = waiting(session, now)
            parked = session.execute(
                """SELECT channel, reason, count(*) FROM outbox WHERE state <> 'sent' AND state = 'parked'
                   GROUP BY channel, reason ORDER BY channel, reason"""
            ).fetchall()
            return OutboxHealth(due, maybe_moment(oldest), tuple(parked))

        return await self._database.run(work)

    async def _rows(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        return await self._database.run(lambda session: session.execute(query, values).fetchall())


def _card_row(parcel: Parcel) -> tuple[str, str, int]:
    if parcel.storm is not None:
        return "storms", "id", parcel.storm.id
    assert parcel.incident is not None
    return "cards", "incident_id", parcel.incident.id


def _sent(session: Session, parcel_id: int, now: datetime) -> None:
    """The evidence inside a note is told now; keeping it would fill the disk with old logs."""
    session.execute(
        "UPDATE outbox SET state = 'sent', sent_at = ?, body = NULL, reason = NULL WHERE id = ?",
        (stamp(now), parcel_id),
    )


def _storm_posted(session: Session, storm_id: int, ts: str, fingerprint: str) -> None:
    session.execute("UPDATE storms SET ts = ?, fingerprint = ? WHERE id = ?", (ts, fingerprint, storm_id))


def _card_posted(session: Session, incident_id: int, channel: str, ts: str, fingerprint: str, now: datetime) -> None:
    session.execute(
        """INSERT INTO cards (incident_id, channel, ts, fingerprint, generation, posted_at) VALUES (?, ?, ?, ?, 0, ?)
           ON CONFLICT (incident_id) DO UPDATE SET channel = excluded.channel, ts = excluded.ts,
           fingerprint = excluded.fingerprint, posted_at = excluded.posted_at, edited_at = NULL""",
        (incident_id, channel, ts, fingerprint, stamp(now)),
    )
    storm_id = session.execute("SELECT storm_id FROM incidents WHERE id = ?", (incident_id,)).fetchone()[0]
    if storm_id is not None:
        queue_storm(session, storm_id, now)


def _is_superseded(session: Session, parcel: Parcel) -> bool:
    """A newer edit of the same card waits already; two would break the rule of one."""
    if parcel.what not in (What.CARD, What.STORM):
        return False
    _, _, value = _card_row(parcel)
    column = "storm_id" if parcel.storm is not None else "incident_id"
    query = f"SELECT 1 FROM outbox WHERE state = 'due' AND what = ? AND {column} = ? AND id <> ?"
    return session.execute(query, (parcel.what.value, value, parcel.id)).fetchone() is not None


def _park(session: Session, where: str, value: int | str, trouble: str, reason: str) -> int:
    rows = session.execute(
        f"UPDATE outbox SET state = 'parked', trouble = ?, reason = ?, owner = NULL WHERE state <> 'sent' AND {where}",
        (trouble, reason, value),
    )
    return int(rows.rowcount)


def _unpark(session: Session, channel: str, troubles: Sequence[str]) -> int:
    """Of several parked rows of one card only the newest is worth sending."""
    chosen = f"channel = ? AND state <> 'sent' AND state = 'parked' AND trouble IN ({', '.join('?' * len(troubles))})"
    for column in ("incident_id", "storm_id"):
        session.execute(
            f"""DELETE FROM outbox WHERE {chosen} AND what IN ('card', 'storm') AND EXISTS (SELECT 1 FROM outbox b
                WHERE b.what = outbox.what AND b.{column} = outbox.{column} AND b.state IN ('due', 'parked')
                AND b.id > outbox.id)""",
            (channel, *troubles),
        )
    return int(session.execute(f"UPDATE outbox SET state = 'due' WHERE {chosen}", (channel, *troubles)).rowcount)


def _replace_card(session: Session, parcel: Parcel, now: datetime) -> bool:
    if parcel.card is None or parcel.card.generation >= REPLACEMENTS:
        return False
    if parcel.storm is not None:
        session.execute("UPDATE storms SET ts = NULL WHERE id = ?", (parcel.storm.id,))
        _hand_back(session, parcel.id, keep=False)
        queue_storm(session, parcel.storm.id, now)
        return True
    assert parcel.incident is not None
    session.execute(
        "UPDATE cards SET ts = NULL, generation = generation + 1 WHERE incident_id = ? AND ts = ?",
        (parcel.incident.id, parcel.card.ts),
    )
    _hand_back(session, parcel.id, keep=parcel.what is What.NOTE)
    posting = posting_of(session, parcel.incident.id, parcel.incident.channel)
    queue_card(session, posting, now, at_once=False)
    return True


def _hand_back(session: Session, parcel_id: int, *, keep: bool) -> None:
    """A note goes into the new card's thread; an edit of the lost card is no longer needed."""
    if keep:
        session.execute("UPDATE outbox SET state = 'due', owner = NULL WHERE id = ?", (parcel_id,))
    else:
        session.execute("DELETE FROM outbox WHERE id = ?", (parcel_id,))


def _first_time(session: Session, key: str, now: datetime) -> bool:
    row = session.execute(
        "INSERT INTO claims (key, by, at) VALUES (?, 'gpubot', ?) ON CONFLICT (key) DO NOTHING RETURNING key",
        (key, stamp(now)),
    ).fetchone()
    return row is not None
