"""Faults on demand, as slack_sdk meets them; what was done although nobody was told; and the pace rule."""

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncConnectionErrorRetryHandler
from slack_sdk.http_retry.builtin_interval_calculators import FixedValueRetryIntervalCalculator
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import Fault, SlackServer, Timing, Workspace

from .conftest import Clock


async def post(client: AsyncWebClient, text: str = "x", channel: str = "C01ALERTS") -> Any:
    return await client.chat_postMessage(channel=channel, text=text)


async def test_throttling_is_a_429_with_retry_after_for_one_channel(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.faults.add("chat.postMessage", Fault.rate_limited(retry_after=2), channel="#gpu-alerts")
    assert (await post(client, channel="C02OPS"))["ok"]
    with pytest.raises(SlackApiError) as caught:
        await post(client)
    response = caught.value.response
    assert (429, "2", "ratelimited") == (response.status_code, response.headers["Retry-After"], response["error"])
    assert (await post(client))["ok"]


@pytest.mark.parametrize("status", [500, 503])
async def test_server_errors_come_as_json_or_as_a_web_page(
    slack: SlackServer, client: AsyncWebClient, status: int
) -> None:
    slack.faults.add("chat.postMessage", Fault.server_error(status))
    slack.faults.add("chat.postMessage", Fault.html_error(status))
    for data in ({"ok": False, "error": "internal_error"}, {}):
        with pytest.raises(SlackApiError) as caught:
            await post(client)
        assert (status, data) == (caught.value.response.status_code, caught.value.response.data)
    assert [] == slack.messages("#gpu-alerts")


@pytest.mark.parametrize("after_commit", [False, True])
async def test_a_dropped_connection_leaves_open_whether_the_post_was_made(
    slack: SlackServer, client: AsyncWebClient, after_commit: bool
) -> None:
    slack.faults.add("chat.postMessage", Fault.dropped(after_commit=after_commit))
    with pytest.raises(aiohttp.ClientError):
        await post(client)
    assert int(after_commit) == len(slack.messages("#gpu-alerts"))
    assert [(after_commit, "dropped")] == [(call.committed, call.fault) for call in slack.requests]


async def test_a_client_that_resends_a_dropped_post_posts_twice_and_is_found_out(
    slack: SlackServer, http: aiohttp.ClientSession
) -> None:
    resending = AsyncConnectionErrorRetryHandler(interval_calculator=FixedValueRetryIntervalCalculator(0))
    client = AsyncWebClient("xoxb-sim-bot", base_url=slack.api_url, session=http, retry_handlers=[resending])
    slack.faults.add("chat.postMessage", Fault.dropped(after_commit=True))
    await post(client, "job is idle")
    assert [2] == [len(twins) for twins in slack.duplicates()]


async def test_a_slow_answer_can_come_after_the_caller_gave_up(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    client = AsyncWebClient("xoxb-sim-bot", base_url=slack.api_url, session=http, timeout=1, retry_handlers=[])
    slack.faults.add("chat.postMessage", Fault.slow(0.2, after_commit=True))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(post(client), 0.05)
    assert 1 == len(slack.messages("#gpu-alerts"))


async def test_an_error_can_be_answered_after_the_work_was_done(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.faults.add("chat.postMessage", Fault.refused("fatal_error", after_commit=True))
    with pytest.raises(SlackApiError, match="fatal_error"):
        await post(client)
    assert 1 == len(slack.messages("#gpu-alerts"))


async def test_an_answer_can_break_off(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.faults.add("chat.postMessage", Fault.truncated())
    with pytest.raises(SlackApiError, match="non-JSON format"):
        await post(client)
    assert 1 == len(slack.messages("#gpu-alerts"))


async def test_a_fault_can_wait_last_and_be_cleared(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.faults.add("*", Fault.refused("internal_error"), times=None, skip=1)
    assert (await post(client))["ok"]
    for _ in range(3):
        with pytest.raises(SlackApiError):
            await post(client)
    slack.faults.clear()
    assert (await post(client))["ok"]


async def test_faults_can_be_set_from_outside(
    slack: SlackServer, client: AsyncWebClient, http: aiohttp.ClientSession
) -> None:
    order = {"method": "chat.postMessage", "kind": "refused", "error": "is_archived", "channel": "gpu-alerts"}
    async with http.post(f"{slack.url}/sim/faults", json=order) as response:
        assert (await response.json())["ok"]
    async with http.get(f"{slack.url}/sim/faults") as response:
        assert ["C01ALERTS"] == [fault["channel"] for fault in (await response.json())["faults"]]
    with pytest.raises(SlackApiError, match="is_archived"):
        await post(client)
    async with http.post(f"{slack.url}/sim/faults", json={"method": "*", "kind": "earthquake"}) as response:
        assert "kind must be one of" in (await response.json())["error"]


async def test_posting_faster_than_one_a_second_is_noticed_and_on_demand_refused(
    clock: Clock, http: aiohttp.ClientSession
) -> None:
    seconds = [100.0]
    server = SlackServer(Workspace.redwood(), clock=clock, timing=Timing.quick(), monotonic=lambda: seconds[0])
    async with server.serve():
        client = AsyncWebClient("xoxb-sim-bot", base_url=server.api_url, session=http, retry_handlers=[])
        for _ in range(4):
            await post(client)
        assert [] == server.pace_violations
        await post(client)
        assert [("C01ALERTS", 1.0)] == [(v.channel, v.wait) for v in server.pace_violations]
        server.pace.enforced = True
        with pytest.raises(SlackApiError) as caught:
            await post(client)
        assert ("1", 429) == (caught.value.response.headers["Retry-After"], caught.value.response.status_code)
        seconds[0] += 1
        assert (await post(client))["ok"]
