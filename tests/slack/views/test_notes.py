"""What the thread of an incident tells: alarms with their evidence, people's doings, receipts, ends."""

from dataclasses import replace
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.alarm import LOW_USE, SOURCE_BLIND, Alarm, Severity, Subject, TaskState
from bot.domain.incident import Resolution
from bot.domain.job import JobState
from bot.domain.life import acknowledge, end_condition, mute, resolve, unmute
from bot.domain.note import Note, NoteKind
from bot.domain.outbox import Storm
from bot.domain.stopping import ask_stop, failure_note, receipt
from bot.domain.topology import Gpu, Link, Machine, Topology
from bot.slack.rendering import Rendered
from tests.make import NOW, alarm, incident, job
from tests.slack.views.looks import EN, ZH, faults, look

FIRING = incident(12, job=job())
LATER = NOW + timedelta(minutes=20)


def told(kind: NoteKind, by: str | None = None, **figures: str | float | bool | None) -> Rendered:
    return EN.note(FIRING, Note(kind, NOW, by, figures))


def told_alarm(one: Alarm, verdict: str = "new", **figures: float) -> Rendered:
    return EN.note(FIRING, Note(NoteKind.ALARM, NOW, None, {"verdict": verdict, "kind": one.kind, **figures}, one))


def test_an_alarm_is_told_with_its_graph_in_words_and_its_log() -> None:
    graph = Topology(
        machines=(
            Machine(
                "m1", "node-1", exceptions=("NIC down",), gpus=(Gpu("g0", "GPU0", exceptions=("XID 79",), index=0),)
            ),
            Machine("m2", "node-2", gpus=(Gpu("g5", "GPU5", marked=True, index=5), Gpu("g6", "GPU6", index=6))),
            Machine("m3", "node-3"),
        ),
        links=(Link("l1", "l1", exceptions=("timeout",)), Link("l2", "l2", exceptions=("timeout",)), Link("l3", "l3")),
    )
    about = Subject("ack", "cluster-bj1", "pytorchjob-a1b2", job().key, nodes=("node-1", "node-2"))
    one = replace(alarm(job=job(), subject=about, log="rank 3: NCCL watchdog timed out"), topology=graph)
    assert snapshot("""\
🔴 *NCCL HANG* · 2026-11-30 06:00 UTC
nodes: node-1, node-2 · the monitor says: blocking
2 of 3 nodes carry a fault:
• *node-1*: NIC down; GPU 0 XID 79
• *node-2*: GPU 5
• 2 of 3 links faulty: timeout ×2
```
rank 3: NCCL watchdog timed out
```\
""") == look(told_alarm(one))


def test_what_the_card_says_anyway_is_not_told_again() -> None:
    details = {"error_type": "NCCL HANG", "kernel": "AllReduce", "task_pod_list": "worker-0, worker-1", "uid": "1234"}
    told = look(told_alarm(alarm(kind="NCCL HANG", job=job(), details=details)))
    assert "kernel: AllReduce" in told
    assert not [word for word in ("error", "worker-1", "1234") if word in told]


def test_a_fault_of_the_node_is_not_said_again_of_each_of_its_gpus() -> None:
    gpus = tuple(Gpu(f"g{n}", f"GPU{n}", exceptions=("HANG",) if n < 2 else ("XID 79",), index=n) for n in range(3))
    graph = Topology(machines=(Machine("m1", "node-1", exceptions=("HANG",), gpus=gpus),))
    assert "• *node-1*: HANG; GPU 0, 1; GPU 2 XID 79" in look(told_alarm(replace(alarm(job=job()), topology=graph)))


def test_low_use_is_explained_by_its_figures() -> None:
    details = {"rule": "idle", "gpu_below": "0.1", "window_seconds": "3600", "mean": "0.0214", "samples": "60"}
    low = alarm(kind=LOW_USE, severity=Severity.WARNING, job=job(), task_state=TaskState.UNKNOWN, details=details)
    assert "Mean GPU use 2 % over the last 1 h; the rule `idle` asks for 10 % or more." in look(told_alarm(low))


def test_a_blind_source_is_explained_in_plain_words() -> None:
    blind = alarm(
        source="gpubot",
        kind=SOURCE_BLIND,
        details={"error": "Refused"},
        subject=Subject("beijing"),
        task_state=TaskState.UNKNOWN,
    )
    told = look(told_alarm(blind))
    assert "beijing cannot be seen: credentials refused, an operator must look at the keys. Until it answers" in told


