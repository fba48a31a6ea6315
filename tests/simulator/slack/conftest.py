"""A served Redwood workspace with a hand-moved clock, and a stock Bolt app linked to it over Socket Mode."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer, Timing, Workspace


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def slack(clock: Clock) -> AsyncIterator[SlackServer]:
    server = SlackServer(Workspace.redwood(), clock=clock, seed=7, timing=Timing.quick())
    async with server.serve():
        yield server


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(trust_env=False) as session:
        yield session


@pytest.fixture
async def client(slack: SlackServer, http: aiohttp.ClientSession) -> AsyncWebClient:
    return AsyncWebClient(token="xoxb-sim-bot", base_url=slack.api_url, session=http, retry_handlers=[])


@pytest.fixture
def app(client: AsyncWebClient) -> AsyncApp:
    return AsyncApp(client=client, raise_error_for_unhandled_request=False)


@asynccontextmanager
async def linked(slack: SlackServer, app: AsyncApp, ping_interval: float = 10) -> AsyncIterator[AsyncSocketModeHandler]:
    """The app on one open link for the length of the block."""
    links = len(slack.sockets.links)
    handler = AsyncSocketModeHandler(app, "xapp-sim-app", ping_interval=ping_interval)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    try:
        await slack.sockets.connected(links + 1)
        yield handler
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]
