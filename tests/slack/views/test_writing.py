"""Answers and dialogs with which people change queues and jobs: what they show and carry, and that Slack takes them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.answers import JobView, Origin, PoolView, QueueList, QueueView, SubmitOffer
from bot.domain.capacity import Node, Pool, Queue, QueueKey, Spot
from bot.domain.command import SubmitJob, parse
from bot.domain.job import JobState
from bot.domain.note import Note, NoteKind
from bot.domain.ports import Can
from bot.domain.redact import HIDDEN
from bot.domain.wording import say
from bot.relay.act import QueueReceipt
from bot.slack.ids import Target
from bot.slack.rendering import Rendered
from bot.slack.targets import OrderTarget, QueueTarget
from bot.slack.views import Views
from tests.make import NOW, job
from tests.slack.views.looks import EN, ZH, actions, faults, look, look_at_view, view_faults
from tests.slack.views.test_hostile import NASTY, nasty_job

GPU = "baidu.com/a800_80g_cgpu"
QUEUE = Queue(
    "beijing",
    "cce-ab12cd34",
    "team-a",
    kind="Regular",
    platform_state="Open",
    parent="root",
    description="模拟队列",
    gpus_quota=16,
    gpus_used=8,
    running=1,
    pending=2,
    reclaimable=False,
    preemptable=False,
    oversell=True,
    strategy="BestEffortFIFO",
    quota={"cpu": "96", GPU: "16"},
    used={"cpu": "48", GPU: "8"},
    deserved={"cpu": "96", GPU: "16"},
    guarantee={GPU: "4"},
    capability={"memory": "39582418599936", GPU: "32"},
)
SPOTS = (Spot("beijing", "cce-ab12cd34", "训练池 A"), Spot("beijing", "cce-ef56gh78", "推理池"))
OVER = job(state=JobState.STOPPED, finished_at=NOW)
Figures = dict[str, str | int | float | bool | None]
BOTH = pytest.mark.parametrize("views", [EN, ZH], ids=["en", "zh"])
EVERYTHING = frozenset(Can)


def values_of(view: Mapping[str, Any]) -> dict[str, str]:
    """What stands in the inputs."""
    shown = {}
    for block in view["blocks"]:
        element = block.get("element", {})
        shown[block.get("block_id", "")] = element.get("initial_value") or element.get("initial_option", {}).get(
            "value"
        )
    return {name: value for name, value in shown.items() if value}


def test_a_queue_tells_quota_use_rules_and_who_is_in_it() -> None:
    child = replace(QUEUE, name="team-a-1", parent="team-a", description=None)
    answer = QueueView(QUEUE, (child,), (job(queue="team-a"),), True, Origin((("beijing", NOW),)))
    assert snapshot("""\
# team-a
▰▰▰▰▰▱▱▱▱▱ 8/16 GPUs
*Pool*
cce-ab12cd34 · beijing
*Jobs*
1 running · 2 waiting
*State*
Open
*Kind*
Regular
*Below the queue*
`root`
*Order of its jobs*
BestEffortFIFO
*May take what others leave free*
yes
*Its jobs may be preempted*
no
*May preempt others*
no
*Description*
模拟队列
*Used of quota*
`cpu` 48 / 96
`baidu.com/a800_80g_cgpu` 8 / 16 · guaranteed 4 · limit 32
*Queues below it*
*team-a-1* · ▰▰▰▰▰▱▱▱▱▱ 8/16 GPUs · cce-ab12cd34
1 running · 2 waiting · Open · beijing
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
running 3 h · team-a · beijing
(beijing 0 s ago)
[Jobs] [Edit queue…] [Delete queue…] [New queue…] [Show to channel]\
""") == look(EN.answer(answer, NOW, "queue team-a"))


def test_a_pool_tells_its_queues_and_machines() -> None:
    pool = Pool("beijing", "cce-ab12cd34", "训练池 A", "running", "bj", 2, 1, 16, 8, (("A800", 16, 8),))
    nodes = (
        Node("beijing", "192.168.0.21", "running", schedulable=True, gpu_model="A800", gpus_total=8, gpus_used=8),
        Node("beijing", "192.168.0.22", "running", schedulable=False, gpu_model="A800", gpus_total=8, gpus_used=0),
    )
    assert snapshot("""\
