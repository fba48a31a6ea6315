"""The life of a job, one function per step: submitted, placed, running, stopped, restarted, over. Each
step checks that it still makes sense, since a person may have acted in between."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.simulator.world import chance
from bot.simulator.world.failures import ALL
from bot.simulator.world.job import Job, JobState, Load, Regime
from bot.simulator.world.placement import place, release
from bot.simulator.world.state import State

_RANKS = {"high": 0, "normal": 1, "low": 2}
_ALARM_STATUS = {
    JobState.STOPPED: "exited",
    JobState.SUCCEEDED: "exited",
    JobState.FAILED: "failed",
}


class Refused(Exception):
    """The job is not in a state in which that can be done."""


def submit(state: State, job: Job, at: datetime) -> None:
    state.put(job)
    state.note(job, at, "SuccessfulCreateService", f"Created service: {job.name}-master-0")
    serve_queue(state, job.place, at)


def serve_queue(state: State, pool: str, at: datetime) -> None:
    """Start every waiting job that fits, in order of priority and age. A job that names no GPU model
    belongs to a recording, which says itself when it starts."""
    for job in waiting(state, pool):
        pods = place(state, job) if job.gpu_model else None
        if pods is not None:
            _schedule(state, job, replace(job, pods=pods), at)


def waiting(state: State, pool: str) -> list[Job]:
    queued = (state.jobs[job_id] for job_id in state.queued.get(pool, ()))
    return sorted(queued, key=lambda job: (_RANKS.get(job.priority, 1), job.created_at))


def _schedule(state: State, job: Job, placed: Job, at: datetime) -> None:
    state.change(job, pods=placed.pods, state=JobState.STARTING, scheduled_at=at)
    for pod in placed.pods:
        state.note(job, at, "SuccessfulCreatePod", f"Created pod: {pod.name}")
        note_start(state, job, pod.name, pod.node, at)
    begins = at + timedelta(seconds=chance.between(25, 80, job.grain, "pull"))
    state.agenda.plan(begins, lambda state, at: begin(state, job.id, at))


def note_start(state: State, job: Job, pod: str, node: str, at: datetime) -> None:
    """The events of one pod that comes up on a node."""
    where = f"Successfully assigned default/{pod} to {node}"
    state.note(job, at, "Scheduled", where, pod=pod)
    state.note(job, at, "Pulling", f'Pulling image "{job.image}"', pod=pod)
    ready = at + timedelta(seconds=20)
    state.note(job, ready, "Pulled", f'Successfully pulled image "{job.image}" in 19.6s', pod=pod)
    state.note(job, ready, "Created", "Created container pytorch", pod=pod)
    state.note(job, ready, "Started", "Started container pytorch", pod=pod)


def begin(state: State, job_id: str, at: datetime) -> None:
    job = state.jobs.get(job_id)
    if job is None or job.state not in (JobState.STARTING, JobState.RESTARTING):
        return
    again = job.state is JobState.RESTARTING
    changed = state.change(
        job,
        state=JobState.RUNNING,
        running_at=job.running_at if again else at,
        regimes=(*job.regimes, Regime(at, job.load)),
    )
    mark_alarms(state, job_id, "running", at)
    if job.lifetime is not None and not again:
        plan_end(state, changed, at + job.lifetime)


def plan_end(state: State, job: Job, at: datetime) -> None:
    state.agenda.plan(at, lambda state, at: end(state, job.id, job.ending, at, job.doom))


def end(state: State, job_id: str, ending: JobState, at: datetime, failure: str = "") -> None:
    """A job that runs is over by itself; the GPUs go to who waits."""
    job = state.jobs.get(job_id)
    if job is None or job.state not in (JobState.RUNNING, JobState.RESTARTING):
        return
    if ending is JobState.FAILED:
        _note_failure(state, job, at)
    reason = ALL[failure].reason if failure else ""
    _close(state, job, ending, at, reason, failure)


def _note_failure(state: State, job: Job, at: datetime) -> None:
    worst = next((pod for pod in job.pods if pod.reason), job.pods[0])
    message = f"Pod: default.{worst.name} exited with code 1"
    state.note(job, at, "ExitedWithCode", message, warning=True)
    state.note(job, at, "JobFailed", f"PyTorchJob {job.name} is failed", warning=True)


def _close(state: State, job: Job, ending: JobState, at: datetime, reason: str, failure: str) -> None:
    release(state, job.pods)
    state.change(
        job,
        state=ending,
        finished_at=at,
        reason=reason,
        failure=failure,
        regimes=(*job.regimes, Regime(at, Load.OFF)),
    )
    mark_alarms(state, job.id, _ALARM_STATUS[ending], at, close=True)
    serve_queue(state, job.place, at)


def stop(state: State, job_id: str, at: datetime) -> Job:
    """A person stops a job. Raises Unknown, and Refused when the job is not running or waiting."""
    job = state.job(job_id)
    if job.state.over or job.state is JobState.STOPPING:
        raise Refused(f"job {job_id} is {job.state}")
    if job.state is JobState.QUEUED:
        return state.change(job, state=JobState.STOPPED, finished_at=at)
    state.note(job, at, "JobTerminated", f"PyTorchJob {job.name} is being stopped by user")
    over = at + timedelta(seconds=chance.between(6, 18, job.grain, "stop"))
    state.agenda.plan(over, lambda state, at: _stopped(state, job_id, at))
    return state.change(job, state=JobState.STOPPING)


def _stopped(state: State, job_id: str, at: datetime) -> None:
    job = state.jobs.get(job_id)
    if job is None or job.state is not JobState.STOPPING:
        return
    state.note(job, at, "SuccessfulDeletePodGroup", f"Deleted PodGroup: {job.name}")
    _close(state, job, JobState.STOPPED, at, "stopped by user", "")


def delete(state: State, job_id: str, at: datetime) -> Job:
    """Remove the job in any state. Raises Unknown."""
    job = state.job(job_id)
    if job.holds:
        release(state, job.pods)
    mark_alarms(state, job_id, "exited", at, close=True)
    state.drop(job)
    serve_queue(state, job.place, at)
    return job


def restart(state: State, job_id: str, at: datetime, pod: str, reason: str) -> None:
    """The platform starts the job's processes again; the pod at fault counts it."""
    job = state.jobs.get(job_id)
    if job is None or job.state is not JobState.RUNNING:
        return
    pods = tuple(
        replace(each, restarts=each.restarts + 1, reason=reason) if each.name == pod else each for each in job.pods
    )
    state.change(job, pods=pods, state=JobState.RESTARTING, regimes=(*job.regimes, Regime(at, Load.OFF)))
    state.note(job, at, "BackOff", "Back-off restarting failed container", warning=True, pod=pod)
    state.note(job, at, "Restarting", f"Fault tolerance restarts {job.name}", warning=True)
    mark_alarms(state, job_id, "restart", at)
    again = at + timedelta(seconds=chance.between(80, 130, job.grain, "again"))
    state.agenda.plan(again, lambda state, at: begin(state, job_id, at))


def load_changes(state: State, job_id: str, load: Load, at: datetime) -> None:
    """From now on the running job uses its GPUs in another way."""
    job = state.jobs.get(job_id)
    if job is not None and job.state is JobState.RUNNING:
        state.change(job, regimes=(*job.regimes, Regime(at, load)))


def mark_alarms(state: State, job_id: str, status: str, at: datetime, *, close: bool = False) -> None:
    """The monitor's open records of a job follow the job; `running` after a restart closes them."""
    for alarm in list(state.alarms.values()):
        if alarm.task != job_id or not alarm.open:
            continue
        ended = at if close or status == "running" else None
        state.alarms[alarm.id] = replace(alarm, status=status, ended_at=ended)
