"""What AIHC's metrics and events are in our vocabulary (AIHC v1 reference §7.7 and §11)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median_low

from bot.clouds.baidu import wire
from bot.clouds.baidu.times import read_event_time
from bot.clouds.zone import read_epoch
from bot.domain.journal import Event
from bot.domain.series import Metric, Sample, Series, Window

METRIC_WORDS = {
    Metric.GPU: "GpuUsage",
    Metric.VRAM: "GpuMemoryUsage",
    Metric.CPU: "CpuUsage",
    Metric.MEMORY: "MemoryUsage",
}
_PERCENT = 100.0  # the unit these four are declared in (§11)
_STEPS = (60, 120, 300, 600, 900, 1800, 3600, 7200)
_MOST_SAMPLES = 120
_LEAST_GAPS = 3


def step_for(window: Window) -> timedelta:
    """The finest sampling step that keeps a series of this window readable; a minute at least."""
    seconds = window.length.total_seconds()
    return timedelta(seconds=next((step for step in _STEPS if seconds / step <= _MOST_SAMPLES), _STEPS[-1]))


def to_series(
    raw: wire.PodMetrics, metric: Metric, window: Window, step: timedelta, model: str | None
) -> Series | None:
    """One pod's samples inside the window as ratios, oldest first; None for a series without a pod.

    A value that is no number or no percentage is dropped and counted, never turned into 0.
    """
    if raw.pod is None:
        return None
    found: dict[datetime, float] = {}
    times: set[datetime] = set()
    dropped = 0
    for sample in raw.samples:
        at, ratio = read_epoch(sample.time), _ratio(sample.value)
        if at is None:
            dropped += 1
        elif window.holds(at):
            times.add(at)
            if ratio is None:
                dropped += 1
            else:
                found[at] = ratio
    samples = tuple(Sample(at, found[at]) for at in sorted(found))
    return Series(raw.pod, metric, samples, _measured_step(times) or step, gpu_model=model, dropped=dropped)


def to_events(raw: Sequence[wire.Event], pod: str | None) -> tuple[Event, ...]:
    """Newest first; events without a readable time come last, in the platform's order."""
    events = [_to_event(event, pod) for event in raw]
    return tuple(sorted(events, key=lambda event: -(event.last_at.timestamp() if event.last_at else 0.0)))


def _to_event(raw: wire.Event, pod: str | None) -> Event:
    return Event(
        reason=raw.reason or "",
        message=raw.message or "",
        warning=(raw.type or "").lower() == "warning",
        count=raw.count if raw.count is not None and raw.count > 0 else 1,
        first_at=read_event_time(raw.first),
        last_at=read_event_time(raw.last) or read_event_time(raw.first),
        pod=pod,
    )


def _ratio(percent: float | None) -> float | None:
    return percent / _PERCENT if percent is not None and 0.0 <= percent <= _PERCENT else None


def _measured_step(times: set[datetime]) -> timedelta | None:
    """The distance that the platform really sampled at, which need not be the one it was asked for."""
    gaps = [later - earlier for earlier, later in pairwise(sorted(times))]
    return median_low(gaps) if len(gaps) >= _LEAST_GAPS else None
