"""Recorded clusters instead of the script: alarms and low use of real job data, end to end."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.config import LowUseSettings
from bot.demo import stage
from bot.simulator.world import JobState, World
from bot.slack.scopes import WITHOUT
from tests.paths.conftest import CALM
from tests.paths.scene import ALERTS, NCCL, OMAR, Scene, quick_slack, shown

DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = [DATA / name for name in ("openb_pods.csv.gz", "openb_nodes.csv.gz", "gpu_use_real.csv.gz")]

pytestmark = pytest.mark.skipif(
    not all(file.exists() for file in FILES), reason="the recorded cluster data does not lie beside the project"
)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    world = World.from_trace(*FILES, limit=60)
    async with stage(world, speed=0, slack=quick_slack(world)) as on:
        on.slack.change_app(scopes=frozenset(WITHOUT))
        settings = on.settings(tmp_path / "gpubot.db")
        yield Scene(on, settings.model_copy(update={"low_use": (), **CALM}))
        assert [] == [call for call in on.slack.requests if call.outcome not in ("ok", "users_not_found")]
        assert [] == on.slack.pace_violations
        assert [] == on.slack.duplicates()


async def test_the_recorded_jobs_are_listed(scene: Scene) -> None:
    running = [job for job in scene.world.jobs() if job.state is JobState.RUNNING]
    async with scene.bot():
        answer = await scene.typed(OMAR, "jobs --state running")

    assert f"{len(running)} jobs" in shown(answer)


async def test_a_hang_of_a_recorded_job_is_told(scene: Scene) -> None:
    job = next(job for job in scene.world.jobs() if job.state is JobState.RUNNING and job.gpus)
    async with scene.bot():
        scene.world.hang(job.id, {0: (0,)})
        card = await scene.card_in(NCCL)

    assert job.name in shown(card)


async def test_recorded_idleness_becomes_cards_and_every_card_is_about_a_job_that_runs(scene: Scene) -> None:
    async with scene.bot(low_use=(LowUseSettings(name="idle"),)) as bot:
        scene.world.advance(timedelta(minutes=5))
        await scene.until(lambda: scene.parents(ALERTS))
        await scene.settled(bot)
        told = [one for one in scene.parents(ALERTS) if "*Job*" in shown(one)]
        running = {job.name for job in scene.world.jobs() if job.state is JobState.RUNNING}

        assert told
        assert all(any(name in shown(one) for name in running) for one in told)
