"""Low use: whether a running job's GPUs stand idle, by configured rules. Missing data is never idleness.

A rule looks at the job's own history over a window, so a restart of the bot needs no warm-up. The first rule whose
clouds match a job judges it. A further condition (queues, owners, partial idleness, more metrics) is a field of
`Rule` and a line in `matches` or `judge`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from statistics import fmean

from bot.domain.alarm import LOW_USE, Alarm, Severity, Subject
from bot.domain.job import Job, JobState
from bot.domain.series import Series, Window, mean_of

ENOUGH = 0.8  # the share of the expected samples that a verdict needs
RECOVERY_SPAN = timedelta(minutes=10)
RECOVERY_PARTS = 5  # each part of the span has to show work: one burst of two minutes is no recovery
RECOVERY_ENOUGH = 0.5  # of the span's samples; the newest minutes are often not there yet


@dataclass(frozen=True, slots=True)
class Rule:
    """Idle means: the mean use of every GPU stayed below `gpu_below` (ratio 0..1) over the whole `window`.

    `grace` runs from the moment the job began to run. `warn_again` is when an idle job is mentioned once more.
    """

    name: str
    clouds: tuple[str, ...] = ("*",)
    gpu_below: float = 0.10
    window: timedelta = timedelta(minutes=60)
    grace: timedelta = timedelta(minutes=60)
    warn_again: timedelta | None = timedelta(minutes=45)

    @property
    def source(self) -> str:
        return f"low_use:{self.name}"

    @property
    def recovered_above(self) -> float:
        """Hysteresis: twice the threshold, or 0.05 above it where that is more; it must last for `RECOVERY_SPAN`."""
        return max(2 * self.gpu_below, self.gpu_below + 0.05)

    def matches(self, job: Job) -> bool:
        return any(fnmatchcase(job.cloud, pattern) for pattern in self.clouds)


class Use(StrEnum):
    """What a rule says of a job. Only `IDLE` raises an alarm, only `BUSY` ends one."""

    IDLE = "idle"
    BUSY = "busy"
    BETWEEN = "between"  # neither idle nor clearly recovered
    GRACE = "grace"
    NO_DATA = "no data"
    TOO_FEW = "too few samples"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's verdict on one job with the figures that led to it; ratios 0..1."""

    rule: Rule
    job: Job
    use: Use
    mean: float | None = None
    peak: float | None = None
    samples: int = 0
    expected: int = 0


def rule_for(rules: Iterable[Rule], job: Job) -> Rule | None:
    """The first rule that matches the job."""
    return next((rule for rule in rules if rule.matches(job)), None)


def is_judged(job: Job) -> bool:
    """Only a running job with GPUs can waste them."""
    return job.state is JobState.RUNNING and job.gpu_count != 0


def judge(rule: Rule, job: Job, series: Sequence[Series], now: datetime) -> Finding:
    """Judge one job by its GPU series over at least the rule's window."""
    if job.started_at is None or now - job.started_at < rule.grace:
        return Finding(rule, job, Use.GRACE)
    seen = [one.within(Window.last(rule.window, now)) for one in series]
    samples = sum(len(one.samples) for one in seen)
    expected = sum(_expected(one, rule.window) for one in seen)
    mean = mean_of(seen)
    peak = max((one.mean or 0.0 for one in seen), default=None)
    use = Use.NO_DATA if samples == 0 else _use(rule, seen, _is_whole(rule, job, seen), _lately(series, now))
    return Finding(rule, job, use, mean, peak, samples, expected)


def alarm_of(finding: Finding, idle_since: datetime, now: datetime) -> Alarm:
    """The alarm of an idle job. Its id holds the run and the hour it was mentioned for, so a repeat is one alarm."""
    job, rule = finding.job, finding.rule
    started = int(job.started_at.timestamp()) if job.started_at else 0
    return Alarm(
        source=rule.source,
        id=f"{job.key}@{started}/{int(idle_since.timestamp())}",
        kind=LOW_USE,
        severity=Severity.WARNING,
        subject=Subject(cloud=job.cloud, task=job.id, job=job.key),
        at=now,
        job=job,
        details=_details(finding),
    )


def _details(finding: Finding) -> dict[str, str]:
    return {
        "rule": finding.rule.name,
        "gpu_below": f"{finding.rule.gpu_below:g}",
        "window_seconds": f"{finding.rule.window.total_seconds():g}",
        "mean": "" if finding.mean is None else f"{finding.mean:.4f}",
        "samples": str(finding.samples),
        "expected": str(finding.expected),
    }


def _expected(series: Series, window: timedelta) -> int:
    return max(int(window / series.step), 1) if series.step else 1


def _is_whole(rule: Rule, job: Job, series: Sequence[Series]) -> bool:
    """Whether each GPU of the job (each pod, where only pods are measured) has enough samples. One that the answer
    leaves out may be the one that works."""
    wanted = job.replicas if all(one.gpu is None for one in series) else job.gpu_count
    enough = all(len(one.samples) >= ENOUGH * _expected(one, rule.window) for one in series)
    return enough and (wanted is None or len(series) >= wanted)


def _lately(series: Sequence[Series], now: datetime) -> tuple[float, ...]:
    """The job's mean use in each part of the recovery span; nothing where too little of it was measured."""
    recent = [one.within(Window.last(RECOVERY_SPAN, now)) for one in series]
    expected = sum(_expected(one, RECOVERY_SPAN) for one in recent)
    if sum(len(one.samples) for one in recent) < RECOVERY_ENOUGH * expected:
        return ()
    part = RECOVERY_SPAN / RECOVERY_PARTS
    parts = (Window.last(part, now - place * part) for place in range(RECOVERY_PARTS))
    means = (mean_of(one.within(window) for one in recent) for window in parts)
    return tuple(mean for mean in means if mean is not None)


def _use(rule: Rule, seen: Sequence[Series], is_whole: bool, lately: Sequence[float]) -> Use:
    if lately and min(lately) > rule.recovered_above:
        return Use.BUSY
    if not is_whole:
        return Use.TOO_FEW
    idle = all(one.mean is not None and one.mean < rule.gpu_below for one in seen)
    begins_to_work = bool(lately) and fmean(lately) > rule.recovered_above
    return Use.IDLE if idle and not begins_to_work else Use.BETWEEN
