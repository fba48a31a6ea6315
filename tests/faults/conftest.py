"""The whole product on its scene, as the paths use it."""

from collections.abc import Iterator

import pytest
import structlog

from tests.paths.conftest import bot, scene

__all__ = ["bot", "scene"]


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    """Hundreds of histories full of trouble would write megabytes of log."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    yield
    structlog.configure(**before)
