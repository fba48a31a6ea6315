"""What a job's pods say: logs, events, a terminal (AIHC v1 reference §7.7, §9, §10, §13)."""

import base64
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from aiohttp import web

from bot.simulator.clouds.baidu.dialect import answer, bare
from bot.simulator.clouds.baidu.reading import job_of, moment, pod_of, required
from bot.simulator.clouds.baidu.spelling import event_time
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import whole
from bot.simulator.clouds.terminal import terminal_path
from bot.simulator.world import Job, Pod, World
from bot.simulator.world.job import JobEvent

MaxLines = Literal["last", "first"]


class Pods:
    """`max_lines`: whether `maxLines` means the last lines of the span, or the first with a marker for
    the rest (the reference leaves it open); `page_lines`: a page of a log without it."""

    def __init__(self, world: World, *, max_lines: MaxLines, page_lines: int, terminal_scheme: str) -> None:
        self._world, self._max_lines, self._page_lines = world, max_lines, page_lines
        self._scheme = terminal_scheme

    def routes(self) -> list[web.RouteDef]:
        pod = "/api/v1/aijobs/{jobId}/pods/{podName}"
        return [
            web.get("/api/v1/aijobs/{jobId}/events", self._job_events),
            web.get(f"{pod}/events", self._pod_events),
            web.get(f"{pod}/logs", self._logs),
            web.get(f"{pod}/webterminal", self._terminal),
        ]

    async def _job_events(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        return self._events(request, job, [event for event in self._world.events(job.id) if not event.pod])

    async def _pod_events(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        return self._events(request, job, [event for event in self._world.events(job.id) if event.pod == pod.name])

    def _events(self, request: web.Request, job: Job, events: list[JobEvent]) -> web.Response:
        if required(request, "jobFramework").lower() not in ("pytorchjob", "mpijob", "pytorch", "mpi"):
            raise Complaint(400, "InvalidParam", "jobFramework is not known")
        start = moment(request, "startTime", job.created_at)
        end = moment(request, "endTime", self._world.now())
        shown = [_event_shape(event) for event in reversed(events) if start <= event.at <= end]
        return bare({"events": shown, "total": len(shown)})

    async def _logs(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        start = moment(request, "startTime", job.created_at)
        end = moment(request, "endTime", self._world.now())
        shown, marker = self._page(request, job, pod, start, end)
        chunk = whole(request.query, "chunk", whole(request.query, "chunck", 0))
        return answer({"jobId": job.id, "podName": pod.name, "logs": _records(shown, chunk), "nextMarker": marker})

    def _page(self, request: web.Request, job: Job, pod: Pod, start: datetime, end: datetime) -> tuple[list[str], str]:
        most = whole(request.query, "maxLines", 0)
        first = _read_marker(request.query.get("marker", ""))
        if most and not first and self._max_lines == "last":
            return [line.text for line in self._world.log(job, pod, start, end, last=most)], ""
        lines = self._world.log(job, pod, start, end)
        after = first + (most or self._page_lines)
        return [line.text for line in lines[first:after]], _marker(after) if after < len(lines) else ""

    async def _terminal(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        if job.state.over:
            raise Complaint(400, "cce.warning.GetPodWebTerminalFailed", f"pod {pod.name} is not running")
        handshake = whole(request.query, "handshakeTimeoutSecond", 30)
        ping = min(3600, whole(request.query, "pingTimeoutSecond", 900))
        query = f"handshakeTimeoutSecond={handshake}&pingTimeoutSecond={ping}"
        url = f"{self._scheme}://{request.host}{terminal_path(pod.name, job.grain)}?{query}"
        return answer({"WebTerminalUrl": url})


def _event_shape(event: JobEvent) -> dict[str, Any]:
    return {
        "reason": event.reason,
        "message": event.message,
        "firstTimestamp": event_time(event.at),
        "lastTimestamp": event_time(event.at),
        "count": event.count,
        "type": "Warning" if event.warning else "Normal",
    }


def _records(lines: Sequence[str], chunk: int) -> list[str]:
    """`chunk` lines in each record; 0: all in one."""
    if not lines:
        return []
    size = chunk or len(lines)
    return ["\n".join(lines[at : at + size]) + "\n" for at in range(0, len(lines), size)]


def _marker(index: int) -> str:
    return base64.urlsafe_b64encode(f"line:{index}".encode()).decode()


def _read_marker(marker: str) -> int:
    if not marker:
        return 0
    try:
        return int(base64.urlsafe_b64decode(marker).decode().removeprefix("line:"))
    except ValueError:
        raise Complaint(400, "InvalidParam", "marker is not known") from None
