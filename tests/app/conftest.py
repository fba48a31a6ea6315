"""The stage at real time, with an app that was granted what the manifest asks for, and settings that fit it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.config import Settings
from bot.demo import Stage, stage
from bot.simulator.world import World
from bot.slack.scopes import WITHOUT

SECRETS = ("xoxb-sim-bot", "xapp-sim-app", "sim-signing-secret", "sk-sim", "alaya-sk", "sysom-sk")


@pytest.fixture
async def on() -> AsyncIterator[Stage]:
    world = World.scripted(start=datetime.now(UTC), speed=1, story=False)
    async with stage(world, speed=1) as on:
        on.slack.change_app(scopes=frozenset(WITHOUT))
        yield on


@pytest.fixture
def settings(on: Stage, tmp_path: Path) -> Settings:
    return on.settings(tmp_path / "gpubot.db")
