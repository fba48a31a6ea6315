"""A real store in a temporary file for the use cases."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.incidents import IncidentStore
from tests.make import NOW


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "gpubot.db")
    await database.open(NOW)
    yield database
    await database.close()


@pytest.fixture
def incidents(database: Database) -> IncidentStore:
    return IncidentStore(database, lambda alarm: "#gpu-alerts")
