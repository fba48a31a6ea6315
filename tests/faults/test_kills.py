"""`gpubot run` killed at random moments, and two of them on one database: nothing lost, nothing twice.

`GPUBOT_FAULT_KILLS` sets how many kills are survived; the ordinary run does 6.
"""

import asyncio
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from bot.simulator.slack.records import Message
from tests.faults.program import Machine, machine
from tests.paths.scene import ALERTS, NCCL, OMAR, Scene, actions_of, shown

KILLS = int(os.environ.get("GPUBOT_FAULT_KILLS", "6"))
PATIENCE = 20.0
JOBS = ("llm-pretrain-70b", "qwen-32b-sft", "embedding-bge-finetune", "对话模型-sft-v3", "clip-zh-pretrain")
CONFIG = pytest.mark.timeout(60 + 12 * KILLS)


def trouble(scene: Scene, number: int) -> None:
    """One more alarm in the world."""
    name, world = JOBS[number % len(JOBS)], scene.world
    job = world.job_named(name)
    if number % 2:
        world.run_out_of_memory(job.id, 0, number % 8)
    else:
        world.hang(job.id, {0: (number % 8,)})


def cards(scene: Scene) -> list[Message]:
    return [one for channel in (ALERTS, NCCL) for one in scene.parents(channel) if "Incident" in shown(one)]


def counted(scene: Scene) -> Counter[str]:
    """How many alarms each job's card tells."""
    found: Counter[str] = Counter()
    for card in cards(scene):
        name = next((name for name in JOBS if name in shown(card)), "?")
        times = [word for word in shown(card).split() if word.startswith("×") and word[1:].rstrip(",").isdigit()]
        kinds = shown(card).count("• ")
        found[name] += sum(int(word[1:].rstrip(",")) for word in times[:1]) or max(kinds, 1)
    return found


@pytest.mark.slow
@CONFIG
async def test_killed_at_random_moments_every_alarm_stands_once_and_up_to_date(tmp_path: Path) -> None:
    """F19, F22, F34: takes some seconds for each kill, because real processes start."""
    chance = random.Random(11)
    async with machine(tmp_path) as here:
        await here.running()
        reported: Counter[str] = Counter()
        for number in range(KILLS):
            for _ in range(chance.randint(1, 2)):
                place = sum(reported.values())
                trouble(here.scene, place)
                reported[JOBS[place % len(JOBS)]] += 1
            await asyncio.sleep(chance.uniform(0.0, 3.5))
            await here.started[-1].kill()
            await here.start()
        await here.started[-1].until_it_says('"event": "running"')
        await here.scene.until(lambda: counted(here.scene) == reported, PATIENCE)
        await asyncio.sleep(2.5)  # two more polls, which must say nothing
        assert reported == counted(here.scene)
        assert [] == here.scene.slack.duplicates()
        assert [] == [one for one in here.scene.parents(ALERTS) if one.is_reply]
        for card in cards(here.scene):
            marks = Counter(str(note.metadata) for note in here.scene.slack.thread(card.channel, card.ts))
            assert {1} == set(marks.values())


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
    from bot.simulator.slack import Fault

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
    assert "Slack refuses slack.app_token: invalid_auth" in log
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
