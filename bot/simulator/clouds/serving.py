"""Runs one simulated cloud on a free port of this machine: notes each request, lets faults and outages
have their way, checks the signature, and only then asks the platform's own handlers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from bot.simulator.clouds.dialect import Complaint, Dialect
from bot.simulator.clouds.faults import Faults
from bot.simulator.clouds.misbehave import misbehave, stall
from bot.simulator.clouds.terminal import terminal_routes
from bot.simulator.world import Service, World

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_OUTAGE_STALL = 30.0
_MOST_REQUESTS = 20_000
_OPEN_PATHS = ("/sim/", "/terminal/")


@dataclass(frozen=True, slots=True)
class Seen:
    """One request that reached the cloud; `query` is the raw text, `at` the world's time, `status` 0
    when no answer was sent."""

    method: str
    path: str
    query: str
    status: int
    at: datetime


@dataclass(slots=True)
class Serving:
    """A running cloud: where it is, what to do wrong, what was asked of it."""

    world: World
    service: Service
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    requests: list[Seen] = field(default_factory=list)

    def remember(self, seen: Seen) -> None:
        """Keeps the newest requests: a demo may run for days."""
        self.requests.append(seen)
        if len(self.requests) > _MOST_REQUESTS:
            del self.requests[: _MOST_REQUESTS // 2]

    @property
    def endpoint(self) -> str:
        """Host and port, without a scheme."""
        return self.url.removeprefix("http://")


def target(request: web.Request) -> tuple[str, str]:
    """Path and query exactly as they came over the wire."""
    path, _, query = request.raw_path.partition("?")
    return path, query


@asynccontextmanager
async def serve(
    serving: Serving, routes: list[web.RouteDef], dialect: Dialect, host: str, port: int
) -> AsyncIterator[Serving]:
    app = web.Application(middlewares=[_note(serving), _disturb(serving, dialect), _speak(dialect)])
    app.add_routes([*routes, *_fault_routes(serving), *terminal_routes()])
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.2)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        serving.url = f"http://{host}:{runner.addresses[0][1]}"
        yield serving
    finally:
        await runner.cleanup()


def _note(serving: Serving) -> Any:
    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        path, query = target(request)
        if path.startswith("/sim/"):
            return await handler(request)
        status = 0
        try:
            response = await handler(request)
            status = 0 if _cut(request) else response.status
            return response
        finally:
            serving.remember(Seen(request.method, request.path, query, status, serving.world.now()))

    return note


def _cut(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _disturb(serving: Serving, dialect: Dialect) -> Any:
    @web.middleware
    async def disturb(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith(_OPEN_PATHS):
            return await handler(request)
        fault = serving.faults.take(request.method, request.path)
        if fault is not None:
            return await misbehave(request, fault, dialect, lambda: handler(request))
        outage = serving.world.outage(serving.service)
        if outage is not None:
            if serving.world.now() >= outage.stalls_at:
                return await stall(_OUTAGE_STALL)
            return dialect.failure(503, "", "")
        return await handler(request)

    return disturb


def _speak(dialect: Dialect) -> Any:
    @web.middleware
    async def speak(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if not request.path.startswith(_OPEN_PATHS):
                await dialect.verify(request)
            return await handler(request)
        except Complaint as complaint:
            return dialect.failure(complaint.status, complaint.code, complaint.message)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            return dialect.no_route(request.path)

    return speak


def _fault_routes(serving: Serving) -> list[web.RouteDef]:
    async def add(request: web.Request) -> web.Response:
        given = await request.json()
        try:
            for each in given if isinstance(given, list) else [given]:
                serving.faults.add(**each)
        except (TypeError, ValueError) as problem:
            return web.json_response({"error": str(problem)}, status=400)
        return web.json_response({"faults": serving.faults.listing()})

    async def listing(request: web.Request) -> web.Response:
        return web.json_response({"faults": serving.faults.listing()})

    async def clear(request: web.Request) -> web.Response:
        serving.faults.clear()
        return web.json_response({"faults": []})

    return [web.post("/sim/faults", add), web.get("/sim/faults", listing), web.delete("/sim/faults", clear)]
