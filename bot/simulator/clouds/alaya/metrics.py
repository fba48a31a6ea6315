"""The metrics call that serves four types: text ratios 0..1, one series a card for GPU and GPU memory
(Alaya reference §5.2)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from aiohttp import web

from bot.simulator.clouds.alaya.shapes import gpu_product
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import beijing, decimal, from_beijing
from bot.simulator.world import Job, Pod
from bot.simulator.world.metrics import cpu, memory
from bot.simulator.world.use import gpu_memory, gpu_use

PERIODS = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "3d": timedelta(days=3),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
_REPORTED_POD = "pod_name_master"
_FINE, _COARSE, _COARSEST = timedelta(minutes=1), timedelta(minutes=5), timedelta(hours=1)


def metric_data(job: Job, pod: Pod, request: web.Request, now: datetime) -> dict[str, Any]:
    """Raises Complaint for a type, period or time that is not known."""
    kind = request.query.get("type", "")
    if kind not in ("cpu", "memory", "gpu", "vram"):
        raise Complaint(200, "400", "type must be one of cpu, memory, gpu, vram")
    start, end = _span(request, now)
    times = _times(start, min(end, now))
    series = [_series(kind, name, times, read) for name, read in _readings(kind, job, pod)]
    return {"metricData": series, "startTime": beijing(start), "endTime": beijing(end)}


def _readings(kind: str, job: Job, pod: Pod) -> list[tuple[str, Callable[[datetime], float | None]]]:
    if kind in ("cpu", "memory"):
        read = cpu if kind == "cpu" else memory
        return [("", lambda at: read(job, pod, at))]
    each = gpu_use if kind == "gpu" else gpu_memory
    product = gpu_product(job.gpu_model)
    return [(f"{product}-{gpu}", _card(each, job, pod, gpu)) for gpu in range(pod.gpus)]


def _card(
    read: Callable[[Job, Pod, int, datetime], float | None], job: Job, pod: Pod, gpu: int
) -> Callable[[datetime], float | None]:
    return lambda at: read(job, pod, gpu, at)


def _span(request: web.Request, now: datetime) -> tuple[datetime, datetime]:
    """A period wins over times; neither: the last hour."""
    period = request.query.get("period", "")
    start, end = request.query.get("startTime", ""), request.query.get("endTime", "")
    if period or not (start or end):
        if period and period not in PERIODS:
            raise Complaint(200, "400", f"period {period} is not known")
        return now - PERIODS[period or "1h"], now
    try:
        last = from_beijing(end) if end else now
        return from_beijing(start) if start else last - PERIODS["1h"], last
    except ValueError:
        raise Complaint(200, "400", "startTime and endTime must be times") from None


def _times(start: datetime, end: datetime) -> list[datetime]:
    """A sample each minute up to 6 hours, coarser above."""
    span = end - start
    step = _FINE if span <= PERIODS["6h"] else _COARSE if span <= PERIODS["3d"] else _COARSEST
    seconds = int(step.total_seconds())
    first = -(-int(start.timestamp()) // seconds) * seconds
    return [datetime.fromtimestamp(at, start.tzinfo) for at in range(first, int(end.timestamp()) + 1, seconds)]


def _series(
    kind: str, gpu_name: str, times: list[datetime], read: Callable[[datetime], float | None]
) -> dict[str, Any]:
    values = [(at, value) for at in times if (value := read(at)) is not None]
    known = [value for _, value in values]
    row: dict[str, Any] = {
        "type": kind,
        "podName": _REPORTED_POD,
        "maxRate": _rate(max(known)) if known else None,
        "avgRate": _rate(sum(known) / len(known)) if known else None,
        "currentRate": _rate(known[-1]) if known else None,
        "metricData": [{"timestamp": int(at.timestamp()), "value": _rate(value)} for at, value in values],
    }
    return row | {"gpuName": gpu_name} if gpu_name else row


def _rate(value: float) -> str:
    return decimal(value, 4)
