"""Every kind of answer as a person reads it, with its sources, its gaps and its buttons."""

from dataclasses import replace
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.answers import (
    AlarmList,
    Candidates,
    EventList,
    Gap,
    HealthView,
    HelpView,
    IncidentView,
    JobList,
    JobView,
    LogView,
    NodeList,
    Origin,
    OutboxHealth,
    PodList,
    PodView,
    PoolList,
    QueueList,
    Said,
    SourceHealth,
    StopOffer,
    TerminalHandout,
    TerminalOffer,
    TopList,
    UseView,
)
from bot.domain.capacity import Node, Pool, Queue
from bot.domain.command import COMMANDS, parse
from bot.domain.job import JobState, PodDetail, PodState, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.series import Metric, Window
from bot.domain.waste import Waste
from bot.domain.wording import mention, say
from bot.slack.ids import Target
from tests.make import NOW, incident, job, pod, series
from tests.slack.views.looks import EN, ZH, actions, look

WINDOW = Window.last(timedelta(hours=1), NOW)
ORIGIN = Origin(
    (("beijing", NOW - timedelta(seconds=12)), ("alaya", NOW - timedelta(minutes=3))),
    (Gap("alaya", "Unreachable", "timed out", NOW - timedelta(minutes=2), NOW - timedelta(minutes=3)),),
)
QUEUED = replace(
    job("pytorchjob-q", name="qwen_*sft*", state=JobState.QUEUED, owner="anna.schmidt", started_at=None),
    queue_position=3,
)
JOBS = JobList(
    (job(), QUEUED), 37, 2, 3, 512, "jobs --sort use", ("--mine",), {"beijing/pytorchjob-a1b2": 0.874}, ORIGIN
)


def test_jobs_are_two_lines_each_with_the_ages_of_their_sources() -> None:
    assert snapshot("""\
# Jobs
(37 jobs · 512 GPUs · --mine · page 2 of 3)
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
running 3 h · use 87 % · default · beijing
[Details]
🕒 `qwen_*sft*` · 8 × H800 · anna.schmidt (<@U03ANNA>)
queued 4 h, place 3 · default · beijing
[Details]
(beijing 12 s ago · ⚠️ alaya: no answer since 05:58 UTC (timed out), shown as of 05:57 UTC)
[Back] [Next] [Show to channel]\
""") == look(EN.answer(JOBS, NOW, "jobs --sort use --page 2"))


def test_jobs_in_chinese() -> None:
    assert snapshot("""\
# 任务
(37 个任务 · 512 张 GPU · --mine · 第 2/3 页)
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
运行中 3 小时 · 利用率 87 % · default · beijing
[详情]
🕒 `qwen_*sft*` · 8 × H800 · anna.schmidt (<@U03ANNA>)
排队中 4 小时，第 3 位 · default · beijing
[详情]
(beijing 12 秒前 · ⚠️ alaya: 无响应 自 05:58 UTC (timed out), 显示的是 05:57 UTC 的数据)
[上一页] [下一页] [发到频道]\
""") == look(ZH.answer(JOBS, NOW, "jobs --sort use --page 2"))


def test_pages_are_turned_by_buttons_that_hold_the_command() -> None:
    """F10."""
    values = {one["action_id"]: one["value"] for one in EN.answer(JOBS, NOW, "jobs").blocks[-1]["elements"]}
    assert {
        "page_back": "jobs --sort use --page 1",
        "page_on": "jobs --sort use --page 3",
        "show_to_channel": "jobs",
    } == values


def test_what_everybody_sees_has_no_pages_to_turn_and_nothing_to_show_again() -> None:
    shown = EN.answer(JOBS, NOW, "jobs", private=False)
    assert {"ask"} == set(actions(shown))


