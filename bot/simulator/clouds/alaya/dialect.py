"""How Alaya answers: status, message and data in the body, whatever the HTTP status (Alaya reference §4
and §3.4)."""

import json
from typing import Any

from aiohttp import web

from bot.simulator.clouds.alaya.signature import Door
from bot.simulator.clouds.serving import target
from bot.simulator.world import World

_MESSAGES = {403: "Forbidden", 404: "Not Found", 429: "Too Many Requests", 503: "Service Unavailable"}


class AlayaDialect:
    """`html_for_docs_prefix`: a path without the prefix gives the web app's page, as was seen."""

    def __init__(self, world: World, door: Door, *, html_for_docs_prefix: bool, unknown_as_html: bool) -> None:
        self._world, self._door = world, door
        self._html_for_docs_prefix, self._unknown_as_html = html_for_docs_prefix, unknown_as_html

    def failure(self, status: int, code: str, message: str) -> web.Response:
        """`code`, when numeric, is the status in the body."""
        inner = int(code) if code.isdigit() else status
        return envelope({}, status=inner, message=message or _usual(inner), http=status)

    def business(self, code: str, message: str) -> web.Response:
        inner = int(code) if code.isdigit() else 403
        return envelope({}, status=inner, message=message or _usual(inner))

    def throttled(self, status: int | None, retry_after: float | None) -> web.Response:
        response = self.failure(status or 429, "", "")
        if retry_after is not None:
            response.headers["Retry-After"] = f"{retry_after:g}"
        return response

    def no_route(self, path: str) -> web.Response:
        return web_app() if self._unknown_as_html else self.failure(404, "", "")

    async def verify(self, request: web.Request) -> None:
        path, _ = target(request)
        if self._html_for_docs_prefix and path.startswith("/v1/"):
            raise web.HTTPNotFound
        self._door.check(self._world.now(), request.method, path, request.headers.get("Authorization"))


def web_app() -> web.Response:
    """What the platform answers where no API lies: its web app."""
    page = "<!doctype html><html><head><title>Alaya NeW</title></head><body><div id=app></div></body></html>"
    return web.Response(text=page, content_type="text/html")


def envelope(data: Any, *, status: int = 200, message: str = "OK", http: int = 200) -> web.Response:
    body = json.dumps({"status": status, "message": message, "data": data}, ensure_ascii=False)
    return web.Response(status=http, body=body.encode(), headers={"Content-Type": "application/json"})


def _usual(status: int) -> str:
    return _MESSAGES.get(status, "Internal Server Error")
