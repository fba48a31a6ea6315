"""`gpubot ask`: Slack's answers in a terminal, beside a running bot or where none ever ran."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from bot.app.ask import answer_in_terminal
from bot.app.bot import running
from bot.config import Settings
from bot.demo import Stage


async def asked(on: Stage, settings: Settings, question: str) -> tuple[int, str]:
    said: list[str] = []
    code = await answer_in_terminal(settings, question, said.append, on.world.now, UTC)
    return code, "\n".join(said)


async def test_jobs_are_listed_without_slack_and_without_a_database(on: Stage, settings: Settings) -> None:
    code, shown = await asked(on, settings, "jobs --name llm-pretrain-70b")

    assert 0 == code
    assert "🟢 llm-pretrain-70b · 64 × A800-80G · li.wei\n" in shown
    assert "gpubot ask 'job beijing/" in shown
    assert [] == on.slack.requests
    assert not Path(settings.store.path).exists()


async def test_answers_are_in_the_language_of_the_settings(on: Stage, settings: Settings) -> None:
    _, shown = await asked(on, settings.model_copy(update={"language": "zh"}), "jobs --name llm-pretrain-70b")

    assert "== 任务 ==" in shown


async def test_a_mistyped_command_is_two_and_says_what_was_meant(on: Stage, settings: Settings) -> None:
    code, shown = await asked(on, settings, "jbos")

    assert 2 == code
    assert "Did you mean jobs" in shown


async def test_what_is_not_found_is_one(on: Stage, settings: Settings) -> None:
    code, shown = await asked(on, settings, "job no-such-job-anywhere")

    assert 1 == code
    assert "No job fits no-such-job-anywhere." in shown


async def test_acts_need_slack(on: Stage, settings: Settings) -> None:
    for act in ("stop", "terminal"):
        code, shown = await asked(on, settings, f"{act} llm-pretrain-70b")

        assert 1 == code
        assert f"This needs a person whom Slack knows: type /gpu {act} llm-pretrain-70b there." in shown
    assert [] == [*on.baidu.requests, *on.alaya.requests]


async def test_where_no_bot_ran_there_are_no_incidents_to_show_and_this_is_said(on: Stage, settings: Settings) -> None:
    code, shown = await asked(on, settings, "alarms")

    assert 1 == code
    assert "No bot has run here yet" in shown


async def test_incidents_of_the_running_bot_are_shown(on: Stage, settings: Settings) -> None:
    job = on.world.job_named("llm-pretrain-70b")
    async with running(settings, on.world.now) as bot:
        on.world.hang(job.id, {2: (5,)})
        await on.slack.until(lambda: on.slack.messages("nccl"))
        code, shown = await asked(on, settings, "alarms")

        assert 0 == code
        assert "NCCL HANG · llm-pretrain-70b" in shown
        assert 1 == len(await bot.store.incidents.open())


async def test_health_tries_the_clouds_now(on: Stage, settings: Settings) -> None:
    on.alaya.faults.add("status", status=500, times=None)
    code, shown = await asked(on, settings, "health")

    assert 0 == code
    assert "✅ beijing · 0 s ago · 2 resource pools visible" in shown
    assert "⚠️ alaya · failing since" in shown


async def test_a_damaged_database_is_named(on: Stage, settings: Settings) -> None:
    Path(settings.store.path).write_bytes(b"no database" * 200)
    code, shown = await asked(on, settings, "alarms")

    assert 1 == code
    assert "gpubot.db is not a database" in shown
    assert b"no database" * 200 == Path(settings.store.path).read_bytes()


async def test_a_dead_cloud_costs_its_part_only(on: Stage, settings: Settings) -> None:
    on.baidu.faults.add("status", status=503, times=None)
    code, shown = await asked(on, settings, "jobs")

    assert 0 == code
    assert "⚠️ beijing: no answer since" in shown
    assert "== Jobs ==" in shown


async def test_times_are_in_the_zone_asked_for(on: Stage, settings: Settings) -> None:
    said: list[str] = []
    for zone in (UTC, timezone(timedelta(hours=8))):
        await answer_in_terminal(settings, "job llm-pretrain-70b", said.append, on.world.now, zone)
    here, there = (datetime.fromisoformat(shown.split("Started: ")[1][:16]) for shown in said)

    assert timedelta(hours=8) == there - here


def test_the_program_prints_help_for_each_of_its_commands() -> None:
    for command in ("run", "demo", "check", "ask", "backup"):
        done = subprocess.run(
            [sys.executable, "-m", "bot", command, "--help"], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(f"Usage: gpubot {command}") or f" {command} [OPTIONS]" in done.stdout
