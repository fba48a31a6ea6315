"""From Alaya NeW's words to ours. Pure: what the platform did not say stays None, what it says badly is no data."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from bot.clouds.alaya import wire
from bot.clouds.gpu_models import spoken
from bot.clouds.zone import read_epoch, read_local
from bot.domain.job import Job, JobKey, JobState, Pod, PodDetail, PodState
from bot.domain.journal import Event
from bot.domain.series import Metric, Sample, Series, Window

# Words of several families of this platform, folded (Alaya reference §5.7 and §7); all else is unknown.
_JOB_STATES = {
    JobState.QUEUED: ("waiting", "queueing", "queuing", "pending", "queued"),
    JobState.STARTING: ("creating", "starting", "initializing", "restarting"),
    JobState.RUNNING: ("running",),
    JobState.STOPPING: ("stopping", "suspending", "terminating", "deleting"),
    JobState.STOPPED: (
        "suspended", "paused", "stopped", "terminated", "canceled", "cancelled", "deleted",
    ),
    JobState.SUCCEEDED: ("succeeded", "success"),
    JobState.FAILED: ("failed", "error"),
}  # fmt: skip
_POD_STATES = {
    PodState.PENDING: ("pending", "waiting", "creating", "starting", "initializing", "containercreating"),
    PodState.RUNNING: ("running",),
    PodState.SUCCEEDED: ("succeeded", "success", "completed"),
    PodState.FAILED: ("failed", "error", "crashloopbackoff", "oomkilled", "evicted"),
}
_JOB_STATE_OF = {word: state for state, words in _JOB_STATES.items() for word in words}
_POD_STATE_OF = {word: state for state, words in _POD_STATES.items() for word in words}

_CARD = re.compile(r"(?P<model>.+)-(?P<index>\d{1,3})", re.ASCII)
_FINE_STEP = timedelta(seconds=60)
_FINE_UNTIL = timedelta(hours=6)
_POINTS_OF_COARSE = 360


@dataclass(frozen=True, slots=True)
class Reading:
    """The curves of one pod; `above_one` counts values that no ratio can have: a hint that the unit is another."""

    series: tuple[Series, ...]
    above_one: int = 0


def to_job(cloud: str, record: wire.Job, zone: ZoneInfo) -> Job | None:
    """A record of the job list as a job; None for a record without id, which nothing can be done with."""
    if record.id is None:
        return None
    resource = record.resource
    return Job(
        key=JobKey(cloud, record.id),
        name=record.name or record.id,
        state=job_state(record.status),
        platform_state=record.status or "",
        owner=record.create_by,
        pool=record.aidc_id,
        gpu_count=_gpus_of(resource),
        gpu_model=spoken(_said(resource.gpu_name)),
        replicas=resource.worker_count,
        framework=record.framework,
        image=record.image,
        reason=record.reason or record.message,
        created_at=read_local(record.created_time or record.create_time, zone),
        started_at=read_local(record.start_time, zone),
        finished_at=read_local(record.end_time or record.finish_time, zone),
    )


def job_from_pods(key: JobKey, pods: Sequence[Pod]) -> Job:
    """A job that cannot be listed, as far as its pods tell: the id stands in for its name.

    It runs since its first pod was made: no closer moment is known, and without one no rule could judge it.
    """
    counts = Counter(pod.platform_state or pod.state.value for pod in pods)
    seen = ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "none"
    state = _state_of_all(pods)
    created = min((pod.created_at for pod in pods if pod.created_at), default=None)
    return Job(
        key=key,
        name=key.id,
        state=state,
        platform_state=f"from its pods: {seen}",
        replicas=len(pods) or None,
        created_at=created,
        started_at=created if state is not JobState.STARTING else None,
    )


def job_state(word: str | None) -> JobState:
    return _JOB_STATE_OF.get((word or "").casefold(), JobState.UNKNOWN)


def pod_state(word: str | None) -> PodState:
    return _POD_STATE_OF.get((word or "").casefold(), PodState.UNKNOWN)


def to_pod(job: JobKey, record: wire.Pod, zone: ZoneInfo) -> Pod | None:
    """None for a record without a name."""
    if record.name is None:
        return None
    return Pod(
        job=job,
        name=record.name,
        state=pod_state(record.status),
        platform_state=record.status or "",
        node=record.node_name or record.host_name,
        ip=record.ip,
        role=_role(record.name),
        reason=record.reason,
        has_terminal=record.web_ssh is not None,
        created_at=read_local(record.created_time or record.create_time, zone),
    )


def to_pod_detail(pod: Pod, basics: wire.PodBasics) -> PodDetail:
    """The pod as listed, with what only `/basic` knows; on the node's name the list is right (oddity 12)."""
    merged = Pod(
        job=pod.job,
        name=pod.name,
        state=pod.state,
        platform_state=pod.platform_state,
        node=pod.node or basics.host_name,
        ip=pod.ip or basics.pod_ip,
        role=pod.role,
        reason=pod.reason,
        restarts=basics.restart_count,
        has_terminal=pod.has_terminal,
        created_at=pod.created_at,
    )
    facts = (("clusterName", basics.cluster_name), ("hostName", basics.host_name), ("status", basics.status))
    return PodDetail(
        pod=merged,
        namespace=basics.namespace,
        host_ip=basics.host_ip,
        qos_class=basics.qos_class,
        created_by=basics.create_by,
        facts=tuple((label, value) for label, value in facts if value),
    )


