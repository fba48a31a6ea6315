"""The bot's own small web server: /healthz, /readyz and /metrics, and in HTTP mode Slack's requests.

/healthz says that the process lives, /readyz that it can do its work; both name what is wrong.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Complaints = Callable[[], Awaitable[Sequence[str]]]


def build(
    alive: Complaints, ready: Complaints, metrics: Callable[[], bytes], slack_events: Handler | None
) -> web.Application:
    """The application; `alive` and `ready` give the reasons why not, none when all is well."""
    app = web.Application(client_max_size=4 * 2**20)
    app.router.add_get("/healthz", _probe(alive))
    app.router.add_get("/readyz", _probe(ready))
    app.router.add_get("/metrics", _page(metrics))
    if slack_events is not None:
        app.router.add_post("/slack/events", slack_events)
    return app


@asynccontextmanager
async def serve(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port, which matters when 0 was asked for."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _probe(complaints: Complaints) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        wrong = list(await complaints())
        return web.json_response({"ok": not wrong, "wrong": wrong}, status=503 if wrong else 200)

    return answer


def _page(metrics: Callable[[], bytes]) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=metrics(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    return answer