def test_a_job_is_shown_with_pods_use_and_its_incident() -> None:
    use = (*(series(*[0.9] * 60, gpu=gpu) for gpu in range(7)), series(gpu=7))
    view = JobView(
        job(), (pod(), pod("pytorchjob-a1b2-worker-0", node="node-2")), use, WINDOW, incident(12, job=job()), ORIGIN
    )
    assert snapshot("""\
# 🟢 llama-70b
*running 3 h* · 8 × H800 · li.wei (<@U02LIWEI>)
*Name*
`llama-70b`
*Job id*
`pytorchjob-a1b2`
*Cloud*
beijing · cce-ab12cd34
*Queue*
default
*Platform's state*
Running
*Replicas*
1
*Created*
2026-11-30 02:00 UTC
*Started*
2026-11-30 03:00 UTC
🔴 *NCCL HANG* · *Firing* · `/gpu incident 12` shows more
`███████·`
GPU use 90 % · 0 of 8 GPUs idle (below 10 %) · 1 without data · as of 2026-11-30 06:00 UTC
🟢 `pytorchjob-a1b2-master-0`
running · 8 GPUs · node-1
🟢 `pytorchjob-a1b2-worker-0`
running · 8 GPUs · node-2
(beijing 12 s ago · ⚠️ alaya: no answer since 05:58 UTC (timed out), shown as of 05:57 UTC)
[Usage] [Logs] [Events] [Open terminal] [Stop job…] [Show to channel]\
""") == look(EN.answer(view, NOW, "job llama-70b"))


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        (JobState.RUNNING, ["usage", "logs", "ask", "terminal", "stop", "show_to_channel"]),
        (JobState.QUEUED, ["usage", "logs", "ask", "show_to_channel"]),
        (JobState.SUCCEEDED, ["usage", "logs", "ask", "show_to_channel"]),
    ],
)
def test_a_job_offers_what_its_state_allows(state: JobState, offered: list[str]) -> None:
    assert offered == actions(EN.answer(JobView(job(state=state), ()), NOW, "job x"))


def test_pods_are_listed_with_state_machine_and_restarts() -> None:
    failing = replace(pod("pytorchjob-a1b2-worker-0", state=PodState.FAILED), restarts=6, reason="OOMKilled")
    assert snapshot("""\
# Pods
(`llama-70b` · 2 pods)
🟢 `pytorchjob-a1b2-master-0`
running · 8 GPUs · node-1
[Details]
❌ `pytorchjob-a1b2-worker-0`
failed · 8 GPUs · node-1 · 6 restarts · OOMKilled
[Details]
[Show to channel]\
""") == look(EN.answer(PodList(job(), (pod(), failing)), NOW, "pods llama-70b"))


def test_a_pod_is_shown_with_what_its_platform_tells() -> None:
    detail = PodDetail(pod(), "default", "10.0.0.7", "Guaranteed", "li.wei", (("Image", "train:1"),))
    view = PodView(job(), detail, (series(*[0.5] * 60),), WINDOW)
    assert snapshot("""\
# 🟢 pytorchjob-a1b2-master-0
running · 8 GPUs · node-1
*Job*
`llama-70b`
*Platform's state*
Running
*Node*
node-1
*Host IP*
10.0.0.7
*Namespace*
default
*QoS class*
Guaranteed
*Created by*
li.wei
*Image*
train:1
```
                          now  mean   max
GPU 0  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  50 %  50 %  50 %
```
[Usage] [Logs] [Open terminal] [Show to channel]\
""") == look(EN.answer(view, NOW, "pod llama-70b master-0"))


def test_use_is_a_line_for_each_gpu_and_a_dash_for_no_data() -> None:
    use = (series(*[0.1] * 30, *[0.9] * 30), series(*[0.004] * 60, gpu=1), series(gpu=2))
    assert snapshot("""\
# GPU use · llama-70b
`llama-70b` · last 1 h, until 2026-11-30 06:00 UTC
```
                          now  mean   max
GPU 0  ▁▁▁▁▁▁▁▁▆███████  90 %  50 %  90 %
GPU 1  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   0 %   0 %   0 %
GPU 2  ················     –     –     –
```
(1 without data: – means no data, not 0 %)
[Logs] [Show to channel]\
""") == look(EN.answer(UseView(job(), Metric.GPU, WINDOW, use), NOW, "usage llama-70b"))


