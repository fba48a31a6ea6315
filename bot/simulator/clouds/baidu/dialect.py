"""How Baidu AIHC answers: its envelope, its errors with all three keys, its request ids (AIHC v1
reference §1.3 and §3)."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.simulator.clouds.baidu import signature
from bot.simulator.clouds.serving import target
from bot.simulator.world import World

_JSON = "application/json; charset=utf-8"
_CODES = {400: "InvalidParam", 403: "AccessDenied", 404: "InvalidURI", 412: "PreconditionFailed"}


class BaiduDialect:
    def __init__(self, world: World, keys: Mapping[str, str]) -> None:
        self._world, self._keys = world, keys

    def failure(self, status: int, code: str, message: str) -> web.Response:
        code = code or _CODES.get(status, "InternalError")
        return body_of({"code": code, "message": message or "service internal error"}, "requestId", status=status)

    def business(self, code: str, message: str) -> web.Response:
        """Not known of this platform: an error body next to HTTP 200."""
        return body_of({"code": code or "InternalError", "message": message or "failed"}, "requestId")

    def throttled(self, status: int | None, retry_after: float | None) -> web.Response:
        response = self.failure(status or 429, "RequestLimitExceeded", "too many requests")
        if retry_after is not None:
            response.headers["Retry-After"] = f"{retry_after:g}"
        return response

    def no_route(self, path: str) -> web.Response:
        return self.failure(404, "InvalidURI", f"could not parse the URI {path}")

    async def verify(self, request: web.Request) -> None:
        path, query = target(request)
        signature.check(self._keys, self._world.now(), request.method, path, query, request.headers)


def answer(result: Mapping[str, Any], *, key: str = "requestId") -> web.Response:
    """The success envelope; queue calls spell the key `requestID`."""
    return body_of({"result": result}, key)


def bare(body: Mapping[str, Any]) -> web.Response:
    """A body without envelope, as events have it."""
    return _json(dict(body), 200, str(uuid.uuid4()))


def body_of(body: Mapping[str, Any], key: str, *, status: int = 200) -> web.Response:
    request_id = str(uuid.uuid4())
    return _json({key: request_id, **body}, status, request_id)


def _json(body: Mapping[str, Any], status: int, request_id: str) -> web.Response:
    text = json.dumps(body, ensure_ascii=False).encode()
    return web.Response(status=status, body=text, headers={"Content-Type": _JSON, "x-bce-request-id": request_id})
