"""One SQLite file behind one connection on one worker thread: the only place that knows SQLite's own ways.

Everybody else hands in functions over a `Database` session and writes portable SQL. A connection shared between
threads would put one task's insert into another's transaction; one thread makes that impossible.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import sqlite_utils

from bot.domain.errors import StoreDamaged, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreSwapped
from bot.store.migrations import TABLES, migrations

T = TypeVar("T")
Session = sqlite_utils.Database
Work = Callable[[Session], T]

LONGEST_WAIT = 15.0  # seconds for another writer; a backup tool or a person's shell is done by then

_REMEDIES: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreLocked, "{path} is held by another program"),
    sqlite3.SQLITE_LOCKED: (StoreLocked, "{path} is held by another program"),
    sqlite3.SQLITE_FULL: (StoreFull, "No space is left on the disk of {path}"),
    sqlite3.SQLITE_READONLY: (StoreReadOnly, "{path} cannot be written"),
    sqlite3.SQLITE_CANTOPEN: (StoreReadOnly, "{path} cannot be opened"),
    sqlite3.SQLITE_PERM: (StoreReadOnly, "{path} cannot be opened"),
    sqlite3.SQLITE_NOTADB: (StoreDamaged, "{path} is not a database"),
    sqlite3.SQLITE_CORRUPT: (StoreDamaged, "{path} is damaged"),
}


class Database:
    """Open with `await open(now)`, close with `await close()`. `kept_aside` is a damaged file that was replaced."""

    def __init__(self, path: Path | str, longest_wait: float = LONGEST_WAIT) -> None:
        self.path = Path(path)
        self.kept_aside: Path | None = None
        self._longest_wait = longest_wait
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._session: Session | None = None
        self._inode: tuple[int, int] | None = None

    async def open(self, now: datetime) -> None:
        """Open or make the file and its tables. A damaged file is renamed after `now` and a fresh one begins."""
        await self._hop(lambda: self._open(now))

    async def open_to_read(self) -> None:
        """Open what is there and change nothing, for a second process beside the bot. Raises `StoreError`."""
        await self._hop(self._open_to_read)

    async def close(self) -> None:
        await self._hop(self._close)
        self._thread.shutdown(wait=False)

    async def run(self, work: Work[T]) -> T:
        """Read, or write with a single statement. Raises `StoreError` only."""
        return await self._hop(lambda: self._work(work))

    async def transact(self, work: Work[T]) -> T:
        """Read and write in one transaction that holds the write lock from its start.

        A deferred transaction that reads first and writes later is refused at once when another writer came in
        between, however long we would be willing to wait.
        """
        return await self._hop(lambda: self._transact(work))

    async def backup(self, target: Path | str) -> None:
        """Copy the whole store into `target`, consistently, while the bot is running; no process holds the copy."""
        await self._hop(lambda: self._backup(Path(target)))

    async def _hop(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def _open(self, now: datetime) -> None:
        with remedied(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connect()
        except StoreDamaged:
            self._keep_aside(now)
            self._connect()

    def _connect(self) -> None:
        try:
            self._prepare()
        except BaseException:
            self._close()
            raise

    def _prepare(self) -> None:
        with remedied(self.path):
            self.path.touch(mode=0o600)  # logs of jobs lie inside
            connection = sqlite3.connect(self.path, timeout=self._longest_wait, isolation_level=None)
            self._session = session = Session(connection, execute_plugins=False)
            verdict = session.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise StoreDamaged(f"{self.path} is damaged")
            session.execute("PRAGMA journal_mode=WAL")
            session.execute("PRAGMA synchronous=NORMAL")
            _make_tables(session)
            self._inode = self._present_inode()

    def _open_to_read(self) -> None:
        with remedied(self.path):
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            connection = sqlite3.connect(address, timeout=self._longest_wait, isolation_level=None, uri=True)
            self._session = session = Session(connection, execute_plugins=False)
            refuse_other_tables(session)
            self._inode = self._present_inode()

    def _keep_aside(self, now: datetime) -> None:
        aside = self.path.with_name(f"{self.path.name}.damaged-{now:%Y%m%dT%H%M%S}")
        for suffix in ("-wal", "-shm", ""):
            part = Path(f"{self.path}{suffix}")
            if part.exists():
                part.rename(f"{aside}{suffix}")
        self.kept_aside = aside

    def _close(self) -> None:
        if self._session is not None:
            self._session.conn.close()
            self._session = None

    def _work(self, work: Work[T]) -> T:
        if self._session is None:
            raise StoreError(f"{self.path} is not open")
        if self._present_inode() != self._inode:
            raise StoreSwapped(f"{self.path} was moved or replaced while the bot was running: start the bot again")
        with remedied(self.path):
            return work(self._session)

    def _transact(self, work: Work[T]) -> T:
        def within(session: Session) -> T:
            with _immediate(session):
                return work(session)

        return self._work(within)

    def _backup(self, target: Path) -> None:
        def copy(session: Session) -> None:
            with remedied(target), contextlib.closing(sqlite3.connect(target)) as into:
                session.conn.backup(into)
                into.execute("DELETE FROM instance")
                into.commit()

        self._work(copy)

    def _present_inode(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino


@contextlib.contextmanager
def _immediate(session: Session) -> Iterator[None]:
    session.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    try:
        session.execute("COMMIT")
    except BaseException:
        session.rollback()
        raise


def _make_tables(session: Session) -> None:
    """One process at a time: several that start together on an empty file wait for the first."""
    with _immediate(session):
        migrations.apply(session)
    refuse_other_tables(session)


def refuse_other_tables(session: Session) -> None:
    """Raises `StoreError` where another version of the bot has been at work."""
    unknown = {name for name in session.table_names() if not name.startswith(("_", "sqlite_"))} ^ TABLES
    if unknown:
        raise StoreError(f"The store's tables are not this version's: {', '.join(sorted(unknown))}")


@contextlib.contextmanager
def remedied(path: Path) -> Iterator[None]:
    """The one translation of what SQLite raises into what the operator can do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest its refinement
        kind, sentence = _REMEDIES.get(code, (StoreError, "{path} gave an error"))
        raise kind(f"{sentence.format(path=path)} ({error})") from error
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be opened ({error.strerror})") from error
