"""A world from a recorded cluster: its pods become jobs of one pod, its machines the nodes of both job
platforms, its GPU use the use of the jobs, its failed pods the monitor's records."""

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from bot.simulator.world import chance, life
from bot.simulator.world.agenda import Act
from bot.simulator.world.failures import ACCESS, ALL, CUDA_ERROR, OOM, XID79
from bot.simulator.world.job import Job, JobState, Load, Platform, Regime
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.place import Node, Pool, Queue
from bot.simulator.world.placement import address
from bot.simulator.world.roster import ANNA, CENTRE_1, LI, OPS, POOL_A, WANG, ZHANG
from bot.simulator.world.state import State
from bot.simulator.world.trace_use import UseTrace
from bot.simulator.world.troubles import raise_alarms

_OWNERS = (LI, ANNA, ZHANG, WANG, OPS)
_GPU_MEMORY_MIB = 40960
_CAUSES = (OOM, CUDA_ERROR, ACCESS, XID79)
_ALARMED = timedelta(days=1)
_POOLS: tuple[tuple[str, Platform, str, str], ...] = (
    (POOL_A, "baidu", "训练池 A", "cluster-bj1"),
    (CENTRE_1, "alaya", "k8s-01", "cluster-alaya1"),
)


@dataclass(frozen=True, slots=True)
class TraceFiles:
    """Three gzipped tables: pods and nodes of the cluster, and recorded GPU use by pod."""

    pods: Path
    nodes: Path
    use: Path


def settle_trace(state: State, files: TraceFiles, start: datetime, before_end: timedelta, limit: int | None) -> None:
    """The cluster as it was `before_end` before its recording ended; the rest is on the agenda."""
    rows = sorted(_rows(files.pods), key=lambda row: int(row["creation_time"]))
    rows = rows if limit is None else rows[-limit:]
    end = max(int(row["deletion_time"]) for row in rows)
    origin = start + before_end - timedelta(seconds=end)
    _add_places(state, files.nodes, origin)
    builder = _Builder(state, _uses(files.use), origin, start)
    for row in rows:
        builder.add(row)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _add_places(state: State, path: Path, founded: datetime) -> None:
    for pool, platform, name, cluster in _POOLS:
        state.pools[pool] = Pool(pool, name, platform, cluster, founded)
        state.queues[pool, "default"] = Queue("default", pool, founded)
    for index, row in enumerate(_rows(path)):
        pool = _POOLS[index % len(_POOLS)][0]
        instance = f"i-{chance.token(20, 'trace', row['sn'])}"
        cores, memory = int(row["cpu_milli"]) // 1000, int(row["memory_mib"]) // 1024
        node = Node(
            row["sn"], instance, pool, row["model"], int(row["gpu"]), founded, cpu_cores=cores, memory_gb=memory
        )
        state.add_node(node)


def _uses(path: Path) -> list[UseTrace]:
    """The recorded series, each pod one, as ratios (percent and MiB in the table)."""
    use: dict[str, list[float]] = {}
    memory: dict[str, list[float | None]] = {}
    for row in _rows(path):
        use.setdefault(row["pod"], []).append(min(1.0, float(row["gpu_percent"]) / 100))
        memory.setdefault(row["pod"], []).append(_memory(row["gpu_memory_mib"]))
    return [UseTrace(tuple(use[pod]), tuple(memory[pod])) for pod in use]


def _memory(mebibytes: str) -> float | None:
    return min(1.0, float(mebibytes) / _GPU_MEMORY_MIB) if mebibytes else None


class _Builder:
    """Turns rows of pods into jobs, with the past that each has at the start."""

    def __init__(self, state: State, uses: list[UseTrace], origin: datetime, start: datetime) -> None:
        self._state, self._uses, self._origin, self._start = state, uses, origin, start
        self._nodes = {pool: [node for node in state.nodes.values() if node.pool == pool] for pool, *_ in _POOLS}

    def add(self, row: dict[str, str]) -> None:
        created = self._time(row["creation_time"])
        job = self._job(row, created)
        if created > self._start:
            self._state.agenda.plan(created, lambda state, at: self._live(job, row))
        else:
            self._live(job, row)

    def _time(self, seconds: str) -> datetime:
        return self._origin + timedelta(seconds=int(seconds))

    def _job(self, row: dict[str, str], created: datetime) -> Job:
        gpus = int(row["num_gpu"])
        number = chance.number("trace", row["name"])
        pool, platform, _, _ = _POOLS[number % len(_POOLS)]
        owner = _OWNERS[number // 2 % len(_OWNERS)]
        name = row["name"]
        order = Order(name, platform, pool, "default", owner, Load.TRACE, 1, gpus, row["gpu_spec"])
        job = make_job(self._state.seed, order, created)
        use = self._uses[number % len(self._uses)]
        return replace(
            job,
            trace=replace(use, offset=number % len(use.use)),
            cpu_cores=int(row["cpu_milli"]) // 1000,
            memory_gb=int(row["memory_mib"]) // 1024,
            priority="low" if row["qos"] == "BE" else "normal",
        )

    def _live(self, job: Job, row: dict[str, str]) -> None:
        """The job exists; what has happened by now has, the rest is planned. The recorded phase is what
        the pod was in at the end: who ran then runs on, who waited waits."""
        self._state.put(job)
        if not row["scheduled_time"]:
            return
        gone = self._time(row["deletion_time"])
        self._at(self._time(row["scheduled_time"]), lambda state, at: self._run(job, at))
        if row["pod_phase"] == "Failed":
            self._at(gone, lambda state, at: self._fail(job, at))
        elif row["pod_phase"] == "Succeeded":
            self._at(gone, lambda state, at: life.end(state, job.id, JobState.SUCCEEDED, at))

    def _at(self, at: datetime, act: Act) -> None:
        if at <= self._start:
            act(self._state, at)
        else:
            self._state.agenda.plan(at, act)

    def _run(self, job: Job, at: datetime) -> None:
        now = self._state.jobs.get(job.id)
        if now is None or now.state is not JobState.QUEUED:
            return
        nodes = self._nodes[job.place]
        pod = job.pods[0]
        first = job.grain % len(nodes)
        around = (nodes[(first + step) % len(nodes)] for step in range(len(nodes)))
        node = next((node for node in around if self._state.free[node.name] >= pod.gpus), None)
        if node is None:
            return
        self._state.free[node.name] -= pod.gpus
        placed = replace(pod, node=node.name, ip=address(job, pod))
        model = node.gpu_model
        self._state.change(
            now,
            pods=(placed,),
            state=JobState.RUNNING,
            gpu_model=model,
            scheduled_at=at,
            running_at=at,
            regimes=(Regime(at, Load.TRACE),),
        )
        life.note_start(self._state, job, pod.name, node.name, at)

    def _fail(self, job: Job, at: datetime) -> None:
        now = self._state.jobs.get(job.id)
        if now is None or now.state is not JobState.RUNNING:
            return
        cause = chance.pick(_CAUSES, job.grain)
        if at > self._start - _ALARMED and now.gpus:
            raise_alarms(self._state, now, cause, at, {0: (0,)}, status="running")
        life.end(self._state, job.id, JobState.FAILED, at, ALL[cause.name].name)
