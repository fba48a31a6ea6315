"""Socket Mode as Slack runs it: tickets, one link per envelope, acks, redelivery, and links that end or half-die."""

import asyncio
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.simulator.slack import SlackServer

from .conftest import linked


async def opened(slack: SlackServer, http: aiohttp.ClientSession) -> str:
    headers = {"Authorization": "Bearer xapp-sim-app"}
    async with http.post(slack.api_url + "apps.connections.open", headers=headers) as response:
        return str((await response.json())["url"])


async def test_a_link_says_hello_and_its_ticket_opens_once(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    url = await opened(slack, http)
    async with http.ws_connect(url) as link:
        hello = await link.receive_json()
        assert ("hello", 1, 18060) == (
            hello["type"],
            hello["num_connections"],
            hello["debug_info"]["approximate_connection_time"],
        )
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(url)


async def test_the_eleventh_link_is_refused(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    links = [await http.ws_connect(await opened(slack, http)) for _ in range(11)]
    frames = [await link.receive_json() for link in links]
    assert ["hello"] * 10 == [frame["type"] for frame in frames[:10]]
    assert ("disconnect", "too_many_websockets") == (frames[10]["type"], frames[10]["reason"])
    await asyncio.gather(*(link.close() for link in links))


async def test_each_envelope_goes_to_one_link_only(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    links = [await http.ws_connect(await opened(slack, http)) for _ in range(3)]
    counts = [0, 0, 0]

    async def work(place: int) -> None:
        async for message in links[place]:
            frame = message.json()
            if frame["type"] != "hello":
                counts[place] += 1
                await links[place].send_json({"envelope_id": frame["envelope_id"]})

    workers = [asyncio.create_task(work(place)) for place in range(3)]
    outcomes = [await slack.people.command("U01CHEN", "#gpu-ops", "jobs") for _ in range(24)]
    await asyncio.gather(*(link.close() for link in links))
    await asyncio.gather(*workers)
    assert [True] * 24 == [outcome.acknowledged for outcome in outcomes]
    assert 24 == sum(counts)
    assert min(counts) > 0


async def test_an_event_without_ack_comes_again_three_times_with_one_event_id(
    slack: SlackServer, http: aiohttp.ClientSession
) -> None:
    slack.state.timing = replace(slack.state.timing, acknowledge=0.05)
    async with http.ws_connect(await opened(slack, http)) as link:
        await link.receive_json()
        saying = asyncio.create_task(slack.people.say("U01CHEN", "#gpu-alerts", "@gpubot jobs"))
        frames = [await link.receive_json() for _ in range(4)]
        said = await saying
    assert (False, "operation_timeout") == (said.acknowledged, said.error)
    assert [(0, ""), (1, "timeout"), (2, "timeout"), (3, "timeout")] == [
        (frame["retry_attempt"], frame["retry_reason"]) for frame in frames
    ]
    assert 1 == len({frame["payload"]["event_id"] for frame in frames})
    assert 4 == len({frame["envelope_id"] for frame in frames})


async def test_an_acknowledged_retry_ends_the_retries(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    slack.state.timing = replace(slack.state.timing, acknowledge=0.05)
    async with http.ws_connect(await opened(slack, http)) as link:
        await link.receive_json()
        await slack.people.say("U01CHEN", "#gpu-alerts", "@gpubot jobs")
        await link.receive_json()
        retry = await link.receive_json()
        await link.send_json({"envelope_id": retry["envelope_id"]})
        await slack.until_delivered(2)
    assert [(0, False), (1, True)] == [(d.retry.attempt, d.result.acknowledged) for d in slack.delivered]


async def test_a_late_command_is_not_repeated_but_shown_as_timed_out(
    slack: SlackServer, http: aiohttp.ClientSession
) -> None:
    slack.state.timing = replace(slack.state.timing, acknowledge=0.05)
    async with http.ws_connect(await opened(slack, http)) as link:
        await link.receive_json()
        outcome = await slack.people.command("U01CHEN", "#gpu-ops", "jobs")
        await link.receive_json()
        assert (False, "operation_timeout") == (outcome.ok, outcome.error)
        assert ['/gpu failed with the error "operation_timeout"'] == [w.text for w in slack.ephemerals("U01CHEN")]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(link.receive(), 0.1)


async def test_without_any_link_a_command_fails_at_once(slack: SlackServer) -> None:
    outcome = await slack.people.command("U01CHEN", "#gpu-ops", "jobs")
    assert (False, "dispatch_failed") == (outcome.acknowledged, outcome.error)


async def test_bolt_takes_a_new_link_when_told_to_refresh(slack: SlackServer, app: AsyncApp) -> None:
    @app.command("/gpu")
    async def gpu(ack: AsyncAck) -> None:
        await ack("here")

    async with linked(slack, app):
        await slack.sockets.disconnect("refresh_requested")
        await slack.sockets.connected()
        assert (await slack.people.command("U01CHEN", "#gpu-ops", "jobs")).acknowledged
        assert 2 == slack.sockets.opened


async def test_bolt_finds_out_that_a_link_is_half_dead(slack: SlackServer, app: AsyncApp) -> None:
    async with linked(slack, app, ping_interval=0.05):
        slack.sockets.go_half_dead()
        assert not (await slack.people.command("U01CHEN", "#gpu-ops", "jobs")).acknowledged
        await slack.sockets.replaced(2)


async def test_a_cut_link_is_opened_again(slack: SlackServer, app: AsyncApp) -> None:
    async with linked(slack, app, ping_interval=0.05):
        slack.sockets.drop()
        await slack.sockets.replaced(2)


async def test_the_same_envelope_can_come_twice(slack: SlackServer, app: AsyncApp) -> None:
    seen: list[Any] = []

    @app.command("/gpu")
    async def gpu(ack: AsyncAck, command: dict[str, Any]) -> None:
        await ack()
        seen.append(command["trigger_id"])

    async with linked(slack, app):
        await slack.people.command("U01CHEN", "#gpu-ops", "jobs")
        assert (await slack.sockets.redeliver()).acknowledged
    assert 2 == len(seen)
    assert 1 == len(set(seen))
