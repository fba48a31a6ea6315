"""A cloud for tests of the relay: plain values in, plain values out, and every call written down."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.capacity import Node, Pool, Queue, QueueDefinition
from bot.domain.errors import CloudError, NotFound
from bot.domain.job import Job, JobDefinition, JobKey, JobState, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.ports import Can
from bot.domain.series import Metric, Series, Window

JOB_ABILITIES = frozenset(Can) - {Can.ALARMS}


@dataclass
class PlainCloud:
    """Holds jobs and pods. `error` is raised by every call, `errors` by the named one; `gate` holds calls back."""

    name: str = "beijing"
    kind: str = "baidu"
    abilities: frozenset[Can] = JOB_ABILITIES
    held: dict[str, Job] = field(default_factory=dict)
    held_pods: dict[str, list[Pod]] = field(default_factory=dict)
    measured: dict[str, list[Series]] = field(default_factory=dict)
    held_pools: list[Pool] = field(default_factory=list)
    held_queues: list[Queue] = field(default_factory=list)
    held_nodes: list[Node] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    noted: list[Event] = field(default_factory=list)
    error: CloudError | None = None
    errors: dict[str, CloudError] = field(default_factory=dict)
    gate: asyncio.Event | None = None
    lost: CloudError | None = None  # writes are done, and this is raised all the same
    ignored: frozenset[str] = frozenset()  # writes that are taken and not done
    defined: dict[str, JobDefinition] = field(default_factory=dict)
    submitted: list[tuple[str, JobDefinition, str | None]] = field(default_factory=list)
    stops_after: int = 0  # how many readings still show the old state after a stop
    calls: list[str] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    next_try: datetime | None = None
    skipped: int = 0

    def hold(self, jobs: Iterable[Job], *pods: Pod) -> "PlainCloud":
        self.held.update({job.id: job for job in jobs})
        for pod in pods:
            self.held_pods.setdefault(pod.job.id, []).append(pod)
        return self

    async def _called(self, call: str) -> None:
        self.calls.append(call)
        if self.gate is not None:
            await self.gate.wait()
        error = self.error or self.errors.get(call.partition(" ")[0])
        if error is not None:
            raise error

    def _known(self, job_id: str) -> Job:
        if job_id not in self.held:
            raise NotFound(self.name, f"no job {job_id}")
        return self.held[job_id]

    async def ping(self) -> str:
        await self._called("ping")
        return "ok"

    async def jobs(self) -> Sequence[Job]:
        await self._called("jobs")
        return list(self.held.values())

    async def job(self, job_id: str) -> Job:
        await self._called(f"job {job_id}")
        job = self._known(job_id)
        if job.state is JobState.STOPPING:
            self.stops_after -= 1
            if self.stops_after < 0:
                job = self.held[job_id] = replace(job, state=JobState.STOPPED, platform_state="Stopped")
        return job

    async def pods(self, job_id: str) -> Sequence[Pod]:
        await self._called(f"pods {job_id}")
        self._known(job_id)
        return list(self.held_pods.get(job_id, []))

    async def pod(self, job_id: str, pod: str) -> PodDetail:
        await self._called(f"pod {job_id} {pod}")
        return PodDetail(next(one for one in self.held_pods[job_id] if one.name == pod), namespace="default")

    async def series(self, job: Job, metric: Metric, window: Window, pod: str | None = None) -> Sequence[Series]:
        await self._called(f"series {job.id} {metric} {pod or '*'}")
        self.windows.append(window)
        return [one for one in self.measured.get(job.id, []) if pod in (None, one.pod) and one.metric is metric]

    async def logs(self, job_id: str, pod: str, lines: int) -> LogLines:
        await self._called(f"logs {job_id} {pod} {lines}")
        return LogLines(pod, tuple(self.log[-lines:]), cut=len(self.log) > lines)

    async def events(self, job: Job, pod: str | None = None) -> Sequence[Event]:
        await self._called(f"events {job.id} {pod or '*'}")
        return list(self.noted)

    async def stop(self, job_id: str) -> None:
        await self._called(f"stop {job_id}")
        self.held[job_id] = replace(self._known(job_id), state=JobState.STOPPING, platform_state="Terminating")

    async def terminal(self, job_id: str, pod: str) -> TerminalLink:
        await self._called(f"terminal {job_id} {pod}")
        return TerminalLink("https://terminal.example.com/?token=t0p-s3cret")

    async def pools(self) -> Sequence[Pool]:
        await self._called("pools")
        return self.held_pools

    async def queues(self) -> Sequence[Queue]:
        await self._called("queues")
        return self.held_queues

    async def nodes(self) -> Sequence[Node]:
        await self._called("nodes")
        return self.held_nodes

    async def queue(self, pool: str, queue: str) -> Queue:
        await self._called(f"queue {pool} {queue}")
        found = next((one for one in self.held_queues if (one.pool, one.name) == (pool, queue)), None)
        if found is None:
            raise NotFound(self.name, f"no queue {queue}")
        return found

    async def create_queue(self, pool: str, definition: QueueDefinition) -> None:
        await self._written(f"create_queue {pool} {definition.name}", lambda: self._put(pool, definition))

    async def update_queue(self, pool: str, definition: QueueDefinition) -> None:
        await self._written(f"update_queue {pool} {definition.name}", lambda: self._put(pool, definition))

    async def delete_queue(self, pool: str, queue: str) -> None:
        kept = [one for one in self.held_queues if (one.pool, one.name) != (pool, queue)]
        await self._written(f"delete_queue {pool} {queue}", lambda: self.held_queues.__setitem__(slice(None), kept))

    @property
    def definition_keys(self) -> frozenset[str]:
        return frozenset({"hostNetwork"})

    async def definition(self, job_id: str) -> JobDefinition:
        await self._called(f"definition {job_id}")
        return self.defined[job_id]

    async def create_job(self, pool: str, definition: JobDefinition, token: str | None = None) -> JobKey:
        key = JobKey(self.name, f"job-{len(self.held) + 1}")
        made = Job(key, definition.name, JobState.QUEUED, "Created", pool=pool, queue=definition.queue, replicas=2)
        self.submitted.append((pool, definition, token))
        await self._written(f"create_job {definition.name}", lambda: self.held.__setitem__(key.id, made))
        return key

    async def set_priority(self, job_id: str, priority: str) -> None:
        changed = replace(self._known(job_id), priority=priority)
        await self._written(f"set_priority {job_id} {priority}", lambda: self.held.__setitem__(job_id, changed))

    async def delete_job(self, job_id: str) -> None:
        await self._written(f"delete_job {job_id}", lambda: self.held.pop(job_id))

    async def restart_job(self, job_id: str) -> None:
        again = replace(self._known(job_id), state=JobState.STARTING, started_at=None)
        await self._written(f"restart_job {job_id}", lambda: self.held.__setitem__(job_id, again))

    async def _written(self, call: str, act: Callable[[], object]) -> None:
        """Do it, unless the call fails before; with `lost` it is done and the answer never arrives."""
        await self._called(call)
        if call.partition(" ")[0] not in self.ignored:
            act()
        if self.lost is not None:
            raise self.lost

    def _put(self, pool: str, wanted: QueueDefinition) -> None:
        known = [one for one in self.held_queues if (one.pool, one.name) == (pool, wanted.name)]
        before = known[0] if known else Queue(self.name, pool, wanted.name)
        after = replace(
            before,
            description=before.description if wanted.description is None else wanted.description,
            deserved=before.deserved if wanted.deserved is None else {k: str(v) for k, v in wanted.deserved.items()},
        )
        self.held_queues = [one for one in self.held_queues if one not in known] + [after]
