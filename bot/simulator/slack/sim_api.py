"""/sim/*: the persons' calls and the switches of the simulated Slack as HTTP with JSON, for the page and for
scripts."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from .errors import PersonError, SlackError
from .faults import Faults, describe, fault_from
from .outcome import Outcome
from .people import People
from .records import Json
from .snapshot import state_json
from .state import State

PAGE = Path(__file__).resolve().parent.parent / "page"
CHANNEL_SWITCHES = frozenset({"is_archived", "posting", "name", "topic", "purpose"})


def _word(order: Json, name: str, default: str | None = None) -> str:
    value = order.get(name, default)
    if value is None:
        raise PersonError(f"{name} is missing")
    if not isinstance(value, str):
        raise PersonError(f"{name} must be a string")
    return value


class SimApi:
    """Routes under /sim. A person's mistake is an answer with ok=false and a sentence, not an HTTP error."""

    def __init__(self, state: State, people: People, faults: Faults) -> None:
        self._state = state
        self._people = people
        self._faults = faults

    def routes(self) -> list[web.RouteDef]:
        calls: dict[str, Callable[[Json], Awaitable[Outcome]]] = {
            "command": self._command,
            "click": self._click,
            "submit": self._submit,
            "say": self._say,
            "home": self._home,
            "close": self._close,
            "suggest": self._suggest,
            "delete": self._delete,
            "channel": self._channel,
            "faults": self._add_fault,
        }
        posts = [web.post(f"/sim/{name}", self._handler(call)) for name, call in calls.items()]
        return [
            *posts,
            web.get("/sim/state", self._get_state),
            web.get("/sim/faults", self._get_faults),
            web.delete("/sim/faults", self._clear_faults),
            web.get("/sim/files/{id}", self._get_file),
        ]

    def _handler(self, call: Callable[[Json], Awaitable[Outcome]]) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                outcome = await call(await _order(request))
            except (PersonError, ValueError) as error:
                outcome = Outcome(False, error=str(error))
            except SlackError as error:
                outcome = Outcome(False, error=error.error)
            return web.json_response(outcome.to_json())

        return handle

    async def _command(self, order: Json) -> Outcome:
        return await self._people.command(_word(order, "user"), _word(order, "channel"), _word(order, "text", ""))

    async def _click(self, order: Json) -> Outcome:
        view_id = _word(order, "view_id", "")
        return await self._people.click(
            _word(order, "user"),
            _word(order, "channel", "" if view_id else None),
            _word(order, "ts", "" if view_id else None),
            _word(order, "action_id"),
            block_id=_word(order, "block_id", ""),
            value=order.get("value"),
            view_id=view_id,
        )

    async def _submit(self, order: Json) -> Outcome:
        given = order.get("values") or {}
        if not isinstance(given, dict):
            raise PersonError("values must be an object")
        return await self._people.submit(_word(order, "user"), _word(order, "view_id"), given)

    async def _say(self, order: Json) -> Outcome:
        thread_ts = order.get("thread_ts") or ""
        return await self._people.say(_word(order, "user"), _word(order, "channel"), _word(order, "text"), thread_ts)

    async def _home(self, order: Json) -> Outcome:
        return await self._people.home(_word(order, "user"))

    async def _close(self, order: Json) -> Outcome:
        return await self._people.close(_word(order, "user"), _word(order, "view_id"))

    async def _suggest(self, order: Json) -> Outcome:
        return await self._people.suggest(
            _word(order, "user"),
            _word(order, "action_id"),
            _word(order, "value", ""),
            channel=_word(order, "channel", ""),
            ts=_word(order, "ts", ""),
            view_id=_word(order, "view_id", ""),
        )

    async def _delete(self, order: Json) -> Outcome:
        return self._people.delete(_word(order, "channel"), _word(order, "ts"))

    async def _channel(self, order: Json) -> Outcome:
        """Change a channel: is_archived, posting, name, topic, purpose, bot_is_member, locked_threads."""
        channel = self._state.channel(_word(order, "channel"))
        changes: dict[str, Any] = {name: order[name] for name in CHANNEL_SWITCHES & set(order)}
        if "bot_is_member" in order:
            me = {self._state.app.user_id}
            changes["members"] = channel.members | me if order["bot_is_member"] else channel.members - me
        if "locked_threads" in order:
            changes["locked_threads"] = frozenset(order["locked_threads"])
        self._people.change_channel(channel, by=_word(order, "user", ""), **changes)
        return Outcome(True)

    async def _add_fault(self, order: Json) -> Outcome:
        times = order.get("times", 1)
        self._faults.add(
            _word(order, "method"),
            fault_from(order),
            times=None if times is None else int(times),
            channel=order.get("channel"),
            skip=int(order.get("skip", 0)),
        )
        return Outcome(True)

    async def _get_faults(self, request: web.Request) -> web.Response:
        return web.json_response({"ok": True, "faults": [describe(rule) for rule in self._faults.rules]})

    async def _clear_faults(self, request: web.Request) -> web.Response:
        self._faults.clear()
        return web.json_response({"ok": True})

    async def _get_state(self, request: web.Request) -> web.Response:
        return web.json_response(state_json(self._state))

    async def _get_file(self, request: web.Request) -> web.Response:
        file = self._state.files.get(request.match_info["id"])
        if file is None or file.data is None or not file.is_complete:
            raise web.HTTPNotFound(text="no such file")
        return web.Response(body=file.data, content_type=file.mimetype)


async def _order(request: web.Request) -> Json:
    try:
        order = json.loads(await request.text() or "{}")
    except ValueError:
        raise PersonError("the body is not JSON") from None
    if not isinstance(order, dict):
        raise PersonError("the body must be a JSON object")
    return order


def page_file(name: str) -> web.FileResponse:
    """A file of the page for people; nothing outside its folder."""
    path = (PAGE / name).resolve()
    if PAGE not in path.parents or not path.is_file():
        raise web.HTTPNotFound(text="no such page")
    return web.FileResponse(path, headers={"Cache-Control": "no-cache"})


@web.middleware
async def own_pages_only(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Another site's page, open in the same browser, has no business here."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        return web.json_response({"ok": False, "error": "other sites may not call this"}, status=403)
    return await handler(request)
