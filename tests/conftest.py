"""What every test stands on: one event loop kind, for the whole session."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The bot runs on asyncio only; without this fixture each async test would run on trio as well."""
    return "asyncio"
