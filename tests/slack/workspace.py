"""A served Redwood workspace with a clock that tests move, and what speaks to it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer, Timing, Workspace
from bot.slack.connect import build_client
from tests.make import NOW


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, span: timedelta) -> None:
        self.now += span


@dataclass
class MemoryClaims:
    """Claims of one process."""

    held: dict[str, str] = field(default_factory=dict)

    async def claim(self, key: str, by: str, now: datetime) -> str | None:
        if key in self.held:
            return self.held[key]
        self.held[key] = by
        return None

    async def release(self, key: str) -> None:
        self.held.pop(key, None)


@asynccontextmanager
async def redwood(
    clock: Callable[[], datetime], timing: Timing | None = None
) -> AsyncIterator[tuple[SlackServer, AsyncWebClient, aiohttp.ClientSession]]:
    """The workspace, a client with the bot's token, and the session under it."""
    server = SlackServer(Workspace.redwood(), clock=clock, timing=timing or Timing.quick())
    async with server.serve(), aiohttp.ClientSession(trust_env=False) as session:
        yield server, build_client("xoxb-sim-bot", server.api_url, session, patient=False), session
