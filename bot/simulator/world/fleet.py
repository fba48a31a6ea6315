"""Builds the scripted fleet of the roster as it is at the world's start: every job with the past that its
state needs (events, use, times), placed on machines by the same rules as later ones."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.simulator.world import chance, life
from bot.simulator.world.failures import ALL
from bot.simulator.world.job import Job, JobState, Load, Regime
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.place import Node, Pool, Queue
from bot.simulator.world.placement import address, place
from bot.simulator.world.roster import CORDONED, JOBS, NODES, POOLS, QUEUES, JobRow, NodesRow
from bot.simulator.world.state import State

_FOUNDED = timedelta(days=150)


def settle_fleet(state: State, start: datetime) -> None:
    """Everything of the roster, as of `start`."""
    founded = (start - _FOUNDED).replace(microsecond=0)
    for row in POOLS:
        state.pools[row.id] = Pool(row.id, row.name, row.platform, row.cluster, founded)
    for nodes in NODES:
        _add_nodes(state, nodes, founded)
    for pool, name, text in QUEUES:
        state.queues[pool, name] = Queue(name, pool, founded, description=text)
    for job_row in JOBS:
        _add_job(state, job_row, start)


def _add_nodes(state: State, row: NodesRow, founded: datetime) -> None:
    for index in range(row.first, row.first + row.count):
        baidu = state.pools[row.pool].platform == "baidu"
        name = f"192.168.0.{index}" if baidu else f"gpu-{index:03d}"
        instance = f"i-{'bp1' if baidu else 'aly'}{chance.token(17, state.seed, name)}"
        node = Node(name, instance, row.pool, row.model, 8, founded, cordoned=name in CORDONED)
        state.add_node(node)


def _add_job(state: State, row: JobRow, start: datetime) -> None:
    at = start - timedelta(minutes=row.minutes)
    if row.state.over:
        _add_finished(state, row, at)
    elif row.state is JobState.QUEUED:
        job = make_job(state.seed, _order(state, row), at)
        state.put(job)
        state.note(job, at, "SuccessfulCreateService", f"Created service: {job.name}-master-0")
    else:
        _add_live(state, row, at, start)


def _order(state: State, row: JobRow) -> Order:
    return Order(
        name=row.name,
        platform=state.pools[row.pool].platform,
        place=row.pool,
        queue=row.queue,
        owner=row.owner,
        load=row.load,
        pods=row.pods,
        gpus=row.gpus,
        gpu_model=row.model,
        priority=row.priority,
    )


def _add_live(state: State, row: JobRow, at: datetime, start: datetime) -> None:
    """A job that runs since `at`, or was just placed then."""
    created = at if row.state is JobState.STARTING else at - timedelta(seconds=70)
    job = make_job(state.seed, _order(state, row), created)
    pods = place(state, job)
    if pods is None:
        raise ValueError(f"the roster has no room for {row.name}")
    job = replace(job, pods=pods, word=row.word, scheduled_at=job.created_at + timedelta(seconds=5))
    _note_begin(state, job)
    if row.state is JobState.STARTING:
        state.change(job, state=JobState.STARTING)
        begins = start + timedelta(seconds=chance.between(20, 60, job.grain))
        state.agenda.plan(begins, lambda state, at: life.begin(state, job.id, at))
        return
    state.change(job, state=JobState.RUNNING, running_at=at, regimes=_past(row, at, start))
    if row.left is not None:
        life.plan_end(state, job, start + timedelta(minutes=row.left))


def _past(row: JobRow, at: datetime, start: datetime) -> tuple[Regime, ...]:
    first = Regime(at, row.load)
    if row.idle_for is None:
        return (first,)
    return (first, Regime(start - timedelta(minutes=row.idle_for), Load.IDLE))


def _add_finished(state: State, row: JobRow, finished: datetime) -> None:
    began = finished - timedelta(minutes=row.ran)
    job = make_job(state.seed, _order(state, row), began - timedelta(seconds=70))
    job = _past_pods(state, job, row)
    job = state.change(
        job,
        state=row.state,
        scheduled_at=job.created_at + timedelta(seconds=5),
        running_at=began,
        finished_at=finished,
        failure=row.failure,
        reason=ALL[row.failure].reason if row.failure else "",
        regimes=(Regime(began, row.load), Regime(finished, Load.OFF)),
    )
    _note_begin(state, job)
    if row.failure:
        message = f"Pod: default.{job.pods[0].name} exited with code 1"
        state.note(job, finished, "ExitedWithCode", message, warning=True)
        state.note(job, finished, "JobFailed", f"PyTorchJob {job.name} is failed", warning=True)


def _past_pods(state: State, job: Job, row: JobRow) -> Job:
    """Pods of a job that is over: on machines, but holding nothing."""
    nodes = [node for node in state.nodes_of(job.place) if node.gpu_model == job.gpu_model]
    first = chance.number(job.grain, "first") % len(nodes)
    pods = tuple(
        replace(
            pod,
            node=nodes[(first + pod.index) % len(nodes)].name,
            ip=address(job, pod),
            reason=ALL[row.failure].reason if row.failure and pod.index == 0 else "",
        )
        for pod in job.pods
    )
    return replace(job, pods=pods)


def _note_begin(state: State, job: Job) -> None:
    at = job.scheduled_at or job.created_at
    state.note(job, job.created_at, "SuccessfulCreateService", f"Created service: {job.name}-master-0")
    for pod in job.pods:
        state.note(job, at, "SuccessfulCreatePod", f"Created pod: {pod.name}")
        life.note_start(state, job, pod.name, pod.node, at)