def test_use_in_chinese_has_its_columns_in_line() -> None:
    shown = look(
        ZH.answer(UseView(job(), Metric.VRAM, WINDOW, (series(*[0.5] * 60, metric=Metric.VRAM),)), NOW, "usage x")
    )
    assert "  当前  平均  最大\n" in shown
    assert "  50 %  50 %  50 %" in shown


def test_use_of_many_gpus_is_told_pod_by_pod() -> None:
    use = tuple(series(*[0.01 * n] * 60, gpu=n % 8, pod=f"pytorchjob-a1b2-worker-{n // 8}") for n in range(64))
    shown = look(EN.answer(UseView(job(), Metric.GPU, WINDOW, use), NOW, "usage x"))
    assert "worker-7                56 %  60 %  63 %" in shown
    assert "GPU 3" not in shown


def test_no_series_is_no_data_and_not_idleness() -> None:
    shown = look(EN.answer(UseView(job(), Metric.GPU, WINDOW, ()), NOW, "usage x"))
    assert "No data for this time. That does not mean that nothing was used." in shown
    assert "0 %" not in shown


def test_logs_are_fenced_and_say_what_is_not_shown() -> None:
    log = LogLines("master-0", tuple(f"step {number}: loss <2>" for number in range(60)), cut=True)
    shown = EN.answer(LogView(job(), log, 60, ORIGIN, hidden=2, chosen_from=8), NOW, "logs llama-70b")
    assert shown.file is not None
    assert 60 == len(shown.file.content.splitlines())
    assert "(60 lines · shown is the end, the file holds all · 2 secrets hidden · earlier lines exist)" in look(shown)
    assert "(`llama-70b` · `master-0` · one of 8 pods)" in look(shown)
    assert "step 59: loss &lt;2&gt;\n```" in look(shown)


def test_an_empty_log_is_said_to_be_empty() -> None:
    assert "The log of `master-0` is empty." in look(
        EN.answer(LogView(job(), LogLines("master-0", ()), 40), NOW, "logs x")
    )


def test_events_are_newest_first_in_the_platforms_words() -> None:
    events = (
        Event("FailedScheduling", "0/64 nodes: insufficient nvidia.com/gpu", True, 12, NOW, NOW),
        Event("Pulled", "image pulled", pod="master-0"),
    )
    assert snapshot("""\
# Events
(`llama-70b` · 2 events)
⚠️ *FailedScheduling* · ×12 · 2026-11-30 06:00 UTC
0/64 nodes: insufficient nvidia.com/gpu
▫️ *Pulled* · master-0
image pulled
[Show to channel]\
""") == look(EN.answer(EventList(job(), events), NOW, "events llama-70b"))


