"""`gpubot check`: a line for each part, true and with what to do, and nothing said or changed anywhere else."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.app.bot import Clock, running, utc_now
from bot.app.check import check_all
from bot.config import BaiduSettings, Settings
from bot.demo import Stage
from tests.app.conftest import SECRETS


async def checked(settings: Settings, clock: Clock = utc_now) -> tuple[bool, list[str]]:
    lines: list[str] = []
    passed = await check_all(settings, lines.append, clock)
    assert not [secret for secret in SECRETS if secret in "\n".join(lines)]
    return passed, lines


def told(lines: list[str], beginning: str) -> list[str]:
    return [line for line in lines if line.startswith(beginning)]


def changed(settings: Settings, section: str, **values: Any) -> Settings:
    return settings.model_copy(update={section: getattr(settings, section).model_copy(update=values)})


def with_beijing(settings: Settings, **values: Any) -> Settings:
    clouds = tuple(one.model_copy(update=values) if isinstance(one, BaiduSettings) else one for one in settings.clouds)
    return settings.model_copy(update={"clouds": clouds})


async def test_a_sound_configuration_passes_with_a_line_for_each_part(settings: Settings) -> None:
    passed, lines = await checked(settings)

    assert passed
    assert snapshot(
        [
            "ok    slack.bot_token",
            "ok    slack scopes",
            "ok    slack.app_token",
            "ok    channel #gpu-alerts",
            "ok    channel #gpu-ops",
            "ok    channel #nccl",
            "ok    access.operators",
            "ok    access.operators",
            "ok    access.people",
            "ok    cloud beijing (baidu)",
            "ok    cloud alaya (alaya)",
            "ok    cloud ack (sysom)",
            "ok    store",
            "ok    web 127.0.0.1",
        ]
    ) == [line.split(":")[0].split(" /")[0] for line in lines]


async def test_nothing_is_posted_and_nothing_is_made(on: Stage, settings: Settings) -> None:
    await checked(settings)

    assert set() == {call.method for call in on.slack.requests} & {"chat.postMessage", "chat.postEphemeral"}
    assert not Path(settings.store.path).exists()
    assert {"GET"} == {seen.method for seen in (*on.baidu.requests, *on.alaya.requests)}


async def test_a_refused_bot_token_is_the_one_thing_said_about_slack(on: Stage, settings: Settings) -> None:
    on.slack.change_app(bot_token="xoxb-another")
    passed, lines = await checked(settings)

    assert not passed
    assert ["FAIL  slack.bot_token: Slack answers invalid_auth to slack.bot_token. "] == [
        line.partition("Copy")[0] for line in told(lines, "FAIL")
    ]
    assert [] == told(lines, "ok    channel") + told(lines, "ok    access")
    assert 3 == len(told(lines, "ok    cloud")), "the clouds are tried all the same"


async def test_a_missing_scope_is_named_with_what_stops_working(on: Stage, settings: Settings) -> None:
    scopes = on.slack.state.app.scopes
    on.slack.change_app(scopes=scopes - {"channels:history"})
    passed, lines = await checked(settings)

    assert not passed
    (line,) = told(lines, "FAIL")
    assert "channels:history is missing: after a lost answer a message may appear twice" in line
    assert "manifest.yml" in line


async def test_a_refused_app_token_fails(on: Stage, settings: Settings) -> None:
    on.slack.change_app(app_token="xapp-another")
    passed, lines = await checked(settings)

    assert not passed
    assert 1 == len(told(lines, "FAIL  slack.app_token: Slack answers invalid_auth to slack.app_token"))


async def test_in_http_mode_a_secret_of_an_odd_length_is_remarked(settings: Settings) -> None:
    _, lines = await checked(changed(settings, "slack", app_token=None))

    assert 1 == len(told(lines, "warn  slack.signing_secret"))


@pytest.mark.parametrize(
    ("changes", "scopes", "line"),
    [
        ({"is_archived": True}, set(), "FAIL  channel #nccl: is archived"),
        ({"name": "nccl-old"}, set(), "FAIL  channel #nccl: the bot sees none of that name"),
        ({"bot_is_member": False}, {"chat:write.public"}, "FAIL  channel #nccl: the bot is not in it"),
        ({"bot_is_member": False}, set(), "warn  channel #nccl: the bot may post, but cannot read"),
    ],
)
async def test_a_channel_of_a_route_that_takes_no_messages_is_named(
    on: Stage, settings: Settings, changes: dict[str, Any], scopes: set[str], line: str
) -> None:
    on.slack.change_channel("nccl", **changes)
    on.slack.change_app(scopes=on.slack.state.app.scopes - scopes)
    _, lines = await checked(settings)

    assert 1 == len(told(lines, line))


async def test_a_channel_may_be_given_by_id(settings: Settings) -> None:
    _, lines = await checked(changed(settings, "slack", alert_channel="C04TRAIN"))

    assert ["ok    channel C04TRAIN: C04TRAIN, the bot is in it"] == told(lines, "ok    channel C04")


async def test_where_nobody_is_named_it_is_said_that_nobody_may_act(settings: Settings) -> None:
    passed, lines = await checked(changed(settings, "access", operators=()))

    assert passed, "a bot that only tells is a sound bot"
    assert 1 == len(told(lines, "warn  access.operators: nobody is named, so nobody may act"))


async def test_people_and_groups_that_slack_does_not_know_are_named(on: Stage, settings: Settings) -> None:
    on.slack.change_person("U04ZHANG", is_deleted=True)
    people = {"li.wei": "nobody@example.com", "zhang.min": "U04ZHANG", "anna.schmidt": "U03ANNA"}
    settings = changed(settings, "access", operators=("U99NOBODY", "S99NONE", "U05OMAR"), people=people)
    passed, lines = await checked(settings)

    assert not passed
    assert [
        "FAIL  access.operators: U99NOBODY: Slack answers user_not_found",
        "FAIL  access.operators: S99NONE: Slack answers no_such_subteam",
        'FAIL  access.people: "li.wei" = nobody@example.com: Slack answers users_not_found',
        'FAIL  access.people: "zhang.min" = U04ZHANG: this account is deactivated',
    ] == [line.split(". ")[0] for line in told(lines, "FAIL")]
    assert ["ok    access.people: 1 of 3 are known to Slack"] == told(lines, "ok    access.people")


async def test_a_cloud_that_refuses_the_key_says_so(settings: Settings) -> None:
    passed, lines = await checked(with_beijing(settings, access_key="ak-wrong"))

    assert not passed
    (line,) = told(lines, "FAIL")
    assert line.startswith("FAIL  cloud beijing (baidu): beijing refuses our credentials")


async def test_a_cloud_whose_settings_cannot_work_is_told_beside_the_others(settings: Settings) -> None:
    passed, lines = await checked(with_beijing(settings, endpoint="https://user@aihc.example"))

    assert not passed
    assert 1 == len(told(lines, "FAIL  cloud beijing (baidu): an endpoint is http:// or https://"))
    assert 2 == len(told(lines, "ok    cloud"))


async def test_a_cloud_that_hangs_is_told_in_its_place_after_its_deadline(on: Stage, settings: Settings) -> None:
    on.baidu.faults.add("hang", times=None)
    passed, lines = await checked(with_beijing(settings, deadline=timedelta(seconds=0.2)))

    assert not passed
    clouds = [line for line in lines if " cloud " in line]
    assert "FAIL  cloud beijing (baidu): beijing did not answer: no answer in time. Try again in a moment." == clouds[0]
    assert "ok    cloud alaya" == clouds[1].split(" (")[0]


async def test_a_clock_that_is_minutes_off_is_named(settings: Settings) -> None:
    """F72."""
    _, lines = await checked(settings, lambda: datetime.now(UTC) + timedelta(seconds=150))

    remarks = told(lines, "warn  clock")
    assert ["Slack's", "beijing's", "alaya's", "ack's"] == [line.split(" of ")[1].split(".")[0] for line in remarks]
    assert "ours is 2m" in remarks[0]


async def test_a_damaged_database_is_named_and_left_as_it_is(settings: Settings) -> None:
    path = Path(settings.store.path)
    path.write_bytes(b"this is no database" * 100)
    passed, lines = await checked(settings)

    assert not passed
    assert 1 == len(told(lines, f"FAIL  store: {path} is not a database"))
    assert b"this is no database" * 100 == path.read_bytes()


async def test_a_folder_above_that_is_a_file_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    passed, lines = await checked(changed(settings, "store", path=str(tmp_path / "data" / "gpubot.db")))

    assert not passed
    assert 1 == len(told(lines, f"FAIL  store: {tmp_path / 'data'} is no folder"))


async def test_a_port_that_something_else_holds_fails(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        passed, lines = await checked(changed(settings, "web", port=port))

    assert not passed
    assert 1 == len(told(lines, f"FAIL  web 127.0.0.1:{port}: Address already in use"))


async def test_beside_a_running_bot_everything_still_passes(on: Stage, settings: Settings) -> None:
    async with running(settings, on.world.now) as bot:
        passed, lines = await checked(changed(settings, "web", port=bot.port))

    assert passed, lines
    assert [f"ok    web 127.0.0.1:{bot.port}: a gpubot serves it already"] == told(lines, "ok    web")
    assert 1 == len([line for line in told(lines, "ok    store") if "readable and writable" in line])


async def test_slack_that_cannot_be_reached_fails_by_its_address(settings: Settings) -> None:
    passed, lines = await checked(changed(settings, "slack", api_url="http://127.0.0.1:9/api/"))

    assert not passed
    assert 1 == len(told(lines, "FAIL  slack.bot_token: Slack does not answer at the API address"))
    assert [] == [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("slack")]
