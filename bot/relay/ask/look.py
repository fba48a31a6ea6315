"""One job or pod looked at closely: its pods, use, logs and events."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from bot.domain.answers import (
    Candidates,
    EventList,
    Gap,
    JobView,
    LogView,
    Origin,
    PodList,
    PodView,
    Said,
    UseView,
)
from bot.domain.command import Events, Logs, Pods, ShowJob, ShowPod, Usage
from bot.domain.errors import CloudError
from bot.domain.find import leading_pod
from bot.domain.job import Job, Pod, PodDetail
from bot.domain.journal import Event, LogLines
from bot.domain.ports import Can, JobCloud
from bot.domain.redact import redact
from bot.domain.series import Metric, Series, Window
from bot.domain.wording import say
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import Target, job_meant, pod_meant
from bot.relay.deadline import in_time

T = TypeVar("T")

SPAN = timedelta(hours=1)
LINES = 40  # what a message holds; more goes into a file


async def show_job(sources: Sources, command: ShowJob) -> JobView | Candidates | Said:
    """The job with its pods and GPU use; what cannot be read is a gap, not the end of the answer."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job, incident = target.job, await sources.incidents.about_job(target.job.key)
    window = use_window(job, SPAN, sources.clock())
    cloud = sources.fleet.cloud(job.cloud)
    if target.origin.gaps:  # its cloud does not answer: asking for more only makes the person wait
        return JobView(job, (), (), window, incident, target.origin, cloud.abilities)
    pods, use = await asyncio.gather(
        part_of(sources, job.cloud, cloud.pods(job.id)), part_of(sources, job.cloud, _use(cloud, job, window))
    )
    return JobView(
        job,
        () if isinstance(pods, Gap) else tuple(pods),
        () if isinstance(use, Gap) else tuple(use),
        window,
        incident,
        with_gaps(target.origin, pods, use),
        cloud.abilities,
    )


async def list_pods(sources: Sources, command: Pods) -> PodList | Candidates | Said:
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    return PodList(target.job, tuple(await pods_of(sources, target.job)), target.origin)


async def show_pod(sources: Sources, command: ShowPod) -> PodView | Candidates | Said:
    """One pod; where its platform tells no more than the list does, that is what is shown."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job, window = target.job, use_window(target.job, SPAN, sources.clock())
    pod = pod_meant(command, await pods_of(sources, job))
    if not isinstance(pod, Pod):
        return pod
    cloud = sources.fleet.cloud(job.cloud)
    detail, use = await asyncio.gather(
        part_of(sources, job.cloud, _detail(cloud, job, pod)),
        part_of(sources, job.cloud, _use(cloud, job, window, pod.name)),
    )
    return PodView(
        job,
        PodDetail(pod) if isinstance(detail, Gap) else _shown(detail),
        () if isinstance(use, Gap) else tuple(use),
        window,
        with_gaps(target.origin, detail, use),
    )


async def show_usage(sources: Sources, command: Usage) -> UseView | Candidates | Said:
    """Use over the window, of all pods or of one."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job = target.job
    window = use_window(job, command.last or SPAN, sources.clock())
    if window is None:
        return Said(say("{job} has not begun to run, so there is nothing to measure.", job=job.name))
    cloud = sources.offering(job, Can.METRICS)
    pod = pod_meant(command, await pods_of(sources, job)) if command.pod else None
    if isinstance(pod, Candidates | Said):
        return pod
    name, metric = (pod.name if pod else None), command.metric or Metric.GPU
    series = await in_time(job.cloud, sources.read, cloud.series(job, metric, window, name))
    return UseView(job, metric, window, tuple(series), name, target.origin)


async def show_logs(sources: Sources, command: Logs) -> LogView | Candidates | Said:
    """The newest lines of the pod that was named, or of the one that speaks for the job."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job, asked = target.job, command.lines or LINES
    cloud = sources.offering(job, Can.LOGS)
    pods = await pods_of(sources, job)
    pod = leading_pod(pods) if command.pod is None and pods else pod_meant(command, pods)
    if not isinstance(pod, Pod):
        return pod or Said(say("This job has no pods at the moment."), ok=False)
    log = await in_time(job.cloud, sources.read, cloud.logs(job.id, pod.name, asked))
    shown, hidden = _without_secrets(log)
    chosen_from = len(pods) if command.pod is None else None
    return LogView(job, shown, asked, target.origin, hidden=hidden, chosen_from=chosen_from)


async def list_events(sources: Sources, command: Events) -> EventList | Candidates | Said:
    """What the platform noted, newest first."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job = target.job
    cloud = sources.offering(job, Can.EVENTS)
    pod = pod_meant(command, await pods_of(sources, job)) if command.pod else None
    if isinstance(pod, Candidates | Said):
        return pod
    name = pod.name if pod else None
    events = await in_time(job.cloud, sources.read, cloud.events(job, name))
    return EventList(job, tuple(_event(one) for one in events), name, target.origin)


async def pods_of(sources: Sources, job: Job) -> Sequence[Pod]:
    return await in_time(job.cloud, sources.read, sources.fleet.cloud(job.cloud).pods(job.id))


def use_window(job: Job, span: timedelta, now: datetime) -> Window | None:
    """The last `span` of the job's life: it ends with the job and begins no earlier; None before it ran."""
    if job.started_at is None and not job.state.holds_gpus and not job.state.is_over:
        return None
    end = job.finished_at if job.state.is_over and job.finished_at and job.finished_at < now else now
    start = end - span
    return Window(max(start, job.started_at), end) if job.started_at and job.started_at < end else Window(start, end)


async def _use(cloud: JobCloud, job: Job, window: Window | None, pod: str | None = None) -> Sequence[Series]:
    if window is None or Can.METRICS not in cloud.abilities:
        return ()
    return await cloud.series(job, Metric.GPU, window, pod)


async def _detail(cloud: JobCloud, job: Job, pod: Pod) -> PodDetail:
    return await cloud.pod(job.id, pod.name) if Can.POD_DETAIL in cloud.abilities else PodDetail(pod)


async def part_of(sources: Sources, cloud: str, work: Awaitable[T]) -> T | Gap:
    """A part of an answer in time, or the gap it leaves."""
    try:
        return await in_time(cloud, sources.read, work)
    except CloudError as error:
        return Gap(cloud, type(error).__name__, error.detail, since=sources.clock())


def with_gaps(origin: Origin, *parts: object) -> Origin:
    """The gaps that parts left, each told once."""
    gaps = dict.fromkeys([*origin.gaps, *(part for part in parts if isinstance(part, Gap))])
    return replace(origin, gaps=tuple(gaps))


def _without_secrets(log: LogLines) -> tuple[LogLines, int]:
    """Redacted as one text, because a key block spans lines."""
    shown = redact("\n".join(log.lines))
    return replace(log, lines=tuple(shown.text.split("\n")) if log.lines else ()), shown.count


def _event(event: Event) -> Event:
    return replace(event, message=redact(event.message).text)


def _shown(detail: PodDetail) -> PodDetail:
    facts = tuple((label, redact(f"{label}={value}").text.removeprefix(f"{label}=")) for label, value in detail.facts)
    return replace(detail, facts=facts)
