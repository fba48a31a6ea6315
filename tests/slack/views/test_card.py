"""The card in each state of an incident's life, in both languages."""

from dataclasses import replace
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.alarm import LOW_USE, Severity, Subject, TaskState
from bot.domain.incident import Ending, Incident, Resolution
from bot.domain.job import JobState
from bot.domain.life import acknowledge, fold, mute, resolve
from bot.domain.series import UseLine
from bot.domain.stopping import ask_stop
from bot.slack.ids import Target
from tests.make import NOW, alarm, incident, job
from tests.slack.views.looks import EN, ZH, actions, faults, look

LATER = NOW + timedelta(minutes=20)
SUBJECT = Subject(
    cloud="ack",
    cluster="cluster-bj1",
    task="pytorchjob-a1b2",
    job=job().key,
    pods=("pytorchjob-a1b2-master-0", "pytorchjob-a1b2-worker-0"),
    nodes=("node-1", "node-2"),
    gpus=(("node-2", 3), ("node-2", 0)),
)


def hang(**changes: object) -> Incident:
    """An NCCL hang of a running job, firing."""
    firing = incident(12, first=alarm(job=job(), subject=SUBJECT))
    return replace(firing, **changes)  # type: ignore[arg-type]


def with_low_use(one: Incident) -> Incident:
    low = alarm("low-1", source="low_use:idle", kind=LOW_USE, severity=Severity.WARNING, job=job(), at=LATER)
    folded, _, _ = fold(one, replace(low, task_state=TaskState.UNKNOWN), LATER)
    return folded


def test_a_firing_card_says_what_where_whose_and_since_when() -> None:
    card = EN.card(hang(use=UseLine(NOW, (0.0, 0.02, None, 0.9, 0.01, 0.0, 0.03, 1.0))), NOW)
    assert snapshot("""\
# 🔴 NCCL HANG · llama-70b
*Firing* · began 2026-11-30 06:00 UTC
*Job* `llama-70b` · running · 8 × H800
*Owner* li.wei (<@U02LIWEI>) · *Queue* default · *Cloud* beijing (ack / cluster-bj1)
*Nodes* node-2 (GPU 0, 3), node-1
*Pods* master-0, worker-0
`▁▁·█▁▁▁█`
GPU use 28 % · 5 of 8 GPUs idle (below 10 %) · 1 without data · as of 2026-11-30 06:00 UTC
(Incident 12 · critical · reported by ack · the monitor says: blocking · pytorchjob-a1b2)
[Stop job…] [Open terminal] [Acknowledge] [Mute…] [… Usage, Logs, Resolve]\
""") == look(card)


def test_a_firing_card_in_chinese() -> None:
    card = ZH.card(hang(use=UseLine(NOW, (0.0, 0.02, None, 0.9, 0.01, 0.0, 0.03, 1.0))), NOW)
    assert snapshot("""\
# 🔴 NCCL HANG · llama-70b
*告警中* · 始于 2026-11-30 06:00 UTC
*任务* `llama-70b` · 运行中 · 8 × H800
*负责人* li.wei (<@U02LIWEI>) · *队列* default · *云* beijing (ack / cluster-bj1)
*节点* node-2 (GPU 0, 3), node-1
*Pod* master-0, worker-0
`▁▁·█▁▁▁█`
GPU 利用率 28 % · 8 张 GPU 中 5 张空闲（低于 10 %） · 1 张无数据 · 截至 2026-11-30 06:00 UTC
(告警 12 · 严重 · 来源 ack · 监控显示任务阻塞 · pytorchjob-a1b2)
[停止任务…] [打开终端] [确认] [静默…] [… 利用率, 日志, 标记为已解决]\
""") == look(card)


def test_repeats_are_counted_on_the_card() -> None:
    one = hang()
    for number in range(63):
        one, _, _ = fold(one, alarm(f"again-{number}", job=job(), at=NOW + timedelta(minutes=number)), NOW)
    assert "*Firing* · began 2026-11-30 06:00 UTC · ×64, last 2026-11-30 07:02 UTC" in look(EN.card(one, NOW))