def test_queues_nodes_and_pools_show_what_is_free_and_a_dash_where_nobody_knows() -> None:
    queues = QueueList(
        (
            Queue("beijing", "cce-ab12cd34", "default", gpus_quota=128, gpus_used=96, running=7, pending=3),
            Queue("beijing", "cce-ef56gh78", "推理"),
        )
    )
    nodes = NodeList(
        (
            Node("beijing", "node-1", "Ready", schedulable=True, gpu_model="H800", gpus_total=8, gpus_used=5),
            Node("beijing", "node-2", "NotReady", schedulable=False, gpus_total=8, gpus_used=0, health=40.0),
        )
    )
    pools = PoolList(
        (
            Pool(
                "beijing",
                "cce-ab12cd34",
                "训练池 A",
                "running",
                nodes_total=16,
                nodes_used=12,
                gpus_total=128,
                gpus_used=96,
                gpu_models=(("H800", 128, 96),),
            ),
        )
    )
    answers = (queues, nodes, pools)
    assert snapshot("""\
# Queues
(2 queues)
*default* · ▰▰▰▰▰▰▰▰▱▱ 96/128 GPUs · cce-ab12cd34
7 running · 3 waiting · beijing
[Details]
*推理* · –/– GPUs · cce-ef56gh78
beijing
[Details]
# Nodes
(2 nodes · 11 of 16 GPUs free)
🟢 *node-1* · ▰▰▰▰▰▰▱▱▱▱ 5/8 GPUs · H800
Ready · beijing
🚧 *node-2* · ▱▱▱▱▱▱▱▱▱▱ 0/8 GPUs
takes no new pods · NotReady · beijing · health 40
# Pools
(1 pool)
*训练池 A* · ▰▰▰▰▰▰▰▰▱▱ 96/128 GPUs
free: H800 32/128 · 12 of 16 nodes used · cce-ab12cd34 · running · beijing
[Details]\
""") == "\n".join(look(EN.answer(answer, NOW, "")) for answer in answers)


def test_alarms_are_listed_with_their_state_and_the_way_to_their_thread() -> None:
    listed = AlarmList(
        (incident(12, job=job()), incident(13, job=job("pytorchjob-b", name="bert"))),
        None,
        {12: "https://example.com/12"},
    )
    assert snapshot("""\
# Alarms
(2 open incidents)
🔴 *NCCL HANG* · llama-70b · li.wei (<@U02LIWEI>) · <https://example.com/12|#12>
*Firing* · began 2026-11-30 06:00 UTC
[Details]
🔴 *NCCL HANG* · bert · li.wei (<@U02LIWEI>) · #13
*Firing* · began 2026-11-30 06:00 UTC
[Details]
[Show to channel]\
""") == look(EN.answer(listed, NOW, "alarms"))


def test_no_alarms_are_good_news() -> None:
    assert "✅ Nothing is firing." in look(EN.answer(AlarmList(()), NOW, "alarms"))
    assert "Nothing happened." in look(EN.answer(AlarmList((), NOW), NOW, "alarms --last 1h"))


def test_an_incident_is_its_card_with_the_way_to_its_thread() -> None:
    shown = EN.answer(IncidentView(incident(12, job=job()), "https://example.com/12"), NOW, "incident 12")
    assert list(EN.card(incident(12, job=job()), NOW).blocks) == list(shown.blocks[:-2])
    assert "(<https://example.com/12|Open the thread>)" in look(shown)


def test_waste_is_ranked_and_jobs_without_data_are_counted_apart() -> None:
    wastes = (Waste(job(), 0.02, 7.84, 8), Waste(job("b", name="bert"), 0.5, 4.0, 0))
    assert snapshot("""\
# Top
(last 1 h, until 2026-11-30 06:00 UTC · 3 running jobs without data)
*Least used*
1. `llama-70b` · use 2 % · 7.8 GPU-hours idle · 8 of 8 GPUs idle · li.wei (<@U02LIWEI>) · beijing
*Most GPU-hours idle*
1. `llama-70b` · use 2 % · 7.8 GPU-hours idle · 8 of 8 GPUs idle · li.wei (<@U02LIWEI>) · beijing
2. `bert` · use 50 % · 4.0 GPU-hours idle · 0 of 8 GPUs idle · li.wei (<@U02LIWEI>) · beijing
[Show to channel]\
""") == look(EN.answer(TopList(WINDOW, wastes[:1], wastes, 3), NOW, "top"))


def health(**changes: object) -> HealthView:
    well = HealthView(
        "1.2.0",
        NOW - timedelta(days=3),
        (SourceHealth("beijing", NOW - timedelta(seconds=20)),),
        OutboxHealth(0, None),
        say("Socket Mode is connected; last sign of life {seconds} s ago.", seconds=4),
    )
    return replace(well, **changes)  # type: ignore[arg-type]


