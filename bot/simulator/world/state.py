"""All that is true in the world at one moment, and the two doors through which it changes: replacing a
job and noting an event. Rules of what may change when live in the modules that call these."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from bot.simulator.world.agenda import Agenda
from bot.simulator.world.alarms import Alarm
from bot.simulator.world.job import Job, JobEvent, JobState, Platform
from bot.simulator.world.place import Node, Pool, Queue

Service = Literal["baidu", "alaya", "sysom"]


class Unknown(LookupError):
    """Nothing of that name exists in the world."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A platform or monitor that does not work: it answers errors until `stalls_at`, nothing from then on."""

    service: Service
    start: datetime
    stalls_at: datetime
    end: datetime


@dataclass(slots=True)
class State:
    seed: int
    pools: dict[str, Pool] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    queues: dict[tuple[str, str], Queue] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    queued: dict[str, dict[str, None]] = field(default_factory=dict)
    events: dict[str, list[JobEvent]] = field(default_factory=dict)
    alarms: dict[str, Alarm] = field(default_factory=dict)
    outages: list[Outage] = field(default_factory=list)
    free: dict[str, int] = field(default_factory=dict)
    agenda: Agenda = field(default_factory=Agenda)

    def job(self, job_id: str) -> Job:
        """Raises Unknown."""
        try:
            return self.jobs[job_id]
        except KeyError:
            raise Unknown(job_id) from None

    def named(self, name: str) -> Job:
        """The newest job of that name. Raises Unknown."""
        found = [job for job in self.jobs.values() if job.name == name]
        if not found:
            raise Unknown(name)
        return max(found, key=lambda job: job.created_at)

    def change(self, job: Job, **changes: Any) -> Job:
        changed = replace(job, **changes)
        self.put(changed)
        return changed

    def put(self, job: Job) -> None:
        self.jobs[job.id] = job
        waiting = self.queued.setdefault(job.place, {})
        if job.state is JobState.QUEUED:
            waiting[job.id] = None
        else:
            waiting.pop(job.id, None)

    def drop(self, job: Job) -> None:
        del self.jobs[job.id]
        self.queued[job.place].pop(job.id, None)
        self.events.pop(job.id, None)

    def note(self, job: Job, at: datetime, reason: str, message: str, *, warning: bool = False, pod: str = "") -> None:
        event = JobEvent(at, reason, message, warning=warning, pod=pod)
        self.events.setdefault(job.id, []).append(event)

    def add_node(self, node: Node) -> None:
        self.nodes[node.name] = node
        self.free[node.name] = node.gpus

    def nodes_of(self, pool: str) -> Iterable[Node]:
        return (node for node in self.nodes.values() if node.pool == pool)

    def running(self, platform: Platform | None = None) -> list[Job]:
        return [job for job in self.jobs.values() if job.state is JobState.RUNNING and platform in (None, job.platform)]

    def on_node(self, node: str) -> list[Job]:
        return [job for job in self.jobs.values() if job.holds and any(pod.node == node for pod in job.pods)]
