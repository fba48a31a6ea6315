"""`gpubot backup`: a consistent copy of the database, made beside a running bot or without one."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from bot.domain.errors import StoreError
from bot.store.database import Database

Tell = Callable[[str], object]


async def back_up(path: str, target: Path, tell: Tell) -> int:
    """Copy the database into `target`, which must not be there yet; the exit code."""
    try:
        part = await asyncio.to_thread(_begin, Path(path), target)
        try:
            await _copy(Path(path), part)
            size = await asyncio.to_thread(_name, part, target)
        finally:
            part.unlink(missing_ok=True)
    except StoreError as error:
        tell(f"FAIL  backup: {error}")
    except OSError as error:
        tell(f"FAIL  backup: {target} cannot be written: {error.strerror or error}")
    else:
        tell(f"ok    backup: {target}, {size // 2**10} KiB")
        return 0
    return 1


def _begin(path: Path, target: Path) -> Path:
    """A file beside the target, which gets the target's name once it is whole. It is its owner's alone."""
    if not path.exists():
        raise StoreError(f"there is no database {path}; the setting store.path says where it should be")
    _refuse_to_replace(target)
    handle, part = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.")
    os.close(handle)
    return Path(part)


async def _copy(path: Path, part: Path) -> None:
    database = Database(path)
    try:
        await database.open_to_read()
        await database.backup(part)
    finally:
        await database.close()


def _name(part: Path, target: Path) -> int:
    """Its size in bytes."""
    _refuse_to_replace(target)
    return part.rename(target).stat().st_size


def _refuse_to_replace(target: Path) -> None:
    if target.exists():
        raise StoreError(f"{target} is there already and stays as it is; choose another name")