def test_several_kinds_of_trouble_are_listed_with_what_is_open_and_ended() -> None:
    """F61."""
    one = with_low_use(hang())
    ended = replace(one.conditions[0], ended_at=LATER)
    assert snapshot("""\
# 🟠 LOW USE · llama-70b
*Firing* · began 2026-11-30 06:00 UTC · ×2, last 2026-11-30 06:20 UTC
1 open · 1 ended
• ✅ NCCL HANG · ended 2026-11-30 06:20 UTC
• 🟠 *LOW USE* · last 2026-11-30 06:20 UTC
*Job* `llama-70b` · running · 8 × H800
*Owner* li.wei (<@U02LIWEI>) · *Queue* default · *Cloud* beijing (ack / cluster-bj1)
*Nodes* node-2 (GPU 0, 3), node-1
*Pods* master-0, worker-0
(Incident 12 · warning · reported by ack, `low_use:idle` · pytorchjob-a1b2)
[Stop job…] [Open terminal] [Acknowledge] [Mute…] [… Usage, Logs, Resolve]\
""") == look(EN.card(replace(one, conditions=(ended, one.conditions[1])), LATER))


def test_pods_are_told_without_the_jobs_name_and_one_pod_without_a_count() -> None:
    about = Subject("ack", "cluster-bj1", "t", job().key, pods=("llama-70b-worker-4", "other-0", "llama-70b-"))
    card = look(EN.card(replace(hang(), subject=about, use=UseLine(NOW, (0.93,), of_pods=True)), NOW))
    assert "*Pods* worker-4, other-0, llama-70b-" in card
    assert "GPU use 93 % · as of" in card


def test_a_card_that_is_over_names_its_kinds_of_trouble_in_one_line() -> None:
    one = with_low_use(hang())
    ended = replace(one, ending=Ending(LATER, Resolution.JOB_FAILED), use=None)
    card = look(EN.card(ended, LATER))
    assert card.startswith("# ⚫ ")
    assert "*Over*: the job failed" in card
    assert "Reported were NCCL HANG, LOW USE" in card


def test_an_acknowledged_card_names_who_took_it() -> None:
    taken, _ = acknowledge(hang(), "U01CHEN", NOW)
    assert snapshot("""\
# 🟡 NCCL HANG · llama-70b
*Acknowledged* by <@U01CHEN>, 2026-11-30 06:00 UTC
Began 2026-11-30 06:00 UTC
*Job* `llama-70b` · running · 8 × H800
*Owner* li.wei (<@U02LIWEI>) · *Queue* default · *Cloud* beijing (ack / cluster-bj1)
*Nodes* node-2 (GPU 0, 3), node-1
*Pods* master-0, worker-0
(Incident 12 · critical · reported by ack · the monitor says: blocking · pytorchjob-a1b2)
[Stop job…] [Open terminal] [Mute…] [… Usage, Logs, Resolve]\
""") == look(EN.card(taken, NOW))
    assert "*已确认*，<@U01CHEN>，2026-11-30 06:00 UTC" in look(ZH.card(taken, NOW))


def test_a_muted_card_says_until_when_by_whom_and_why() -> None:
    muted, _ = mute(hang(), "U05OMAR", NOW + timedelta(hours=2), "loading data", NOW)
    assert "*Muted* until 2026-11-30 08:00 UTC by <@U05OMAR>: loading data" in look(EN.card(muted, NOW))
    assert ["stop", "terminal", "acknowledge", "unmute", "usage", "logs", "resolve"] == actions(EN.card(muted, NOW))


def test_a_mute_that_has_run_out_shows_the_card_as_firing() -> None:
    muted, _ = mute(hang(), "U05OMAR", NOW + timedelta(hours=2), "", NOW)
    card = EN.card(muted, NOW + timedelta(hours=3))
    assert "*Firing*" in look(card)
    assert "mute" in actions(card)


