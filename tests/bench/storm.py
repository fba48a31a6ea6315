"""A storm: 10,000 alarms over 200 jobs in one moment, and a reader who notes when each job is first named in Slack."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from bot.demo import Stage
from bot.simulator.slack.state import Change
from bot.simulator.world import Alarm, World, chance
from bot.simulator.world.failures import HANG
from bot.simulator.world.job import Job, JobState, Load, Regime
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.picture import snapshot
from bot.simulator.world.place import Node
from bot.simulator.world.roster import A800, POOL_A
from bot.simulator.world.state import State

JOBS = 200
PODS = 7
ALARMS = 10_000
NAME = re.compile(r"storm-\d{3}")


def settle_jobs(world: World) -> list[Job]:
    """200 jobs of 7 machines each that have been running for hours; nobody can see use of their GPUs."""
    jobs: list[Job] = []
    world.plan(timedelta(), lambda state, at: jobs.extend(_job(state, number, at) for number in range(JOBS)))
    world.advance(timedelta())
    return jobs


def break_out(world: World, jobs: list[Job]) -> list[Alarm]:
    """50 GPUs of every job report a hang now."""
    records: list[Alarm] = []
    world.plan(timedelta(), lambda state, at: records.extend(_alarms(state, jobs, at)))
    world.advance(timedelta())
    return records


@dataclass
class Reader:
    """Looks at every message as it appears. `named` holds the seconds after `begin` at which a job was first named."""

    began: float = 0.0
    named: dict[str, float] = field(default_factory=dict)
    posts: int = 0

    def begin(self) -> None:
        self.began = time.monotonic()

    def read(self, message: Any, *, is_edit: bool) -> None:
        self.posts += not is_edit
        for name in NAME.findall(message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)):
            self.named.setdefault(name, time.monotonic() - self.began)

    @property
    def all_named(self) -> float | None:
        """When the last of all jobs was first named."""
        return max(self.named.values()) if len(self.named) == JOBS else None


def watching(on: Stage, reader: Reader) -> Callable[[Change], None]:
    """Reads every message of the simulated Slack as it changes."""
    known: set[tuple[str, ...]] = set()

    def look(change: Change) -> None:
        if change[0] == "message":
            message = on.slack.state.messages[change[1]][change[2]]
            reader.read([message.text, list(message.blocks)], is_edit=change in known)
            known.add(change)

    return look


def _job(state: State, number: int, now: datetime) -> Job:
    begun = now - timedelta(hours=5)
    order = Order(f"storm-{number:03d}", "baidu", POOL_A, "default", "li.wei", Load.DARK, PODS, 8, A800)
    made = make_job(state.seed, order, begun - timedelta(minutes=1))
    pods = tuple(replace(pod, node=_node(state, number, pod.index, begun), ip="10.0.0.1") for pod in made.pods)
    regimes = (Regime(begun, Load.DARK),)
    job = replace(made, pods=pods, state=JobState.RUNNING, scheduled_at=begun, running_at=begun, regimes=regimes)
    state.put(job)
    return job


def _node(state: State, job: int, pod: int, now: datetime) -> str:
    name = f"10.{job}.0.{pod}"
    state.add_node(Node(name, f"i-bp1{chance.token(17, name)}", POOL_A, A800, 8, now))
    state.free[name] = 0
    return name


def _alarms(state: State, jobs: list[Job], at: datetime) -> list[Alarm]:
    each = ALARMS // len(jobs)
    return [_alarm(state, job, number, at) for job in jobs for number in range(each)]


def _alarm(state: State, job: Job, number: int, at: datetime) -> Alarm:
    """One record a GPU; the first of a job brings the picture of its machines."""
    pod, gpu = job.pods[number % PODS], number // PODS
    node = state.nodes[pod.node].instance
    record = Alarm(
        id=chance.uuid("storm", job.id, number),
        number=len(state.alarms) + 1,
        at=at,
        cluster=state.pools[job.place].cluster,
        task=job.id,
        kind=HANG.alarm_type,
        log=HANG.log.format(rank=number, pod=pod.name, node=node, gpu=gpu),
        status="blocking",
        instance=node,
        gpus=(gpu,),
        pod=pod.name,
        pods=tuple(each.name for each in job.pods),
        error_type=HANG.error_type,
        kernel=HANG.kernel,
        topology=snapshot(state, job, at, {pod.index: (gpu,)}, HANG.alarm_type) if number == 0 else None,
    )
    state.alarms[record.id] = record
    return record
