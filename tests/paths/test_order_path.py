"""Submitting jobs from Slack: a form at once, mistakes at the field, one job for one form; and what is done to jobs."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.app.bot import Bot
from bot.domain.redact import HIDDEN
from bot.simulator.slack.records import Ephemeral, View
from bot.simulator.world import Job, JobState
from tests.paths.scene import ANNA, CHEN, GUEST, OMAR, ZHANG, Scene, actions_of, shown

POOL = "cce-ab12cd34"
ORDER = """\
name: tiny-eval
queue: eval
image: registry.example.com/tiny:1
replicas: 2
resources:
  baidu.com/a800_80g_cgpu: 8
command: python eval.py
env:
  DEBUG: no
"""
JSON_ORDER = """
{"name": "tiny-eval", "queue": "eval", "jobFramework": "PyTorchJob", "labels": [{"key": "team", "value": "nlp"}],
 "jobSpec": {"image": "registry.example.com/tiny:1", "replicas": 2, "command": "python eval.py",
  "resources": [{"name": "baidu.com/a800_80g_cgpu", "quantity": 8}], "envs": [{"name": "DEBUG", "value": "no"}]}}
"""
OVER = "lr-sweep-07"  # a job of anna.schmidt that was stopped


def jobs_named(scene: Scene, name: str) -> Sequence[Job]:
    return [job for job in scene.world.jobs("baidu") if job.name == name]


def creates(scene: Scene) -> int:
    return sum(1 for one in scene.on.baidu.requests if (one.method, one.path) == ("POST", "/api/v1/aijobs"))


def definition_in(form: View) -> dict[str, Any]:
    return next(one for one in form.blocks if one.get("block_id", "").startswith("definition"))


async def form_for(scene: Scene, user: str, command: str = "submit") -> View:
    await scene.slack.people.command(user, "training", command)
    return await scene.dialog(user, "submit")


async def send(scene: Scene, user: str, form: View, text: str = ORDER) -> Any:
    values = {definition_in(form)["block_id"]: text, "spot": f"beijing/{POOL}"}
    return await scene.slack.people.submit(user, form.id, values)


async def job_answer(scene: Scene, user: str, name: str) -> Ephemeral:
    return await scene.typed(user, f"job {name}")


@pytest.mark.parametrize("text", [ORDER, JSON_ORDER], ids=["yaml", "json"])
async def test_a_definition_becomes_a_job_that_is_its_submitters_own(scene: Scene, bot: Bot, text: str) -> None:
    await send(scene, ANNA, await form_for(scene, ANNA), text)
    await scene.dialog(ANNA, "notice", "✅")

    (job,) = jobs_named(scene, "tiny-eval")
    assert ("eval", 2, ("DEBUG", "no")) == (job.queue, len(job.pods), job.envs[0])
    assert ("gpubot-owner", "anna.schmidt") in job.labels
    receipt = shown(await scene.until(lambda: scene.slack.direct_messages(ANNA)[-1]))
    assert "<@U03ANNA> submitted `tiny-eval`" in receipt
    assert "Queue: eval" in receipt
    assert "2 replicas × 8 A800-80G" in receipt
    assert "tiny-eval" in shown(await scene.typed(ANNA, "jobs --mine --name tiny"))


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ("name: a\n  b: [", ["This cannot be read as YAML: line 2"]),
        ('{"name": }', ["This cannot be read as JSON: line 1"]),
        ("just words", ["A definition is a list of `key: value` lines, or a JSON object."]),
        ("nmae: x", ["`nmae` is not known here. Did you mean `name`?", "`image` is missing.", "`command` is missing."]),
        (ORDER.replace("replicas: 2", "replicas: many"), ["`replicas` is a whole number from 1 to"]),
        (ORDER.replace("cgpu: 8", "cgpu: lots"), ["It must be a number above 0, not `lots`."]),
        (ORDER.replace("tiny-eval", "Tiny_Eval"), ["`Tiny_Eval` cannot be a name"]),
        (ORDER.replace("tiny-eval", "x" * 51), ["50 characters at most"]),
        (ORDER + "priority: urgent\n", ["`priority` is one of `high`, `normal`, `low`, not `urgent`."]),
        (ORDER + "name: twice\n", ["`name` is given twice."]),
        (ORDER + "labels: &a {x: y}\nmounts: *a\n", ["Anchors and aliases are not understood here"]),
        (ORDER.replace("DEBUG: no", f"TOKEN: {HIDDEN}"), []),
    ],
)
async def test_mistakes_are_said_at_the_field(scene: Scene, bot: Bot, written: str, faults: list[str]) -> None:
    form = await form_for(scene, ANNA)
    outcome = await send(scene, ANNA, form, written)

    told = "".join(outcome.more.get("errors", {}).values())
    assert [] == [fault for fault in faults if fault not in told]
    assert bool(faults) == bool(told)
    assert 0 == creates(scene)


async def test_a_hidden_value_that_nobody_has_brings_the_form_back(scene: Scene, bot: Bot) -> None:
    text = ORDER.replace("DEBUG: no", f"TOKEN: {HIDDEN}")
    await send(scene, ANNA, await form_for(scene, ANNA), text)

    back = await scene.dialog(ANNA, "submit", "The value of `TOKEN` is hidden")
    assert text.strip() == definition_in(back)["element"]["initial_value"].strip()
    assert 0 == creates(scene)


async def test_a_form_sent_in_twice_makes_one_job(scene: Scene, bot: Bot) -> None:
    form = await form_for(scene, ANNA)
    await asyncio.gather(send(scene, ANNA, form), send(scene, ANNA, form))
    await scene.dialog(ANNA, "notice", "✅")

    assert 1 == len(jobs_named(scene, "tiny-eval"))
    assert 1 == creates(scene)


async def test_an_answer_that_was_cut_off_is_looked_up_and_nothing_is_sent_again(scene: Scene, bot: Bot) -> None:
    scene.on.baidu.faults.add("truncate", path="^/api/v1/aijobs$", method="POST")
    await send(scene, ANNA, await form_for(scene, ANNA))

    assert "tiny-eval was submitted to beijing." in shown(await scene.dialog(ANNA, "notice", "✅"))
    assert (1, 1) == (creates(scene), len(jobs_named(scene, "tiny-eval")))


async def test_a_job_that_is_not_found_after_a_lost_answer_is_called_unknown(scene: Scene, bot: Bot) -> None:
    scene.on.baidu.faults.add("drop", path="^/api/v1/aijobs$", method="POST")
    await send(scene, ANNA, await form_for(scene, ANNA))

    told = shown(await scene.dialog(ANNA, "notice", "It is not known whether beijing took tiny-eval"))
    assert "before you submit it again" in told
    assert (1, 0) == (creates(scene), len(jobs_named(scene, "tiny-eval")))


async def test_what_the_platform_refuses_brings_the_form_back(scene: Scene, bot: Bot) -> None:
    await send(scene, ANNA, await form_for(scene, ANNA), ORDER.replace("queue: eval", "queue: nowhere"))

    back = await scene.dialog(ANNA, "submit", "🚫")
    assert "nowhere" in definition_in(back)["element"]["initial_value"]
    await send(scene, ANNA, back, ORDER)
    await scene.dialog(ANNA, "notice", "✅")
    assert 1 == len(jobs_named(scene, "tiny-eval"))


async def test_a_name_that_still_runs_is_not_submitted_twice(scene: Scene, bot: Bot) -> None:
    await send(scene, ANNA, await form_for(scene, ANNA), ORDER.replace("tiny-eval", "vit-eval"))

    assert "A job vit-eval is there already" in shown(await scene.dialog(ANNA, "submit", "🚫"))
    assert 0 == creates(scene)


@pytest.mark.parametrize("user", [GUEST])
async def test_who_is_unknown_to_every_cloud_may_not_submit(scene: Scene, bot: Bot, user: str) -> None:
    await scene.slack.people.command(user, "training", "submit")

    assert "may submit jobs" in shown(await scene.dialog(user, "notice", "🚫"))


async def test_an_earlier_job_is_run_again_with_its_secrets_and_a_new_name(scene: Scene, bot: Bot) -> None:
    secret = "hf_abcdefghij0123456789"
    await send(scene, ANNA, await form_for(scene, ANNA), ORDER.replace("DEBUG: no", f"HF_TOKEN: {secret}"))
    await scene.dialog(ANNA, "notice", "✅")
    scene.world.stop_job(jobs_named(scene, "tiny-eval")[0].id)
    await scene.until(lambda: jobs_named(scene, "tiny-eval")[0].state is not JobState.QUEUED)
    scene.world.advance(timedelta(minutes=2))

    answer = await job_answer(scene, ANNA, "tiny-eval")
    await scene.press(ANNA, answer, "submit")
    form = await scene.dialog(ANNA, "submit", "Runs `tiny-eval` again as a new job.")
    text = definition_in(form)["element"]["initial_value"]
    assert "name: tiny-eval-r2" in text
    assert secret not in text
    assert f"HF_TOKEN: {HIDDEN}" in text
    await send(scene, ANNA, form, text)
    await scene.dialog(ANNA, "notice", "✅")
    (again,) = jobs_named(scene, "tiny-eval-r2")
    assert ("HF_TOKEN", secret) in again.envs


async def test_the_open_form_can_begin_with_an_earlier_job(scene: Scene, bot: Bot) -> None:
    form = await form_for(scene, ANNA)
    job = jobs_named(scene, OVER)[0]
    await scene.slack.people.click(ANNA, action_id="start_from", value=f"beijing/{job.id}", view_id=form.id)

    filled = await scene.dialog(ANNA, "submit", f"Runs `{OVER}` again")
    assert f"name: {OVER}-r2" in definition_in(filled)["element"]["initial_value"]
    assert definition_in(filled)["block_id"] != definition_in(form)["block_id"]


async def test_somebody_elses_definition_is_not_shown(scene: Scene, bot: Bot) -> None:
    await scene.slack.people.command(ZHANG, "training", f"submit {OVER}")

    refused = shown(await scene.dialog(ZHANG, "notice", "🚫"))
    assert "<@U03ANNA>" in refused
    assert "command" not in refused


async def test_an_operator_runs_it_again_for_its_owner(scene: Scene, bot: Bot) -> None:
    form = await form_for(scene, CHEN, f"submit {OVER}")
    await send(scene, CHEN, form, definition_in(form)["element"]["initial_value"])
    await scene.dialog(CHEN, "notice", "✅")

    assert ("gpubot-owner", "anna.schmidt") in jobs_named(scene, f"{OVER}-r2")[0].labels


async def test_a_mention_gets_a_button_that_opens_the_form(scene: Scene, bot: Bot) -> None:
    said = await scene.whispered(ANNA, scene.slack.people.say(ANNA, "training", "@gpubot submit"))
    assert ["submit"] == actions_of(said)
    await scene.press(ANNA, said, "submit")

    assert "nvidia.com/gpu" in definition_in(await scene.dialog(ANNA, "submit"))["element"]["initial_value"]


async def test_a_waiting_jobs_priority_is_changed_and_told(scene: Scene, bot: Bot) -> None:
    job = jobs_named(scene, "sft-nightly")[0]
    answer = await job_answer(scene, OMAR, "sft-nightly")
    await scene.press(OMAR, answer, "priority")
    form = await scene.dialog(OMAR, "priority", "It decides which waiting job starts next.")
    await scene.submit(OMAR, form, priority="high")
    await scene.dialog(OMAR, "notice", "sft-nightly has the priority high now.")

    assert "high" == scene.world.job(job.id).priority
    assert "`low` → `high`" in shown(await scene.until(lambda: scene.slack.direct_messages(OMAR)[-1]))


async def test_the_dialog_says_that_a_running_jobs_priority_may_not_matter(scene: Scene, bot: Bot) -> None:
    answer = await job_answer(scene, OMAR, "reward-model-v2")
    await scene.press(OMAR, answer, "priority")
    form = await scene.dialog(OMAR, "priority", "does not wait any more")
    await scene.submit(OMAR, form, priority="high")

    told = shown(await scene.dialog(OMAR, "notice", "does not show it yet"))
    assert "⏳" in told


async def test_a_job_that_is_over_is_deleted_by_its_owner(scene: Scene, bot: Bot) -> None:
    answer = await job_answer(scene, ANNA, OVER)
    assert ["ask", "usage", "logs", "submit", "delete_job"] == sorted(
        {*actions_of(answer)} - {"show_to_channel"}, key=["ask", "usage", "logs", "submit", "delete_job"].index
    )
    await scene.press(ANNA, answer, "delete_job")
    await scene.submit(ANNA, await scene.dialog(ANNA, "delete_job", OVER))
    await scene.dialog(ANNA, "notice", f"{OVER} was deleted.")

    assert [] == jobs_named(scene, OVER)
    assert ["delete"] == [one.action for one in await bot.store.audit.actions() if "was deleted" in one.outcome]


async def test_a_job_that_runs_is_not_deleted(scene: Scene, bot: Bot) -> None:
    answer = await job_answer(scene, ANNA, OVER)
    await scene.press(ANNA, answer, "delete_job")
    form = await scene.dialog(ANNA, "delete_job")
    target = jobs_named(scene, OVER)[0]
    scene.world._state.put(replace(target, state=JobState.RUNNING, finished_at=None))
    await scene.submit(ANNA, form)

    assert "is not over: it is running. Stop it first." in shown(await scene.dialog(ANNA, "notice", "🚫"))
    assert [OVER] == [one.name for one in jobs_named(scene, OVER)]


async def test_a_platform_that_takes_no_jobs_still_deletes_them_where_that_is_switched_on(
    scene: Scene, bot: Bot
) -> None:
    answer = await job_answer(scene, ANNA, "sparse-attn-test")
    assert ("delete_job" in actions_of(answer), "submit" in actions_of(answer)) == (True, False)
    await scene.press(ANNA, answer, "delete_job")
    await scene.submit(ANNA, await scene.dialog(ANNA, "delete_job"))

    await scene.until(lambda: "deleted the job `sparse-attn-test`" in shown(scene.slack.direct_messages(ANNA)[-1]))
    assert "sparse-attn-test" not in [job.name for job in scene.world.jobs("alaya")]