def test_a_stop_under_way_is_shown_and_cannot_be_asked_for_again() -> None:
    stopping, _ = ask_stop(hang(), job(), "U01CHEN", "idle over night", NOW)
    card = EN.card(stopping, NOW)
    assert "🛑 *Stopping*, asked for by <@U01CHEN>, 2026-11-30 06:00 UTC: idle over night" in look(card)
    assert ["terminal", "acknowledge", "mute", "usage", "logs", "resolve"] == actions(card)


def test_a_stop_that_failed_says_why_and_can_be_asked_for_again() -> None:
    stopping, _ = ask_stop(hang(), job(), "U01CHEN", "", NOW)
    assert stopping.stop is not None
    failed = replace(stopping, stop=replace(stopping.stop, failure="quota service is down"))
    card = EN.card(failed, NOW)
    assert "⚠️ *Not stopped*: <@U01CHEN> asked for it 2026-11-30 06:00 UTC. quota service is down" in look(card)
    assert "stop" in actions(card)


def test_a_resolved_card_is_no_longer_red_and_offers_only_looks() -> None:
    stopping, _ = ask_stop(hang(), job(), "U01CHEN", "", NOW)
    assert stopping.stop is not None
    stopped = replace(stopping, stop=replace(stopping.stop, verified=True), job=job(state=JobState.STOPPED))
    over, _ = resolve(stopped, Resolution.JOB_STOPPED, LATER)
    card = EN.card(over, LATER)
    assert snapshot("""\
# 🟢 NCCL HANG · llama-70b
*Resolved*: the job was stopped, 2026-11-30 06:20 UTC
🛑 *Stopped* by <@U01CHEN>, asked for 2026-11-30 06:00 UTC
Began 2026-11-30 06:00 UTC
*Job* `llama-70b` · stopped · 8 × H800
*Owner* li.wei (<@U02LIWEI>) · *Queue* default · *Cloud* beijing (ack / cluster-bj1)
*Nodes* node-2 (GPU 0, 3), node-1
*Pods* master-0, worker-0
(Incident 12 · critical · reported by ack · pytorchjob-a1b2)
[Usage] [Logs]\
""") == look(card)
    assert ["usage", "logs"] == actions(card)


@pytest.mark.parametrize(
    ("why", "by", "line"),
    [
        (Resolution.JOB_SUCCEEDED, None, "*Resolved*: the job succeeded, 2026-11-30 06:20 UTC"),
        (Resolution.USE_RECOVERED, None, "*Resolved*: the GPUs are busy again, 2026-11-30 06:20 UTC"),
        (Resolution.BY_HAND, "U01CHEN", "*Resolved* by <@U01CHEN>, 2026-11-30 06:20 UTC"),
    ],
)
def test_a_resolved_card_says_why(why: Resolution, by: str | None, line: str) -> None:
    over, _ = resolve(hang(), why, LATER, by)
    assert line in look(EN.card(over, LATER))


def test_an_end_during_absence_is_marked() -> None:
    over, _ = resolve(hang(), Resolution.JOB_SUCCEEDED, LATER, late=True)
    assert "it ended while the bot was away" in look(EN.card(over, LATER))


def test_a_job_that_no_longer_exists_leaves_no_button() -> None:
    over, _ = resolve(hang(), Resolution.JOB_GONE, LATER)
    assert [] == actions(EN.card(over, LATER))


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        (JobState.RUNNING, {"stop", "terminal"}),
        (JobState.STARTING, {"stop"}),
        (JobState.QUEUED, set()),
        (JobState.STOPPING, set()),
        (JobState.UNKNOWN, set()),
    ],
)
def test_stop_and_terminal_are_offered_only_while_they_apply(state: JobState, offered: set[str]) -> None:
    card = EN.card(hang(job=job(state=state)), NOW)
    assert offered == {"stop", "terminal"} & set(actions(card))


