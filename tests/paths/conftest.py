"""The scene, with the bot on it or not, and what must be true of the workspace after every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.app.bot import Bot
from bot.config import AlarmSettings, UsageSettings
from bot.demo import stage
from bot.simulator.world import World
from bot.slack.scopes import WITHOUT
from tests.paths.scene import Scene, quick_slack

CALM = {
    "alarms": AlarmSettings.model_validate({"poll_every": "3s"}),
    "usage": UsageSettings.model_validate({"judge_every": "20s"}),
}
LOOKED_IN_VAIN = {"users_not_found"}  # a refusal that is an answer


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Clouds and Slack without a bot, on a clock that only the test moves; no rule of low use unless a test asks."""
    world = World.scripted(story=False)
    async with stage(world, speed=0, slack=quick_slack(world)) as on:
        on.slack.change_app(scopes=frozenset(WITHOUT) | {"reactions:write"})
        yield Scene(on, on.settings(tmp_path / "gpubot.db").model_copy(update={"low_use": (), **CALM}))
        assert [] == [call for call in on.slack.requests if call.outcome not in ("ok", *LOOKED_IN_VAIN)]
        assert [] == on.slack.pace_violations
        assert [] == on.slack.duplicates()


@pytest.fixture
async def bot(scene: Scene) -> AsyncIterator[Bot]:
    async with scene.bot() as bot:
        yield bot
