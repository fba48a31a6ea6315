"""HTTP mode: the same deliveries as signed posts, which a stock Bolt app verifies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import App, SlackServer, Timing, Workspace

from .conftest import Clock


@asynccontextmanager
async def served(application: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}/slack/events"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def slack_pushing_to(url: str, clock: Clock, **app: Any) -> AsyncIterator[SlackServer]:
    workspace = replace(Workspace.redwood(), app=App(request_url=url, **app))
    async with SlackServer(workspace, clock=clock, timing=Timing.quick()).serve() as server:
        yield server


async def test_commands_clicks_and_events_arrive_signed(clock: Clock, http: aiohttp.ClientSession) -> None:
    seen: list[str] = []
    client = AsyncWebClient("xoxb-sim-bot", session=http)
    app = AsyncApp(client=client, signing_secret="sim-signing-secret")

    @app.command("/gpu")
    async def gpu(ack: AsyncAck, command: dict[str, Any]) -> None:
        seen.append(command["text"])
        await ack(f"jobs of {command['user_name']}")

    @app.action("stop")
    async def stop(ack: AsyncAck, action: dict[str, Any]) -> None:
        seen.append(action["value"])
        await ack()

    @app.event("app_mention")
    async def mention(event: dict[str, Any]) -> None:
        seen.append(event["text"])

    button = {"type": "button", "action_id": "stop", "value": "job-1", "text": {"type": "plain_text", "text": "Stop"}}
    blocks = [{"type": "actions", "elements": [button]}]
    async with served(app.web_app()) as url, slack_pushing_to(url, clock) as slack:
        client.base_url = slack.api_url
        assert slack.pushes is not None
        assert await slack.pushes.verify()
        assert (await slack.people.command("U02LIWEI", "gpu-ops", "jobs")).ok
        ts = (await client.chat_postMessage(channel="C01ALERTS", text="card", blocks=blocks))["ts"]
        assert (await slack.people.click("U02LIWEI", "gpu-alerts", ts, "stop")).ok
        assert (await slack.people.say("U02LIWEI", "gpu-alerts", "@gpubot hi")).ok
        assert ["jobs of li.wei"] == [whisper.text for whisper in slack.ephemerals("U02LIWEI")]
    assert ["jobs", "job-1", "<@UGPUBOT> hi"] == seen


async def test_a_wrong_secret_is_refused_by_the_app(clock: Clock, http: aiohttp.ClientSession) -> None:
    app = AsyncApp(client=AsyncWebClient("xoxb-sim-bot", session=http), signing_secret="sim-signing-secret")
    async with served(app.web_app()) as url, slack_pushing_to(url, clock, signing_secret="another") as slack:
        outcome = await slack.people.command("U02LIWEI", "gpu-ops", "jobs")
    assert (False, "dispatch_failed") == (outcome.acknowledged, outcome.error)


@pytest.mark.parametrize(("no_retry", "attempts"), [(False, 4), (True, 1)])
async def test_a_failing_event_is_repeated_with_its_reason_unless_the_app_declines(
    clock: Clock, no_retry: bool, attempts: int
) -> None:
    headers: list[tuple[str | None, str | None]] = []

    async def fail(request: web.Request) -> web.Response:
        headers.append((request.headers.get("X-Slack-Retry-Num"), request.headers.get("X-Slack-Retry-Reason")))
        return web.Response(status=500, headers={"X-Slack-No-Retry": "1"} if no_retry else {})

    application = web.Application()
    application.router.add_post("/slack/events", fail)
    async with served(application) as url, slack_pushing_to(url, clock) as slack:
        await slack.people.say("U02LIWEI", "gpu-alerts", "@gpubot hi")
        await slack.until_delivered(attempts)
    assert [(None, None), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")][:attempts] == headers


async def test_an_app_that_is_not_there_is_not_reached(clock: Clock) -> None:
    async with served(web.Application()) as url:
        pass
    async with slack_pushing_to(url, clock) as slack:
        outcome = await slack.people.command("U02LIWEI", "gpu-ops", "jobs")
    assert "dispatch_failed" == outcome.error
