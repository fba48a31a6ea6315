"""One file, one thread, one connection; and what the operator hears when the file is in trouble."""

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.domain.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreSwapped
from bot.store.database import Database, Session
from bot.store.incidents import IncidentStore
from bot.store.migrations import migrations
from tests.make import NOW, alarm


def put(session: Session, key: str = "a") -> None:
    session.execute("INSERT INTO channels (name, id) VALUES (?, 'x')", (key,))


def rows(session: Session) -> int:
    return int(session.execute("SELECT count(*) FROM channels").fetchone()[0])


@contextmanager
def other_writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


async def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    def work(session: Session) -> None:
        put(session)
        raise LookupError

    with pytest.raises(LookupError):
        await database.transact(work)
    assert 0 == await database.run(rows)


async def test_transactions_of_many_tasks_do_not_mix(database: Database) -> None:
    def work(session: Session, n: int) -> None:
        before = rows(session)
        put(session, str(n))
        assert before + 1 == rows(session)
        if n % 2:
            raise ValueError

    await asyncio.gather(
        *(database.transact(lambda session, n=n: work(session, n)) for n in range(20)),  # type: ignore[misc]
        return_exceptions=True,
    )
    assert 10 == await database.run(rows)


async def test_a_second_writer_is_waited_for(database: Database, path: Path) -> None:
    """F81"""
    with other_writer(path) as other:
        threading.Timer(0.3, lambda: other.execute("COMMIT")).start()
        await database.transact(put)
    assert 1 == await database.run(rows)


async def test_a_writer_that_never_ends_is_named(path: Path) -> None:
    """F81"""
    database = Database(path, longest_wait=0.05)
    await database.open(NOW)
    with other_writer(path), pytest.raises(StoreLocked, match="held by another program"):
        await database.transact(put)
    await database.transact(put)
    await database.close()


async def test_several_processes_may_start_on_an_empty_file_together(path: Path) -> None:
    """F82"""
    databases = [Database(path) for _ in range(4)]
    await asyncio.gather(*(database.open(NOW) for database in databases))
    for n, database in enumerate(databases):
        await database.transact(lambda session, n=n: put(session, str(n)))  # type: ignore[misc]
    assert 4 == await databases[0].run(rows)
    for database in databases:
        await database.close()


async def test_tables_of_another_version_are_refused(path: Path) -> None:
    database = Database(path)
    await database.open(NOW)
    await database.run(lambda session: session.execute("DROP TABLE channels"))
    await database.close()
    with pytest.raises(StoreError, match="channels"):
        await Database(path).open(NOW)


async def test_a_damaged_file_is_kept_aside_and_a_fresh_one_begins(path: Path) -> None:
    """F85"""
    await _filled(path)
    with path.open("r+b") as file:
        file.write(os.urandom(100))
    damaged = path.read_bytes()
    database = Database(path)
    await database.open(NOW)
    assert 0 == await database.run(rows)
    assert database.kept_aside == path.with_name("gpubot.db.damaged-20261130T060000")
    assert damaged == database.kept_aside.read_bytes()
    assert await IncidentStore(database, lambda _: "#a").cursor("ack") is None
    await database.close()


async def test_damaged_pages_inside_are_noticed_at_the_start(path: Path) -> None:
    """F85"""
    await _filled(path)
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(os.urandom(4096 * 5))
    database = Database(path)
    await database.open(NOW)
    assert database.kept_aside is not None
    await database.close()


async def test_the_file_is_its_owners_alone(database: Database, path: Path) -> None:
    assert 0o600 == path.stat().st_mode & 0o777


async def test_a_healthy_file_is_not_kept_aside(path: Path) -> None:
    await _filled(path)
    database = Database(path)
    await database.open(NOW)
    assert (None, 1) == (database.kept_aside, await database.run(rows))
    await database.close()


async def test_a_backup_is_whole_while_the_bot_writes(database: Database, path: Path, tmp_path: Path) -> None:
    await database.transact(put)
    await asyncio.gather(database.backup(tmp_path / "copy.db"), database.transact(lambda session: put(session, "b")))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert "ok" == copy.execute("PRAGMA integrity_check").fetchone()[0]
        assert copy.execute("SELECT count(*) FROM channels").fetchone()[0] in (1, 2)


async def test_a_file_that_was_replaced_under_the_bot_is_noticed(
    database: Database, path: Path, tmp_path: Path
) -> None:
    """Scenario 12: a backup moved over the live file."""
    await database.backup(tmp_path / "copy.db")
    shutil.move(tmp_path / "copy.db", path)
    with pytest.raises(StoreSwapped, match="start the bot again"):
        await database.transact(put)


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreReadOnly, match="cannot be opened"):
        await Database(tmp_path / "file" / "gpubot.db").open(NOW)


async def test_a_full_disk_is_named_and_the_batch_comes_whole_when_there_is_space(
    database: Database, incidents: IncidentStore
) -> None:
    """F84"""
    await database.run(lambda session: session.execute("PRAGMA max_page_count = 1"))
    batch = [alarm(f"a{n}", task=f"t{n}", log="x" * 2000) for n in range(200)]
    with pytest.raises(StoreFull, match="No space"):
        await incidents.observe("ack", batch, NOW, cursor=NOW)
    assert ([], None) == (list(await incidents.open()), await incidents.cursor("ack"))
    await database.run(lambda session: session.execute("PRAGMA max_page_count = 100000"))
    assert 200 == (await incidents.observe("ack", batch, NOW, cursor=NOW)).new


async def test_an_error_names_the_file_and_not_the_statement(database: Database, path: Path) -> None:
    with pytest.raises(StoreError, match=str(path)):
        await database.run(lambda session: session.execute("SELECT nonsense FROM channels"))


async def _filled(path: Path) -> None:
    database = Database(path)
    await database.open(NOW)
    await database.transact(put)
    await IncidentStore(database, lambda _: "#a").observe("ack", [alarm(f"a{n}") for n in range(300)], NOW, cursor=NOW)
    await database.close()


async def test_alarms_of_an_older_version_are_still_known(path: Path) -> None:
    with closing(sqlite3.connect(path)) as older:
        session = Session(older, execute_plugins=False)
        migrations.apply(session, stop_before="002_old_alarms_apart")
        session.execute(
            """INSERT INTO alarms (source, id, kind, severity, at, seen_at, task_state)
               VALUES ('ack', 'alarm-1', 'NCCL HANG', 3, 0, 0, 'blocking')"""
        )
        older.commit()
    database = Database(path)
    await database.open(NOW)
    observed = await IncidentStore(database, lambda _: "#gpu-alerts").observe("ack", [alarm("alarm-1")], NOW)
    await database.close()
    assert (0, 1) == (observed.new, observed.known)
