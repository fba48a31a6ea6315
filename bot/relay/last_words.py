"""What a job that failed said last: the platform's reason, and the end of the log of the pod that failed."""

import asyncio
from collections.abc import Sequence

from bot.domain.errors import CloudError
from bot.domain.job import Job, Pod, PodState
from bot.domain.ports import Can, JobCloud

LINES = 20
PATIENCE = 8.0  # seconds; without an answer the failure is told without its words


async def last_words(cloud: JobCloud, job: Job) -> str:
    """As much of it as the cloud tells in time; it never fails."""
    said = [job.reason] if job.reason else []
    try:
        async with asyncio.timeout(PATIENCE):
            pod = _failed(await cloud.pods(job.id))
            if pod is not None:
                said += [pod.reason] if pod.reason and pod.reason not in said else []
                said += await _log_end(cloud, job, pod)
    except (CloudError, TimeoutError):
        pass
    return "\n".join(said)


async def _log_end(cloud: JobCloud, job: Job, pod: Pod) -> Sequence[str]:
    if Can.LOGS not in cloud.abilities:
        return ()
    return (await cloud.logs(job.id, pod.name, LINES)).lines


def _failed(pods: Sequence[Pod]) -> Pod | None:
    """The pod that failed; among several the one whose reason is longest says most."""
    failed = [pod for pod in pods if pod.state is PodState.FAILED]
    return max(failed, key=lambda pod: len(pod.reason or ""), default=None)