def test_health_is_green_while_all_is_well() -> None:
    assert snapshot("""\
# 🟢 Health
(version 1.2.0, up for 3 d · 0 open incidents)
✅ Socket Mode is connected; last sign of life 4 s ago.
✅ Nothing waits to be sent
✅ beijing · 20 s ago
[Show to channel]\
""") == look(EN.answer(health(), NOW, "health"))


def test_health_says_what_fails_and_what_waits() -> None:
    failing = SourceHealth(
        "ack", NOW - timedelta(minutes=9), "HTTP 503", NOW - timedelta(minutes=8), NOW + timedelta(minutes=1)
    )
    outbox = OutboxHealth(3, NOW - timedelta(minutes=45), (("C03NCCL", "is_archived", 2),))
    ill = health(sources=(failing, SourceHealth("new", None)), outbox=outbox, open_incidents=2)
    assert snapshot("""\
# 🟠 Health
(version 1.2.0, up for 3 d · 2 open incidents)
✅ Socket Mode is connected; last sign of life 4 s ago.
⏳ 3 messages wait to be sent · the oldest for 45 min
⚠️ 2 messages for <#C03NCCL> cannot be sent: is_archived
⚠️ ack · failing since 2026-11-30 05:52 UTC · HTTP 503 · last success 2026-11-30 05:51 UTC · next try in 1 min
▫️ new · not read yet
[Show to channel]\
""") == look(EN.answer(ill, NOW, "health"))


def test_health_tells_what_was_left_out_and_what_is_still_to_be_read() -> None:
    lagging = SourceHealth("ack", NOW - timedelta(seconds=5), skipped=3, catching_up=True)
    slowed = SourceHealth("alaya", None, "asked too often", NOW, wait=90.0)
    assert snapshot("""\
# 🟠 Health
(version 1.2.0, up for 3 d · 0 open incidents)
✅ Socket Mode is connected; last sign of life 4 s ago.
✅ Nothing waits to be sent
✅ ack · 5 s ago · catching up: more is there than one poll may read · 3 unusable records left out
⚠️ alaya · failing since 2026-11-30 06:00 UTC · asked too often · no success since the bot began · asked us to wait 1 min
[Show to channel]\
""") == look(EN.answer(health(sources=(lagging, slowed)), NOW, "health"))


def test_choices_are_buttons_that_ask_again_for_just_that_one() -> None:
    choices = (("beijing/pytorchjob-a1b2", "llama-70b · running"), ('"alaya/a b"', "llama 8b · queued"))
    shown = EN.answer(Candidates("llama", "job", choices, "logs {choice} --lines 40", left_out=2), NOW, "logs llama")
    assert ["logs beijing/pytorchjob-a1b2 --lines 40", 'logs "alaya/a b" --lines 40'] == [
        block["accessory"]["value"] for block in shown.blocks if "accessory" in block
    ]
    assert snapshot("""\
`llama` fits more than one job. Which one?
llama-70b · running
`beijing/pytorchjob-a1b2`
[This one]
llama 8b · queued
`"alaya/a b"`
[This one]
(and 2 more: write more of the name)\
""") == look(shown)


def test_help_lists_every_command_and_explains_each() -> None:
    overview = look(EN.answer(HelpView(), NOW, "help"))
    for command in COMMANDS:
        assert f"`/gpu {command.spec.name}` – " in overview
        assert f"# /gpu {command.spec.name}\n" in look(EN.answer(HelpView(command.spec.name), NOW, "help"))


def test_help_on_one_command_shows_options_and_examples() -> None:
    assert snapshot("""\
# /gpu usage
GPU, VRAM, CPU or memory use of a job over time
`/gpu usage ID [POD] [--metric gpu|vram|cpu|memory] [--last 6h]`
• `--metric` – what to measure
• `--last` – how far back
*For instance*
`/gpu usage llama-70b`
`/gpu usage llama-70b worker-0 --metric vram --last 6h`
[Show to channel]\
""") == look(EN.answer(HelpView("usage"), NOW, "help usage"))


