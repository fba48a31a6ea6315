"""Measured use over time. Values are ratios 0..1, converted once at the cloud's edge; what is missing stays missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import fmean


class Metric(StrEnum):
    GPU = "gpu"
    VRAM = "vram"
    CPU = "cpu"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Window:
    """A closed span of time, both ends aware UTC."""

    start: datetime
    end: datetime

    @classmethod
    def last(cls, span: timedelta, now: datetime) -> "Window":
        return cls(now - span, now)

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    def holds(self, at: datetime) -> bool:
        return self.start <= at <= self.end


@dataclass(frozen=True, slots=True)
class Sample:
    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of one metric for one pod, or for one GPU of it, oldest first.

    `step` is the platform's sampling distance; `dropped` counts samples that were missing, not a number or out of
    range, so that "no data" can be told from "not asked".
    """

    pod: str
    metric: Metric
    samples: tuple[Sample, ...]
    step: timedelta
    gpu: int | None = None
    gpu_model: str | None = None
    dropped: int = 0

    @property
    def latest(self) -> float | None:
        return self.samples[-1].value if self.samples else None

    @property
    def mean(self) -> float | None:
        return fmean(sample.value for sample in self.samples) if self.samples else None

    @property
    def peak(self) -> float | None:
        return max((sample.value for sample in self.samples), default=None)

    def within(self, window: Window) -> "Series":
        """The same series cut to the window."""
        kept = tuple(sample for sample in self.samples if window.holds(sample.at))
        return Series(
            self.pod,
            self.metric,
            kept,
            self.step,
            self.gpu,
            self.gpu_model,
            self.dropped,
        )


@dataclass(frozen=True, slots=True)
class UseLine:
    """The job's GPU use as last read: the mean ratio of each GPU over the last minutes, None where there is no data.

    With `of_pods` each figure is that of a whole pod, where the platform measures no single GPUs.
    """

    at: datetime
    gpus: tuple[float | None, ...]
    of_pods: bool = False

    @classmethod
    def of(cls, series: Sequence[Series], at: datetime, span: timedelta) -> "UseLine":
        """The means over the `span` before `at`, in the order of the series."""
        recent = Window.last(span, at)
        return cls(
            at,
            tuple(one.within(recent).mean for one in series),
            bool(series) and all(one.gpu is None for one in series),
        )


def mean_of(series: Iterable[Series]) -> float | None:
    """The mean over the means of those series that have data; None where none has."""
    means = [mean for one in series if (mean := one.mean) is not None]
    return fmean(means) if means else None


_BARS = "▁▂▃▄▅▆▇█"


def sparkline(series: Series, window: Window, width: int = 24) -> str:
    """A text line of the series over the window, one bar per equal slice; a slice without data is `·`."""
    slices: list[list[float]] = [[] for _ in range(width)]
    span = window.length.total_seconds() or 1.0
    for sample in series.samples:
        if window.holds(sample.at):
            place = int((sample.at - window.start).total_seconds() / span * width)
            slices[min(place, width - 1)].append(sample.value)
    return "".join(_bar(fmean(values)) if values else "·" for values in slices)


def _bar(value: float) -> str:
    return _BARS[min(int(max(value, 0.0) * len(_BARS)), len(_BARS) - 1)]
