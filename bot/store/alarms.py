"""Alarms already seen: what makes a record of a poll new, changed or merely known. One statement decides, per chunk.

The old ones lie apart (`is_old`), so that a poll writes into a small part of the table however much is remembered.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.alarm import Alarm, Severity, TaskState
from bot.store.codec import maybe_moment, maybe_stamp, moment, stamp
from bot.store.database import Session
from bot.store.ledger import chunks, marks

Address = tuple[str, str]  # source, id

OLD_AFTER = timedelta(hours=1)  # polls overlap by less, so they mostly meet what is not old yet
PORTION = 2_000  # alarms set apart in one transaction; a poll waits that long at most

_COLUMNS = "source, id, kind, severity, at, seen_at, task_state"
_INSERT = f"""WITH told ({_COLUMNS}) AS (VALUES {{values}})
    INSERT INTO alarms ({_COLUMNS}, is_old) SELECT {_COLUMNS}, 0 FROM told
    WHERE NOT EXISTS (SELECT 1 FROM alarms a WHERE a.source = told.source AND a.is_old IN (0, 1) AND a.id = told.id)
    ON CONFLICT (source, is_old, id) DO NOTHING RETURNING source, id"""
_VALUES = "(?, ?, ?, ?, ?, ?, ?)"
_ADDRESS = "source = ? AND is_old IN (0, 1) AND id = ?"


@dataclass(frozen=True, slots=True)
class AlarmRecord:
    """What is kept of an alarm once it was told: enough to recognise it and to list it."""

    source: str
    id: str
    kind: str
    severity: Severity
    at: datetime | None
    seen_at: datetime
    task_state: TaskState


@dataclass(frozen=True, slots=True)
class Sorted:
    """A batch against memory: `fresh` were never seen, `changed` were, with their incident, in another task state."""

    fresh: tuple[Alarm, ...]
    changed: tuple[tuple[int, Alarm], ...]
    known: int


def remember(session: Session, alarms: Sequence[Alarm], now: datetime) -> Sorted:
    """Record the batch; whoever inserts the row is the one who tells the alarm."""
    inserted: set[Address] = set()
    for chunk in chunks(_in_table_order(alarms)):
        inserted |= _insert(session, chunk, now)
    fresh: list[Alarm] = []
    seen_before: list[Alarm] = []
    for alarm in alarms:
        address = (alarm.source, alarm.id)
        (fresh if address in inserted else seen_before).append(alarm)
        inserted.discard(address)  # a record given twice in one batch is new once
    changed = [one for chunk in chunks(_in_table_order(seen_before)) for one in _changed(session, chunk)]
    return Sorted(tuple(fresh), tuple(changed), len(seen_before))


def assign(session: Session, incident_id: int, alarms: Sequence[Alarm]) -> None:
    """To the incident that they opened or joined in the transaction that recorded them."""
    rows = [(incident_id, alarm.source, alarm.id) for alarm in alarms]
    session.conn.executemany("UPDATE alarms SET incident_id = ? WHERE source = ? AND is_old = 0 AND id = ?", rows)


def set_apart(session: Session, now: datetime) -> int:
    """Count one portion of alarms among the old; how many there were."""
    rows = session.execute(
        """UPDATE alarms SET is_old = 1 WHERE is_old = 0 AND (source, id) IN
           (SELECT source, id FROM alarms WHERE is_old = 0 AND seen_at < ? ORDER BY seen_at LIMIT ?)""",
        (stamp(now - OLD_AFTER), PORTION),
    )
    return int(rows.rowcount)


def read_alarms(session: Session, incident_id: int) -> list[AlarmRecord]:
    rows = session.execute(
        """SELECT source, id, kind, severity, at, seen_at, task_state FROM alarms
           WHERE incident_id = ? ORDER BY coalesce(at, seen_at), id""",
        (incident_id,),
    ).fetchall()
    return [
        AlarmRecord(source, id_, kind, Severity(severity), maybe_moment(at), moment(seen), TaskState(state))
        for source, id_, kind, severity, at, seen, state in rows
    ]


def _in_table_order(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Neighbours in the table one after the other: thousands of them touch each page once."""
    return sorted(alarms, key=lambda alarm: (alarm.source, alarm.id))


def _insert(session: Session, chunk: Sequence[Alarm], now: datetime) -> set[Address]:
    seen_at = stamp(now)
    values: list[str | int | None] = []
    for a in chunk:
        values += (a.source, a.id, a.kind, int(a.severity), maybe_stamp(a.at), seen_at, a.task_state.value)
    return set(session.execute(_INSERT.format(values=", ".join([_VALUES] * len(chunk))), values).fetchall())


def _changed(session: Session, seen_before: Sequence[Alarm]) -> list[tuple[int, Alarm]]:
    """Those whose task is in another, known state than at the last reading; the new state is kept."""
    told = {(a.source, a.id): a for a in seen_before if a.task_state is not TaskState.UNKNOWN}
    found = [
        (incident_id, told[address])
        for address, (state, incident_id) in _states(session, list(told)).items()
        if state != told[address].task_state
    ]
    updates = [(alarm.task_state.value, alarm.source, alarm.id) for _, alarm in found]
    session.conn.executemany(f"UPDATE alarms SET task_state = ? WHERE {_ADDRESS}", updates)
    return [(incident_id, alarm) for incident_id, alarm in found if incident_id is not None]


def _states(session: Session, addresses: Sequence[Address]) -> dict[Address, tuple[str, int | None]]:
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for source, alarm_id in addresses:
        by_source[source].append(alarm_id)
    found: dict[Address, tuple[str, int | None]] = {}
    for source, ids in by_source.items():
        for is_old in (0, 1):  # nearly all are found at the first look
            sought = [alarm_id for alarm_id in ids if (source, alarm_id) not in found]
            for alarm_id, state, incident_id in _states_among(session, source, is_old, sought):
                found[source, alarm_id] = (state, incident_id)
    return found


def _states_among(session: Session, source: str, is_old: int, ids: Sequence[str]) -> list[tuple[str, str, int | None]]:
    query = f"""SELECT id, task_state, incident_id FROM alarms
        WHERE source = ? AND is_old = ? AND id IN ({marks(len(ids))})"""
    return session.execute(query, (source, is_old, *ids)).fetchall() if ids else []