# 训练池 A
▰▰▰▰▰▱▱▱▱▱ 8/16 GPUs
*Pool*
`cce-ab12cd34`
*Cloud*
beijing · bj
*State*
running
*Nodes*
1 of 2 nodes used
*Free GPUs*
A800 8/16
*team-a* · ▰▰▰▰▰▱▱▱▱▱ 8/16 GPUs · cce-ab12cd34
1 running · 2 waiting · Open · beijing · 模拟队列
[Details]
🟢 *192.168.0.21* · ▰▰▰▰▰▰▰▰▰▰ 8/8 GPUs · A800
🚧 *192.168.0.22* · ▱▱▱▱▱▱▱▱▱▱ 0/8 GPUs · A800 · takes no new pods · running · beijing
[Nodes] [Show to channel]\
""") == look(EN.answer(PoolView(pool, nodes, (QUEUE,)), NOW, "pool cce-ab12cd34"))


def test_buttons_that_change_something_are_for_the_asker_alone() -> None:
    queue, over = QueueView(QUEUE, can_change=True), JobView(OVER, (), offered=EVERYTHING)
    assert ["ask", "edit_queue", "delete_queue", "new_queue", "show_to_channel"] == actions(EN.answer(queue, NOW, "x"))
    assert ["ask"] == actions(EN.answer(queue, NOW, "x", private=False))
    assert ["usage", "logs", "ask", "submit", "restart_job", "delete_job", "show_to_channel"] == actions(
        EN.answer(over, NOW, "x")
    )
    assert ["usage", "logs", "ask"] == actions(EN.answer(over, NOW, "x", private=False))


def test_a_cloud_that_cannot_offers_no_button_for_it() -> None:
    assert ["ask", "show_to_channel"] == actions(EN.answer(QueueView(QUEUE), NOW, "x"))
    assert "new_queue" not in actions(EN.answer(QueueList((QUEUE,)), NOW, "x"))
    assert "submit" not in actions(EN.answer(JobView(OVER, ()), NOW, "x"))
    assert "priority" not in actions(EN.answer(JobView(job(), ()), NOW, "x"))


def test_a_live_job_can_be_given_a_priority_and_no_more() -> None:
    shown = actions(EN.answer(JobView(job(), (), offered=EVERYTHING), NOW, "x"))
    assert ["usage", "logs", "ask", "terminal", "stop", "priority", "show_to_channel"] == shown


def test_run_again_carries_the_command_that_opens_the_form() -> None:
    blocks = EN.answer(JobView(OVER, (), offered=EVERYTHING), NOW, "x").blocks
    values = [one["value"] for block in blocks for one in block.get("elements", ()) if one.get("action_id") == "submit"]
    assert [SubmitJob(job="beijing/pytorchjob-a1b2")] == [parse(value) for value in values]


def test_the_form_of_a_queue_holds_what_it_is_now() -> None:
    view = EN.queue_edit(QUEUE, "abc")
    assert {
        "deserved": f"cpu = 96\n{GPU} = 16",
        "guarantee": f"{GPU} = 4",
        "capability": f"memory = 39582418599936\n{GPU} = 32",
        "oversell": "yes",
        "reclaimable": "no",
        "strategy": "BestEffortFIFO",
        "description": "模拟队列",
    } == values_of(view)
    assert QueueTarget(QueueKey("beijing", "cce-ab12cd34", "team-a"), "abc") == QueueTarget.read(
        view["private_metadata"]
    )


def test_the_form_of_a_new_queue_comes_back_as_it_was_filled_in() -> None:
    typed = {"spot": "beijing/cce-ef56gh78", "name": "x", "parent": "team-a", "deserved": "cpu = 1", "oversell": "no"}
    view = EN.queue_new(SPOTS, typed, say("{name} is wrong.", name="x"))
    assert typed == values_of(view)
    assert "🚫 x is wrong." in look_at_view(view)


def test_a_map_too_long_for_a_field_is_left_out_of_the_form() -> None:
    many = replace(QUEUE, capability={f"example.com/resource-{n}": "1" for n in range(200)})
    assert "capability" not in values_of(EN.queue_edit(many, ""))
    assert [] == view_faults(EN.queue_edit(many, ""))


def test_a_receipt_tells_old_and_new() -> None:
    after = replace(QUEUE, deserved={"cpu": "96", GPU: "24"}, oversell=False, description=None)
    changed = QueueReceipt(QUEUE.key, "U05OMAR", NOW, QUEUE, after)
    assert snapshot("""\
