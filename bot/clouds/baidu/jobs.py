"""What AIHC's jobs and pods are in our vocabulary: pure functions from wire to domain (AIHC v1 reference §7 and §8)."""

import math
from collections.abc import Mapping

from bot.clouds.baidu import gpus, wire
from bot.clouds.baidu.times import read_time
from bot.domain.job import OWNER_LABEL, Job, JobKey, JobState, Pod, PodDetail, PodState

USER_LABEL = "aijob.cce.baidubce.com/ai-user-name"

# The platform documents no closed list: a word that is not here is UNKNOWN and stays readable beside it (§8).
_STATES: Mapping[str, JobState] = {
    "created": JobState.QUEUED,
    "pending": JobState.QUEUED,
    "scheduled": JobState.STARTING,
    "starting": JobState.STARTING,
    "restarting": JobState.STARTING,
    "running": JobState.RUNNING,
    "abnormal": JobState.RUNNING,  # an instance failed, the job still holds its GPUs
    "stopping": JobState.STOPPING,
    "stopped": JobState.STOPPED,
    "manualtermination": JobState.STOPPED,
    "cancelled": JobState.STOPPED,
    "succeeded": JobState.SUCCEEDED,
    "failed": JobState.FAILED,
}
_POD_STATES: Mapping[str, PodState] = {
    "pending": PodState.PENDING,
    "starting": PodState.PENDING,
    "running": PodState.RUNNING,
    "ready": PodState.RUNNING,
    "succeeded": PodState.SUCCEEDED,
    "succeed": PodState.SUCCEEDED,
    "failed": PodState.FAILED,
}
_FRAMEWORKS: Mapping[str, str] = {"mpi": "MPIJob", "mpijob": "MPIJob"}


def to_state(word: str | None) -> JobState:
    return _STATES.get((word or "").lower(), JobState.UNKNOWN)


def to_pod_state(word: str | None) -> PodState:
    return _POD_STATES.get((word or "").lower(), PodState.UNKNOWN)


def to_job(cloud: str, pool: str, raw: wire.Job) -> Job | None:
    """None for a record without an id: there is nothing to call it by."""
    if raw.id is None:
        return None
    return Job(
        key=JobKey(cloud, raw.id),
        name=raw.name or raw.id,
        state=to_state(raw.status),
        platform_state=raw.status or "",
        owner=raw.labels.get(OWNER_LABEL) or raw.labels.get(USER_LABEL),
        pool=raw.pool or pool,
        queue=raw.queue,
        gpu_count=_times(gpus_per_pod(raw), raw.replicas),
        gpu_model=gpu_model(raw),
        replicas=raw.replicas,
        priority=raw.priority,
        framework=raw.framework,
        image=raw.image,
        command=raw.command,
        queue_position=raw.queueing_sequence,
        reason=_reason(raw),
        created_at=read_time(raw.created_at),
        started_at=read_time(raw.running_at),
        finished_at=read_time(raw.finished_at),
    )


def gpus_per_pod(raw: wire.Job) -> int | None:
    """GPUs of one replica, a started card counting whole; None where the resources do not say."""
    counts = [resource.quantity for resource in raw.resources if gpus.is_gpu(resource.name)]
    known = [count for count in counts if count is not None and count >= 0]
    if not raw.resources or len(known) < len(counts):
        return None
    return math.ceil(sum(known))


def gpu_model(raw: wire.Job) -> str | None:
    return next((name for resource in raw.resources if (name := gpus.model(resource.name))), None)


def to_pod(job: JobKey, raw: wire.Pod, gpu_count: int | None) -> Pod | None:
    """None for a pod without a name."""
    if raw.meta.name is None:
        return None
    word = raw.status.phase or raw.status.status
    state = to_pod_state(word)
    return Pod(
        job=job,
        name=raw.meta.name,
        state=state,
        platform_state=word or "",
        node=raw.node_name,
        ip=raw.ip,
        role=raw.replica_type,
        reason=raw.reason,
        restarts=raw.restart_count,
        gpu_count=gpu_count,
        has_terminal=state is PodState.RUNNING,
        created_at=read_time(raw.meta.created),
        finished_at=read_time(raw.finished_at),
    )


def to_pod_detail(pod: Pod, raw: wire.Pod, owner: str | None) -> PodDetail:
    """AIHC has no call for one pod: this is what the job's detail tells. Environments stay out, they hold secrets."""
    facts = tuple(sorted(raw.meta.labels.items()))
    return PodDetail(pod, namespace=raw.meta.namespace, created_by=owner, facts=facts)


def framework_word(framework: str | None) -> str:
    """What event calls want as `jobFramework`: answers carry `pytorch`, questions `PyTorchJob` (§7.2 and §7.7)."""
    return _FRAMEWORKS.get((framework or "").lower(), "PyTorchJob")


def _times(count: int | None, replicas: int | None) -> int | None:
    return count * replicas if count is not None and replicas is not None and replicas >= 0 else None


def _reason(raw: wire.Job) -> str | None:
    """A job says nothing about why it failed, but its pods may (detail only)."""
    if to_state(raw.status) is not JobState.FAILED:
        return None
    return next((pod.reason for pod in raw.pod_list.pods if pod.reason), None)
