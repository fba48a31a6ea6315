"""What every test stands on: one kind of event loop for the whole session, and no stopwatch on generated examples."""

import pytest
from hypothesis import settings

settings.register_profile("gpubot", settings.default, deadline=None)  # a busy machine is not a failing property
settings.load_profile("gpubot")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The bot runs on asyncio only; without this fixture each async test would run on trio as well."""
    return "asyncio"
