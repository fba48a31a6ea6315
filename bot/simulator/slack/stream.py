"""The page's live stream: one WebSocket per viewer, a full document first, then only what changed, gathered for a
moment so that a burst becomes one frame."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict

from aiohttp import web

from .people import SLACKBOT
from .records import Json
from .snapshot import channel_page, message_page, person_page, robot_page, view_page, whisper_page
from .state import Change, State
from .workspace import Channel


class Viewer:
    """One person's window. It remembers which things changed since its last frame."""

    def __init__(self, state: State, reader: str, speed: Callable[[], float]) -> None:
        self._state = state
        self._reader = reader
        self._speed = speed
        self._rev = 0
        self._dirty: dict[Change, None] = {}
        self._wake = asyncio.Event()

    def notice(self, change: Change) -> None:
        self._dirty[change] = None
        self._wake.set()

    async def follow(self, socket: web.WebSocketResponse) -> None:
        """Send frames until cancelled."""
        await socket.send_str(json.dumps(self.full()))
        while True:
            await self._wake.wait()
            await asyncio.sleep(self._state.timing.stream_pause)
            frame = self.delta()
            if frame is not None:
                await socket.send_str(json.dumps(frame))

    def _frame(self, kind: str) -> Json:
        self._rev += 1
        return {"type": kind, "rev": self._rev, "now": self._state.seconds(), "speed": self._speed()}

    def full(self) -> Json:
        state = self._state
        self._forget()
        workspace, app = state.workspace, state.app
        channels = self._channels()
        home = state.homes.get(self._reader)
        robots = [robot_page(app.user_id, app.name), robot_page(SLACKBOT, "Slackbot")]
        return self._frame("full") | {
            "team": {"name": workspace.team_name, "domain": workspace.domain},
            "me": self._reader,
            "users": [person_page(person) for person in state.people.values()] + robots,
            "usergroups": [
                {"id": g.id, "handle": g.handle, "name": g.name, "users": list(g.members)}
                for g in workspace.user_groups
            ],
            "channels": [channel_page(channel, self._reader) for channel in channels],
            "messages": [message_page(state, m) for channel in channels for m in state.visible(channel.id)],
            "ephemerals": [whisper_page(w) for w in state.ephemerals[self._reader].values() if not w.is_deleted],
            "views": [view_page(view) for view in state.modals.get(self._reader, ())],
            "home": view_page(home) if home else None,
            "commands": [asdict(command) for command in app.commands],
            "app": {"name": app.name, "user_id": app.user_id},
        }

    def _channels(self) -> list[Channel]:
        return [channel for channel in self._state.channels.values() if channel.user in ("", self._reader)]

    def _forget(self) -> list[Change]:
        changes = list(self._dirty)
        self._dirty.clear()
        self._wake.clear()
        return changes

    def delta(self) -> Json | None:
        """What changed for this reader since the last frame; None when nothing did."""
        parts: Json = {}
        for change in self._forget():
            self._add(parts, change)
        return self._frame("delta") | parts if parts else None

    def _add(self, parts: Json, change: Change) -> None:
        state, topic, key = self._state, change[0], change[1]
        if topic == "message" and state.channels[key].user in ("", self._reader):
            message = state.messages[key].get(change[2])
            parts.setdefault("messages", []).extend([message_page(state, message)] if message else [])
        elif topic == "channel" and state.channels[key].user in ("", self._reader):
            parts.setdefault("channels", []).append(channel_page(state.channels[key], self._reader))
        elif key == self._reader:
            self._add_own(parts, topic, change)

    def _add_own(self, parts: Json, topic: str, change: Change) -> None:
        state, me = self._state, self._reader
        if topic == "ephemeral":
            parts.setdefault("ephemerals", []).append(whisper_page(state.ephemerals[me][change[2]]))
        elif topic == "views":
            parts["views"] = [view_page(view) for view in state.modals.get(me, ())]
        elif topic == "home":
            parts["home"] = view_page(state.homes[me])


class Streams:
    """All open viewers."""

    def __init__(self, state: State, speed: Callable[[], float]) -> None:
        self._state = state
        self._speed = speed
        self._sockets: set[web.WebSocketResponse] = set()

    async def accept(self, request: web.Request) -> web.StreamResponse:
        reader = request.query.get("user", "")
        if reader not in self._state.people:
            return web.json_response({"ok": False, "error": f"nobody here is {reader!r}"}, status=404)
        socket = web.WebSocketResponse(heartbeat=30, timeout=0.5)
        await socket.prepare(request)
        viewer = Viewer(self._state, reader, self._speed)
        self._state.watchers.append(viewer.notice)
        self._sockets.add(socket)
        sending = asyncio.create_task(viewer.follow(socket))
        try:
            async for _ in socket:
                pass
        finally:
            self._state.watchers.remove(viewer.notice)
            self._sockets.discard(socket)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        return socket

    async def stop(self) -> None:
        await asyncio.gather(*(socket.close() for socket in tuple(self._sockets)), return_exceptions=True)
