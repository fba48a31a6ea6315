"""Stopping a job from its card: asked, confirmed, done once, seen to be done, and told in the thread."""

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from bot.app.bot import Bot
from bot.config import AlarmSettings
from bot.simulator.slack.records import Message
from bot.simulator.world import JobState
from tests.paths.scene import ANNA, CHEN, LIWEI, NCCL, OMAR, Scene, actions_of, button, shown

JOB = "llm-pretrain-70b"
ONE_LOOK = {"alarms": AlarmSettings.model_validate({"poll_every": "2h"})}  # the clouds are read at the start only


@pytest.fixture
async def hang(scene: Scene, bot: Bot) -> Message:
    scene.world.hang(scene.world.job_named(JOB).id, {2: (5,)})
    return await scene.card_in(NCCL)


def notices(scene: Scene, user: str) -> list[str]:
    return [shown(one) for one in scene.slack.views(user) if one.content["callback_id"] == "notice"]


async def test_the_question_shows_the_job_as_read_just_now(scene: Scene, hang: Message) -> None:
    dialog = await scene.asked_to_stop(OMAR, hang)

    assert scene.world.job_named(JOB).id in shown(dialog)
    assert "64 × A800-80G" in shown(dialog)
    assert "running 3 d" in shown(dialog)
    assert f"Read <!date^{int(scene.world.now().timestamp())}^" in shown(dialog)
    assert [] == scene.stops()


async def test_a_confirmed_stop_is_done_once_seen_and_told(scene: Scene, hang: Message) -> None:
    await scene.submit(OMAR, await scene.asked_to_stop(OMAR, hang), reason="hangs since noon")
    await scene.said_on(hang, "*Stopping*, asked for by <@U05OMAR>")
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))
    card = await scene.said_on(hang, "*Stopped* by <@U05OMAR>", "hangs since noon", "*Resolved*")

    assert 1 == len(scene.stops())
    assert JobState.STOPPED is scene.world.job_named(JOB).state
    assert ["usage", "logs"] == actions_of(card)
    thread = await scene.said_below(card, "64 GPUs")
    assert "<@U05OMAR> asked to stop the job" in thread
    assert "hangs since noon" in thread


async def test_the_dialog_says_what_came_of_it(scene: Scene, hang: Message) -> None:
    await scene.submit(OMAR, await scene.asked_to_stop(OMAR, hang))
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))

    dialog = await scene.dialog(OMAR, "notice", "✅")
    assert f"{JOB} is stopped now." in shown(dialog)


async def test_of_two_who_confirm_at_once_one_stops_and_the_other_hears_who_did(scene: Scene, hang: Message) -> None:
    dialogs = [(user, await scene.asked_to_stop(user, hang)) for user in (OMAR, CHEN)]
    await asyncio.gather(*(scene.submit(user, dialog) for user, dialog in dialogs))
    await scene.until(scene.stops)
    told = await scene.until(lambda: [one for user in (OMAR, CHEN) for one in notices(scene, user) if "<@U0" in one])
    scene.world.advance(timedelta(minutes=1))
    await scene.said_on(hang, "*Stopped* by")

    assert 1 == len(told)
    assert 1 == len(scene.stops())


async def test_a_second_click_while_it_stops_is_told_who_stops_it(scene: Scene, hang: Message) -> None:
    first = await scene.asked_to_stop(OMAR, hang)
    second = await scene.asked_to_stop(CHEN, hang)
    await scene.submit(OMAR, first)
    await scene.until(scene.stops)
    await scene.submit(CHEN, second)

    dialog = await scene.dialog(CHEN, "notice", "<@U05OMAR>")
    assert "停止" in shown(dialog)
    assert 1 == len(scene.stops())
    scene.world.advance(timedelta(minutes=1))
    await scene.said_on(hang, "*Stopped* by <@U05OMAR>")


async def test_a_late_click_on_a_job_that_ended_gets_what_is_true(scene: Scene) -> None:
    job = scene.world.job_named(JOB)
    scene.world.hang(job.id, {2: (5,)})
    async with scene.bot(**ONE_LOOK):
        card = await scene.card_in(NCCL)
        scene.world.stop_job(job.id)
        scene.world.advance(timedelta(minutes=1))
        assert "stop" in actions_of(scene.again(card))
        await scene.press(OMAR, card, "stop")

        dialog = await scene.dialog(OMAR, "notice", f"{JOB} is over already: stopped since")
        assert not dialog.content.get("submit")
        await scene.said_on(card, "*Resolved*")
    assert [] == scene.stops()


async def test_a_job_that_ended_between_question_and_confirmation_is_not_stopped(scene: Scene) -> None:
    job = scene.world.job_named(JOB)
    scene.world.hang(job.id, {2: (5,)})
    async with scene.bot(**ONE_LOOK):
        dialog = await scene.asked_to_stop(OMAR, await scene.card_in(NCCL))
        scene.world.stop_job(job.id)
        scene.world.advance(timedelta(minutes=1))
        await scene.submit(OMAR, dialog)

        await scene.dialog(OMAR, "notice", "is over already")
    assert [] == scene.stops()


