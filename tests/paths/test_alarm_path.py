"""A fault becomes one card in its channel, and what people do with it shows at once."""

import asyncio
from datetime import timedelta

import pytest

from bot.app.bot import Bot
from bot.simulator.slack.records import Message
from tests.paths.scene import ALERTS, ANNA, CHEN, GUEST, LIWEI, NCCL, OMAR, Scene, actions_of, entry, shown

HUNG = {2: (5,), 5: (0, 1), 7: (3,)}


@pytest.fixture
async def hang(scene: Scene, bot: Bot) -> Message:
    """The 64-GPU job hangs; its card, with what belongs to it told in the thread."""
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, HUNG)
    card = await scene.card_in(NCCL)
    await scene.said_below(card, "NCCL HANG")
    return card


async def oom(scene: Scene) -> Message:
    """A card in the channel where guests are too; the job is Zhang Min's."""
    scene.world.run_out_of_memory(scene.world.job_named("qwen-32b-sft").id, 1, 4)
    return await scene.card_in(ALERTS, "qwen-32b-sft")


async def test_a_hang_of_many_machines_is_one_card_in_its_channel(scene: Scene, hang: Message) -> None:
    words = shown(hang)

    assert words.startswith("🔴 NCCL HANG · llm-pretrain-70b")
    assert "64 × A800-80G" in words
    assert "*Owner* li.wei (<@U02LIWEI>)" in words
    assert "(GPU 0, 1)" in words
    assert "×3" in words
    assert ["stop", "terminal", "acknowledge", "mute", "more"] == actions_of(hang)
    assert [hang.ts] == [one.ts for one in scene.parents(NCCL)]
    assert [] == scene.parents(ALERTS)


async def test_the_thread_has_the_log_and_the_topology_in_words(scene: Scene, hang: Message) -> None:
    thread = scene.thread(hang)

    assert "3 of 8 nodes carry a fault" in thread
    assert "links faulty" in thread
    assert "```\nNCCL HANG：rank 40" in thread


async def test_repeats_count_up_on_the_card_and_say_nothing_below(scene: Scene, hang: Message) -> None:
    before = scene.thread(hang)
    scene.world.advance(timedelta(minutes=1))
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,)})
    scene.world.advance(timedelta(minutes=1))

    await scene.said_on(hang, "×4")
    assert before == scene.thread(hang)
    assert 1 == len(scene.parents(NCCL))


async def test_an_operator_takes_it_and_the_card_says_so_at_once(scene: Scene, hang: Message) -> None:
    outcome = await scene.press(OMAR, hang, "acknowledge")
    card = await scene.said_on(hang, "*Acknowledged* by <@U05OMAR>")

    assert outcome.acknowledged
    assert "acknowledge" not in actions_of(card)
    await scene.said_below(card, "<@U05OMAR> acknowledged this")


async def test_a_member_of_the_operators_group_may_act_too(scene: Scene, hang: Message) -> None:
    await scene.press(CHEN, hang, "acknowledge")

    await scene.said_on(hang, "*Acknowledged* by <@U01CHEN>")


async def test_the_second_to_take_it_hears_who_was_first(scene: Scene, bot: Bot) -> None:
    card = await oom(scene)
    clicks = (scene.press(user, card, "acknowledge") for user in (OMAR, CHEN))
    first, second = await asyncio.gather(*clicks)

    assert second.acknowledged
    assert first.acknowledged
    told = await scene.until(lambda: [*scene.slack.ephemerals(OMAR), *scene.slack.ephemerals(CHEN)])
    assert 1 == len(told)
    assert "U01CHEN" in shown(told[0]) or "U05OMAR" in shown(told[0])


async def test_a_guest_is_refused_privately_and_told_who_may(scene: Scene, bot: Bot) -> None:
    card = await oom(scene)
    told = await scene.whispered(GUEST, scene.press(GUEST, card, "acknowledge"))

    assert "Only the job's owner <@U04ZHANG> and operators may do this" in shown(told)
    assert "*Firing*" in shown(scene.again(card))


async def test_a_guest_who_presses_stop_gets_no_question(scene: Scene, bot: Bot) -> None:
    card = await oom(scene)
    await scene.press(GUEST, card, "stop")
    dialog = await scene.dialog(GUEST, "notice", "may do this")

    assert not dialog.content.get("submit")
    assert [] == scene.stops()


async def test_where_nobody_is_named_nobody_may_act_and_the_refusal_says_how_to_change_it(scene: Scene) -> None:
    access = scene.settings.access.model_copy(update={"operators": ()})
    async with scene.bot(access=access):
        card = await oom(scene)
        told = await scene.whispered(OMAR, scene.press(OMAR, card, "acknowledge"))

    assert "Nobody may act yet" in shown(told)
    assert "`access.operators`" in shown(told)


async def test_the_owner_may_take_it_and_another_owner_may_not(scene: Scene, hang: Message) -> None:
    told = await scene.whispered(ANNA, scene.press(ANNA, hang, "acknowledge"))
    assert "Only the job's owner <@U02LIWEI>" in shown(told)

    await scene.press(LIWEI, hang, "acknowledge")
    await scene.said_on(hang, "*Acknowledged* by <@U02LIWEI>")


