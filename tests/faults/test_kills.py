"""`gpubot run` killed at random moments, and two of them on one database: nothing lost, nothing twice.

`FAULT_ROUNDS` sets how often six kills are survived; the ordinary run does it once.
"""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain.incident import Incident
from bot.messages import texts
from bot.simulator.slack import Fault
from bot.simulator.slack.records import Message
from bot.slack.views import Views
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from tests.faults.program import Machine, machine
from tests.paths.scene import ALERTS, NCCL, OMAR, Scene, actions_of, shown

KILLS, ROUNDS = 6, int(os.environ.get("FAULT_ROUNDS", "1"))
PATIENCE = 20.0
JOBS = (
    "llm-pretrain-70b",
    "qwen-32b-sft",
    "embedding-bge-finetune",
    "对话模型-sft-v3",
    "clip-zh-pretrain",
    "rlhf-ppo-trial",
)


def trouble(scene: Scene, number: int) -> None:
    """One more alarm in the world."""
    name, world = JOBS[number % len(JOBS)], scene.world
    job = world.job_named(name)
    if number % 2:
        world.run_out_of_memory(job.id, 0, number % 8)
    else:
        world.hang(job.id, {0: (number % 8,)})


def cards(scene: Scene) -> list[Message]:
    return [one for channel in (ALERTS, NCCL) for one in scene.parents(channel)]


async def recorded(here: Machine) -> list[Incident]:
    """The incidents as they lie in the database of the process."""
    database = Database(here.scene.settings.store.path)
    await database.open_to_read()
    try:
        return list(await IncidentStore(database, lambda _: "").open())
    finally:
        await database.close()


def due_looks(incidents: list[Incident], now: datetime) -> list[str]:
    """What the cards must look like."""
    people = {"li.wei": "U02LIWEI", "anna.schmidt": "U03ANNA", "zhang.min": "U04ZHANG"}
    views = Views(texts("en"), "/gpu", people.get)
    return sorted(_words(list(views.card(incident, now).blocks)) for incident in incidents)


def _words(blocks: Sequence[Any]) -> str:
    return shown(Message("", "", "", "", tuple(dict(block) for block in blocks)))


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_killed_at_random_moments_every_alarm_stands_once_and_up_to_date(tmp_path: Path, seed: int) -> None:
    """F19, F22, F34: takes some seconds for each kill, because real processes start."""
    chance = random.Random(seed)
    async with machine(tmp_path) as here:
        await here.running()
        scene, number = here.scene, 0
        for _ in range(KILLS):
            trouble(scene, number)
            number += 1
            await asyncio.sleep(chance.uniform(0.0, 3.5))
            await here.started[-1].kill()
            await here.start()
        await here.started[-1].until_it_says('"event": "running"')

        async def is_told() -> bool:
            incidents = await recorded(here)
            looks = due_looks(incidents, scene.world.now())
            threads = [scene.thread(card) for card in cards(scene)]
            told = number == sum(one.count for one in incidents) and all(threads)
            return told and looks == sorted(map(shown, cards(scene)))

        await until(is_told)
        await asyncio.sleep(2.0)  # further polls, which must say nothing
        assert await is_told()
        assert [] == scene.slack.duplicates()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(75):  # edits of one card are 45 s apart
        while not await condition():  # noqa: ASYNC110  (another process does what is waited for)
            await asyncio.sleep(0.2)


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_a_standby_takes_over_from_a_killed_process_and_nothing_is_doubled(tmp_path: Path) -> None:
    """F25, F26: with a hold of 2 seconds instead of 25; two real processes start."""
    async with machine(tmp_path) as here:
        active = await here.running(short_hold=True)
        standby = await here.start(short_hold=True)
        await standby.until_it_says("standing by")
        trouble(here.scene, 1)
        card = await here.scene.card_in(ALERTS)
        assert 1 == len(here.scene.slack.sockets.links), "one process listens"
        trouble(here.scene, 0)
        await active.kill()
        died = time.monotonic()
        await standby.until_it_says('"event": "running"')
        assert time.monotonic() - died < 8
        await here.scene.card_in(NCCL)
        await here.scene.press(OMAR, card, "acknowledge")
        await here.scene.said_on(card, "*Acknowledged*")
        assert [1, 1] == [len(here.scene.parents(channel)) for channel in (ALERTS, NCCL)]


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_told_to_stop_it_ends_within_ten_seconds_with_sends_and_clicks_in_flight(tmp_path: Path) -> None:
    """Slack and a cloud hang while it ends; the next process finishes what was begun, once."""
    async with machine(tmp_path) as here:
        program = await here.running()
        trouble(here.scene, 1)
        card = await here.scene.card_in(ALERTS)
        here.scene.slack.faults.add("chat.postMessage", Fault.slow(8.0, after_commit=True), times=2)
        here.scene.slack.faults.add("chat.update", Fault.slow(8.0), times=2)
        here.scene.on.baidu.faults.add("hang", times=None)
        trouble(here.scene, 0)
        await here.scene.until(lambda: len(here.scene.parents(NCCL)) == 1)
        click = await here.scene.press(OMAR, card, "acknowledge")
        begun = time.monotonic()
        assert 0 == await program.ask_to_stop()
        assert time.monotonic() - begun < 10
        assert '"event": "stopped"' in program.log
        assert click.acknowledged
        here.scene.on.baidu.faults.clear()
        here.scene.slack.faults.clear()
        await here.running()
        await here.scene.until(lambda: "acknowledge" not in actions_of(here.scene.again(card)), PATIENCE)
        await here.scene.until(lambda: len(here.scene.slack.thread(NCCL, here.scene.parents(NCCL)[0].ts)) == 1)
        assert [] == here.scene.slack.duplicates()
        assert [1, 1] == [len(here.scene.parents(channel)) for channel in (ALERTS, NCCL)]


async def _ends_with(here: Machine, within: float) -> tuple[int, str]:
    program = await here.start()
    code = await asyncio.wait_for(program.process.wait(), within)
    return code, program.log


async def test_a_wrong_app_token_ends_the_start_with_a_sentence_and_exit_code_1(tmp_path: Path) -> None:
    def wrong(tables: dict[str, dict[str, str]]) -> None:
        tables["slack"]["app_token"] = "xapp-wrong"

    async with machine(tmp_path, wrong) as here:
        code, log = await _ends_with(here, 15)
    assert 1 == code
    assert "Slack answers invalid_auth to slack.app_token" in log
    assert "Traceback" not in log


async def test_a_database_that_cannot_be_written_ends_the_start_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    def elsewhere(tables: dict[str, dict[str, str]]) -> None:
        tables["store"]["path"] = str(tmp_path / "file" / "gpubot.db")

    async with machine(tmp_path, elsewhere) as here:
        code, log = await _ends_with(here, 15)
    assert 1 == code
    assert "cannot be opened" in log
    assert "Traceback" not in log
