"""response_url: five posts, thirty minutes, private unless it says otherwise, and no token."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import Fault, SlackServer

from .conftest import Clock
from .test_blockkit import section


@pytest.fixture
async def url(slack: SlackServer) -> str:
    """The response_url of a command that U01CHEN gave in #gpu-ops."""
    await slack.people.command("U01CHEN", "#gpu-ops", "jobs")
    (delivery,) = slack.delivered
    slack.state.ephemerals.clear()
    return str(delivery.payload["response_url"])


async def answer(http: aiohttp.ClientSession, url: str, **body: Any) -> tuple[int, Any]:
    async with http.post(url, json=body) as response:
        data = await response.json()
        return response.status, data.get("error", "ok")


async def test_an_answer_is_private_by_default_and_public_on_request(
    slack: SlackServer, http: aiohttp.ClientSession, url: str
) -> None:
    assert (200, "ok") == await answer(http, url, text="for you")
    assert (200, "ok") == await answer(http, url, text="for all", response_type="in_channel")
    assert ["for you"] == [whisper.text for whisper in slack.ephemerals("U01CHEN")]
    assert ["for all"] == [message.text for message in slack.messages("#gpu-ops")]


async def test_the_sixth_post_is_refused(http: aiohttp.ClientSession, url: str) -> None:
    assert [(200, "ok")] * 5 == [await answer(http, url, text=str(i)) for i in range(5)]
    assert (404, "used_url") == await answer(http, url, text="5")


async def test_after_thirty_minutes_it_is_over(http: aiohttp.ClientSession, url: str, clock: Clock) -> None:
    clock.advance(30 * 60)
    assert (200, "ok") == await answer(http, url, text="just in time")
    clock.advance(1)
    assert (404, "expired_url") == await answer(http, url, text="too late")


async def test_blocks_are_checked_but_have_no_total(http: aiohttp.ClientSession, url: str) -> None:
    long = section(text={"type": "mrkdwn", "text": "x" * 3000})
    assert (200, "ok") == await answer(http, url, text="x", blocks=[long] * 5)
    assert (400, "invalid_blocks") == await answer(http, url, text="x", blocks=[{"type": "nope"}])
    assert (400, "no_text") == await answer(http, url)


async def test_a_click_can_replace_or_delete_its_message(
    slack: SlackServer, client: AsyncWebClient, http: aiohttp.ClientSession
) -> None:
    blocks = [
        {
            "type": "actions",
            "elements": [{"type": "button", "action_id": "b", "text": {"type": "plain_text", "text": "b"}}],
        }
    ]
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card", blocks=blocks))["ts"]
    await slack.people.click("U01CHEN", "C01ALERTS", ts, "b")
    url = slack.delivered[-1].payload["response_url"]
    await answer(http, url, text="new card", replace_original=True)
    assert [("new card", ())] == [(message.text, message.blocks) for message in slack.messages("#gpu-alerts")]
    await answer(http, url, delete_original=True)
    assert [] == slack.messages("#gpu-alerts")


async def test_response_urls_can_fail_like_methods(slack: SlackServer, http: aiohttp.ClientSession, url: str) -> None:
    slack.faults.add("response_url", Fault.server_error(500))
    assert (500, "internal_error") == await answer(http, url, text="x")
    assert (200, "ok") == await answer(http, url, text="x")
    assert ["ok"] == [call.outcome for call in slack.journal.of("response_url") if call.committed]
