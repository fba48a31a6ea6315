"""Queues from Slack: looked at, made, changed, deleted, by operators alone, and with a receipt of what changed."""

import pytest

from bot.app.bot import Bot
from bot.simulator.slack.records import Ephemeral, View
from bot.simulator.world.place import Queue
from tests.paths.scene import ANNA, CHEN, LIWEI, OMAR, Scene, actions_of, button, shown

POOL = "cce-ab12cd34"
GPU = "baidu.com/a800_80g_cgpu"


@pytest.fixture
async def eval_queue(scene: Scene, bot: Bot) -> Ephemeral:
    return await scene.typed(OMAR, f"queue eval --pool {POOL}")


def queue(scene: Scene, name: str) -> Queue:
    return next(one for one in scene.world.queues(POOL) if one.name == name)


async def asked(scene: Scene, user: str, message: Ephemeral, action: str, kind: str) -> View:
    await scene.press(user, message, action, button(message, action)["value"])
    return await scene.dialog(user, kind)


async def test_a_queue_shows_who_is_in_it_and_what_can_be_done(scene: Scene, eval_queue: Ephemeral) -> None:
    assert "vit-eval" in shown(eval_queue)
    assert "BestEffortFIFO" in shown(eval_queue)
    assert ["ask", "edit_queue", "delete_queue", "new_queue", "show_to_channel"] == actions_of(eval_queue)


async def test_shown_to_everybody_a_queue_has_no_buttons_that_change_it(scene: Scene, eval_queue: Ephemeral) -> None:
    before = len(scene.parents("gpu-alerts"))
    await scene.press(OMAR, eval_queue, "show_to_channel")
    await scene.until(lambda: len(scene.parents("gpu-alerts")) > before)

    assert ["ask"] == actions_of(scene.parents("gpu-alerts")[-1])


async def test_a_name_in_two_pools_is_asked_about(scene: Scene, bot: Bot) -> None:
    answer = await scene.typed(OMAR, "queue default --cloud beijing")

    assert POOL in shown(answer)
    assert "cce-ef56gh78" in shown(answer)
    found = await scene.whispered(OMAR, scene.press(OMAR, answer, "ask", f"queue default --pool {POOL}"))
    assert "notebook-liwei" in shown(found)


async def test_a_changed_quota_is_saved_told_old_and_new_and_kept_in_the_audit(
    scene: Scene, bot: Bot, eval_queue: Ephemeral
) -> None:
    form = await asked(scene, OMAR, eval_queue, "edit_queue", "edit_queue")
    await scene.submit(OMAR, form, deserved=f"{GPU} = 16\ncpu = 96", reclaimable="yes")
    await scene.dialog(OMAR, "notice", "✅")

    changed = queue(scene, "eval")
    assert ({GPU: "16", "cpu": "96"}, True) == (changed.deserved, changed.reclaimable)
    receipt = await scene.until(lambda: scene.slack.direct_messages(OMAR)[-1])
    assert "<@U05OMAR> changed the queue `eval`" in shown(receipt)
    assert f"quota `{GPU}`: – → 16" in shown(receipt)
    assert "its jobs may be preempted: no → yes" in shown(receipt)
    (line,) = [one for one in await bot.store.audit.actions() if one.action == "change queue"]
    assert (OMAR, True) == (line.person, f"beijing/{POOL}/eval: done" in line.outcome)


async def test_what_was_left_alone_is_not_sent(scene: Scene, bot: Bot, eval_queue: Ephemeral) -> None:
    form = await asked(scene, OMAR, eval_queue, "edit_queue", "edit_queue")
    await scene.submit(OMAR, form, description="evaluations")
    await scene.dialog(OMAR, "notice", "✅")

    changed = queue(scene, "eval")
    assert ("evaluations", {}, {}, {}) == (
        changed.description,
        changed.deserved,
        changed.guarantee,
        changed.capability,
    )


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("a800 eight", "`a800 eight` is not read: write `name = number`, one a line."),
        ("a800 = eight", "How much of `a800`? It must be a number, not `eight`."),
        ("cpu = 1\ncpu = 2", "`cpu` is given twice."),
        ("cpu = -1", "How much of `cpu`? It must be a number, not `-1`."),
    ],
)
async def test_a_line_that_cannot_be_read_is_said_at_its_field(
    scene: Scene, eval_queue: Ephemeral, lines: str, fault: str
) -> None:
    form = await asked(scene, OMAR, eval_queue, "edit_queue", "edit_queue")
    outcome = await scene.submit(OMAR, form, deserved=lines)

    assert {"deserved": fault} == outcome.more["errors"]
    assert [] == [one for one in scene.on.baidu.requests if one.method == "PUT"]