@pytest.mark.parametrize(("values", "minutes"), [({"span": "30m"}, 30), ({"custom_span": "90m"}, 90)])
async def test_a_mute_lasts_as_long_as_was_said(
    scene: Scene, hang: Message, values: dict[str, str], minutes: int
) -> None:
    """F91."""
    await scene.press(OMAR, hang, "mute")
    outcome = await scene.submit(OMAR, await scene.dialog(OMAR, "mute"), reason="known", **values)
    until = int((scene.world.now() + timedelta(minutes=minutes)).timestamp())

    assert outcome.ok
    card = await scene.said_on(hang, "*Muted* until", f"<!date^{until}^", "known")
    assert "unmute" in actions_of(card)


async def test_a_duration_that_is_none_is_refused_in_its_field(scene: Scene, hang: Message) -> None:
    await scene.press(OMAR, hang, "mute")
    outcome = await scene.submit(OMAR, await scene.dialog(OMAR, "mute"), custom_span="a while")

    assert not outcome.ok
    assert ["custom_span"] == list(outcome.more["errors"])
    assert "*Firing*" in shown(scene.again(hang))


async def test_a_muted_incident_speaks_again_when_unmuted(scene: Scene, hang: Message) -> None:
    await scene.press(OMAR, hang, "mute")
    await scene.submit(OMAR, await scene.dialog(OMAR, "mute"))
    muted = await scene.said_on(hang, "*Muted*")
    await scene.press(OMAR, muted, "unmute")

    card = await scene.said_on(hang, "*Firing*")
    assert "mute" in actions_of(card)


async def test_resolve_by_hand_is_in_the_menu_and_takes_the_buttons_away(scene: Scene, hang: Message) -> None:
    await scene.press(OMAR, hang, "more", entry(hang, "Resolve"))

    card = await scene.said_on(hang, "*Resolved* by <@U05OMAR>")
    assert ["usage", "logs"] == actions_of(card)


@pytest.mark.parametrize(("word", "told"), [("Usage", "GPU use"), ("Logs", "```")])
async def test_looks_are_in_the_menu_and_private(scene: Scene, hang: Message, word: str, told: str) -> None:
    answer = await scene.whispered(OMAR, scene.press(OMAR, hang, "more", entry(hang, word)))

    assert told in shown(answer)
    assert 1 == len(scene.parents(NCCL))


async def test_when_the_job_goes_on_the_card_turns_green_by_itself(scene: Scene, hang: Message) -> None:
    """F60."""
    scene.world.advance(timedelta(minutes=3))
    scene.world.recover(scene.world.job_named("llm-pretrain-70b").id)

    card = await scene.said_on(hang, "🟢", "the monitor calls the task healthy again")
    assert ["usage", "logs"] == actions_of(card)


async def test_when_the_job_ends_by_itself_the_card_says_how(scene: Scene, bot: Bot) -> None:
    job = scene.world.job_named("对话模型-sft-v3")
    scene.world.fail(job.id, pod=3, gpu=6)
    card = await scene.card_in(ALERTS, "对话模型-sft-v3")
    scene.world.advance(timedelta(minutes=1))

    await scene.said_on(card, "the job failed")
    assert 1 == len([one for one in scene.parents(ALERTS) if "对话模型-sft-v3" in shown(one)])


async def test_a_lost_card_of_one_machine_is_a_card_for_each_job_on_it_and_one_for_the_machine(
    scene: Scene, bot: Bot
) -> None:
    job = scene.world.job_named("embedding-bge-finetune")
    scene.world.lose_card(job.pods[0].node, 6)

    await scene.until(lambda: len(scene.parents(ALERTS)) >= 3)
    (on_machine,) = [one for one in scene.parents(ALERTS) if "*Job*" not in shown(one)]
    assert "embedding-bge-finetune" in shown(scene.card(ALERTS, "embedding-bge-finetune"))
    assert "stop" not in actions_of(on_machine)
    assert "acknowledge" in actions_of(on_machine)


async def test_a_repaired_machine_ends_all_of_its_cards(scene: Scene, bot: Bot) -> None:
    node = scene.world.job_named("embedding-bge-finetune").pods[0].node
    scene.world.lose_card(node, 6)
    await scene.until(lambda: len(scene.parents(ALERTS)) >= 3)
    scene.world.advance(timedelta(minutes=5))
    scene.world.repair(node)

    await scene.until(lambda: all("*Resolved*" in shown(one) for one in scene.parents(ALERTS)))


async def test_an_alarm_about_a_task_that_no_cloud_knows_is_told_all_the_same(scene: Scene, bot: Bot) -> None:
    job = scene.world.job_named("llm-pretrain-70b")
    scene.world.hang(job.id, {2: (5,)})
    scene.world.delete_job(job.id)

    card = await scene.card_in(NCCL)
    assert "NCCL HANG" in shown(card)
    assert "stop" not in actions_of(card)