def to_series(pod: str, metric: Metric, metrics: wire.Metrics, window: Window) -> Reading:
    """The pod's curves, keyed by the pod that was asked for (oddity 14) and cut to the window.

    Values are ratios by the platform's own word (Alaya reference §5.2) and never rescaled.
    """
    step = _step_of(metrics, window)
    cards = _cards([_said(one.gpu_name) for one in metrics.series], metric)
    curves = tuple(
        _curve(pod, metric, one, step, card).within(window) for one, card in zip(metrics.series, cards, strict=True)
    )
    values = [sample.value for one in metrics.series for sample in one.samples]
    return Reading(curves, sum(value is not None and value > 1 for value in values))


def to_event(record: wire.Event, zone: ZoneInfo, pod: str | None) -> Event:
    last = read_local(record.last_time or record.created_time, zone)
    return Event(
        reason=record.reason or "",
        message=record.message or "",
        warning=(record.type or "").casefold() == "warning",
        count=record.count if record.count is not None and record.count > 0 else 1,
        first_at=read_local(record.first_time, zone) or last,
        last_at=last,
        pod=record.pod_name or pod,
    )


def _said(text: str | None) -> str | None:
    return None if text in (None, "-") else text


def _gpus_of(resource: wire.Resource) -> int | None:
    workers, each = resource.worker_count, resource.gpu_count
    if workers is None or each is None or workers < 0 or each < 0:
        return None
    return workers * each


def _role(pod_name: str) -> str | None:
    """`master` of `tn-exqr5k7lvj7k-master-0`."""
    parts = pod_name.rsplit("-", 2)
    return parts[1] if len(parts) == 3 and parts[1] in ("master", "worker", "launcher", "chief", "ps") else None


def _state_of_all(pods: Sequence[Pod]) -> JobState:
    """One running pod holds GPUs, whatever became of the others; all over counts as failed if any failed."""
    states = {pod.state for pod in pods}
    if PodState.RUNNING in states:
        return JobState.RUNNING
    if not states or PodState.UNKNOWN in states:
        return JobState.UNKNOWN
    if PodState.PENDING in states:
        return JobState.STARTING
    return JobState.FAILED if PodState.FAILED in states else JobState.SUCCEEDED


def _cards(names: Sequence[str | None], metric: Metric) -> list[tuple[str | None, int | None]]:
    """Model and card index of each curve: the number at the end of the name, else the place in the list.

    A model's own number can look like an index; then the indexes collide, and the places are right for all.
    """
    if metric not in (Metric.GPU, Metric.VRAM):
        return [(None, None)] * len(names)
    found = [_CARD.fullmatch(name) if name else None for name in names]
    indexes = [int(match["index"]) if match else place for place, match in enumerate(found)]
    if len(set(indexes)) < len(indexes):
        return [(name, place) for place, name in enumerate(names)]
    models = [match["model"] if match else name for match, name in zip(found, names, strict=True)]
    return list(zip(models, indexes, strict=True))


def _curve(
    pod: str, metric: Metric, curve: wire.Series, step: timedelta, card: tuple[str | None, int | None]
) -> Series:
    readable: dict[datetime, Sample] = {}
    dropped = 0
    for point in curve.samples:
        at, value = read_epoch(point.timestamp), _ratio(point.value)
        if at is None or value is None:
            dropped += 1
        else:
            readable[at] = Sample(at, value)
    model, index = card
    samples = tuple(readable[at] for at in sorted(readable))
    return Series(pod, metric, samples, step, gpu=index, gpu_model=spoken(model), dropped=dropped)


def _ratio(value: float | None) -> float | None:
    return value if value is not None and 0 <= value <= 1 else None


def _step_of(metrics: wire.Metrics, window: Window) -> timedelta:
    """The most common distance of the platform's own time stamps, blank samples included.

    The step is not documented (Alaya reference §5.2); with fewer than two stamps the assumed one is taken.
    """
    gaps: Counter[timedelta] = Counter()
    stamps = Counter(tuple(point.timestamp for point in curve.samples) for curve in metrics.series)
    for stamped, curves in stamps.items():  # all cards of a pod are nearly always sampled together
        for gap in _gaps(stamped):
            gaps[gap] += curves
    if gaps:
        return min(gaps, key=lambda gap: (-gaps[gap], gap))
    return _FINE_STEP if window.length <= _FINE_UNTIL else window.length / _POINTS_OF_COARSE


def _gaps(stamps: Iterable[float | None]) -> list[timedelta]:
    times: list[datetime] = sorted({at for stamp in stamps if (at := read_epoch(stamp)) is not None})
    return [later - earlier for earlier, later in pairwise(times)]