async def test_a_queue_that_somebody_else_changed_is_not_overwritten(scene: Scene, eval_queue: Ephemeral) -> None:
    form = await asked(scene, OMAR, eval_queue, "edit_queue", "edit_queue")
    chens = await scene.typed(CHEN, f"queue eval --pool {POOL}")
    await scene.submit(CHEN, await asked(scene, CHEN, chens, "edit_queue", "edit_queue"), description="mine")
    await scene.dialog(CHEN, "notice", "✅")
    await scene.submit(OMAR, form, description="no, mine")

    refused = await scene.dialog(OMAR, "notice", "🚫")
    assert "eval was changed by somebody else meanwhile" in shown(refused)
    assert "mine" == queue(scene, "eval").description


async def test_a_new_queue_is_made_where_it_was_asked_for(scene: Scene, bot: Bot) -> None:
    listed = await scene.typed(OMAR, "queues")
    form = await asked(scene, OMAR, listed, "new_queue", "new_queue")
    await scene.submit(OMAR, form, spot=f"beijing/{POOL}", name="team-a", deserved=f"{GPU} = 8", description="模拟队列")
    await scene.dialog(OMAR, "notice", "✅")

    made = queue(scene, "team-a")
    assert ({GPU: "8"}, "模拟队列") == (made.deserved, made.description)
    assert "made the queue `team-a`" in shown(await scene.until(lambda: scene.slack.direct_messages(OMAR)[-1]))


async def test_a_name_that_is_taken_brings_the_form_back_as_it_was(scene: Scene, bot: Bot) -> None:
    form = await asked(scene, OMAR, await scene.typed(OMAR, "queues"), "new_queue", "new_queue")
    await scene.submit(OMAR, form, spot=f"beijing/{POOL}", name="sft", description="again")

    back = await scene.dialog(OMAR, "new_queue", "There is a queue sft in")
    typed = {one["block_id"]: one["element"].get("initial_value") for one in back.blocks if one["type"] == "input"}
    assert ("sft", "again") == (typed["name"], typed["description"])


async def test_a_queue_with_jobs_in_it_is_not_deleted_and_they_are_named(scene: Scene, eval_queue: Ephemeral) -> None:
    await scene.press(OMAR, eval_queue, "delete_queue")

    assert "Jobs live in eval: vit-eval" in shown(await scene.dialog(OMAR, "notice", "🚫"))
    assert "eval" == queue(scene, "eval").name


async def test_an_empty_queue_is_deleted_once_its_name_is_typed(scene: Scene, bot: Bot) -> None:
    made = await asked(scene, OMAR, await scene.typed(OMAR, "queues"), "new_queue", "new_queue")
    await scene.submit(OMAR, made, spot=f"beijing/{POOL}", name="team-a")
    await scene.dialog(OMAR, "notice", "✅")
    form = await asked(scene, OMAR, await scene.typed(OMAR, "queue team-a"), "delete_queue", "delete_queue")
    wrong = await scene.submit(OMAR, form, name="team-b")
    assert {"name": "That is not its name: type `team-a` to delete it."} == wrong.more["errors"]

    await scene.submit(OMAR, form, name="team-a")
    await scene.until(lambda: "deleted the queue `team-a`" in shown(scene.slack.direct_messages(OMAR)[-1]))
    assert "team-a" not in [one.name for one in scene.world.queues(POOL)]


@pytest.mark.parametrize("user", [LIWEI, ANNA])
async def test_who_is_no_operator_reads_why_not(scene: Scene, bot: Bot, user: str) -> None:
    listed = await scene.typed(user, "queues")
    await scene.press(user, listed, "new_queue")

    assert "<@U05OMAR>" in shown(await scene.dialog(user, "notice", "🚫"))
    assert [] == [one for one in scene.on.baidu.requests if one.method != "GET"]


async def test_a_pool_shows_its_queues_and_machines(scene: Scene, bot: Bot) -> None:
    answer = await scene.typed(OMAR, f"pool {POOL}")

    assert "训练池 A" in shown(answer)
    assert "*pretrain*" in shown(answer)
    assert "192.168.0.21" in shown(answer)
