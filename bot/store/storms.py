"""Storms: past so many new incidents in one channel within a minute, the rest stand in one storm card first.

Every member still gets its own card: at a calm pace after the storm card, or at once when a person acts on it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.outbox import Storm
from bot.store.codec import moment, stamp
from bot.store.database import Session
from bot.store.ledger import read_incident

LISTED = 300  # members loaded for the card: more than a message holds; the rest is counted


@dataclass(frozen=True, slots=True)
class StormRule:
    """`limit` new incidents `within` a time are posted; the next ones join a storm that `lasts` while they come."""

    limit: int = 10
    within: timedelta = timedelta(minutes=1)
    lasts: timedelta = timedelta(minutes=10)
    calm_after: timedelta = timedelta(minutes=5)
    calm_pace: timedelta = timedelta(seconds=30)


DEFAULT_STORM_RULE = StormRule()


@dataclass(frozen=True, slots=True)
class Membership:
    storm_id: int
    own_card_at: datetime


def join(session: Session, rule: StormRule, channel: str, now: datetime) -> Membership | None:
    """The storm that one more new incident of the channel joins, or None while there are few."""
    query = "SELECT id FROM incidents WHERE channel = ? AND recorded_at > ? LIMIT ?"
    recent = session.execute(query, (channel, stamp(now - rule.within), rule.limit)).fetchall()
    if len(recent) < rule.limit:
        return None
    storm_id = _current(session, rule, channel, now) or _begin(session, channel, now)
    members = session.execute(
        "UPDATE storms SET members = members + 1, last_at = ? WHERE id = ? RETURNING members", (stamp(now), storm_id)
    ).fetchone()[0]
    return Membership(storm_id, now + rule.calm_after + rule.calm_pace * (members - 1))


def read_storm(session: Session, storm_id: int) -> Storm:
    channel, opened_at = session.execute("SELECT channel, opened_at FROM storms WHERE id = ?", (storm_id,)).fetchone()
    total, still_open = session.execute(
        "SELECT count(*), coalesce(sum(is_open), 0) FROM incidents WHERE storm_id = ?", (storm_id,)
    ).fetchone()
    members = session.execute(
        "SELECT id, body FROM incidents WHERE storm_id = ? ORDER BY id LIMIT ?", (storm_id, LISTED)
    ).fetchall()
    posted = session.execute(
        """SELECT c.incident_id FROM cards c JOIN incidents i ON i.id = c.incident_id
           WHERE i.storm_id = ? AND c.ts IS NOT NULL""",
        (storm_id,),
    ).fetchall()
    incidents = tuple(read_incident(*row) for row in members)
    carded = frozenset(row[0] for row in posted)
    return Storm(storm_id, channel, moment(opened_at), incidents, total, total - still_open, carded)


def _current(session: Session, rule: StormRule, channel: str, now: datetime) -> int | None:
    query = "SELECT id FROM storms WHERE channel = ? AND last_at >= ? ORDER BY last_at DESC LIMIT 1"
    row = session.execute(query, (channel, stamp(now - rule.lasts))).fetchone()
    return row[0] if row else None


def _begin(session: Session, channel: str, now: datetime) -> int:
    row = session.execute(
        "INSERT INTO storms (channel, opened_at, last_at, members) VALUES (?, ?, ?, 0) RETURNING id",
        (channel, stamp(now), stamp(now)),
    ).fetchone()
    return int(row[0])
