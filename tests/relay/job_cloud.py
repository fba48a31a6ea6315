"""A cloud for tests of the relay: plain values in, plain values out, and every call written down."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.capacity import Node, Pool, Queue
from bot.domain.errors import CloudError, NotFound
from bot.domain.job import Job, JobState, Pod, PodDetail, TerminalLink
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
