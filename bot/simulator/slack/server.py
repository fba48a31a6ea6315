"""The simulated Slack as one server: it wires the parts together, serves them on a loopback port, and is the Python
face that tests and the demo use."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from . import chat, conversations, directory, files, reactions
from .deliveries import Deliveries, Delivery
from .errors import SlackError
from .faults import Faults, suffer
from .journal import Call, Journal, twins
from .pace import Pace, PaceViolation
from .people import People
from .pushes import Pushes
from .records import Ephemeral, Json, Message, View
from .response_urls import ResponseUrls
from .sim_api import SimApi, own_pages_only, page_file
from .sockets import Sockets
from .state import Change, State
from .stream import Streams
from .timing import Timing
from .triggers import Triggers
from .views import view_methods
from .web_api import WebApi
from .workspace import Channel, Workspace

LARGEST_BODY = 64 * 1024 * 1024


class SlackServer:
    """One workspace behind HTTP. `clock` gives the workspace's time (aware UTC); `monotonic` gives real seconds for
    pace and triggers; `speed` says how fast the clock runs, for the page."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        clock: Callable[[], datetime],
        seed: int = 1,
        timing: Timing | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        speed: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self.state = State(workspace, clock, seed, timing or Timing())
        self.journal = Journal()
        self.faults = Faults(self._channel_id)
        self.pace = Pace(monotonic)
        self.sockets = Sockets(self.state)
        self.pushes = Pushes(self.state, workspace.app.request_url) if workspace.app.request_url else None
        self.deliveries = Deliveries(self.state, self.pushes or self.sockets)
        self.triggers = Triggers(monotonic, self.state.timing.trigger, self.state.new_id)
        self._response_urls = ResponseUrls(self.state)
        self.people = People(self.state, self.deliveries, self.triggers, self._response_urls)
        self._streams = Streams(self.state, speed)
        self._sim = SimApi(self.state, self.people, self.faults)
        tables = (chat, conversations, directory, files, reactions)
        methods = {name: method for table in tables for name, method in table.METHODS.items()}
        methods |= view_methods(self.triggers) | self.sockets.methods()
        self._web_api = WebApi(self.state, methods, self.faults, self.journal, self.pace)
        self.url = ""
        self.api_url = ""

    def _channel_id(self, name: str) -> str:
        found = self.state.find_channel(name)
        return found.id if found else name

    @asynccontextmanager
    async def serve(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator["SlackServer"]:
        """Serve until the block is left; then every link, stream and timer is ended."""
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port)
            await site.start()
            self.url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{runner.addresses[0][1]}"
            self.api_url = f"{self.url}/api/"
            self.state.base_url = self.url
            yield self
        finally:
            await self._stop()
            await runner.cleanup()

    async def _stop(self) -> None:
        self.state.timers.cancel()
        await self.deliveries.stop()
        await asyncio.gather(self.sockets.stop(), self._streams.stop())
        if self.pushes is not None:
            await self.pushes.stop()

    def _application(self) -> web.Application:
        application = web.Application(client_max_size=LARGEST_BODY, middlewares=[own_pages_only])
        application.add_routes(
            [
                web.route("*", "/api/{method}", self._web_api.handle),
                web.get("/link", self.sockets.accept),
                web.post("/response/{token}", self._respond),
                web.post("/upload/v1/{token}", self._upload),
                web.get("/sim/stream", self._streams.accept),
                web.get("/", self._index),
                web.get("/archives/{channel}", self._archive),
                web.get(r"/archives/{channel}/p{digits:\d{7,}}", self._archive),
                web.get("/page/{file:.+}", self._page),
                *self._sim.routes(),
            ]
        )
        return application

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return page_file("index.html")

    async def _archive(self, request: web.Request) -> web.StreamResponse:
        """A permalink, opened in a window of its own, leads to its place on the page."""
        digits = request.match_info.get("digits", "")
        place = {"channel": request.match_info["channel"], "thread": request.query.get("thread_ts", "")}
        place["message"] = f"{digits[:-6]}.{digits[-6:]}" if digits else ""
        raise web.HTTPFound(f"/?{urlencode({name: value for name, value in place.items() if value})}")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        return page_file(request.match_info["file"])

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        token = request.match_info["token"]
        try:
            body: Any = await request.json()
        except ValueError:
            body = None
        channel = self._response_urls.channel_of(token)

        def commit() -> web.Response:
            return self._carry_out(token, channel, body)

        fault = self.faults.take("response_url", channel)
        return commit() if fault is None else await suffer(fault, request, commit)

    def _carry_out(self, token: str, channel: str, body: Any) -> web.Response:
        try:
            if not isinstance(body, dict):
                raise SlackError("invalid_payload")
            self._response_urls.answer(token, body)
        except SlackError as error:
            self._note("response_url", {"channel": channel}, error.error)
            gone = error.error in ("no_service", "used_url", "expired_url")
            return web.json_response(error.to_json(), status=404 if gone else 400)
        self._note("response_url", body | {"channel": channel}, "ok")
        return web.json_response({"ok": True})

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        data = await _uploaded(request)

        def commit() -> web.Response:
            problem = files.receive_bytes(self.state, request.match_info["token"], data)
            self._note("upload", {"bytes": len(data)}, problem or "ok")
            return web.Response(text=problem or f"OK - {len(data)}", status=400 if problem else 200)

        fault = self.faults.take("upload", "")
        return commit() if fault is None else await suffer(fault, request, commit)

    def _note(self, method: str, args: Json, outcome: str) -> None:
        self.journal.note(Call(method, args, self.state.clock(), outcome, outcome == "ok"))

    @property
    def requests(self) -> list[Call]:
        return list(self.journal.calls)

    @property
    def pace_violations(self) -> list[PaceViolation]:
        return self.pace.violations

    @property
    def delivered(self) -> list[Delivery]:
        """Every attempt to bring something to the app, with its result."""
        return list(self.deliveries.records)

    def duplicates(self) -> list[list[Message]]:
        """Posts of the app that say the same in the same place: what a retry without a look-up leaves behind."""
        return twins(
            m
            for messages in self.state.messages.values()
            for m in messages.values()
            if m.user == self.state.app.user_id
        )

    def messages(self, channel: str) -> list[Message]:
        """What stands in a channel, replies included, oldest first, without deleted messages."""
        return self.state.visible(self.state.channel(channel).id)

    def thread(self, channel: str, ts: str) -> list[Message]:
        """The replies to one message, oldest first."""
        return self.state.replies(self.state.channel(channel).id, ts)

    def direct_messages(self, user: str) -> list[Message]:
        return self.state.visible(self.state.direct_channel(user).id)

    def ephemerals(self, user: str) -> list[Ephemeral]:
        return [whisper for whisper in self.state.ephemerals[user].values() if not whisper.is_deleted]

    def views(self, user: str) -> list[View]:
        """The person's open modals, the top one last."""
        return list(self.state.modals.get(user, ()))

    def home(self, user: str) -> View | None:
        return self.state.homes.get(user)

    def change_channel(self, channel: str, *, bot_is_member: bool | None = None, **changes: Any) -> Channel:
        """Archive, rename, lock…: any field of Channel, and whether the app is in it. The app hears what it would."""
        found = self.state.channel(channel)
        me = {self.state.app.user_id}
        if bot_is_member is not None:
            changes["members"] = found.members | me if bot_is_member else found.members - me
        return self.people.change_channel(found, **changes)

    def change_person(self, user: str, **changes: Any) -> None:
        """Rename, deactivate, move to another zone…: any field of Person."""
        self.state.people[user] = replace(self.state.person(user), **changes)

    def change_app(self, **changes: Any) -> None:
        """Take scopes or events away, hide the Home tab…: any field of App."""
        self.state.app = replace(self.state.app, **changes)

    async def until_delivered(self, count: int, within: float = 5.0) -> None:
        """Wait until `count` deliveries have ended, with or without an ack. Raises TimeoutError."""
        await self.until(lambda: len(self.deliveries.records) >= count, within)

    async def until(self, condition: Callable[[], object], within: float = 5.0) -> None:
        """Wait until `condition()` holds, looking again after every change. Raises TimeoutError."""
        woken = asyncio.Event()

        def wake(change: Change) -> None:
            woken.set()

        self.state.watchers.append(wake)
        try:
            async with asyncio.timeout(within):
                while not condition():
                    woken.clear()
                    await woken.wait()
        finally:
            self.state.watchers.remove(wake)


async def _uploaded(request: web.Request) -> bytes:
    """The bytes of an upload: the raw body, or the one file of a multipart form."""
    if not request.content_type.startswith("multipart/"):
        return await request.read()
    async for part in await request.multipart():
        if getattr(part, "filename", None) or getattr(part, "name", "") in ("file", "filename"):
            return bytes(await part.read())  # type: ignore[union-attr]
    return b""