✏️ <@U05OMAR> changed the queue `team-a`, 2026-11-30 06:00 UTC.
• description: 模拟队列 → –
• quota `baidu.com/a800_80g_cgpu`: 16 → 24
• may take what others leave free: yes → no
(cce-ab12cd34 · beijing)\
""") == look(EN.queue_receipt(changed))
    assert "made the queue `team-a`" in look(EN.queue_receipt(replace(changed, before=None)))
    assert "deleted the queue `team-a`" in look(EN.queue_receipt(replace(changed, after=None)))
    unread = look(EN.queue_receipt(replace(changed, after=None, confirmed=False)))
    assert "could not be read again" in unread
    assert "changed the queue" in unread


def test_the_form_of_a_job_names_its_source_and_carries_its_token() -> None:
    view = EN.submit_form(SubmitOffer(SPOTS, OVER), "token", f"name: a\nenv:\n  T: {HIDDEN}\n")
    assert "What reads ‹hidden› is taken from `llama-70b` as it was." in look_at_view(view)
    assert OrderTarget("token", OVER.key) == OrderTarget.read(view["private_metadata"])
    assert "beijing/cce-ab12cd34" == values_of(view)["spot"]


def test_a_form_without_source_offers_jobs_to_begin_with() -> None:
    view = EN.submit_form(SubmitOffer(SPOTS, recent=(OVER, job("b", name="bert"))), "token", "name:")
    menu = next(block["accessory"] for block in view["blocks"] if "accessory" in block)
    assert ["beijing/pytorchjob-a1b2", "beijing/b"] == [option["value"] for option in menu["options"]]
    assert "‹hidden›" not in look_at_view(view)


def test_a_priority_dialog_says_when_it_has_an_effect() -> None:
    waiting = look_at_view(EN.priority_question(job(state=JobState.QUEUED), None, NOW))
    running = look_at_view(EN.priority_question(job(), 12, NOW))
    assert "It decides which waiting job starts next." in waiting
    assert "may not heed it" in running
    assert Target.of_job(job(), 12) == Target.read(EN.priority_question(job(), 12, NOW)["private_metadata"])


def test_receipts_of_jobs_in_words() -> None:
    made: Figures = {"job": "tiny", "key": "beijing/j-1", "queue": "eval", "pool": "cce-1", "replicas": 2, "gpus": 16}
    notes = [
        Note(NoteKind.SUBMITTED, NOW, "U02LIWEI", made | {"model": "A800"}),
        Note(NoteKind.SUBMITTED, NOW, "U02LIWEI", made | {"of": "beijing/j-0", "gpus": None}),
        Note(NoteKind.PRIORITY_CHANGED, NOW, "U05OMAR", {"job": "a", "before": "low", "after": "high", "heeded": True}),
        Note(NoteKind.DELETED, NOW, "U05OMAR", {"job": "a", "key": "beijing/a"}),
        Note(NoteKind.RESTARTED, NOW, "U05OMAR", {"job": "a"}),
    ]
    assert snapshot("""\
