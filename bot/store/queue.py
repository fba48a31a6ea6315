"""Putting things into the outbox, inside the transaction that made them worth saying. Nothing here sends.

One card row waits per incident and one per storm: further edits collapse into it, because a card is rendered from
the incident at sending time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from bot.domain.note import Note
from bot.domain.outbox import Urgency, What
from bot.store.codec import pack_note, stamp
from bot.store.database import Session

EDIT_PAUSE = timedelta(seconds=45)  # between two edits of one card that nobody asked for

_INSERT = """INSERT INTO outbox (what, channel, incident_id, storm_id, urgency, mark, body, state, queued_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'due', ?, ?)"""
_SOONER = """DO UPDATE SET
    due_at = CASE WHEN excluded.due_at < outbox.due_at THEN excluded.due_at ELSE outbox.due_at END,
    urgency = CASE WHEN excluded.urgency < outbox.urgency THEN excluded.urgency ELSE outbox.urgency END"""
_CARD = f"{_INSERT} ON CONFLICT (incident_id) WHERE what = 'card' AND state = 'due' {_SOONER}"
_STORM = f"{_INSERT} ON CONFLICT (storm_id) WHERE what = 'storm' AND state = 'due' {_SOONER}"

# "<> 'sent'" is said although "= 'parked'" implies it: only so is the partial index used
_DROP = "DELETE FROM outbox WHERE state <> 'sent' AND state = 'parked' AND what IN ('card', 'storm')"


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a card row is bound: `posted` once the card stands, `calm_until` while a storm card speaks for it."""

    incident_id: int
    channel: str
    posted: bool
    edited_at: int | None = None
    calm_until: datetime | None = None


def posting_of(session: Session, incident_id: int, channel: str) -> Posting:
    query = "SELECT channel, edited_at FROM cards WHERE incident_id = ? AND ts IS NOT NULL"
    row = session.execute(query, (incident_id,)).fetchone()
    return Posting(incident_id, channel, False) if row is None else Posting(incident_id, row[0], True, row[1])


def queue_card(session: Session, posting: Posting, now: datetime, *, at_once: bool) -> None:
    """Ask for the card to be posted or edited; at once, or when the pause after its last edit is over."""
    urgency = Urgency.PERSON if at_once else Urgency.EDIT if posting.posted else Urgency.NEW_CARD
    due = stamp(now) if at_once else _due(posting, now)
    _drop_parked(session, "incident_id", posting.incident_id)
    values = ("card", posting.channel, posting.incident_id, None, urgency, _mark(), None, stamp(now), due)
    session.execute(_CARD, values)
    if at_once:
        _hurry(session, posting.incident_id)


def queue_notes(session: Session, posting: Posting, notes: Sequence[Note], now: datetime, *, at_once: bool) -> None:
    urgency = Urgency.PERSON if at_once else Urgency.NOTE
    for note in notes:
        values = ("note", posting.channel, posting.incident_id, None, urgency, _mark(), pack_note(note))
        session.execute(_INSERT, (*values, stamp(now), stamp(now)))


def queue_notice(session: Session, text: str, channel: str, now: datetime) -> None:
    values = (What.NOTICE, channel, None, None, Urgency.PERSON, _mark(), text, stamp(now), stamp(now))
    session.execute(_INSERT, values)


def queue_storm(session: Session, storm_id: int, now: datetime) -> None:
    channel, ts, edited_at = session.execute(
        "SELECT channel, ts, edited_at FROM storms WHERE id = ?", (storm_id,)
    ).fetchone()
    urgency = Urgency.NEW_CARD if ts is None else Urgency.EDIT
    due = _after_pause(edited_at, now)
    _drop_parked(session, "storm_id", storm_id)
    session.execute(_STORM, ("storm", channel, None, storm_id, urgency, _mark(), None, stamp(now), due))


def is_waiting(session: Session, incident_id: int) -> bool:
    """Whether a card row of this incident waits already."""
    query = "SELECT 1 FROM outbox WHERE incident_id = ? AND what = 'card' AND state = 'due'"
    return session.execute(query, (incident_id,)).fetchone() is not None


def _due(posting: Posting, now: datetime) -> int:
    return stamp(posting.calm_until) if posting.calm_until else _after_pause(posting.edited_at, now)


def _after_pause(edited_at: int | None, now: datetime) -> int:
    if edited_at is None:
        return stamp(now)
    return max(stamp(now), edited_at + EDIT_PAUSE // timedelta(microseconds=1))


def _hurry(session: Session, incident_id: int) -> None:
    """What a person did overtakes others, but not what was said before it in the same thread."""
    session.execute(
        "UPDATE outbox SET urgency = ? WHERE incident_id = ? AND state <> 'sent'", (Urgency.PERSON, incident_id)
    )


def _drop_parked(session: Session, column: str, value: int) -> None:
    """A newer state of the same card makes the one that could not be sent worthless."""
    session.execute(f"{_DROP} AND {column} = ?", (value,))


def _mark() -> str:
    return uuid4().hex