def test_help_on_something_unknown_is_the_whole_help() -> None:
    assert look(EN.answer(HelpView(), NOW, "help")) == look(EN.answer(HelpView("nonsense"), NOW, "help"))


def test_a_stop_is_offered_with_one_dangerous_button_and_never_to_a_channel() -> None:
    shown = EN.answer(StopOffer(job(), incident(12, job=job())), NOW, "stop llama-70b")
    assert snapshot("""\
*Stop this job?* You will be asked once more.
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
running 3 h · default · beijing
[Stop job…]\
""") == look(shown)
    assert ["stop"] == actions(shown)
    assert Target.of_job(job(), 12) == Target.read(shown.blocks[-1]["elements"][0]["value"])


def test_a_refusal_says_who_may_and_offers_nothing() -> None:
    refusal = say("Only operators may do this: {operators}.", operators=mention("U01CHEN", "S01ONCALL"))
    shown = EN.answer(StopOffer(job(), None, refusal), NOW, "stop llama-70b")
    assert "🚫 Only operators may do this: <@U01CHEN>, <!subteam^S01ONCALL>." in look(shown)
    assert [] == actions(shown)


def test_a_terminal_is_offered_for_each_pod_that_has_one() -> None:
    pods = (pod(), pod("pytorchjob-a1b2-worker-0", terminal=False))
    shown = EN.answer(TerminalOffer(job(), pods), NOW, "terminal llama-70b")
    assert ["terminal"] == actions(shown)


def test_a_terminals_address_stands_in_the_button_alone() -> None:
    url = "https://term.example/ws?token=abcdef"
    shown = EN.answer(TerminalHandout(job(), "master-0", TerminalLink(url, 300)), NOW, "terminal x")
    assert look(shown).startswith("🖥️ Your terminal in `master-0` is ready.\n[Open terminal]\n(Do not share it")
    assert "It can be opened within 5 min." in look(shown)
    assert [url] == [one["url"] for block in shown.blocks for one in block.get("elements", ()) if "url" in one]
    assert "token" not in shown.text
    assert ["open_link"] == actions(shown)


def test_a_sentence_is_translated_with_moments_states_and_persons_in_it() -> None:
    sentence = say("{job} is over already: {state} since {at}.", job="llama <b>", state="stopped", at=NOW)
    assert "🚫 llama &lt;b&gt; 已经结束：2026-11-30 06:00 UTC 起已停止。" == look(
        ZH.answer(Said(sentence, False), NOW, "")
    )


def test_a_cloud_that_fails_is_named_with_the_age_of_what_is_shown() -> None:
    gaps = (
        Gap("alaya", "Refused", "key is wrong", NOW - timedelta(hours=1), next_try=NOW + timedelta(minutes=1)),
        Gap("beijing", "Throttled", ""),
        Gap("beijing", "Throttled", ""),
    )
    shown = look(EN.answer(NodeList((), Origin((("beijing", NOW),), gaps)), NOW, "nodes"))
    (sources,) = [one for one in shown.splitlines() if "alaya" in one]
    assert (
        "(beijing 0 s ago · ⚠️ alaya: credentials refused since 05:00 UTC (key is wrong), an operator must look at the "
        "keys, not shown here, next try 06:01 UTC · ⚠️ beijing: asked too often, a part of the answer is missing)"
    ) == sources


@pytest.mark.parametrize(
    "command", ["jobs", "jobs --mine", "job beijing/pytorchjob-a1b2", "events beijing/pytorchjob-a1b2", "incident 12"]
)
def test_commands_behind_buttons_are_read_back_as_themselves(command: str) -> None:
    assert command == parse(command).text()
