"""Store, delivery and chat together against the simulated Slack: exactly once, in pace, whatever goes wrong."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.relay.deliver import Delivery
from bot.simulator.slack import Fault, SlackServer, Timing, Workspace
from bot.slack.channels import ChannelDirectory
from bot.slack.chat import SlackChat
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from bot.store.places import ChannelBook
from tests.make import NOW, alarm
from tests.relay.post_office import Time
from tests.slack.test_chat import PlainRenderer

ALERTS = "#gpu-alerts"
TROUBLE = (
    Fault.dropped(after_commit=True),
    Fault.dropped(),
    Fault.rate_limited(5),
    Fault.server_error(500, after_commit=True),
    Fault.html_error(503),
    Fault.html_error(503, after_commit=True),
    Fault.truncated(),
    Fault.refused("fatal_error", after_commit=True),
    Fault.refused("service_unavailable"),
)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
async def slack(time: Time, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlackServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = SlackServer(Workspace.redwood(), clock=time.clock, seed=7, timing=Timing.quick(), monotonic=time.monotonic)
    async with server.serve():
        yield server


@pytest.mark.parametrize("fault", TROUBLE)
async def test_ten_alarms_are_ten_cards_with_their_notes_whatever_goes_wrong(
    slack: SlackServer, time: Time, tmp_path: Path, fault: Fault
) -> None:
    """F19, F28, F29, F37, F38"""
    database = Database(tmp_path / "gpubot.db")
    await database.open(NOW)
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient("xoxb-sim-bot", slack.api_url, session=session, retry_handlers=[])
        chat = SlackChat(client, session, ChannelDirectory(client, ChannelBook(database)), PlainRenderer())
        outbox = OutboxStore(database, "process-1")
        delivery = Delivery(
            outbox, chat, "#gpu-ops", time.clock, sleep=time.sleep, monotonic=time.monotonic, jitter=lambda: 0.0
        )
        incidents = IncidentStore(database, lambda _: ALERTS)
        slack.faults.add("chat.postMessage", fault, times=3, skip=2)
        await incidents.observe("ack", [alarm(f"a{n}", task=f"t{n}") for n in range(10)], NOW)
        while (await outbox.health(time.clock())).due:
            await delivery.sweep()
            await delivery.quiet()
            time.seconds += 2
            assert time.seconds < 900
    await database.close()
    messages = slack.messages(ALERTS)
    parents = [message.ts for message in messages if message.thread_ts is None]
    assert (10, 20) == (len(parents), len(messages))
    assert parents == [message.thread_ts for message in messages if message.thread_ts]
    assert [] == slack.pace_violations
