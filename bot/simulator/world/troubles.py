"""What goes wrong: each function breaks one job or one machine now, and lets the monitor write its
records. The story decides when and to whom."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.simulator.world import chance, life
from bot.simulator.world.alarms import Alarm
from bot.simulator.world.failures import ACCESS, HANG, OOM, XID79, Failure
from bot.simulator.world.job import Job, JobState, Load, Pod
from bot.simulator.world.picture import Faulty, snapshot
from bot.simulator.world.state import State
from bot.simulator.world.topology import Snapshot


def hang(
    state: State, job_id: str, at: datetime, faulty: Faulty, lasts: timedelta | None, failure: Failure = HANG
) -> list[Alarm]:
    """A collective hangs: GPUs spin at full use, one record per faulty machine (by pod index); after
    `lasts` it goes on by itself, None: never."""
    job = state.jobs.get(job_id)
    if job is None or job.state is not JobState.RUNNING:
        return []
    life.load_changes(state, job_id, Load.HANG, at)
    records = raise_alarms(state, job, failure, at, faulty, status="blocking")
    if lasts is not None:
        state.agenda.plan(at + lasts, lambda state, at: recover(state, job_id, at))
    return records


def recover(state: State, job_id: str, at: datetime) -> None:
    """A hanging job goes on; its records turn from blocking to running."""
    job = state.jobs.get(job_id)
    regime = job.regime(at) if job else None
    if job is None or regime is None or regime.load is not Load.HANG or job.state is not JobState.RUNNING:
        return
    life.load_changes(state, job_id, job.load, at)
    life.mark_alarms(state, job_id, "running", at)


def run_out_of_memory(state: State, job_id: str, at: datetime, faulty: Faulty) -> list[Alarm]:
    """One GPU runs out of memory and the platform restarts the job."""
    job = state.jobs.get(job_id)
    if job is None or job.state is not JobState.RUNNING:
        return []
    records = raise_alarms(state, job, OOM, at, faulty, status="restart")
    pod = job.pods[next(iter(faulty))]
    life.restart(state, job_id, at + timedelta(seconds=1), pod.name, "OOMKilled")
    return records


def fail(state: State, job_id: str, at: datetime, faulty: Faulty, failure: Failure = ACCESS) -> list[Alarm]:
    """The monitor reports a failure; the job dies of it half a minute later."""
    job = state.jobs.get(job_id)
    if job is None or job.state is not JobState.RUNNING:
        return []
    records = raise_alarms(state, job, failure, at, faulty, status="running")
    _blame(state, job_id, next(iter(faulty)), failure)
    dies = at + timedelta(seconds=30)
    state.agenda.plan(dies, lambda state, at: life.end(state, job_id, JobState.FAILED, at, failure.name))
    return records


def lose_card(state: State, node: str, at: datetime, gpu: int) -> list[Alarm]:
    """A GPU falls off the bus: a record for every job with pods on the node and one for the node."""
    records: list[Alarm] = []
    for job in state.on_node(node):
        pod = next(pod for pod in job.pods if pod.node == node)
        local = (gpu % pod.gpus,) if pod.gpus else ()
        records += raise_alarms(state, job, XID79, at, {pod.index: local}, status="blocking")
        life.load_changes(state, job.id, Load.HANG, at)
        state.note(job, at, "NodeNotHealthy", f"GPU lost on node {node}", warning=True, pod=pod.name)
    records.append(_machine_alarm(state, node, at, gpu))
    state.nodes[node] = replace(state.nodes[node], cordoned=True)
    return records


def repair(state: State, node: str, at: datetime) -> None:
    """The card is back; records of the node and of its jobs end, and the jobs go on."""
    for job in state.on_node(node):
        recover(state, job.id, at)
    state.nodes[node] = replace(state.nodes[node], cordoned=False)
    instance = state.nodes[node].instance
    for alarm in list(state.alarms.values()):
        if alarm.open and alarm.instance == instance and alarm.error_type == XID79.error_type:
            state.alarms[alarm.id] = replace(alarm, status="running", ended_at=at)
    life.serve_queue(state, state.nodes[node].pool, at)


def raise_alarms(state: State, job: Job, failure: Failure, at: datetime, faulty: Faulty, *, status: str) -> list[Alarm]:
    """One record per faulty machine, all with the same picture."""
    picture = snapshot(state, job, at, faulty, failure.alarm_type)
    records = [
        _record(state, job, failure, at, job.pods[index], gpus, status, picture) for index, gpus in faulty.items()
    ]
    return records


def _record(
    state: State,
    job: Job,
    failure: Failure,
    at: datetime,
    pod: Pod,
    gpus: Sequence[int],
    status: str,
    picture: Snapshot,
) -> Alarm:
    number = len(state.alarms) + 1
    node = state.nodes[pod.node]
    gpu = gpus[0] if gpus else 0
    rank = pod.index * max(1, pod.gpus) + gpu
    alarm = Alarm(
        id=chance.uuid(state.seed, "alarm", number, job.id),
        number=number,
        at=at,
        cluster=state.pools[job.place].cluster,
        task=job.id,
        kind=failure.alarm_type,
        log=failure.log.format(rank=rank, pod=pod.name, node=node.instance, gpu=gpu),
        status=status,
        instance=node.instance,
        gpus=tuple(gpus),
        pod=pod.name,
        pods=tuple(each.name for each in job.pods),
        error_type=failure.error_type,
        kernel=failure.kernel,
        topology=picture,
    )
    state.alarms[alarm.id] = alarm
    return alarm


def _machine_alarm(state: State, name: str, at: datetime, gpu: int) -> Alarm:
    node = state.nodes[name]
    number = len(state.alarms) + 1
    alarm = Alarm(
        id=chance.uuid(state.seed, "alarm", number, name),
        number=number,
        at=at,
        cluster=state.pools[node.pool].cluster,
        task="",
        kind="GPU 掉卡",
        log=f"GPU 掉卡：node {node.instance} lost GPU{gpu}，7 of {node.gpus} left；XID 79。",
        status="blocking",
        instance=node.instance,
        gpus=(gpu,),
        pod="",
        pods=(),
        error_type=XID79.error_type,
        kernel="",
    )
    state.alarms[alarm.id] = alarm
    return alarm


def _blame(state: State, job_id: str, index: int, failure: Failure) -> None:
    job = state.jobs[job_id]
    pods = tuple(replace(pod, reason=failure.reason) if pod.index == index else pod for pod in job.pods)
    state.change(job, pods=pods)
