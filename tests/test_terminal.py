"""A message in a terminal: no markup, local times, and the commands behind the buttons."""

from zoneinfo import ZoneInfo

import pytest
from inline_snapshot import snapshot

from bot.domain.answers import Gap, JobList, LogView, Origin
from bot.domain.journal import LogLines
from bot.messages import texts
from bot.slack.views import Views
from bot.terminal import unwrapped, written
from tests.make import NOW, job

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("*Firing* · `a*b*c` &lt;x&gt;", "Firing · a*b*c <x>"),
        ("since <!date^1796018400^{date_short_pretty} {time}|2026-11-30 06:00 UTC>", "since 2026-11-30 14:00"),
        ("at <!date^1796018400^{time}|06:00 UTC>", "at 14:00"),
        ("by <@U02LIWEI> in <#C01ALERTS>", "by @U02LIWEI in #C01ALERTS"),
        ("<https://example.com/a|#12> open", "#12 (https://example.com/a) open"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("```\nx *y* &amp;&amp; z\n```", "  x *y* && z"),
        ("`&lt;!date^1^x|y&gt;`", "<!date^1^x|y>"),
    ],
)
def test_markup_is_unwrapped(marked: str, plain: str) -> None:
    assert plain == unwrapped(marked, SHANGHAI)


def test_a_list_of_jobs_reads_well_and_names_the_commands_behind_its_buttons() -> None:
    gap = Gap("alaya", "Unreachable", "timed out", since=NOW)
    answer = JobList((job(),), 31, 2, 3, 248, "jobs --sort use", origin=Origin((("beijing", NOW),), (gap,)))
    shown = Views(texts("en")).answer(answer, NOW, "")
    assert snapshot("""\
== Jobs ==

31 jobs · 248 GPUs · page 2 of 3

🟢 llama-70b · 8 × H800 · li.wei
running 3 h · use – · default · beijing
  → Details: gpubot ask 'job beijing/pytorchjob-a1b2'

beijing 0 s ago · ⚠️ alaya: no answer since 14:00 (timed out), not shown here

  → Back: gpubot ask 'jobs --sort use --page 1'
  → Next: gpubot ask 'jobs --sort use --page 3'\
""") == written(shown.blocks, SHANGHAI)


def test_fields_are_written_one_a_line() -> None:
    fields = [
        {"type": "mrkdwn", "text": "*Job*\n`llama`\n`pytorchjob-1`"},
        {"type": "mrkdwn", "text": "*Owner*\nli.wei"},
    ]
    assert "Job: llama, pytorchjob-1\nOwner: li.wei" == written([{"type": "section", "fields": fields}], SHANGHAI)


def test_an_attached_text_is_written_out() -> None:
    log = LogLines("master-0", tuple(f"step {number}" for number in range(100)))
    shown = Views(texts("en")).answer(LogView(job(), log, 100), NOW, "")
    assert shown.file is not None
    whole = written(shown.blocks, SHANGHAI, shown.file.content)
    assert whole.endswith("step 98\nstep 99")
    assert 1 == whole.count("step 99")


def test_a_command_is_quoted_for_the_shell() -> None:
    button = {"type": "button", "text": {"text": "This one"}, "action_id": "ask", "value": "job it's"}
    assert """  → This one: gpubot ask 'job it'"'"'s'""" == written(
        [{"type": "actions", "elements": [button]}], SHANGHAI
    )


def test_the_address_behind_a_link_button_is_shown() -> None:
    block = {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "text": {"text": "Open terminal"},
                "url": "https://t.example/1",
                "action_id": "open_link",
            }
        ],
    }
    assert "  → Open terminal: https://t.example/1" == written([block], SHANGHAI)
