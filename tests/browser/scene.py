"""Messages and visits for the tests of the page."""

from datetime import UTC, datetime
from typing import Any

from playwright.async_api import Page, expect

from bot.simulator.slack import SlackServer
from bot.simulator.slack.records import Json, Message

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
NOON_UNIX = int(NOON.timestamp())


def post(slack: SlackServer, channel: str, text: str, *blocks: Json, user: str = "UGPUBOT", **more: Any) -> Message:
    return slack.state.keep(Message(channel, slack.state.new_ts(), user, text, blocks, **more))


async def visit(page: Page, slack: SlackServer, user: str = "U05OMAR", channel: str = "C01ALERTS") -> None:
    await page.goto(f"{slack.url}/?user={user}&channel={channel}")
    await expect(page.get_by_test_id("person-switch")).to_be_visible()


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": True}


def section(text: str, **more: Any) -> Json:
    return {"type": "section", "block_id": "words", "text": mrkdwn(text), **more}


def button(text: str, action_id: str, **more: Any) -> Json:
    return {"type": "button", "text": plain(text), "action_id": action_id, "value": "v", **more}


OPTIONS = [{"text": plain("One hour"), "value": "1h"}, {"text": plain("One day"), "value": "1d"}]
