"""A peer that is always as quick as it says: AIHC's and Alaya's answers about a fleet, made once, given after 50 ms.

It runs as a process of its own, since the bot and its peer would otherwise share one core and the bench would measure
the peer. It checks no signature; the simulators do that. `/seen` tells how many requests came, how many at once, and
how long an answer takes here and now for a bare client that does nothing else: on a busy machine that is more than
50 ms, and no sweep could be quicker.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

from aiohttp import web

POOL = "cce-ab12cd34"
PODS = 8
PAGE = 100
BARE = "/bare"
ALAYA = "/v1/training/instance"
MINUTES = 60

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Seen:
    requests: int = 0
    running: int = 0
    most_at_once: int = 0
    felt: list[float] = field(default_factory=list)  # seconds of the bare client's calls


@dataclass
class Answerer:
    """`jobs` of 8 pods each; every answer but `/seen` takes `latency` seconds."""

    jobs: int
    latency: float
    seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        now = int(time.time())
        self._jobs = [_job(number, now) for number in range(self.jobs)]
        self._aihc_use = _body({"requestId": "r", "result": {"podMetrics": [_use(pod, now) for pod in range(PODS)]}})
        self._alaya_pods = _alaya([{"podName": f"worker-{pod}", "status": "Running"} for pod in range(PODS)])
        self._alaya_use = _alaya(_alaya_curves(now))

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._take_time])
        app.add_routes(
            [
                web.get("/seen", self._tell),
                web.get(BARE, self._given(self._aihc_use)),
                web.get("/api/v1/aijobs", self._list),
                web.get("/api/v1/aijobs/{id}/metrics", self._given(self._aihc_use)),
                web.get(f"{ALAYA}/list", self._list_alaya),
                web.get(ALAYA + "/{id}/pods", self._given(self._alaya_pods)),
                web.get(ALAYA + "/{id}/{pod}/gpu-metrics", self._given(self._alaya_use)),
            ]
        )
        return app

    @web.middleware
    async def _take_time(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in ("/seen", BARE):
            await asyncio.sleep(self.latency if request.path == BARE else 0)
            return await handler(request)
        seen = self.seen
        seen.requests += 1
        seen.running += 1
        seen.most_at_once = max(seen.most_at_once, seen.running)
        await asyncio.sleep(self.latency)
        seen.running -= 1
        return await handler(request)

    def _given(self, body: bytes) -> Handler:
        async def handle(_: web.Request) -> web.Response:
            return _json(body)

        return handle

    async def _tell(self, _: web.Request) -> web.Response:
        seen = self.seen
        told = {"requests": seen.requests, "most_at_once": seen.most_at_once, "latency": fmean(seen.felt)}
        self.seen = Seen()
        return web.json_response(told)

    async def _list(self, request: web.Request) -> web.Response:
        rows = self._page(request)
        return _json(_body({"requestId": "r", "result": {"jobs": rows, "total": len(self._jobs)}}))

    async def _list_alaya(self, request: web.Request) -> web.Response:
        return _json(_alaya({"records": self._page(request), "totalRows": len(self._jobs)}))

    def _page(self, request: web.Request) -> list[dict[str, Any]]:
        number = int(request.query["pageNo"])
        return self._jobs[(number - 1) * PAGE : number * PAGE]


def _job(number: int, now: int) -> dict[str, Any]:
    """One record that both platforms' listings may hold, as each reads only the keys it knows."""
    began = datetime.fromtimestamp(now - 7200, UTC)
    job_id = f"pytorchjob-{number:08d}-3a44-4c1b-9d0e-5b8f2f6a9e01"
    return {
        "jobId": job_id,
        "id": job_id,
        "name": f"训练-{number}",
        "resourcePoolId": POOL,
        "queue": "default",
        "status": "Running",
        "jobFramework": "PyTorchJob",
        "replicas": PODS,
        "resources": [{"name": "baidu.com/a800_80g_cgpu", "quantity": 8}],
        "resource": {"workerCount": PODS, "gpuCount": "8", "gpuName": "NVIDIA-A800-NV-80G"},
        "createdAt": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "runningAt": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "startTime": (began + timedelta(hours=8)).strftime("%Y-%m-%d %H:%M:%S"),
        "command": "torchrun --nproc-per-node 8 train.py " + "--option value " * 20,
    }


def _use(pod: int, now: int) -> dict[str, Any]:
    samples = [{"time": now - 60 * minute, "value": 40 + (pod + minute) % 50} for minute in range(MINUTES)]
    return {"podName": f"worker-{pod}", "metrics": samples}


def _alaya_curves(now: int) -> dict[str, Any]:
    times = [now - 60 * minute for minute in range(MINUTES)]
    samples = [{"timestamp": at, "value": "0.53"} for at in times]
    cards = [{"type": "gpu", "gpuName": f"NVIDIA-A800-NV-80G-{card}", "metricData": samples} for card in range(8)]
    return {"metricData": cards}


def _alaya(data: object) -> bytes:
    return _body({"status": 200, "message": "OK", "data": data})


def _body(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")


async def _serve(jobs: int, latency: float) -> None:
    """Serve until the standard input is closed; the address is the first line of the output."""
    answerer = Answerer(jobs, latency)
    runner = web.AppRunner(answerer.app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    print(f"http://127.0.0.1:{port}", flush=True)
    feeling = asyncio.create_task(_feel(answerer, port))
    await asyncio.to_thread(sys.stdin.read)
    feeling.cancel()
    await runner.cleanup()


async def _feel(answerer: Answerer, port: int) -> None:
    """One call after the other over one connection, as bare as can be."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        began = time.perf_counter()
        writer.write(f"GET {BARE} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        answerer.seen.felt.append(time.perf_counter() - began)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
