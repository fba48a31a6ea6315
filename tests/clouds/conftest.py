"""What cloud tests stand on: repetition without waiting, and one HTTP client that is closed again."""

from collections.abc import AsyncIterator, Iterator

import pytest
import stamina

from bot.clouds.http import Http


@pytest.fixture(autouse=True)
def no_waiting_between_attempts() -> Iterator[None]:
    stamina.set_testing(True, attempts=3, cap=True)
    yield
    stamina.set_testing(False)


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    client = Http()
    yield client
    await client.aclose()
