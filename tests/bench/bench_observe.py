"""What recording a poll costs in a store that remembers a million alarms, compared with an empty one.

Both stores are open at once and take turns, so that a busy machine slows both: each pair of times is of the same
moment, and a ratio is the median of its pairs.
"""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from uuid import UUID

import pytest

from bot.domain.alarm import Alarm
from bot.store.codec import stamp
from bot.store.database import Database, Session
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests.bench.table import show, time_of
from tests.make import NOW, alarm

MILLION = 1_000_000
RUN = 50_000
A_JOB = 20  # old alarms of one ended incident
MOST = 1.2  # times as slow as an empty store
JOBS = 200
ROUNDS = {10: 201, 10_000: 9}

pytestmark = pytest.mark.timeout(240)


@dataclass
class Memory:
    """One store, and how long each kind of poll took there."""

    database: Database
    times: dict[str, list[float]] = field(default_factory=dict)

    async def observe(self, what: str, batch: list[Alarm], now: datetime) -> None:
        began = time.perf_counter()
        await IncidentStore(self.database, lambda _: "#gpu-alerts").observe("ack", batch, now, cursor=now)
        self.times.setdefault(what, []).append(time.perf_counter() - began)


async def test_a_million_old_alarms_hardly_slow_a_poll(tmp_path: Path) -> None:
    async with opened(tmp_path / "empty.db", 0) as empty, opened(tmp_path / "million.db", MILLION) as million:
        ids, now = record_ids(2), NOW
        for size, rounds in ROUNDS.items():
            for turn in range(rounds):
                now += timedelta(seconds=30)
                batch = [alarm(next(ids), task=f"job-{n % JOBS}", at=now, log="x" * 300) for n in range(size)]
                for what in (f"{size:,} new alarms", f"{size:,} known alarms"):
                    for memory in (empty, million) if turn % 2 else (million, empty):
                        await memory.observe(what, batch, now)
        show(
            "Recording one poll (median; alarms a second; the ratio is the median of pairs)",
            ["poll of", "empty store", "alarms/s", f"{MILLION:,} old alarms", "alarms/s", "ratio"],
            [_row(what, empty.times[what], million.times[what]) for what in empty.times],
        )
        assert {} == {what: ratio for what in empty.times if (ratio := _ratio(empty, million, what)) > MOST}


async def test_taking_the_next_message_does_not_grow_with_what_was_sent(tmp_path: Path) -> None:
    async with opened(tmp_path / "empty.db", 0) as empty, opened(tmp_path / "million.db", MILLION) as million:
        storm = [alarm(f"storm-{n}", task=f"job-{n}") for n in range(1_000)]
        for memory in (empty, million):
            await memory.observe("a storm", storm, NOW)
            outbox, later = OutboxStore(memory.database, "bench"), NOW + timedelta(days=1)
            for _ in range(200):
                began = time.perf_counter()
                await outbox.claim("#gpu-alerts", later)
                memory.times.setdefault("claim", []).append(time.perf_counter() - began)
        show(
            "Taking the next of 1,000 waiting messages (median)",
            ["", "empty store", "alarms/s", f"{MILLION // A_JOB:,} sent ones", "alarms/s", "ratio"],
            [_row("claim", empty.times["claim"], million.times["claim"])],
        )
        assert _ratio(empty, million, "claim") <= MOST


async def test_a_start_on_a_million_old_alarms(tmp_path: Path) -> None:
    async with opened(tmp_path / "million.db", MILLION):
        pass
    began = time.perf_counter()
    async with opened(tmp_path / "million.db", 0):
        took = time.perf_counter() - began
    size = (tmp_path / "million.db").stat().st_size
    rows = [["open and check", f"{size / 2**20:,.0f} MB", time_of(took)]]
    show("Opening the store", ["", "file", "time"], rows)
    assert took < 15  # a supervisor waits longer


@asynccontextmanager
async def opened(path: Path, old: int) -> AsyncIterator[Memory]:
    database = Database(path)
    await database.open(NOW)
    try:
        if old:
            await database.transact(lambda session: remember(session, old))
        yield Memory(database)
    finally:
        await database.close()


def remember(session: Session, alarms: int) -> None:
    """Alarms of the last months with their ended incidents, cards and sent messages, as a long life leaves them."""
    past = {"first": stamp(NOW - timedelta(days=60)), "step": 1_000_000, "incidents": alarms // A_JOB, "a_job": A_JOB}
    ids = record_ids(1)
    for run in range(0, alarms, RUN):  # each run is sorted to be quick; the pages still fill as they do in real life
        rows = enumerate(sorted(islice(ids, RUN)), start=run)
        session.conn.executemany(
            """INSERT INTO alarms (source, is_old, id, kind, severity, at, seen_at, task_state, incident_id)
               VALUES ('ack', 1, ?, 'NCCL HANG', 3, ?, ?, 'running', ?)""",
            ((id_, past["first"] + n * past["step"], past["first"] + n * past["step"], n // A_JOB) for n, id_ in rows),
        )
    for statement in (_INCIDENTS, _CARDS, _SENT):
        session.execute(statement, past)


_INCIDENTS = """WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :incidents)
    INSERT INTO incidents (key, task, job, channel, is_open, opened_at, last_at, ended_at, recorded_at, body)
    SELECT 'task:ack/old-' || n, 'ack/old-' || n, NULL, '#gpu-alerts', 0, :first + n * :step * :a_job,
           :first + n * :step * :a_job, :first + n * :step * :a_job, :first + n * :step * :a_job,
           hex(zeroblob(500)) FROM n"""
_CARDS = """INSERT INTO cards (incident_id, channel, ts, fingerprint, generation, posted_at)
    SELECT id, channel, id || '.000001', hex(zeroblob(32)), 0, opened_at FROM incidents"""
_SENT = """INSERT INTO outbox (what, channel, incident_id, urgency, mark, state, queued_at, due_at, sent_at)
    SELECT 'card', channel, id, 1, 'old-' || id, 'sent', opened_at, opened_at, opened_at FROM incidents"""


def record_ids(seed: int) -> Iterator[str]:
    """As the monitor writes them: without any order in time."""
    chance = Random(seed)
    while True:
        yield str(UUID(int=chance.getrandbits(128), version=4))


def _ratio(empty: Memory, million: Memory, what: str) -> float:
    return median(slow / fast for slow, fast in zip(million.times[what], empty.times[what], strict=True))


def _row(what: str, empty: list[float], million: list[float]) -> list[str]:
    size = int(what.split()[0].replace(",", "")) if what[0].isdigit() else 1
    ratio = median(slow / fast for slow, fast in zip(million, empty, strict=True))
    figures = [text for times in (empty, million) for text in (time_of(median(times)), f"{size / median(times):,.0f}")]
    return [what, *figures, f"{ratio:.2f}"]
