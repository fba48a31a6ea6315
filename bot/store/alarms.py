"""Alarms already seen: what makes a record of a poll new, changed or merely known. One statement decides, per chunk."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.alarm import Alarm, Severity, TaskState
from bot.store.codec import maybe_moment, maybe_stamp, moment, stamp
from bot.store.database import Session
from bot.store.ledger import chunks, marks

Address = tuple[str, str]  # source, id

_VALUES = "(?, ?, ?, ?, ?, ?, ?)"


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
    fresh: list[Alarm] = []
    changed: list[tuple[int, Alarm]] = []
    known = 0
    for chunk in chunks(alarms):
        inserted = _insert(session, chunk, now)
        seen_before: list[Alarm] = []
        for alarm in chunk:
            address = (alarm.source, alarm.id)
            (fresh if address in inserted else seen_before).append(alarm)
            inserted.discard(address)  # a record given twice in one batch is new once
        changed.extend(_changed(session, seen_before))
        known += len(seen_before)
    return Sorted(tuple(fresh), tuple(changed), known)


def assign(session: Session, incident_id: int, alarms: Sequence[Alarm]) -> None:
    rows = [(incident_id, alarm.source, alarm.id) for alarm in alarms]
    session.conn.executemany("UPDATE alarms SET incident_id = ? WHERE source = ? AND id = ?", rows)


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


def _insert(session: Session, chunk: Sequence[Alarm], now: datetime) -> set[Address]:
    seen_at = stamp(now)
    values: list[str | int | None] = []
    for a in chunk:
        values += (a.source, a.id, a.kind, int(a.severity), maybe_stamp(a.at), seen_at, a.task_state.value)
    rows = session.execute(
        f"""INSERT INTO alarms (source, id, kind, severity, at, seen_at, task_state)
            VALUES {", ".join([_VALUES] * len(chunk))} ON CONFLICT (source, id) DO NOTHING RETURNING source, id""",
        values,
    )
    return set(rows.fetchall())


def _changed(session: Session, seen_before: Sequence[Alarm]) -> list[tuple[int, Alarm]]:
    """Those whose task is in another, known state than at the last reading; the new state is kept."""
    told = {(a.source, a.id): a for a in seen_before if a.task_state is not TaskState.UNKNOWN}
    found = [
        (incident_id, told[address])
        for address, (state, incident_id) in _states(session, list(told)).items()
        if state != told[address].task_state
    ]
    updates = [(alarm.task_state.value, alarm.source, alarm.id) for _, alarm in found]
    session.conn.executemany("UPDATE alarms SET task_state = ? WHERE source = ? AND id = ?", updates)
    return [(incident_id, alarm) for incident_id, alarm in found if incident_id is not None]


def _states(session: Session, addresses: Sequence[Address]) -> dict[Address, tuple[str, int | None]]:
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for source, alarm_id in addresses:
        by_source[source].append(alarm_id)
    return {
        (source, alarm_id): (state, incident_id)
        for source, ids in by_source.items()
        for alarm_id, state, incident_id in session.execute(
            f"SELECT id, task_state, incident_id FROM alarms WHERE source = ? AND id IN ({marks(len(ids))})",
            (source, *ids),
        ).fetchall()
    }
