"""What a poll costs: 10,000 alarms of one tick, on an empty store and on one that remembers a million."""

import time
from datetime import timedelta
from pathlib import Path

import pytest

from bot.store.codec import stamp
from bot.store.database import Database, Session
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests.make import NOW, alarm

TICK = 10_000
MILLION = 1_000_000


def remember(session: Session, rows: int) -> None:
    old = stamp(NOW - timedelta(days=30))
    session.conn.executemany(
        """INSERT INTO alarms (source, id, kind, severity, at, seen_at, task_state, incident_id)
           VALUES ('ack', ?, 'NCCL HANG', 3, ?, ?, 'blocking', ?)""",
        ((f"{n * 2654435761 % 2**32:08x}-old", old, old, n // 20) for n in range(rows)),
    )


@pytest.mark.parametrize("old", [0, MILLION])
async def test_bench_a_tick_of_ten_thousand_alarms(tmp_path: Path, old: int) -> None:
    database = Database(tmp_path / "gpubot.db")
    await database.open(NOW)
    await database.transact(lambda session: remember(session, old))
    incidents = IncidentStore(database, lambda _: "#gpu-alerts")
    print(f"\n{old:>9,} old alarms; {TICK:,} alarms in one tick")
    for name, tasks, prefix in (("new, of 50 jobs", 50, "a"), ("known", 50, "a"), ("new, each its own job", TICK, "b")):
        batch = [alarm(f"{prefix}{n}", task=f"{prefix}{n % tasks}", log="x" * 500) for n in range(TICK)]
        began = time.perf_counter()
        await incidents.observe("ack", batch, NOW, cursor=NOW)
        print(f"          {name:<24}{time.perf_counter() - began:8.3f} s")
    outbox = OutboxStore(database, "bench")
    began = time.perf_counter()
    for _ in range(100):
        await outbox.claim("#gpu-alerts", NOW)
    print(f"          {'claim of 10,000 due':<24}{(time.perf_counter() - began) * 10:8.3f} ms")
    began = time.perf_counter()
    await outbox.channels_due(NOW)
    print(f"          {'channels due':<24}{(time.perf_counter() - began) * 1000:8.3f} ms")
    await database.close()
