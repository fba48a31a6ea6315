"""The way in: tokens are tried first, the socket is watched, HTTP requests are verified."""

import asyncio

import pytest

from bot.simulator.slack import Fault
from bot.slack.connect import SlackRefused, Socket, build_app, build_client, identify
from tests.slack.workspace import Clock, redwood


async def test_the_bot_learns_who_it_is_and_what_it_may() -> None:
    async with redwood(Clock()) as (_, client, _session):
        identity = await identify(client)

    assert ("UGPUBOT", "Redwood AI") == (identity.user_id, identity.team)
    assert "chat:write" in identity.scopes


async def test_a_wrong_bot_token_is_named_with_what_to_do() -> None:
    async with redwood(Clock()) as (slack, _, session):
        with pytest.raises(SlackRefused, match=r"invalid_auth to slack\.bot_token"):
            await identify(build_client("xoxb-wrong", slack.api_url, session, patient=False))


async def test_a_wrong_app_token_ends_the_start_instead_of_trying_for_ever() -> None:
    async with redwood(Clock()) as (_, client, _session):
        socket = Socket(build_app(client, await identify(client), None), "xapp-wrong")

        with pytest.raises(SlackRefused, match=r"invalid_auth to slack\.app_token"):
            async with asyncio.timeout(5):
                await socket.open()
        await socket.close()


async def test_a_slack_that_does_not_answer_is_named() -> None:
    async with redwood(Clock()) as (slack, client, _session):
        slack.faults.add("auth.test", Fault.dropped(), times=None)

        with pytest.raises(SlackRefused, match="Slack does not answer"):
            await identify(client)


async def test_the_socket_says_whether_it_lives() -> None:
    async with redwood(Clock()) as (slack, client, _session):
        socket = Socket(build_app(client, await identify(client), None), "xapp-sim-app")
        await socket.open()
        await slack.sockets.connected(1)

        assert (await socket.state())[0]

        await socket.close()
        assert not (await socket.state())[0]


async def test_connecting_asks_slack_for_no_token_check_at_the_first_click() -> None:
    async with redwood(Clock()) as (slack, client, _session):
        app = build_app(client, await identify(client), None)

        assert app.client.token is None
        assert 1 == len(slack.journal.of("auth.test"))


@pytest.mark.parametrize(
    "variables", [{"SLACK_CLIENT_ID": "1", "SLACK_CLIENT_SECRET": "2", "SLACK_BOT_TOKEN": "xoxb-3"}]
)
async def test_variables_of_other_slack_apps_change_nothing(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    async with redwood(Clock()) as (slack, client, _session):
        socket = Socket(build_app(client, await identify(client), None), "xapp-sim-app")
        await socket.open()
        await slack.sockets.connected(1)
        await socket.close()