def test_a_long_log_goes_into_a_file_and_its_end_into_the_message() -> None:
    message = told_alarm(alarm(job=job(), log="\n".join(f"line {number}" for number in range(100))))
    assert message.file is not None
    assert 100 == len(message.file.content.splitlines())
    assert "line 85\nline 86" in look(message)
    assert "line 84" not in look(message)
    assert "(100 lines · shown is the end, the file holds all)" in look(message)


def test_forty_lines_are_shown_as_they_are() -> None:
    message = told_alarm(alarm(job=job(), log="\n".join(f"line {number}" for number in range(40))))
    assert message.file is None
    assert "line 0\nline 1\n" in look(message)


def test_secrets_are_hidden_in_message_and_file_and_counted() -> None:
    message = told_alarm(
        alarm(job=job(), log="\n".join(["x"] * 60 + ["WANDB_API_KEY=0123456789abcdef0123456789abcdef"]))
    )
    assert message.file is not None
    assert "0123456789abcdef" not in look(message) + message.text + message.file.content
    assert "1 secret hidden" in look(message)


def test_a_returning_alarm_and_a_late_one_say_so() -> None:
    assert "*NCCL HANG* · back again · " in look(told_alarm(alarm(job=job()), "back"))
    assert "⏳ told 45 min late" in look(told_alarm(alarm(job=job()), late=2_700))


def test_an_alarm_without_a_time_says_so() -> None:
    assert "*NCCL HANG* · time unknown" in look(told_alarm(alarm(job=job(), at=None)))


def test_what_people_do_is_told_in_a_line() -> None:
    taken, by_ack = acknowledge(FIRING, "U01CHEN", NOW)
    muted, by_mute = mute(taken, "U05OMAR", NOW + timedelta(hours=2), "loading data", NOW)
    _, by_unmute = unmute(muted, "U05OMAR", NOW)
    _, by_stop = ask_stop(taken, job(), "U01CHEN", "idle", NOW)
    notes = (*by_ack, *by_mute, *by_unmute, *by_stop)
    assert snapshot("""\
🟡 <@U01CHEN> acknowledged this.
🔕 <@U05OMAR> muted this until 2026-11-30 08:00 UTC.
Reason: loading data
🔔 <@U05OMAR> unmuted this.
🛑 <@U01CHEN> asked to stop the job.
Reason: idle\
""") == "\n".join(look(EN.note(FIRING, one)) for one in notes)
    assert snapshot("""\
🟡 <@U01CHEN> 已确认。
🔕 <@U05OMAR> 已静默到 2026-11-30 08:00 UTC。
理由：loading data
🔔 <@U05OMAR> 取消了静默。
🛑 <@U01CHEN> 请求停止任务。
理由：idle\
""") == "\n".join(look(ZH.note(FIRING, one)) for one in notes)


def test_a_terminal_is_told_without_its_address() -> None:
    assert "🖥️ <@U01CHEN> opened a terminal in `master-0`." == look(
        told(NoteKind.TERMINAL_OPENED, "U01CHEN", pod="master-0")
    )


def test_the_receipt_of_a_stop_says_what_changed_and_how_to_run_it_again() -> None:
    stopping, _ = ask_stop(FIRING, job(), "U01CHEN", "idle over night", NOW)
    after = job(state=JobState.STOPPED, command="torchrun train.py --lr 1e-4", platform_state="Terminated")
    assert stopping.stop is not None
    assert snapshot("""\
🛑 *The job was stopped*, asked for by <@U01CHEN>, seen 2026-11-30 06:20 UTC.
before: running, now: stopped · 8 GPUs given back · took 20 min
The platform says: Terminated
Reason: idle over night
It ran this, for running it again:
```
torchrun train.py --lr 1e-4
```\
""") == look(EN.note(stopping, receipt(stopping.stop, after, LATER)))


def test_a_receipt_needs_no_incident() -> None:
    stopping, _ = ask_stop(FIRING, job(), "U01CHEN", "", NOW)
    assert stopping.stop is not None
    message = EN.receipt(receipt(stopping.stop, job(state=JobState.STOPPED), LATER))
    assert "8 GPUs given back" in look(message)
    assert "<@U01CHEN>" in look(message)


def test_a_failed_stop_says_why() -> None:
    stopping, _ = ask_stop(FIRING, job(), "U01CHEN", "", NOW)
    assert stopping.stop is not None
    assert snapshot("""\
⚠️ *The job was not stopped*, asked for by <@U01CHEN>, 2026-11-30 06:20 UTC.
before: running, now: running
Why: quota service &lt;down&gt;\
""") == look(EN.note(stopping, failure_note(stopping.stop, job(), "quota service <down>", LATER)))