🚀 <@U02LIWEI> submitted `tiny`, 2026-11-30 06:00 UTC.
Queue: eval · Pool: cce-1 · GPUs: 2 replicas × 8 A800
`/gpu job beijing/j-1` shows more
🚀 <@U02LIWEI> ran `beijing/j-0` again as `tiny`, 2026-11-30 06:00 UTC.
Queue: eval · Pool: cce-1 · GPUs: 2 replicas
`/gpu job beijing/j-1` shows more
↕️ <@U05OMAR> changed the priority of `a`: `low` → `high`.
🗑️ <@U05OMAR> deleted the job `a` (`beijing/a`).
🔁 <@U05OMAR> started the job `a` again.\
""") == "\n".join(look(EN.receipt(note)) for note in notes)


def messages(views: Views, text: str) -> Iterator[Rendered]:
    odd = replace(
        QUEUE,
        name=text or "x",
        pool=text,
        description=text,
        strategy=text,
        quota={text: text} | {f"r{n}": text for n in range(30)},
        used={text: text},
        deserved={text: text},
    )
    pool = Pool("beijing", text or "x", text, text, gpu_models=((text, 8, 4),) * 20)
    node = Node("beijing", text or "x", text, gpu_model=text)
    yield views.answer(QueueView(odd, (odd,) * 40, (nasty_job(text),) * 60, True), NOW, "x")
    yield views.answer(PoolView(pool, (node,) * 300, (odd,) * 60), NOW, "x")
    yield views.answer(QueueList((odd,) * 100, can_change=True), NOW, "x")
    yield views.answer(SubmitOffer(SPOTS, nasty_job(text)), NOW, "x")
    yield views.answer(JobView(replace(nasty_job(text), state=JobState.FAILED), (), offered=EVERYTHING), NOW, "x")
    yield views.queue_receipt(QueueReceipt(odd.key, "U05OMAR", NOW, QUEUE, odd))
    figures: Figures = {"job": text, "key": text, "queue": text, "pool": text, "replicas": 3, "gpus": 5, "of": text}
    for kind in (NoteKind.SUBMITTED, NoteKind.PRIORITY_CHANGED, NoteKind.DELETED, NoteKind.RESTARTED):
        yield views.receipt(Note(kind, NOW, "U05OMAR", figures | {"before": text, "after": text}))


def dialogs(views: Views, text: str) -> Iterator[Mapping[str, Any]]:
    one = nasty_job(text)
    odd = replace(
        QUEUE, name=text[:60] or "x", description=text, strategy=text[:70] or None, deserved={text[:90]: text}
    )
    yield views.queue_edit(odd, "abc")
    yield views.queue_delete(odd, "abc")
    yield views.queue_new(SPOTS * 60, {"name": text, "description": text, "deserved": text}, say("{x}", x=text))
    yield views.submit_form(SubmitOffer(SPOTS * 60, None, None, (one,) * 60), "t", text, None, say("{x}", x=text))
    yield views.submit_form(SubmitOffer(SPOTS, one), "t", text)
    yield views.priority_question(one, 1, NOW)
    yield views.delete_question(one, 1, NOW)
    yield views.restart_question(one, 1, NOW)
    yield views.waiting(say("Submit job"), say("One moment, looking at the job…"))
    yield views.refused(say("Submit job"), say("{x}", x=text))
    yield views.concluded(
        say("{x}", x=text), None, views.receipt(Note(NoteKind.DELETED, NOW, "U05OMAR", {"job": text}))
    )


@BOTH
@pytest.mark.parametrize("text", NASTY)
def test_whatever_things_are_called_slack_takes_it(views: Views, text: str) -> None:
    assert [] == [fault for message in messages(views, text) for fault in faults(message)]
    assert [] == [fault for view in dialogs(views, text) for fault in view_faults(view)]
