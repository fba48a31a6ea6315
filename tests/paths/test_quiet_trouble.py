"""Trouble that no monitor reports: GPUs that idle, clouds that go silent, a bot that was away."""

from datetime import timedelta

from bot.app.bot import Bot
from bot.config import AlayaSettings, BaiduSettings, LowUseSettings, Settings, UsageSettings
from bot.simulator.world.job import Load
from tests.paths.scene import ALERTS, CHEN, NCCL, OMAR, OPS, Scene, actions_of, entry, shown

IDLE = {
    "low_use": (LowUseSettings(name="idle"),),
    "usage": UsageSettings.model_validate({"judge_every": "5s"}),
}


def impatient(settings: Settings, seconds: str = "1s") -> dict[str, object]:
    """Clouds whose calls end soon, so that a hanging one does not hold the test."""
    deadline = BaiduSettings.model_validate({**_beijing(settings).model_dump(), "deadline": seconds}).deadline
    return {"clouds": tuple(one.model_copy(update={"deadline": deadline}) for one in settings.clouds)}


def _beijing(settings: Settings) -> BaiduSettings:
    return next(one for one in settings.clouds if isinstance(one, BaiduSettings))


# -- low use


async def test_a_job_that_idles_for_the_window_becomes_a_card(scene: Scene) -> None:
    async with scene.bot(**IDLE):
        scene.world.advance(timedelta(minutes=12))
        card = await scene.card_in(ALERTS, "rlhf-ppo-trial")

    assert "LOW USE" in shown(card)
    assert "GPU use" in shown(card)
    assert {"stop", "acknowledge"} <= set(actions_of(card))


async def test_a_job_that_gives_no_data_is_not_called_idle(scene: Scene) -> None:
    async with scene.bot(**IDLE) as bot:
        scene.world.advance(timedelta(minutes=12))
        await scene.card_in(ALERTS, "rlhf-ppo-trial")
        await scene.settled(bot)

        assert [] == [one for one in scene.parents(ALERTS) if "speech-tokenizer" in shown(one)]


async def test_the_card_ends_when_the_gpus_work_again(scene: Scene) -> None:
    async with scene.bot(**IDLE):
        scene.world.advance(timedelta(minutes=12))
        card = await scene.card_in(ALERTS, "rlhf-ppo-trial")
        scene.world.load(scene.world.job_named("rlhf-ppo-trial").id, Load.TRAINING)
        scene.world.advance(timedelta(minutes=15))

        await scene.said_on(card, "*Resolved*")


async def test_a_job_that_just_began_is_given_its_grace(scene: Scene) -> None:
    job = scene.world.job_named("clip-zh-pretrain")
    scene.world.load(job.id, Load.IDLE)
    async with scene.bot(**IDLE) as bot:
        scene.world.advance(timedelta(minutes=10))
        await scene.card_in(ALERTS, "rlhf-ppo-trial")
        await scene.settled(bot)

        assert [] == [one for one in scene.parents(ALERTS) if "clip-zh-pretrain" in shown(one)]


# -- a cloud that fails


async def test_a_cloud_that_fails_for_minutes_is_told_to_the_operators_and_closes_when_it_is_back(
    scene: Scene, bot: Bot
) -> None:
    await scene.settled(bot)
    scene.on.alaya.faults.add("status", status=500, times=None)
    await scene.until(lambda: bot.fleet.trouble("alaya"))
    scene.world.advance(timedelta(minutes=6))
    card = await scene.card_in(OPS, "SOURCE BLIND")
    assert "alaya" in shown(card)

    scene.on.alaya.faults.clear()
    scene.world.advance(timedelta(minutes=6))
    await scene.said_on(card, "*Resolved*")
    assert 1 == len([one for one in scene.parents(OPS) if "SOURCE BLIND" in shown(one)])


async def test_meanwhile_answers_name_the_gap_and_its_age_and_nothing_ends(scene: Scene, bot: Bot) -> None:
    """F100, F101."""
    await scene.settled(bot)
    scene.on.alaya.faults.add("status", status=500, times=None)
    await scene.until(lambda: bot.fleet.trouble("alaya"))
    scene.world.advance(timedelta(minutes=3))
    answer = await scene.typed(OMAR, "jobs --name qwen-32b-sft")

    assert "qwen-32b-sft" in shown(answer), "what was known is shown, with its age"
    assert "⚠️ alaya: no answer since" in shown(answer)
    assert "shown as of" in shown(answer)
    assert [] == scene.parents(ALERTS)


