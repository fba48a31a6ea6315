"""Performs a fault on one request: what the client sees on the wire."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.simulator.clouds.dialect import Dialect
from bot.simulator.clouds.faults import Fault

Answer = Callable[[], Awaitable[web.StreamResponse]]
_PAGE = "<!doctype html><html><head><title>{status}</title></head><body>网关 gateway {status}</body></html>"
_DRIPS = 10
_USUAL_SECONDS = 2.0
_FOR_EVER = 3600.0
_TYPE = "application/json; charset=utf-8"


async def misbehave(request: web.Request, fault: Fault, dialect: Dialect, answer: Answer) -> web.StreamResponse:
    """The faulty answer; `answer` gives the right one where the fault spoils it."""
    match fault.kind:
        case "status":
            return dialect.failure(fault.status or 503, fault.code, fault.message)
        case "business":
            return dialect.business(fault.code, fault.message)
        case "throttle":
            return dialect.throttled(fault.status, fault.retry_after)
        case "html":
            status = fault.status or 200
            return web.Response(status=status, text=_PAGE.format(status=status), content_type="text/html")
        case "empty":
            return web.Response(status=fault.status or 200, content_type="application/json")
        case "hang":
            return await stall(fault.seconds or _FOR_EVER)
        case "slow":
            await asyncio.sleep(_seconds(fault))
            return await answer()
        case "drop":
            return drop(request)
        case "truncate" | "charset":
            return _spoil(fault, await answer())
        case "drip":
            return await _drip(request, fault, await answer())


def _seconds(fault: Fault) -> float:
    return _USUAL_SECONDS if fault.seconds is None else fault.seconds


async def stall(seconds: float) -> web.StreamResponse:
    """No answer until the client gives up (the handler is then cancelled) or the time is over."""
    await asyncio.sleep(seconds)
    return web.Response(status=504)


def drop(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _spoil(fault: Fault, answer: web.StreamResponse) -> web.StreamResponse:
    body = _bytes(answer)
    spoilt = _in_gb18030(body) if fault.kind == "charset" else body[: len(body) // 2]
    return web.Response(status=answer.status, body=spoilt, headers={"Content-Type": _TYPE})


def _in_gb18030(body: bytes) -> bytes:
    """The same object with one Chinese key, so that the bytes are never valid UTF-8."""
    return json.dumps({"备注": "编码", **json.loads(body)}, ensure_ascii=False).encode("gb18030")


async def _drip(request: web.Request, fault: Fault, answer: web.StreamResponse) -> web.StreamResponse:
    body = _bytes(answer)
    slow = web.StreamResponse(status=answer.status, headers={"Content-Type": _TYPE})
    slow.content_length = len(body)
    await slow.prepare(request)
    size = max(1, len(body) // _DRIPS)
    for start in range(0, len(body), size):
        await asyncio.sleep(_seconds(fault) / _DRIPS)
        await slow.write(body[start : start + size])
    await slow.write_eof()
    return slow


def _bytes(answer: web.StreamResponse) -> bytes:
    body = answer.body if isinstance(answer, web.Response) else b""
    return body if isinstance(body, bytes) else b""
