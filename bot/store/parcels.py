"""Claiming: one conditional statement decides who sends, and the claimed row is read into a parcel.

A claim that was left behind (a lapsed lease, a process that is gone) is doubtful: it may have reached Slack.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.domain.incident import Incident
from bot.domain.outbox import Card, Parcel, What
from bot.store.codec import moment, stamp, unpack_note
from bot.store.database import Session
from bot.store.ledger import read_incident, rewrite
from bot.store.storms import read_storm

LEASE = timedelta(seconds=300)

# A card waits for another send of the same card; a note for its card, and for the notes before it in the thread.
_MAY_GO = """o.due_at <= :now AND CASE o.what
    WHEN 'card' THEN NOT EXISTS (SELECT 1 FROM outbox b WHERE b.incident_id = o.incident_id AND b.what = 'card'
        AND b.state <> 'sent' AND b.state IN ('claimed', 'doubtful') AND b.id <> o.id)
    WHEN 'storm' THEN NOT EXISTS (SELECT 1 FROM outbox b WHERE b.channel = o.channel AND b.what = 'storm'
        AND b.state <> 'sent' AND b.state IN ('claimed', 'doubtful') AND b.id <> o.id)
    WHEN 'note' THEN EXISTS (SELECT 1 FROM cards c WHERE c.incident_id = o.incident_id AND c.ts IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.incident_id = o.incident_id AND b.what = 'note'
        AND b.state <> 'sent' AND b.state <> 'parked' AND b.id < o.id)
    ELSE TRUE END"""
_IS_DUE = "o.state <> 'sent' AND o.state = 'due'"
_IS_DOUBTFUL = """o.state IN ('claimed', 'doubtful') AND (o.state = 'doubtful' OR o.lease_until <= :now)"""
_CLAIM = """UPDATE outbox SET state = 'claimed', owner = :owner, lease_until = :lease, tries = tries + 1,
    claimed_at = coalesce(claimed_at, :now)
    WHERE id = (SELECT o.id FROM outbox o WHERE o.channel = :channel AND {which} AND {may_go}
                ORDER BY o.urgency, o.due_at, o.id LIMIT 1)
    RETURNING id, what, channel, mark, queued_at, claimed_at, tries, incident_id, storm_id, body"""
_WAITING = (
    """SELECT count(*), min(o.due_at) FROM outbox o WHERE o.state <> 'sent' AND o.state <> 'parked' AND {may_go}"""
)
_CHANNELS = """SELECT DISTINCT o.channel FROM outbox o WHERE (({due}) OR ({doubtful})) AND {may_go}"""


def claim(session: Session, channel: str, owner: str, now: datetime, late_after: timedelta) -> Parcel | None:
    """The next parcel of the channel: what is doubtful first, then by urgency."""
    values = {"channel": channel, "owner": owner, "now": stamp(now), "lease": stamp(now + LEASE)}
    for which in (_IS_DOUBTFUL, _IS_DUE):
        row = session.execute(_CLAIM.format(which=which, may_go=_MAY_GO), values).fetchone()
        if row is not None:
            return _parcel(session, row, which is _IS_DOUBTFUL, now, late_after)
    return None


def channels_due(session: Session, now: datetime) -> list[str]:
    query = _CHANNELS.format(due=_IS_DUE, doubtful=_IS_DOUBTFUL, may_go=_MAY_GO)
    return [row[0] for row in session.execute(query, {"now": stamp(now)}).fetchall()]


def waiting(session: Session, now: datetime) -> tuple[int, int | None]:
    """How many could leave by now, and since when the oldest could; what waits for its card is not counted."""
    count, oldest = session.execute(_WAITING.format(may_go=_MAY_GO), {"now": stamp(now)}).fetchone()
    return count, oldest


def _parcel(session: Session, row: Sequence[Any], doubtful: bool, now: datetime, late_after: timedelta) -> Parcel:
    id_, what, channel, mark, queued_at, claimed_at, tries, incident_id, storm_id, body = row
    parcel = Parcel(id_, What(what), channel, mark, moment(queued_at), moment(claimed_at), tries, doubtful)
    if incident_id is not None:
        incident = _incident(session, incident_id)
        parcel = replace(parcel, incident=incident, card=_card(session, incident_id))
        if parcel.card is None and now - incident.opened_at > late_after and not _stood_in_a_storm(session, incident):
            parcel = replace(parcel, incident=_late(session, incident))
    match parcel.what:
        case What.NOTE:
            return replace(parcel, note=unpack_note(body))
        case What.NOTICE:
            return replace(parcel, text=body)
        case What.STORM:
            return replace(parcel, storm=read_storm(session, storm_id), card=_storm_card(session, storm_id))
        case What.CARD:
            return parcel


def _incident(session: Session, incident_id: int) -> Incident:
    return read_incident(*session.execute("SELECT id, body FROM incidents WHERE id = ?", (incident_id,)).fetchone())


def _stood_in_a_storm(session: Session, incident: Incident) -> bool:
    """It was visible in time, in the storm card."""
    query = "SELECT 1 FROM incidents WHERE id = ? AND storm_id IS NOT NULL"
    return session.execute(query, (incident.id,)).fetchone() is not None


def _late(session: Session, incident: Incident) -> Incident:
    """The card goes out late for the first time: that belongs to what it shows from now on."""
    late = replace(incident, late=True)
    rewrite(session, late)
    return late


def _card(session: Session, incident_id: int) -> Card | None:
    query = "SELECT channel, ts, fingerprint, generation FROM cards WHERE incident_id = ? AND ts IS NOT NULL"
    row = session.execute(query, (incident_id,)).fetchone()
    return Card(*row) if row else None


def _storm_card(session: Session, storm_id: int) -> Card | None:
    query = "SELECT channel, ts, coalesce(fingerprint, '') FROM storms WHERE id = ? AND ts IS NOT NULL"
    row = session.execute(query, (storm_id,)).fetchone()
    return Card(*row) if row else None
