"""Dialogs and the Home tab: what they ask, what they carry, and that Slack takes them."""

from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.answers import AlarmList, HealthView, JobList, Origin, OutboxHealth, SourceHealth
from bot.domain.command import parse
from bot.domain.durations import parse_duration
from bot.domain.series import UseLine
from bot.domain.wording import say
from bot.slack.ids import Target
from bot.slack.views import Views
from tests.make import NOW, incident, job
from tests.slack.views.looks import EN, ZH, look_at_view, view_faults

USE = UseLine(NOW, (0.93,) * 8)
HEALTH = HealthView("1.2.0", NOW, (SourceHealth("beijing", NOW - timedelta(seconds=20)),), OutboxHealth(0, None))


def home(views: Views, incidents: int = 1, jobs: int = 1) -> dict[str, object]:
    return views.home(
        AlarmList(tuple(incident(number, job=job()) for number in range(1, incidents + 1))),
        JobList((job(),) * jobs, jobs, 1, 1, 8 * jobs, "jobs --mine", origin=Origin((("beijing", NOW),))),
        HEALTH,
        NOW,
    )


def test_the_question_before_a_stop_shows_the_job_as_read_just_now() -> None:
    view = EN.stop_question(job(), incident(12, job=job()), USE, NOW)
    assert snapshot("""\
*Stop this job?* Its processes end and its GPUs are given back. This cannot be undone.
*Job*
`llama-70b`
`pytorchjob-a1b2`
*Owner*
li.wei (<@U02LIWEI>)
*GPUs*
8 × H800
*State*
running 3 h
*Cloud*
beijing
*Started*
2026-11-30 03:00 UTC
`████████`
GPU use 93 % · 0 of 8 GPUs idle (below 10 %) · as of 2026-11-30 06:00 UTC
(Read 2026-11-30 06:00 UTC)
Reason: <plain_text_input>\
""") == look_at_view(view)
    assert "Stop job" == view["submit"]["text"]
    assert Target.of_job(job(), 12) == Target.read(view["private_metadata"])


def test_the_question_before_a_stop_says_when_nothing_is_known() -> None:
    shown = look_at_view(EN.stop_question(job(owner=None), None, None, NOW))
    assert "GPU use: no data" in shown
    assert "*Owner*\nunknown" in shown


def test_a_stop_that_may_not_be_says_why_and_cannot_be_sent_in() -> None:
    view = EN.stop_refused(job(), say("{job} is being stopped already.", job="llama-70b"), NOW)
    assert snapshot("""\
🚫 llama-70b is being stopped already.
`llama-70b` · running 3 h
(Read 2026-11-30 06:00 UTC)\
""") == look_at_view(view)
    assert "submit" not in view


def test_a_mute_offers_spans_that_are_durations() -> None:
    view = EN.mute_question(incident(12, job=job()))
    choices = next(block["element"]["options"] for block in view["blocks"] if block.get("block_id") == "span")
    assert [30, 120, 480, 1_440] == [parse_duration(one["value"]).total_seconds() / 60 for one in choices]
    assert ["span", "custom_span", "reason"] == [block["block_id"] for block in view["blocks"] if "block_id" in block]
    assert Target(incident=12) == Target.read(view["private_metadata"])


def test_every_dialog_is_sound_in_both_languages() -> None:
    for views in (EN, ZH):
        for view in (
            views.stop_waiting(),
            views.stop_question(job(), None, USE, NOW),
            views.stop_refused(None, say("Nothing happened."), NOW),
            views.mute_question(incident(12, job=job())),
            views.notice_dialog(say("Nothing happened."), ok=True),
        ):
            assert [] == view_faults(view)


def test_the_tab_shows_incidents_own_jobs_sources_and_how_to_begin() -> None:
    assert snapshot("""\
# Open incidents
🔴 *NCCL HANG* · llama-70b · li.wei (<@U02LIWEI>) · #1
*Firing* · began 2026-11-30 06:00 UTC
[Details]
# My jobs
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
running 3 h · use – · default · beijing
[Details]
(beijing 0 s ago)
# Still here
✅ beijing · 20 s ago
(Read 2026-11-30 06:00 UTC)
# How to begin
Write `/gpu help` in any channel, `/gpu jobs --mine` for your jobs, or mention the bot in a thread.
[My jobs]\
""") == look_at_view(home(EN))


def test_the_tab_in_chinese() -> None:
    assert snapshot("""\
# 未解决的告警
🔴 *NCCL HANG* · llama-70b · li.wei (<@U02LIWEI>) · #1
*告警中* · 始于 2026-11-30 06:00 UTC
[详情]
# 我的任务
🟢 `llama-70b` · 8 × H800 · li.wei (<@U02LIWEI>)
运行中 3 小时 · 利用率 – · default · beijing
[详情]
(beijing 0 秒前)
# 来源状态
✅ beijing · 20 秒前
(读取于 2026-11-30 06:00 UTC)
# 如何开始
在任意频道输入 `/gpu help`，用 `/gpu jobs --mine` 看自己的任务，或在消息列里 @ 机器人。
[我的任务]\
""") == look_at_view(home(ZH))


@pytest.mark.parametrize(("incidents", "jobs"), [(0, 0), (1, 1), (300, 300)])
def test_the_tab_is_sound_however_much_there_is(incidents: int, jobs: int) -> None:
    for views in (EN, ZH):
        assert [] == view_faults(home(views, incidents, jobs))


def test_the_tab_counts_what_it_leaves_out() -> None:
    shown = look_at_view(home(EN, 20, 50))
    assert "(and 5 more)" in shown
    assert "(and 30 more)" in shown


def test_every_button_of_the_tab_holds_a_command() -> None:
    blocks = home(EN)["blocks"]
    assert isinstance(blocks, list)
    buttons = [block["accessory"] for block in blocks if "accessory" in block]
    assert ["incident 1", "job beijing/pytorchjob-a1b2"] == [parse(button["value"]).text() for button in buttons]
