"""Calls that no vendor page describes, in the form our reference proposes (Alaya reference §6): each can
be switched off, and is then not there."""

from collections.abc import Collection
from typing import Any

from aiohttp import web

from bot.simulator.clouds.alaya.dialect import envelope
from bot.simulator.clouds.alaya.shapes import detail, pod_resource
from bot.simulator.clouds.alaya.training import ROOT, job_of, pod_of
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import beijing, from_beijing, whole
from bot.simulator.world import Refused, World
from bot.simulator.world.job import JobEvent

OPERATIONS = frozenset({"detail", "stop", "delete", "resource", "schedule", "logs", "events"})


class Proposed:
    def __init__(self, world: World, operations: Collection[str]) -> None:
        unknown = set(operations) - OPERATIONS
        if unknown:
            raise ValueError(f"no such operations: {', '.join(sorted(unknown))}")
        self._world, self._operations = world, operations

    def routes(self, prefix: str) -> list[web.RouteDef]:
        job, pod = f"{prefix}{ROOT}/{{id}}", f"{prefix}{ROOT}/{{id}}/{{podName}}"
        routes = [
            ("detail", web.get(job, self._detail)),
            ("stop", web.post(f"{job}/stop", self._stop)),
            ("delete", web.delete(f"{job}/delete", self._delete)),
            ("events", web.get(f"{job}/events", self._job_events)),
            ("events", web.get(f"{pod}/events", self._pod_events)),
            ("resource", web.get(f"{pod}/resource", self._resource)),
            ("schedule", web.get(f"{pod}/schedule", self._schedule)),
            ("logs", web.get(f"{pod}/logs", self._logs)),
        ]
        return [route for operation, route in routes if operation in self._operations]

    async def _detail(self, request: web.Request) -> web.Response:
        return envelope(detail(job_of(self._world, request)))

    async def _stop(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        try:
            self._world.stop_job(job.id)
        except Refused as refusal:
            raise Complaint(200, "500", f"stop failed: {refusal}") from None
        return envelope({})

    async def _delete(self, request: web.Request) -> web.Response:
        self._world.delete_job(job_of(self._world, request).id)
        return envelope({})

    async def _job_events(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        return envelope([_event(event) for event in reversed(self._world.events(job.id))])

    async def _pod_events(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        events = [event for event in self._world.events(job.id) if event.pod == pod.name]
        return envelope([_event(event) for event in reversed(events)])

    async def _resource(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        return envelope(pod_resource(job, pod_of(job, request)))

    async def _schedule(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        return envelope({"podName": pod.name, "nodeName": pod.node, "scheduledTime": beijing(job.scheduled_at)})

    async def _logs(self, request: web.Request) -> web.Response:
        """The last `tail` lines (100) of the span."""
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        try:
            start = from_beijing(request.query["startTime"]) if request.query.get("startTime") else job.created_at
            end = from_beijing(request.query["endTime"]) if request.query.get("endTime") else None
        except ValueError:
            raise Complaint(200, "400", "startTime and endTime must be times") from None
        lines = self._world.log(job, pod, start, end, last=whole(request.query, "tail", 100))
        return envelope({"lines": [line.text for line in lines], "offset": len(lines)})


def _event(event: JobEvent) -> dict[str, Any]:
    return {
        "type": "Warning" if event.warning else "Normal",
        "reason": event.reason,
        "message": event.message,
        "podName": event.pod,
        "count": event.count,
        "firstTime": beijing(event.at),
        "lastTime": beijing(event.at),
    }
