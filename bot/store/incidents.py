"""The store of alarms and incidents: each call is one transaction, together with the outbox rows that it causes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.alarm import Alarm
from bot.domain.errors import StoreError
from bot.domain.incident import Incident
from bot.domain.job import JobKey
from bot.domain.life import Change
from bot.store.alarms import AlarmRecord, assign, read_alarms, remember
from bot.store.codec import maybe_moment, stamp
from bot.store.database import Database, Session
from bot.store.kin import link
from bot.store.ledger import Entry, Ledger, Router, read_incident, rewrite, write_new
from bot.store.queue import Posting, is_waiting, posting_of, queue_card, queue_notes, queue_storm
from bot.store.storms import DEFAULT_STORM_RULE, StormRule, join

LATE_AFTER = timedelta(minutes=10)  # an alarm first seen so long after its time is shown as late

_SELECT = "SELECT id, body FROM incidents"


@dataclass(frozen=True, slots=True)
class Observed:
    """What one observation did: alarms that opened an incident, that joined one, and that were known before."""

    new: int = 0
    repeated: int = 0
    known: int = 0


def _nobody() -> None:
    pass


class IncidentStore:
    """`route` says which channel a new incident belongs to; `queued` is called after the outbox may have grown."""

    def __init__(
        self,
        database: Database,
        route: Router,
        queued: Callable[[], None] = _nobody,
        storm: StormRule = DEFAULT_STORM_RULE,
        late_after: timedelta = LATE_AFTER,
    ) -> None:
        self._database = database
        self._route = route
        self._queued = queued
        self._storm = storm
        self._late_after = late_after

    async def observe(
        self,
        source: str,
        alarms: Sequence[Alarm],
        now: datetime,
        cursor: datetime | None = None,
        post: bool = True,
    ) -> Observed:
        """See `Incidents.observe`. Raises `StoreError`; then nothing of the batch was recorded."""

        def work(session: Session) -> Observed:
            observed = self._record(session, alarms, now) if post else _baseline(session, alarms, now)
            if cursor is not None:
                _advance(session, source, cursor)
            return observed

        observed = await self._database.transact(work)
        self._queued()
        return observed

    async def change(self, incident_id: int, change: Change, now: datetime, *, at_once: bool) -> Incident:
        """Apply a pure change; one that changes nothing writes and says nothing. Raises `StoreError`."""

        def work(session: Session) -> Incident:
            row = session.execute(f"{_SELECT} WHERE id = ?", (incident_id,)).fetchone()
            if row is None:
                raise StoreError(f"There is no incident {incident_id}")
            before = read_incident(*row)
            entry = Entry(before, before)
            entry.apply(change(before))
            storm_id = self._write(session, entry, now, at_once=at_once)
            if storm_id is not None:
                queue_storm(session, storm_id, now)
            return entry.incident

        changed = await self._database.transact(work)
        self._queued()
        return changed

    async def cursor(self, source: str) -> datetime | None:
        query = "SELECT reached FROM cursors WHERE source = ?"
        row = await self._database.run(lambda session: session.execute(query, (source,)).fetchone())
        return maybe_moment(row[0]) if row else None

    async def get(self, incident_id: int) -> Incident | None:
        return await self._one("WHERE id = ?", incident_id)

    async def about_job(self, job: JobKey) -> Incident | None:
        return await self._one("WHERE is_open = 1 AND job = ? ORDER BY id DESC LIMIT 1", str(job))

    async def open(self) -> Sequence[Incident]:
        """Oldest first."""
        return await self._many("WHERE is_open = 1 ORDER BY id")

    async def recent(self, since: datetime) -> Sequence[Incident]:
        """Everything that stirred since then, newest first."""
        moment = stamp(since)
        return await self._many("WHERE last_at >= ? OR ended_at >= ? ORDER BY last_at DESC, id DESC", moment, moment)

    async def alarms_of(self, incident_id: int) -> Sequence[AlarmRecord]:
        """The alarms of an incident, oldest first."""
        return await self._database.run(lambda session: read_alarms(session, incident_id))

    async def _one(self, where: str, *values: str | int) -> Incident | None:
        found = await self._many(where, *values)
        return found[0] if found else None

    async def _many(self, where: str, *values: str | int) -> Sequence[Incident]:
        def read(session: Session) -> list[Incident]:
            return [read_incident(*row) for row in session.execute(f"{_SELECT} {where}", values).fetchall()]

        return await self._database.run(read)

    def _record(self, session: Session, alarms: Sequence[Alarm], now: datetime) -> Observed:
        batch = remember(session, alarms, now)
        ledger = Ledger(session, self._route, now, self._late_after)
        ledger.load_open(batch.fresh)
        ledger.load(incident_id for incident_id, _ in batch.changed)
        for alarm in batch.fresh:
            ledger.take(alarm)
        for incident_id, alarm in batch.changed:
            ledger.see(incident_id, alarm)
        entries = list(ledger.entries)
        storms = {self._write(session, entry, now, at_once=False) for entry in entries}
        for storm_id in storms:
            if storm_id is not None:
                queue_storm(session, storm_id, now)
        self._link([entry for entry in entries if _is_elsewhere(entry)], session, now)
        opened = sum(entry.before is None for entry in entries)
        return Observed(opened, len(batch.fresh) - opened, batch.known)

    def _link(self, entries: Sequence[Entry], session: Session, now: datetime) -> None:
        """What has no card yet is rendered later, with its kin on it."""
        for incident in link(session, [entry.incident for entry in entries], now):
            _, posting = _posting(session, incident)
            if posting.posted:
                queue_card(session, posting, now, at_once=False)

    def _write(self, session: Session, entry: Entry, now: datetime, *, at_once: bool) -> int | None:
        """Write an incident in hand and queue what is to be said; returns the storm that must show it too."""
        if entry.before is None:
            storm_id, posting = self._write_new(session, entry, now)
        else:
            if not entry.is_changed and not entry.notes:
                return None
            rewrite(session, entry.incident)
            storm_id, posting = _posting(session, entry.incident)
        assign(session, entry.incident.id, entry.alarms)
        if at_once or not _keeps_its_moment(session, entry, posting, storm_id):
            queue_card(session, posting, now, at_once=at_once)
        queue_notes(session, posting, entry.notes, now, at_once=at_once)
        return storm_id

    def _write_new(self, session: Session, entry: Entry, now: datetime) -> tuple[int | None, Posting]:
        membership = join(session, self._storm, entry.incident.channel, now)
        storm_id, own_card_at = (membership.storm_id, membership.own_card_at) if membership else (None, None)
        entry.incident = incident = write_new(session, entry.incident, now, storm_id)
        return storm_id, Posting(incident.id, incident.channel, False, None, own_card_at)


def _is_elsewhere(entry: Entry) -> bool:
    """It is new, or more machines are concerned than before."""
    return entry.before is None or entry.before.subject.nodes != entry.incident.subject.nodes


def _posting(session: Session, incident: Incident) -> tuple[int | None, Posting]:
    storm_id = session.execute("SELECT storm_id FROM incidents WHERE id = ?", (incident.id,)).fetchone()[0]
    return storm_id, posting_of(session, incident.id, incident.channel)


def _keeps_its_moment(session: Session, entry: Entry, posting: Posting, storm_id: int | None) -> bool:
    """A storm's member whose own card waits for its calm moment is not brought forward by further alarms."""
    is_member = storm_id is not None and entry.before is not None and not posting.posted
    return is_member and is_waiting(session, posting.incident_id)


def _baseline(session: Session, alarms: Sequence[Alarm], now: datetime) -> Observed:
    batch = remember(session, alarms, now)
    return Observed(known=len(batch.fresh) + batch.known)


def _advance(session: Session, source: str, reached: datetime) -> None:
    session.execute(
        """INSERT INTO cursors (source, reached) VALUES (?, ?) ON CONFLICT (source)
           DO UPDATE SET reached = excluded.reached WHERE excluded.reached > cursors.reached""",
        (source, stamp(reached)),
    )
