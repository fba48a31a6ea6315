"""What the bot needs of this machine: its database and its port. An already running bot is no failure."""

import asyncio
import os
import socket
from functools import partial

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.app.check.line import Line, fail, ok, warn
from bot.app.check.part import Part
from bot.config import Settings, WebSettings
from bot.domain.errors import StoreError
from bot.store.inspection import Inspection, inspect

LITTLE_SPACE = 200 * 2**20  # bytes: days of a busy log, and the room that a backup beside it takes


def machine_parts(settings: Settings) -> list[Part]:
    return [
        Part(f"store {settings.store.path}", partial(_store, settings.store.path)),
        Part(f"web {settings.web.host}:{settings.web.port}", partial(_web, settings.web)),
    ]


async def _store(path: str) -> list[Line]:
    try:
        found = await asyncio.to_thread(inspect, path)
    except StoreError as error:
        return [fail(f"store: {error}")]
    free = f"{found.free // 2**20} MiB free"
    if found.free < LITTLE_SPACE:
        return [warn(f"store {path}: {_state(found)}, only {free} on its disk")]
    return [ok(f"store {path}: {_state(found)}, {free}")]


def _state(found: Inspection) -> str:
    if found.size is None:
        return "is made at the first start"
    if found.behind:
        return f"{found.size // 2**10} KiB, is brought to this version's tables at the next start"
    return f"{found.size // 2**10} KiB, readable and writable"


async def _web(web: WebSettings) -> list[Line]:
    named = f"web {web.host}:{web.port}"
    if web.port == 0:
        return [ok(f"{named}: a free port is taken at the start")]
    try:
        _bind(web)
    except OSError as error:
        if await _is_a_bot(web):
            return [ok(f"{named}: a gpubot serves it already")]
        reason = os.strerror(error.errno) if error.errno else str(error)
        return [fail(f"{named}: {reason}. Set web.host and web.port to an address that is free")]
    return [ok(f"{named}: is free")]


def _bind(web: WebSettings) -> None:
    """Raises OSError where the bot could not listen there either."""
    family = socket.getaddrinfo(web.host, web.port, type=socket.SOCK_STREAM)[0][0]
    socket.create_server((web.host, web.port), family=family).close()


async def _is_a_bot(web: WebSettings) -> bool:
    async with ClientSession(timeout=ClientTimeout(total=1)) as session:
        try:
            async with session.get(f"http://{web.host}:{web.port}/metrics") as answer:
                return "gpubot_" in await answer.text()
        except (ClientError, TimeoutError, UnicodeDecodeError):
            return False
