"""Builders of domain values for tests: everything has a default, a test names only what it is about."""

from datetime import UTC, datetime, timedelta

from bot.domain.alarm import Alarm, Severity, Subject, TaskState
from bot.domain.incident import Condition, Incident, Mute, Stamp
from bot.domain.incident import Stop as IncidentStop
from bot.domain.job import Job, JobKey, JobState, Pod, PodState
from bot.domain.life import open_incident
from bot.domain.series import Metric, Sample, Series

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def job(
    id: str = "pytorchjob-a1b2",
    *,
    cloud: str = "beijing",
    name: str = "llama-70b",
    state: JobState = JobState.RUNNING,
    owner: str | None = "li.wei",
    pool: str | None = "cce-ab12cd34",
    queue: str | None = "default",
    gpus: int | None = 8,
    started_at: datetime | None = NOW - timedelta(hours=3),
    created_at: datetime | None = NOW - timedelta(hours=4),
    finished_at: datetime | None = None,
    reason: str | None = None,
    command: str | None = None,
    image: str | None = None,
    platform_state: str | None = None,
) -> Job:
    return Job(
        JobKey(cloud, id),
        name,
        state,
        platform_state if platform_state is not None else state.value.title(),
        owner=owner,
        pool=pool,
        queue=queue,
        gpu_count=gpus,
        gpu_model="H800",
        replicas=1,
        reason=reason,
        command=command,
        image=image,
        created_at=created_at,
        started_at=started_at,
        finished_at=finished_at,
    )


def pod(
    name: str = "pytorchjob-a1b2-master-0",
    *,
    of: JobKey | None = None,
    state: PodState = PodState.RUNNING,
    role: str | None = None,
    node: str | None = "node-1",
    terminal: bool = True,
) -> Pod:
    return Pod(
        of or JobKey("beijing", "pytorchjob-a1b2"),
        name,
        state,
        state.value.title(),
        node=node,
        role=role,
        gpu_count=8,
        has_terminal=terminal,
    )


def series(
    *values: float,
    pod: str = "pytorchjob-a1b2-master-0",
    gpu: int | None = 0,
    metric: Metric = Metric.GPU,
    until: datetime = NOW,
    step: timedelta = timedelta(minutes=1),
) -> Series:
    """The values as samples one step apart, the last of them at `until`."""
    first = until - step * (len(values) - 1)
    samples = tuple(Sample(first + step * place, value) for place, value in enumerate(values))
    return Series(pod, metric, samples, step, gpu)


def alarm(
    id: str = "alarm-1",
    *,
    source: str = "ack",
    kind: str = "NCCL HANG",
    severity: Severity = Severity.CRITICAL,
    task: str | None = "pytorchjob-a1b2",
    job: Job | None = None,
    at: datetime | None = NOW,
    task_state: TaskState = TaskState.BLOCKING,
    log: str = "",
    details: dict[str, str] | None = None,
    subject: Subject | None = None,
) -> Alarm:
    about = subject or Subject(cloud=source, cluster="cluster-bj1", task=task, job=job.key if job else None)
    return Alarm(
        source=source,
        id=id,
        kind=kind,
        severity=severity,
        subject=about,
        at=at,
        task_state=task_state,
        log=log,
        job=job,
        details=details or {},
    )


def incident(
    id: int = 1,
    *,
    first: Alarm | None = None,
    job: Job | None = None,
    channel: str = "C01ALERTS",
    at: datetime = NOW,
    acknowledged: Stamp | None = None,
    mute: Mute | None = None,
    stop: IncidentStop | None = None,
    conditions: tuple[Condition, ...] | None = None,
) -> Incident:
    """The incident that the alarm `first` opens, with its state as named."""
    opened, _ = open_incident(first or alarm(job=job, at=at), channel, at)
    return Incident(
        id=id,
        key=opened.key,
        subject=opened.subject,
        opened_at=opened.opened_at,
        last_at=opened.last_at,
        channel=channel,
        conditions=conditions or opened.conditions,
        job=opened.job,
        acknowledged=acknowledged,
        mute=mute,
        stop=stop,
    )
