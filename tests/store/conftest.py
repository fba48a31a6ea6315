"""A store in a temporary file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests.make import NOW


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gpubot.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    database = Database(path)
    await database.open(NOW)
    yield database
    await database.close()


@pytest.fixture
def incidents(database: Database) -> IncidentStore:
    return IncidentStore(database, lambda alarm: "#nccl" if alarm.kind == "NCCL HANG" else "#gpu-alerts")


@pytest.fixture
def outbox(database: Database) -> OutboxStore:
    return OutboxStore(database, "process-1")
