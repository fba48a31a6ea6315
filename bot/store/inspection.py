"""A look at the database from outside, for whoever starts the bot or checks its settings: it changes nothing."""

import contextlib
import os
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from bot.domain.errors import StoreDamaged, StoreReadOnly
from bot.store.database import Session, refuse_other_tables, remedied
from bot.store.migrations import migrations

LONGEST_WAIT = 5.0  # seconds for another writer


@dataclass(frozen=True, slots=True)
class Inspection:
    """`size` in bytes, None where there is no file yet; `behind` where tables of an older version are in it."""

    free: int
    size: int | None = None
    behind: bool = False


def inspect(path: Path | str) -> Inspection:
    """Whether the bot could keep its memory there. Raises `StoreError` with a sentence."""
    path = Path(path)
    folder = _nearest_folder(path)
    if not folder.is_dir():
        raise StoreReadOnly(f"{folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreReadOnly(f"{folder} cannot be written by this user")
    free = shutil.disk_usage(folder).free
    return _of_file(path, free) if path.exists() else Inspection(free)


def _of_file(path: Path, free: int) -> Inspection:
    with remedied(path), contextlib.closing(_connected(path)) as connection:
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise StoreDamaged(f"{path} is damaged")
        session = Session(connection, execute_plugins=False)
        behind = bool(migrations.pending(session))
        if not behind:
            refuse_other_tables(session)
        connection.execute("BEGIN IMMEDIATE")  # takes the write lock, and gives it back unused
        connection.execute("ROLLBACK")
        log = Path(f"{path}-wal")  # gone once the last connection closes
        size = path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    return Inspection(free, size, behind)


def _connected(path: Path) -> sqlite3.Connection:
    """Without making the file, should it vanish meanwhile."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(address, timeout=LONGEST_WAIT, isolation_level=None, uri=True)


def _nearest_folder(path: Path) -> Path:
    """The folder of the file, or the lowest that is there of those above it: missing ones are made at the start."""
    return next(folder for folder in path.absolute().parents if folder.exists())
