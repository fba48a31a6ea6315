"""Socket Mode: one-use tickets, up to ten links, each envelope to one of them at random, acks from any of them. Links
can be told to go, refused, or left half-dead on purpose (Slack reference §2)."""

import asyncio
import json
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from aiohttp import WSMessage, WSMsgType, web

from .arguments import Arguments
from .deliveries import NOT_REACHED, TIMED_OUT, Acknowledgement, Retry
from .journal import KEPT
from .methods import Method
from .records import Json
from .state import Desk, State

MOST_LINKS = 10
CLOSE_SECONDS = 0.5


@dataclass(eq=False, slots=True)
class Link:
    """One open connection. A half-dead one neither answers pings nor carries anything, but stays open."""

    socket: web.WebSocketResponse = field(repr=False)
    transport: asyncio.Transport | None = field(repr=False)
    is_half_dead: bool = False
    is_leaving: bool = False

    async def send(self, frame: Json) -> None:
        if not self.is_half_dead and not self.socket.closed:
            await self.socket.send_str(json.dumps(frame))


class Sockets:
    """All links of the app. `envelopes` keeps what was sent, oldest first."""

    def __init__(self, state: State) -> None:
        self.links: list[Link] = []
        self.envelopes: deque[Json] = deque(maxlen=KEPT)
        self.opened = 0
        self._state = state
        self._tickets: set[str] = set()
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._arrival = asyncio.Event()

    def open_connection(self, desk: Desk, args: Arguments) -> Json:
        ticket = self._state.new_id("", 24)
        self._tickets.add(ticket)
        base = self._state.base_url.replace("http://", "ws://", 1)
        return {"ok": True, "url": f"{base}/link?ticket={ticket}&app_id={self._state.app.id}"}

    def methods(self) -> dict[str, Method]:
        return {"apps.connections.open": Method(self.open_connection, token="app")}

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket end of an address from apps.connections.open; a ticket opens once."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=404, text="unknown or used ticket")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False, timeout=CLOSE_SECONDS)
        await socket.prepare(request)
        link = Link(socket, request.transport)
        if len(self.links) >= MOST_LINKS:
            await link.send(self._goodbye("too_many_websockets"))
            await socket.close()
            return socket
        await self._serve(link)
        return socket

    async def _serve(self, link: Link) -> None:
        self.links.append(link)
        self.opened += 1
        try:
            await link.send(self._hello())
            self._arrival.set()
            async for message in link.socket:
                await self._receive(link, message)
        except ConnectionResetError:
            pass
        finally:
            self.links.remove(link)

    def _hello(self) -> Json:
        debug = {"host": "applink-sim", "build_number": 1, "approximate_connection_time": 18060}
        connections = len(self.links)
        about = {"app_id": self._state.app.id}
        return {"type": "hello", "num_connections": connections, "connection_info": about, "debug_info": debug}

    def _goodbye(self, reason: str) -> Json:
        return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-sim"}}

    async def _receive(self, link: Link, message: WSMessage) -> None:
        if link.is_half_dead:
            return
        if message.type is WSMsgType.PING:
            await link.socket.pong(message.data)
        elif message.type is WSMsgType.TEXT:
            self._acknowledge(message.data)

    def _acknowledge(self, text: str) -> None:
        try:
            frame = json.loads(text)
        except ValueError:
            return
        if isinstance(frame, dict):
            waiting = self._waiting.pop(str(frame.get("envelope_id")), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(frame.get("payload"))

    async def deliver(self, kind: str, payload: Json, retry: Retry) -> Acknowledgement:
        """Send to one link and wait for the ack. Without any link the app cannot be reached."""
        started = time.monotonic()
        link = await self._choose()
        if link is None:
            return Acknowledgement(False, _ms(started), error=NOT_REACHED, reason="connection_failed")
        envelope = self._envelope(kind, payload, retry)
        self.envelopes.append(envelope)
        return await self._send_and_wait(link, envelope, started)

    async def _send_and_wait(self, link: Link, envelope: Json, started: float) -> Acknowledgement:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[envelope["envelope_id"]] = future
        try:
            async with asyncio.timeout(self._state.timing.acknowledge):
                await link.send(envelope)
                answer = await future
        except (TimeoutError, ConnectionResetError):
            self._waiting.pop(envelope["envelope_id"], None)
            return Acknowledgement(False, _ms(started), error=TIMED_OUT, reason="timeout")
        return Acknowledgement(True, _ms(started), payload=answer)

    def _envelope(self, kind: str, payload: Json, retry: Retry) -> Json:
        envelope_id = str(UUID(int=self._state.random.getrandbits(128), version=4))
        envelope: Json = {"envelope_id": envelope_id, "type": kind, "payload": payload}
        if kind == "events_api":
            about = {"retry_attempt": retry.attempt, "retry_reason": retry.reason}
            return envelope | {"accepts_response_payload": False} | about
        return envelope | {"accepts_response_payload": True}

    async def _choose(self) -> Link | None:
        """A random open link; a short grace covers the moment in which an app changes links."""
        if not self._open_links():
            try:
                await self.connected(within=self._state.timing.link_grace)
            except TimeoutError:
                return None
        return self._state.random.choice(self._open_links())

    def _open_links(self) -> list[Link]:
        return [link for link in self.links if not link.is_leaving and not link.socket.closed]

    async def connected(self, count: int = 1, within: float = 5.0) -> None:
        """Wait until the app has at least `count` open links. Raises TimeoutError."""
        async with asyncio.timeout(within):
            while len(self._open_links()) < count:
                self._arrival.clear()
                await self._arrival.wait()

    async def replaced(self, opened: int, within: float = 5.0) -> None:
        """Wait until `opened` links have been opened in all, ended ones included. Raises TimeoutError."""
        async with asyncio.timeout(within):
            while self.opened < opened:
                self._arrival.clear()
                await self._arrival.wait()

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Tell every link to go (reason warning, refresh_requested or link_disabled); those still there a while later
        are closed."""
        leaving = self._open_links()
        for link in leaving:
            link.is_leaving = reason != "warning"
            await link.send(self._goodbye(reason))
        pause = self._state.timing.disconnect_after_notice
        self._state.timers.later(pause, lambda: _cut(leaving))

    def go_half_dead(self) -> None:
        """From now on the open links swallow everything, pings included."""
        for link in self._open_links():
            link.is_half_dead = True

    def drop(self) -> None:
        """Cut every link without a word, as a dying network does."""
        _cut(self.links)

    async def redeliver(self, envelope_id: str | None = None) -> Acknowledgement:
        """Send an envelope again exactly as it was (the last one by default), as Slack sometimes does."""
        wanted = [e for e in self.envelopes if envelope_id in (None, e["envelope_id"])][-1]
        started = time.monotonic()
        link = await self._choose()
        if link is None:
            return Acknowledgement(False, _ms(started), error=NOT_REACHED, reason="connection_failed")
        return await self._send_and_wait(link, wanted, started)

    async def stop(self) -> None:
        await _close(list(self.links))


async def _close(links: list[Link]) -> None:
    await asyncio.gather(*(link.socket.close() for link in links), return_exceptions=True)


def _cut(links: list[Link]) -> None:
    for link in links:
        if link.transport is not None:
            link.transport.abort()


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
