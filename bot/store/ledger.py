"""The incidents that one transaction has in hand: read once, changed by the pure rules of `life`, written once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from bot.domain.alarm import Alarm, TaskState
from bot.domain.incident import Incident
from bot.domain.life import BACK_WITHIN, Changed, comes_back, fold, open_incident, reopen, see_task
from bot.domain.note import Note
from bot.store.codec import maybe_stamp, pack_incident, stamp, unpack_incident
from bot.store.database import Session

T = TypeVar("T")
Router = Callable[[Alarm], str]

CHUNK = 400  # rows per statement; 400 × 7 values stay far under every database's limit of parameters

_OPEN = "SELECT id, body FROM incidents WHERE is_open = 1"
_ENDED = "SELECT id, body FROM incidents WHERE ended_at >= {since} AND is_open = 0"


@dataclass(slots=True)
class Entry:
    """An incident in hand. `before` is how it lies in the table, None for a new one."""

    incident: Incident
    before: Incident | None
    notes: list[Note] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)

    @property
    def is_changed(self) -> bool:
        return self.incident != self.before

    def apply(self, changed: Changed) -> None:
        self.incident, notes = changed
        self.notes.extend(notes)


class Ledger:
    """Give it the alarms of a batch, then write what `entries` hold."""

    def __init__(self, session: Session, route: Router, now: datetime, late_after: timedelta) -> None:
        self._session = session
        self._route = route
        self._now = now
        self._late_after = late_after
        self._by_id: dict[int, Entry] = {}
        self._by_key: dict[str, Entry] = {}
        self._ended: dict[str, Entry] = {}
        self._by_task: dict[str, Entry] = {}
        self._new: list[Entry] = []

    @property
    def entries(self) -> Iterator[Entry]:
        yield from self._by_id.values()
        yield from self._new

    def load_open(self, alarms: Sequence[Alarm]) -> None:
        """The incidents that these alarms may belong to: open ones, and those that ended a moment ago."""
        keys = {alarm.incident_key for alarm in alarms}
        self._load(f"{_ENDED.format(since=stamp(self._now - BACK_WITHIN))} AND key IN", keys)
        self._load(f"{_OPEN} AND key IN", keys)
        self._load(f"{_OPEN} AND task IN", {task for alarm in alarms if (task := task_of(alarm))})

    def load(self, ids: Iterable[int]) -> None:
        self._load("SELECT id, body FROM incidents WHERE id IN", set(ids))

    def take(self, alarm: Alarm) -> None:
        """A new alarm: fold it into the open incident about its subject, or open one."""
        entry = self._find(alarm) or self._find_again(alarm)
        if entry is None:
            self._open(alarm)
            return
        entry.alarms.append(alarm)
        entry.apply(_folded(entry.incident, alarm, self._now))
        self._index(entry)

    def see(self, incident_id: int, alarm: Alarm) -> None:
        """A known alarm whose task is in another state now."""
        entry = self._by_id.get(incident_id)
        if entry is not None:
            entry.apply(see_task(entry.incident, alarm.source, alarm.kind, alarm.task_state, self._now))

    def _load(self, query: str, values: set[str] | set[int]) -> None:
        for chunk in chunks(sorted(values)):
            rows = self._session.execute(f"{query} ({marks(len(chunk))})", chunk).fetchall()
            for incident_id, body in sorted(rows):  # of several that ended, the latest is found
                if incident_id not in self._by_id:
                    incident = read_incident(incident_id, body)
                    self._by_id[incident_id] = entry = Entry(incident, incident)
                    self._index(entry)

    def _find(self, alarm: Alarm) -> Entry | None:
        """By key; else, where either side does not know its job yet, by the monitor's task."""
        entry = self._by_key.get(alarm.incident_key) or self._by_task.get(task_of(alarm) or "")
        if entry is None or not entry.incident.is_open:
            return None
        ours, theirs = alarm.subject.job, entry.incident.subject.job
        return entry if ours is None or theirs is None or ours == theirs else None

    def _find_again(self, alarm: Alarm) -> Entry | None:
        """The incident that ended a moment ago with this very trouble, open again."""
        entry = self._ended.get(alarm.incident_key)
        if entry is None or entry.incident.is_open or not comes_back(entry.incident, alarm, self._now):
            return None
        entry.incident = reopen(entry.incident)
        return entry

    def _open(self, alarm: Alarm) -> None:
        incident, notes = open_incident(alarm, self._route(alarm), self._now)
        is_late = alarm.at is not None and self._now - alarm.at > self._late_after
        entry = Entry(replace(incident, late=is_late), None, list(notes), [alarm])
        self._new.append(entry)
        self._index(entry)

    def _index(self, entry: Entry) -> None:
        incident = entry.incident
        if not incident.is_open:
            self._ended[incident.key] = entry
            return
        self._by_key[incident.key] = entry
        if task := task_of(incident):
            self._by_task[task] = entry


def read_incident(incident_id: int, body: str) -> Incident:
    return replace(unpack_incident(body), id=incident_id)


def write_new(session: Session, incident: Incident, now: datetime, storm_id: int | None) -> Incident:
    row = session.execute(
        """INSERT INTO incidents
           (key, task, job, channel, is_open, opened_at, last_at, ended_at, body, recorded_at, storm_id)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""",
        (*_columns(incident), stamp(now), storm_id),
    ).fetchone()
    return replace(incident, id=row[0])


def rewrite(session: Session, incident: Incident) -> None:
    session.execute(
        """UPDATE incidents SET key = ?, task = ?, job = ?, channel = ?, is_open = ?, opened_at = ?, last_at = ?,
           ended_at = ?, body = ? WHERE id = ?""",
        (*_columns(incident), incident.id),
    )


def task_of(thing: Alarm | Incident) -> str | None:
    return f"{thing.subject.cloud}/{thing.subject.task}" if thing.subject.task else None


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def marks(count: int) -> str:
    return ", ".join("?" * count)


def _folded(incident: Incident, alarm: Alarm, now: datetime) -> Changed:
    """Count the alarm; if it says that the task is well meanwhile, tell that as the change of state that it is."""
    told = alarm.task_state is not TaskState.UNKNOWN and not alarm.task_state.is_bad
    counted = replace(alarm, task_state=TaskState.UNKNOWN) if told else alarm
    folded, _, notes = fold(incident, counted, now)
    if folded.subject.job is not None and folded.key.startswith("task:"):
        folded = replace(folded, key=f"job:{folded.subject.job}")
    if not told:
        return folded, notes
    seen, more = see_task(folded, alarm.source, alarm.kind, alarm.task_state, now)
    return seen, (*(_with_evidence(note, alarm, counted) for note in notes), *more)


def _with_evidence(note: Note, alarm: Alarm, counted: Alarm) -> Note:
    return replace(note, alarm=alarm) if note.alarm is counted else note


def _columns(incident: Incident) -> tuple[str | int | None, ...]:
    return (
        incident.key,
        task_of(incident),
        str(incident.subject.job) if incident.subject.job else None,
        incident.channel,
        int(incident.is_open),
        stamp(incident.opened_at),
        stamp(incident.last_at),
        maybe_stamp(incident.ending.at if incident.ending else None),
        pack_incident(incident),
    )
