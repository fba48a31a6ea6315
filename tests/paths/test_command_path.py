"""A question typed in Slack gets its answer: privately, in the reader's language, with what can be done next."""

import pytest

from bot.app.bot import Bot
from bot.domain.command import COMMANDS, Spec
from bot.simulator.slack.records import View
from bot.simulator.world.place import Node
from tests.paths.scene import (
    ALERTS,
    ANNA,
    GUEST,
    LIWEI,
    NCCL,
    OMAR,
    OPS,
    TRAINING,
    ZHANG,
    Scene,
    actions_of,
    button,
    shown,
)

JOB = "moe-16x7b-ablation"
ASKED = {
    "help": ("help", "What can be asked"),
    "jobs": ("jobs --state running", "running"),
    "job": (f"job {JOB}", "anna.schmidt"),
    "pods": (f"pods {JOB}", "master-0"),
    "pod": (f"pod {JOB} worker-0", "worker-0"),
    "usage": (f"usage {JOB} --last 30m", "GPU"),
    "logs": (f"logs {JOB} --lines 20", "20 lines"),
    "events": (f"events {JOB}", JOB),
    "queues": ("queues", "pretrain"),
    "nodes": ("nodes", "A800"),
    "topology": ("topology llm-pretrain-70b", "NCCL HANG"),
    "pools": ("pools", "训练池 A"),
    "alarms": ("alarms --last 24h", "incident"),
    "incident": ("incident 1", "NCCL HANG"),
    "top": ("top --last 1h", "GPU"),
    "stop": (f"stop {JOB}", JOB),
    "terminal": (f"terminal {JOB}", JOB),
    "health": ("health", "Socket Mode is connected"),
}
FOR_ONE_ALONE = {"stop", "terminal"}


async def with_an_incident(scene: Scene) -> None:
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,)})
    await scene.card_in(NCCL)


def hung_node(scene: Scene) -> Node:
    pod = scene.world.job_named("llm-pretrain-70b").pods[2]
    return next(node for node in scene.world.nodes() if node.name == pod.node)


def told(scene: Scene) -> list[str]:
    """Every private answer and dialog that Omar has before him, once dialogs are filled."""
    answers = [shown(one) for one in scene.slack.ephemerals(OMAR)]
    return answers + [words for one in scene.slack.views(OMAR) if "⏳" not in (words := shown(one))]


@pytest.mark.parametrize("name", sorted(command.spec.name for command in COMMANDS if command.spec.name in ASKED))
async def test_a_command_is_answered_privately_and_can_be_shown(scene: Scene, bot: Bot, name: str) -> None:
    await with_an_incident(scene)
    typed, expected = ASKED[name]
    answer = await scene.typed(OMAR, typed, TRAINING)

    assert expected in shown(answer)
    assert [] == scene.slack.messages(TRAINING), "nobody else saw it"
    if name in FOR_ONE_ALONE:
        assert "show_to_channel" not in actions_of(answer)
        return
    await scene.press(OMAR, answer, "show_to_channel")
    (everybodys,) = await scene.until(lambda: scene.slack.messages(TRAINING))
    assert expected in shown(everybodys)
    assert "show_to_channel" not in actions_of(everybodys)
    assert f"shown by <@{OMAR}>" in shown(everybodys)


@pytest.mark.parametrize("spec", [command.spec for command in COMMANDS], ids=lambda spec: spec.name)
async def test_every_example_of_help_gets_an_answer_or_a_dialog(scene: Scene, bot: Bot, spec: Spec) -> None:
    for example in spec.examples:
        await scene.slack.people.command(OMAR, ALERTS, example)
        (words,) = await scene.until(lambda: told(scene))

        assert "Something went wrong" not in words, example
        for dialog in scene.slack.views(OMAR):
            await scene.slack.people.close(OMAR, dialog.id)
        scene.slack.state.ephemerals[OMAR].clear()


