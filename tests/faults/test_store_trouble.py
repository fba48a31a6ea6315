"""The running bot while its database takes nothing: alarms are still heard, people get answers, and nothing floods."""

import asyncio
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from bot.app.bot import Bot
from bot.config import LowUseSettings
from bot.simulator.slack.records import Message
from bot.store.database import Session
from tests.paths.scene import ALERTS, NCCL, OMAR, OPS, Scene, shown

JOB = "llm-pretrain-70b"


def _fill(session: Session) -> None:
    """As many pages as there are, and not one more; free ones are used up."""
    session.execute("PRAGMA max_page_count = 1").fetchall()


async def fill_disk(bot: Bot) -> None:
    await bot.store.database.run(_fill)
    filler = "INSERT INTO facts (key, value) VALUES (hex(randomblob(8)), hex(randomblob(900)))"

    def exhaust(session: Session) -> None:
        try:
            for _ in range(10_000):
                session.execute(filler)
        except sqlite3.OperationalError:
            return

    await bot.store.database.run(exhaust)


async def free_disk(bot: Bot) -> None:
    await bot.store.database.run(lambda session: session.execute("PRAGMA max_page_count = 1000000").fetchall())


async def refuse_writes(bot: Bot) -> None:
    await bot.store.database.run(lambda session: session.execute("PRAGMA query_only = ON"))


async def take_writes(bot: Bot) -> None:
    await bot.store.database.run(lambda session: session.execute("PRAGMA query_only = OFF"))


def notices(scene: Scene, channel: str, about: str) -> list[Message]:
    return [one for one in scene.parents(channel) if about in shown(one)]


async def test_a_full_disk_silences_no_alarm_and_floods_nothing_when_it_is_free_again(scene: Scene, bot: Bot) -> None:
    """F84"""
    await scene.settled(bot)
    await fill_disk(bot)
    scene.world.hang(scene.world.job_named(JOB).id, dict.fromkeys(range(8), (0,)))
    await scene.until(lambda: notices(scene, NCCL, "not recorded yet"))
    await scene.settled(bot)
    (said,) = scene.parents(NCCL)
    assert shown(said).count(f"NCCL HANG ({JOB})") == 1
    (told,) = scene.parents(OPS)
    assert "No space is left on the disk" in shown(told)

    await free_disk(bot)
    card = await scene.until(lambda: next(one for one in scene.parents(NCCL) if "Incident" in shown(one)))
    await scene.said_on(card, "×8")
    await scene.settled(bot)
    assert 2 == len(scene.parents(NCCL))
    assert 1 == len(scene.parents(OPS))


async def test_people_get_answers_while_nothing_can_be_written_and_hear_why_nothing_is_done(
    scene: Scene, bot: Bot
) -> None:
    """F84"""
    scene.world.hang(scene.world.job_named(JOB).id, {0: (0,)})
    card = await scene.card_in(NCCL)
    await scene.settled(bot)
    await refuse_writes(bot)
    assert JOB in shown(await scene.typed(OMAR, f"job {JOB}"))
    refused = await scene.whispered(OMAR, scene.press(OMAR, card, "acknowledge"))
    assert "This was not done, because my store takes nothing" in shown(refused)
    await take_writes(bot)
    await scene.press(OMAR, card, "acknowledge")
    await scene.said_on(card, "*Acknowledged*")


async def test_an_idle_job_is_mentioned_once_while_nothing_can_be_written(scene: Scene) -> None:
    """F84"""
    async with scene.bot(low_use=(LowUseSettings(name="idle"),)) as bot:
        await scene.settled(bot)
        await refuse_writes(bot)
        scene.world.advance(timedelta(minutes=12))
        await scene.until(lambda: notices(scene, ALERTS, "rlhf-ppo-trial"))
        for _ in range(3):
            scene.world.advance(timedelta(minutes=1))
            await scene.settled(bot)
        assert 1 == len(notices(scene, ALERTS, "rlhf-ppo-trial"))


async def test_a_database_that_was_replaced_under_the_bot_is_told_and_alarms_are_still_heard(
    scene: Scene, bot: Bot, tmp_path: Path
) -> None:
    """F85: a backup moved over the live file; scenario 12."""
    await scene.settled(bot)
    path = Path(scene.settings.store.path)
    await bot.store.database.backup(tmp_path / "copy.db")
    shutil.move(tmp_path / "copy.db", path)
    scene.world.hang(scene.world.job_named(JOB).id, {0: (0,)})
    await scene.until(lambda: notices(scene, NCCL, f"NCCL HANG ({JOB})"))
    await scene.until(lambda: notices(scene, OPS, "start the bot again"))
    await scene.settled(bot)
    assert [1, 1] == [len(scene.parents(NCCL)), len(scene.parents(OPS))]
    assert not bot.ended.is_set()
    assert ["moved or replaced" in one for one in await bot.health.unready()] == [True]


async def test_a_database_that_is_damaged_while_the_bot_runs_is_told_and_alarms_are_still_heard(
    scene: Scene, bot: Bot
) -> None:
    """F85"""
    await scene.settled(bot)
    await bot.store.database.run(lambda session: session.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    await bot.store.database.run(lambda session: session.execute("PRAGMA shrink_memory"))
    os.truncate(scene.settings.store.path, 0)
    os.truncate(scene.settings.store.path, 200_000)  # zeros
    scene.world.hang(scene.world.job_named(JOB).id, {0: (0,)})
    await scene.until(lambda: notices(scene, NCCL, JOB))
    await scene.until(lambda: notices(scene, OPS, "My store takes nothing"))
    assert not bot.ended.is_set()


async def test_another_programs_write_of_six_seconds_delays_and_loses_nothing(scene: Scene, bot: Bot) -> None:
    """F81: takes six seconds, because that is the case."""
    await scene.settled(bot)
    with closing(sqlite3.connect(scene.settings.store.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        ended = threading.Timer(6.0, lambda: other.execute("COMMIT"))
        ended.start()
        scene.world.hang(scene.world.job_named(JOB).id, {0: (0,)})
        await asyncio.to_thread(ended.join)
        card = await scene.card_in(NCCL)
        await scene.said_below(card, "NCCL HANG")
    assert [1, 0] == [len(scene.parents(NCCL)), len(scene.parents(OPS))]