def test_an_incident_without_a_job_is_named_by_its_node() -> None:
    about = Subject(cloud="ack", cluster="cluster-bj1", nodes=("node-7",), gpus=(("node-7", 5),))
    card = EN.card(incident(3, first=alarm(kind="XID 79", subject=about)), NOW)
    assert snapshot("""\
# 🔴 XID 79 · node-7
*Firing* · began 2026-11-30 06:00 UTC
*Cloud* ack / cluster-bj1
*Nodes* node-7 (GPU 5)
(Incident 3 · critical · reported by ack · the monitor says: blocking)
[Acknowledge] [Mute…] [… Resolve]\
""") == look(card)


def test_an_unknown_time_is_said_to_be_unknown() -> None:
    card = EN.card(hang(time_unknown=True), NOW)
    assert "time unknown, first seen 2026-11-30 06:00 UTC" in look(card)


def test_a_card_names_the_incidents_that_explain_it_or_that_it_explains() -> None:
    assert "*Its machine* has trouble too: incident 9\n" in look(EN.card(hang(kin=(9,)), NOW))
    machine = replace(hang(), subject=Subject(cloud="ack", nodes=("node-1",)), job=None, kin=(8, 10))
    assert "*Jobs on it* have trouble too: incidents 8, 10\n" in look(EN.card(machine, NOW))


def test_a_late_incident_says_so() -> None:
    assert "told late" in look(EN.card(hang(late=True), NOW))


@pytest.mark.parametrize(
    ("severity", "sign"), [(Severity.CRITICAL, "🔴"), (Severity.WARNING, "🟠"), (Severity.INFO, "🔵")]
)
def test_the_colour_is_that_of_the_worst_open_trouble(severity: Severity, sign: str) -> None:
    card = EN.card(incident(first=alarm(severity=severity, job=job())), NOW)
    assert f"{sign} NCCL HANG · llama-70b" == card.blocks[0]["text"]["text"]


def test_buttons_carry_the_incident_and_the_run_of_the_job() -> None:
    buttons = {one["action_id"]: one["value"] for one in EN.card(hang(), NOW).blocks[-1]["elements"] if "value" in one}
    assert Target.of_job(job(), 12) == Target.read(buttons["stop"])
    assert Target(incident=12) == Target.read(buttons["acknowledge"])


def test_menu_values_fit_slack_however_long_the_platforms_ids_are() -> None:
    """F07."""
    long = job("pytorchjob-" + "x" * 290)
    card = EN.card(hang(job=long), NOW)
    menu = card.blocks[-1]["elements"][-1]
    assert [] == faults(card)
    assert Target(incident=12) == Target.read(menu["options"][0]["value"].split(" ", 1)[1])


def test_the_text_stands_alone() -> None:
    text = EN.card(hang(), NOW).text
    assert text.startswith("🔴 NCCL HANG · llama-70b\n*Firing*")
    assert "li.wei (<@U02LIWEI>)" in text


def test_equal_incidents_give_equal_cards_whatever_the_time() -> None:
    assert EN.card(hang(), NOW) == EN.card(hang(), NOW + timedelta(days=3))


def test_the_strip_shows_a_cell_for_every_gpu_with_gaps_between_pods() -> None:
    wide = replace(hang(), job=replace(job(gpus=16), replicas=2), use=UseLine(NOW, (*[1.0] * 8, *[None] * 8)))
    assert "`████████ ········`\nGPU use 100 % · 0 of 16 GPUs idle (below 10 %) · 8 without data" in look(
        EN.card(wide, NOW)
    )


def test_where_only_pods_are_measured_pods_are_counted_and_not_gpus() -> None:
    card = EN.card(hang(use=UseLine(NOW, (0.0, 0.9), of_pods=True)), NOW)

    assert "1 of 2 pods idle (below 10 %)" in card.text