async def test_an_answer_about_a_job_leads_to_the_next_questions(scene: Scene, bot: Bot) -> None:
    answer = await scene.typed(OMAR, "jobs --name moe")
    job = await scene.whispered(OMAR, scene.press(OMAR, answer, "ask"))

    assert "32 × H800" in shown(job)
    events = await scene.whispered(OMAR, scene.press(OMAR, job, "ask", str(button(job, "ask")["value"])))
    assert JOB in shown(events)


async def test_pages_turn_in_the_place_of_the_answer(scene: Scene, bot: Bot) -> None:
    """F68."""
    first = await scene.typed(OMAR, "jobs")
    await scene.press(OMAR, first, "page_on")
    second = await scene.until(lambda: next(one for one in scene.slack.ephemerals(OMAR) if "page 2 of" in shown(one)))

    assert [second] == scene.slack.ephemerals(OMAR)
    await scene.press(OMAR, second, "page_back")
    await scene.until(lambda: "page 1 of" in shown(scene.slack.ephemerals(OMAR)[0]))


async def test_where_several_jobs_fit_the_person_chooses(scene: Scene, bot: Bot) -> None:
    candidates = await scene.typed(OMAR, "job notebook")
    assert {"ask"} == set(actions_of(candidates))
    assert "notebook-wangfang" in shown(candidates)

    chosen = await scene.whispered(OMAR, scene.press(OMAR, candidates, "ask", str(button(candidates, "ask")["value"])))
    assert "Job id" in shown(chosen)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("jbos", "Did you mean `jobs`?"),
        ("jobs --stat running", "--state"),
        ("logs", "`logs` needs ID"),
        ("usage x --last soon", "`soon`"),
        ("job no-such-job-anywhere", "No job fits `no-such-job-anywhere`"),
        ("incident 999", "There is no incident 999"),
        ("jobs --cloud beijng", "Did you mean `beijing`?"),
        ("", "What can be asked"),
    ],
)
async def test_what_cannot_be_answered_is_said_with_what_to_type(scene: Scene, bot: Bot, typed: str, told: str) -> None:
    assert told in shown(await scene.typed(OMAR, typed))


@pytest.mark.parametrize("typed", ["jobs —name “moe-16x7b”", "*jobs* --name=moe", "JOBS --name 'moe-16x7b'"])
async def test_what_keyboards_make_of_a_command_is_understood(scene: Scene, bot: Bot, typed: str) -> None:
    answer = await scene.typed(OMAR, typed)

    assert JOB in shown(answer)
    assert "1 job " in shown(answer)


async def test_mine_are_the_jobs_of_the_cloud_user_behind_the_person(scene: Scene, bot: Bot) -> None:
    answer = await scene.typed(ANNA, "jobs --mine --state running")

    assert JOB in shown(answer)
    assert "llm-pretrain-70b" not in shown(answer)


async def test_a_guest_may_ask(scene: Scene, bot: Bot) -> None:
    assert "Jobs" in shown(await scene.typed(GUEST, "jobs"))


async def test_a_chinese_reader_gets_chinese_and_the_channel_the_language_of_the_settings(
    scene: Scene, bot: Bot
) -> None:
    answer = await scene.typed(LIWEI, "jobs --name moe", TRAINING)
    assert "任务" in shown(answer)
    await scene.press(LIWEI, answer, "show_to_channel")
    (for_all,) = await scene.until(lambda: scene.parents(TRAINING))
    assert "shown by" in shown(for_all)
    assert "任务" not in shown(for_all)
    use = await scene.typed(LIWEI, "usage moe", TRAINING)
    assert ["moe-16x7b-ablation · GPU 利用率"] == [one["alt_text"] for one in use.blocks if one["type"] == "image"]

    await with_an_incident(scene)
    assert "*Firing*" in shown(scene.card(NCCL))


async def test_the_mute_dialog_is_in_the_readers_language_at_the_first_click(scene: Scene, bot: Bot) -> None:
    await with_an_incident(scene)
    await scene.press(LIWEI, scene.card(NCCL), "mute")

    assert "静默" in (await scene.dialog(LIWEI, "mute")).content["title"]["text"]