async def test_a_hanging_cloud_delays_no_acknowledgement(scene: Scene) -> None:
    """F64."""
    job = scene.world.job_named("llm-pretrain-70b")
    scene.world.hang(job.id, {2: (5,)})
    async with scene.bot(**impatient(scene.settings)) as bot:
        card = await scene.card_in(NCCL)
        await scene.settled(bot)
        scene.on.baidu.faults.add("hang", times=None)
        commands = [await scene.slack.people.command(OMAR, ALERTS, f"job {job.id}") for _ in range(3)]
        clicks = [await scene.press(user, card, "more", entry(card, "Logs")) for user in (CHEN, OMAR)]
        clicks.append(await scene.press(OMAR, card, "acknowledge"))

        assert all(outcome.acknowledged for outcome in (*commands, *clicks))
        for tries in (commands, clicks):  # the best of three: other programs share this machine
            assert min(outcome.ack_ms for outcome in tries) < 100
        await scene.said_on(card, "*Acknowledged*")


async def test_a_hanging_cloud_costs_its_part_of_an_answer_only(scene: Scene) -> None:
    """F100."""
    async with scene.bot(**impatient(scene.settings, "1s")) as bot:
        await scene.settled(bot)
        scene.on.baidu.faults.add("hang", times=None)
        scene.world.advance(timedelta(minutes=1))
        answer = await scene.typed(OMAR, "jobs --name qwen-32b-sft")

        assert "qwen-32b-sft" in shown(answer)
        assert "⚠️ beijing" in shown(answer)
    assert any(isinstance(one, AlayaSettings) for one in scene.settings.clouds)


# -- a bot that was away


async def test_a_restart_changes_nothing_on_the_screen_and_old_buttons_work(scene: Scene) -> None:
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,)})
    scene.world.run_out_of_memory(scene.world.job_named("qwen-32b-sft").id, 1, 4)
    async with scene.bot() as bot:
        card = await scene.card_in(NCCL)
        await scene.card_in(ALERTS, "qwen-32b-sft")
        await scene.settled(bot)
        before = scene.screen()
    async with scene.bot() as bot:
        await scene.settled(bot)
        assert before == scene.screen()

        await scene.press(OMAR, card, "acknowledge")
        await scene.said_on(card, "*Acknowledged* by <@U05OMAR>")


async def test_what_happened_while_the_bot_was_away_is_told_once_and_as_late(scene: Scene) -> None:
    job = scene.world.job_named("llm-pretrain-70b")
    scene.world.hang(job.id, {2: (5,)})
    async with scene.bot() as bot:
        card = await scene.card_in(NCCL)
        await scene.settled(bot)
    scene.world.stop_job(job.id)
    scene.world.advance(timedelta(minutes=20))
    scene.world.hang(scene.world.job_named("对话模型-sft-v3").id, {0: (1,)})
    async with scene.bot() as bot:
        card = await scene.said_on(card, "*Resolved*")
        await scene.card_in(NCCL, "对话模型-sft-v3")
        await scene.settled(bot)

    assert ["usage", "logs"] == actions_of(card)
    assert 2 == len(scene.parents(NCCL))


async def test_a_first_start_posts_no_old_alarms_and_says_how_many_there_were(scene: Scene) -> None:
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,), 5: (0,)})
    scene.world.advance(timedelta(hours=2))
    async with scene.bot() as bot:
        await scene.until(lambda: [one for one in scene.parents(OPS) if "2 older alarms" in shown(one)])
        await scene.settled(bot)

    assert [] == scene.parents(NCCL)


async def test_a_person_who_asks_while_the_bot_starts_anew_gets_one_answer(scene: Scene) -> None:
    async with scene.bot():
        await scene.typed(OMAR, "jobs")
    async with scene.bot():
        await scene.typed(OMAR, "jobs")

    assert 2 == len(scene.slack.ephemerals(OMAR))