def test_one_ended_trouble_of_several_is_told_with_its_reason() -> None:
    eased = Note(NoteKind.EASED, NOW, None, {"kind": LOW_USE, "why": Resolution.USE_RECOVERED.value})
    assert "✅ LOW USE ended: the GPUs are busy again. The rest is still open." == look(EN.note(FIRING, eased))
    assert "✅ 低利用率 已恢复：GPU 重新忙碌。其余仍未恢复。" == look(ZH.note(FIRING, eased))


def test_a_changed_task_is_told_before_and_after() -> None:
    figures = {"kind": "NCCL HANG", "from": "blocking", "to": "restart"}
    message = EN.note(FIRING, Note(NoteKind.TASK_CHANGED, NOW, None, figures))
    assert "NCCL HANG: the monitor now calls the task *restarting* (before: blocking)." == look(message)


def test_a_reminder_says_for_how_long() -> None:
    assert "🔁 Still firing after 4 h 10 min, and nobody has acknowledged it." == look(
        told(NoteKind.REMINDER, open_seconds=15_000)
    )


@pytest.mark.parametrize(
    ("why", "late", "line"),
    [
        (Resolution.TASK_RECOVERED, False, "🟢 Resolved: the monitor calls the task healthy again."),
        (Resolution.JOB_GONE, False, "⚫ Over: the job no longer exists."),
        (Resolution.JOB_FAILED, True, "⚫ Over: the job failed.\n(it ended while the bot was away)"),
    ],
)
def test_the_end_is_told_with_its_reason(why: Resolution, late: bool, line: str) -> None:
    _, notes = resolve(FIRING, why, LATER, late=late)
    assert line == look(EN.note(FIRING, notes[0]))


def test_an_end_by_hand_names_the_person() -> None:
    _, notes = resolve(FIRING, Resolution.BY_HAND, LATER, "U01CHEN")
    assert "🟢 <@U01CHEN> resolved this." == look(EN.note(FIRING, notes[0]))


def test_the_last_trouble_to_end_is_the_end_of_all() -> None:
    _, notes = end_condition(FIRING, "ack", "NCCL HANG", Resolution.TASK_RECOVERED, LATER)
    assert ["🟢 Resolved: the monitor calls the task healthy again."] == [look(EN.note(FIRING, one)) for one in notes]


@pytest.mark.parametrize("kind", NoteKind)
def test_every_kind_of_note_is_a_sound_message_even_without_figures(kind: NoteKind) -> None:
    assert [] == faults(told(kind))
    assert [] == faults(ZH.note(FIRING, Note(kind, NOW)))


def test_a_notice_is_the_bots_own_sentence_with_text_from_outside_escaped() -> None:
    assert "alaya: &lt;!channel&gt; is down" == EN.notice("alaya: <!channel> is down").text


def test_a_storm_lists_its_members_and_counts_the_rest() -> None:
    over, _ = resolve(incident(14, job=job("pytorchjob-c", name="bert")), Resolution.BY_HAND, NOW, "U01CHEN")
    storm = Storm(1, "C01ALERTS", NOW, (FIRING, over), 23, 1, frozenset({12}))
    assert snapshot("""\
# 🌩️ 23 new incidents at once
since 2026-11-30 06:00 UTC · 22 open, 1 ended
🟢 *NCCL HANG* bert · #14
🔴 *NCCL HANG* llama-70b · #12 · has a card of its own
(and 21 more)
(`/gpu alarms` lists all open incidents)\
""") == look(EN.storm(storm, NOW))


def test_a_storm_of_a_hundred_is_a_sound_message() -> None:
    members = tuple(incident(n, job=job(f"pytorchjob-{n}", name="大模型" * 60)) for n in range(1, 101))
    told = EN.storm(Storm(1, "C01ALERTS", NOW, members, 240), NOW)
    assert [] == faults(told)
    named = look(told).count("NCCL HANG")
    assert f"(and {240 - named} more)" in look(told)


def test_a_storm_of_two_hundred_names_each_of_them() -> None:
    members = tuple(incident(n, job=job(f"pytorchjob-{n}", name=f"sweep-{n:03d}")) for n in range(1, 201))
    told = EN.storm(Storm(1, "C01ALERTS", NOW, members, 200), NOW)
    assert [] == faults(told)
    assert [] == [n for n in range(1, 201) if f"sweep-{n:03d} · #{n}" not in look(told)]
    assert "more" not in look(told)


def test_a_storm_that_is_over_is_green() -> None:
    over, _ = resolve(FIRING, Resolution.JOB_SUCCEEDED, NOW)
    assert look(EN.storm(Storm(1, "C01ALERTS", NOW, (over,), 1, 1), NOW)).startswith("# 🟢 1 new incident at once")