async def test_a_mention_in_a_thread_is_answered_in_the_thread(scene: Scene, bot: Bot) -> None:
    await with_an_incident(scene)
    card = scene.card(NCCL)
    await scene.slack.people.say(OMAR, NCCL, f"@gpubot job {JOB}", card.ts)

    await scene.said_below(card, "32 × H800")
    assert [card.ts] == [one.ts for one in scene.parents(NCCL)]


async def test_a_mention_in_a_channel_opens_a_thread(scene: Scene, bot: Bot) -> None:
    said = await scene.slack.people.say(OMAR, TRAINING, "@gpubot pools")

    (answer,) = await scene.until(lambda: scene.slack.thread(TRAINING, str(said.more["ts"])))
    assert "训练池 A" in shown(answer)


async def test_a_stop_by_mention_is_offered_to_the_person_alone(scene: Scene, bot: Bot) -> None:
    offer = await scene.whispered(OMAR, scene.slack.people.say(OMAR, TRAINING, f"@gpubot stop {JOB}"))

    assert "stop" in actions_of(offer)
    assert [f"<@UGPUBOT> stop {JOB}"] == [one.text for one in scene.slack.messages(TRAINING)]


async def test_a_misspelt_mention_is_told_privately(scene: Scene, bot: Bot) -> None:
    told = await scene.whispered(OMAR, scene.slack.people.say(OMAR, TRAINING, "@gpubot jbos"))

    assert "Did you mean `jobs`?" in shown(told)


@pytest.mark.parametrize("typed", ["pools", " /gpu pools", "@gpubot pools"])
async def test_a_direct_message_is_answered_there_with_and_without_the_command(
    scene: Scene, bot: Bot, typed: str
) -> None:
    await scene.slack.people.say(OMAR, "@gpubot", typed)
    (answer,) = await scene.until(lambda: [one for one in scene.slack.direct_messages(OMAR) if one.user != OMAR])

    assert "训练池 A" in shown(answer)


async def home_of(scene: Scene, user: str) -> View:
    await scene.until(lambda: scene.slack.home(user))
    home = scene.slack.home(user)
    assert home is not None
    return home


async def test_the_home_tab_shows_incidents_own_jobs_and_how_the_sources_are(scene: Scene, bot: Bot) -> None:
    await with_an_incident(scene)
    await scene.slack.people.home(ANNA)
    home = await home_of(scene, ANNA)

    assert "NCCL HANG" in shown(home)
    assert JOB in shown(home)
    assert "beijing" in shown(home)


async def test_the_home_tab_of_a_chinese_reader_is_chinese(scene: Scene, bot: Bot) -> None:
    await scene.slack.people.home(ZHANG)
    home = await home_of(scene, ZHANG)

    assert "任务" in shown(home)


async def test_the_bot_keeps_quiet_about_what_it_has_nothing_to_say_to(scene: Scene, bot: Bot) -> None:
    before = scene.screen()
    await scene.slack.people.say(OMAR, TRAINING, "the gpubot is nice")
    await scene.slack.people.say(OMAR, OPS, "/gpu jobs was what I typed")
    await scene.settled(bot)

    assert sum(map(len, before.values())) + 2 == sum(map(len, scene.screen().values()))


async def test_what_talks_to_what_is_seen_in_words_and_as_a_picture(scene: Scene, bot: Bot) -> None:
    await with_an_incident(scene)
    answer = await scene.typed(OMAR, "topology llm-pretrain-70b")
    instance = hung_node(scene).instance
    assert f"{instance}*: NCCL HANG" in shown(answer)
    (picture,) = [block for block in answer.blocks if block["type"] == "image"]
    assert "llm-pretrain-70b · cluster-bj1" == picture["alt_text"]


async def test_a_nodes_health_is_the_monitors_and_stands_beside_what_its_platform_says(scene: Scene, bot: Bot) -> None:
    await with_an_incident(scene)
    node = hung_node(scene)
    answer = await scene.typed(OMAR, f"node {node.name}")
    for word in ("health 71", "1 abnormal event", "NCCL HANG", node.instance, "A800", "cce-ab12cd34"):
        assert word in shown(answer), word
