"""Metrics of a job by pod (AIHC v1 reference §11): seconds and text, ratios as percent, averaged over the
pod's GPUs."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from bot.simulator.clouds.baidu.dialect import answer
from bot.simulator.clouds.baidu.reading import job_of, moment, required
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.odd_samples import spoil_samples
from bot.simulator.clouds.spelling import decimal
from bot.simulator.world import Job, Pod, World
from bot.simulator.world.metrics import AMOUNTS, RATIOS, Reading

PERCENT = {
    "GpuUsage": RATIOS["gpu"],
    "GpuMemoryUsage": RATIOS["gpu_memory"],
    "CpuUsage": RATIOS["cpu"],
    "MemoryUsage": RATIOS["memory"],
    "GpuPipeTensorUsage": RATIOS["tensor"],
}
PLAIN = {
    "DiskReadRate": AMOUNTS["disk_read"],
    "DiskWriteRate": AMOUNTS["disk_write"],
    "RDMASendDataRate": AMOUNTS["rdma_send"],
    "RDMARecvDataRate": AMOUNTS["rdma_receive"],
    "PCIESendDataRate": AMOUNTS["pcie_send"],
    "PCIERecvDataRate": AMOUNTS["pcie_receive"],
    "NVLinkSendDataRate": AMOUNTS["nvlink_send"],
    "NVLinkRecvDataRate": AMOUNTS["nvlink_receive"],
    "GpuTemperature": AMOUNTS["heat"],
    "GpuPowerUsage": AMOUNTS["power"],
    "RDMAHealth": AMOUNTS["rdma_health"],
    "RDMASendErrorRate": AMOUNTS["rdma_send_errors"],
    "RDMARecvErrorRate": AMOUNTS["rdma_receive_errors"],
    "RDMASendPacketsRate": AMOUNTS["rdma_send_packets"],
    "RDMARecvPacketsRate": AMOUNTS["rdma_receive_packets"],
    "CpuTime": AMOUNTS["cpu_time"],
    "MemoryAllocation": AMOUNTS["memory_bytes"],
}
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_MOST_SAMPLES = 20_000


class Metrics:
    """`strict`: an unknown metric type is an error, else an empty series; `odd_samples`: some are no
    numbers."""

    def __init__(self, world: World, *, strict: bool, odd_samples: bool) -> None:
        self._world, self._strict, self._odd = world, strict, odd_samples

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/aijobs/{jobId}/metrics", self._metrics)]

    async def _metrics(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        kind = required(request, "metricType")
        if self._strict and kind not in PERCENT and kind not in PLAIN:
            raise Complaint(400, "InvalidParam", f"metricType {kind} is not known")
        times = list(self._times(request, job))
        series = [
            {"podName": pod.name, "metrics": self._samples(job, pod, kind, times)} for pod in job.pods if pod.node
        ]
        return answer({"jobId": job.id, "podMetrics": series if kind in PERCENT or kind in PLAIN else []})

    def _samples(self, job: Job, pod: Pod, kind: str, times: list[datetime]) -> list[dict[str, Any]]:
        samples = _samples(job, pod, kind, times)
        return spoil_samples(samples) if self._odd else samples

    def _times(self, request: web.Request, job: Job) -> Iterator[datetime]:
        now = self._world.now()
        start = moment(request, "startTime", job.running_at or job.created_at)
        end = min(now, moment(request, "endTime", job.finished_at or now))
        step = _step(request.query.get("timeStep", ""))
        at = start
        for _ in range(_MOST_SAMPLES):
            if at >= end:
                break
            yield at
            at += step
        if start <= end:
            yield end


def _step(text: str) -> timedelta:
    if not text:
        return timedelta(minutes=5)
    found = re.fullmatch(r"(\d+)([smh]?)", text)
    if found is None or not int(found[1]):
        raise Complaint(400, "InvalidParam", "timeStep must be seconds")
    return timedelta(seconds=int(found[1]) * _UNITS[found[2]])


def _samples(job: Job, pod: Pod, kind: str, times: list[datetime]) -> list[dict[str, Any]]:
    read: Reading | None = PERCENT.get(kind) or PLAIN.get(kind)
    scale = 100 if kind in PERCENT else 1
    samples: list[dict[str, Any]] = []
    for at in times:
        value = read(job, pod, at) if read else None
        if value is not None:
            samples.append({"time": int(at.astimezone(UTC).timestamp()), "value": decimal(value * scale, 2)})
    return samples