async def test_the_owner_may_stop_in_the_owners_language_and_another_owner_may_not(scene: Scene, hang: Message) -> None:
    await scene.press(ANNA, hang, "stop")
    await scene.dialog(ANNA, "notice", "Only the job's owner <@U02LIWEI>")

    dialog = await scene.asked_to_stop(LIWEI, hang)
    assert "停止任务" == dialog.content["title"]["text"]
    await scene.submit(LIWEI, dialog)
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))
    await scene.said_on(hang, "*Stopped* by <@U02LIWEI>")


async def test_a_cloud_that_refuses_the_stop_is_quoted_and_the_next_may_try(scene: Scene, hang: Message) -> None:
    scene.on.baidu.faults.add(
        "business", method="POST", path="/stop", code="OperationDenied", message="frozen by billing"
    )
    await scene.submit(OMAR, await scene.asked_to_stop(OMAR, hang))
    card = await scene.said_on(hang, "*Not stopped*")

    assert "stop" in actions_of(card)
    assert JobState.RUNNING is scene.world.job_named(JOB).state
    await scene.submit(CHEN, await scene.asked_to_stop(CHEN, card))
    await scene.until(lambda: len(scene.stops()) == 2)
    scene.world.advance(timedelta(minutes=1))
    await scene.said_on(hang, "*Stopped* by <@U01CHEN>")


async def test_a_stop_whose_answer_is_lost_is_looked_at_and_not_repeated(scene: Scene, hang: Message) -> None:
    scene.on.baidu.faults.add("truncate", method="POST", path="/stop")
    await scene.submit(OMAR, await scene.asked_to_stop(OMAR, hang))
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))

    await scene.said_on(hang, "*Stopped* by <@U05OMAR>")
    assert 1 == len(scene.stops())


async def test_a_job_without_a_card_is_stopped_by_command_and_the_receipt_comes_directly(
    scene: Scene, bot: Bot
) -> None:
    offer = await scene.typed(OMAR, "stop vit-eval-h20")
    assert "show_to_channel" not in actions_of(offer)
    await scene.press(OMAR, offer, "stop")
    await scene.submit(OMAR, await scene.dialog(OMAR, "stop"), reason="wrong data")
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))

    (receipt,) = await scene.until(lambda: scene.slack.direct_messages(OMAR))
    assert "wrong data" in shown(receipt)
    assert "8 GPUs" in shown(receipt)


async def test_a_terminal_is_for_one_persons_eyes_only(
    scene: Scene, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    scene.world.hang(scene.world.job_named(JOB).id, {2: (5,)})
    async with scene.bot():
        card = await scene.card_in(NCCL)
        handout = await scene.whispered(LIWEI, scene.press(LIWEI, card, "terminal"))
        await scene.said_below(card, "<@U02LIWEI>")
    url = str(button(handout, "open_link")["url"])
    (secret,) = re.findall(r"\w{64,}", url)

    assert secret not in handout.text
    everything = [one for channel in scene.slack.state.channels for one in scene.slack.messages(channel)]
    assert secret not in json.dumps([[one.text, one.blocks, one.metadata] for one in everything], default=str)
    assert [] == [file.name for file in tmp_path.iterdir() if secret.encode() in file.read_bytes()]
    assert secret not in "".join(capfd.readouterr()) + caplog.text


async def test_a_terminal_is_refused_to_others_and_nothing_is_fetched(scene: Scene, hang: Message) -> None:
    told = await scene.whispered(ANNA, scene.press(ANNA, hang, "terminal"))

    assert "Only the job's owner" in shown(told)
    assert [] == [seen for seen in scene.on.baidu.requests if "webterminal" in seen.path.lower()]


async def test_a_job_on_another_cloud_is_stopped_in_that_clouds_way(scene: Scene, bot: Bot) -> None:
    name = "多模态预训练-7b"
    scene.world.hang(scene.world.job_named(name).id, {1: (4,)})
    card = await scene.card_in(NCCL, name)
    await scene.submit(OMAR, await scene.asked_to_stop(OMAR, card))
    await scene.until(scene.stops)
    scene.world.advance(timedelta(minutes=1))

    await scene.said_on(card, "*Stopped* by <@U05OMAR>")
    assert 1 == len(scene.stops())
    assert "/api/osm/" in scene.stops()[0]


async def test_the_dialog_is_there_before_the_job_was_read(scene: Scene, hang: Message) -> None:
    """F66."""
    scene.on.baidu.faults.add("hang", times=None)
    await scene.press(OMAR, hang, "stop")
    waiting = await scene.dialog(OMAR, "notice", "One moment, looking at the job")

    assert not waiting.content.get("submit")
    scene.on.baidu.faults.clear()
