"""One world behind all simulated clouds: its clock, its fleet, what happens to it. Every read first lets
happen what is due, so the same seed and the same advances give the same world to every reader."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.simulator.world import life, troubles
from bot.simulator.world.alarms import Alarm
from bot.simulator.world.clock import Clock
from bot.simulator.world.failures import ALL
from bot.simulator.world.fleet import settle_fleet
from bot.simulator.world.job import Job, JobEvent, Load, LogLine, Platform, Pod
from bot.simulator.world.logs import last_lines, pod_log
from bot.simulator.world.picture import snapshot
from bot.simulator.world.place import Node, Pool, Queue
from bot.simulator.world.rounds import plan_rounds
from bot.simulator.world.state import Outage, Service, State
from bot.simulator.world.story import plan_story
from bot.simulator.world.topology import Snapshot
from bot.simulator.world.trace import TraceFiles, settle_trace

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


class World:
    """Build one with `scripted` or `from_trace`."""

    def __init__(self, state: State, clock: Clock, story: dict[str, datetime]) -> None:
        self.story = story
        self._state = state
        self._clock = clock

    @classmethod
    def scripted(cls, seed: int = 7, start: datetime = START, speed: float = 0, *, story: bool = True) -> "World":
        """About 40 jobs and a story; `speed` is world seconds per real second; without `story` the fleet
        only lives by itself."""
        state = State(seed)
        start = start.astimezone(UTC)
        settle_fleet(state, start)
        beats = plan_story(state, start) if story else {}
        if story:
            plan_rounds(state, start)
        return cls(state, Clock(start, speed), beats)

    @classmethod
    def from_trace(
        cls,
        pods: Path,
        nodes: Path,
        use: Path,
        *,
        seed: int = 7,
        start: datetime = START,
        speed: float = 0,
        before_end: timedelta = timedelta(hours=1),
        limit: int | None = None,
    ) -> "World":
        """A recorded cluster: `start` lies `before_end` before the end of the recording; `limit` keeps
        only the last so many pods."""
        state = State(seed)
        start = start.astimezone(UTC)
        settle_trace(state, TraceFiles(pods, nodes, use), start, before_end, limit)
        return cls(state, Clock(start, speed), {})

    # -- time

    def now(self) -> datetime:
        return self._clock.now()

    def advance(self, by: timedelta) -> None:
        self._clock.advance(by)
        self._settle()

    def advance_to(self, beat: str) -> datetime:
        """Advance to a named beat of the story, if it still lies ahead; its time. KeyError: no such beat."""
        at = self.story[beat]
        wait = at - self.now()
        if wait > timedelta():
            self.advance(wait)
        return at

    def plan(self, after: timedelta, act: Callable[[State, datetime], None]) -> None:
        """Let something happen later, for tests that write their own story."""
        self._state.agenda.plan(self.now() + after, act)

    # -- reads

    def state(self) -> State:
        """The whole state as of now; readers must not change it."""
        return self._settle()[0]

    def jobs(self, platform: Platform | None = None) -> list[Job]:
        state, _ = self._settle()
        return [job for job in state.jobs.values() if platform in (None, job.platform)]

    def job(self, job_id: str) -> Job:
        """Raises Unknown."""
        return self._settle()[0].job(job_id)

    def job_named(self, name: str) -> Job:
        """The newest job of that name. Raises Unknown."""
        return self._settle()[0].named(name)

    def waiting(self, pool: str) -> list[Job]:
        """Queued jobs of a pool, next first."""
        return life.waiting(self._settle()[0], pool)

    def pools(self, platform: Platform | None = None) -> list[Pool]:
        return [pool for pool in self._state.pools.values() if platform in (None, pool.platform)]

    def nodes(self, pool: str | None = None) -> list[Node]:
        state, _ = self._settle()
        return [node for node in state.nodes.values() if pool in (None, node.pool)]

    def free(self, node: str) -> int:
        """GPUs of the node that no job holds."""
        return self._settle()[0].free[node]

    def queues(self, pool: str) -> list[Queue]:
        return [queue for queue in self._settle()[0].queues.values() if queue.pool == pool]

    def events(self, job_id: str) -> list[JobEvent]:
        """Oldest first."""
        state, now = self._settle()
        return [event for event in state.events.get(job_id, ()) if event.at <= now]

    def log(
        self, job: Job, pod: Pod, start: datetime, end: datetime | None = None, *, last: int | None = None
    ) -> list[LogLine]:
        """Lines of a pod up to `end`, at most up to now; with `last` only the last so many of them."""
        _, now = self._settle()
        end = min(end or now, now)
        return pod_log(job, pod, start, end) if last is None else last_lines(job, pod, start, end, last)

    def alarms(self) -> list[Alarm]:
        """Newest first."""
        state, _ = self._settle()
        return sorted(state.alarms.values(), key=lambda alarm: (alarm.at, alarm.number), reverse=True)

    def outage(self, service: Service) -> Outage | None:
        """The outage that the platform or monitor suffers now."""
        state, now = self._settle()
        return next((each for each in state.outages if each.service == service and each.start <= now < each.end), None)

    def picture(self, job: Job) -> Snapshot:
        """The job's machines as they are now, with what the monitor's open records say is wrong."""
        state, now = self._settle()
        records = [alarm for alarm in state.alarms.values() if alarm.open and alarm.task == job.id]
        place = {pod.name: pod.index for pod in job.pods}
        faulty = {place[alarm.pod]: alarm.gpus for alarm in records if alarm.pod in place}
        return snapshot(state, job, now, faulty, records[-1].kind if records else "")

    # -- acts

    def submit(self, job: Job) -> Job:
        state, now = self._settle()
        life.submit(state, job, now)
        return state.job(job.id)

    def stop_job(self, job_id: str) -> Job:
        """Running, then stopping, after some seconds stopped. Raises Unknown, Refused."""
        state, now = self._settle()
        return life.stop(state, job_id, now)

    def delete_job(self, job_id: str) -> Job:
        """Raises Unknown."""
        state, now = self._settle()
        return life.delete(state, job_id, now)

    def set_priority(self, job_id: str, priority: str) -> Job:
        """Raises Unknown."""
        state, _ = self._settle()
        return state.change(state.job(job_id), priority=priority)

    def put_queue(self, queue: Queue) -> None:
        self._state.queues[queue.pool, queue.name] = queue

    def drop_queue(self, pool: str, name: str) -> None:
        """KeyError: no such queue."""
        del self._state.queues[pool, name]

    def load(self, job_id: str, load: Load) -> None:
        """From now on the running job uses its GPUs in this way."""
        state, now = self._settle()
        life.load_changes(state, job_id, load, now)

    def hang(self, job_id: str, faulty: dict[int, tuple[int, ...]], lasts: timedelta | None = None) -> list[Alarm]:
        """A collective of the job hangs now; faulty GPUs by pod index."""
        state, now = self._settle()
        return troubles.hang(state, job_id, now, faulty, lasts)

    def recover(self, job_id: str) -> None:
        """A hanging job goes on; its records turn to running."""
        state, now = self._settle()
        troubles.recover(state, job_id, now)

    def run_out_of_memory(self, job_id: str, pod: int = 0, gpu: int = 0) -> list[Alarm]:
        state, now = self._settle()
        return troubles.run_out_of_memory(state, job_id, now, {pod: (gpu,)})

    def fail(self, job_id: str, failure: str = "access", pod: int = 0, gpu: int = 0) -> list[Alarm]:
        """An alarm now, the job's end half a minute later; names as in `failures`."""
        state, now = self._settle()
        return troubles.fail(state, job_id, now, {pod: (gpu,)}, ALL[failure])

    def lose_card(self, node: str, gpu: int = 0) -> list[Alarm]:
        state, now = self._settle()
        return troubles.lose_card(state, node, now, gpu)

    def repair(self, node: str) -> None:
        state, now = self._settle()
        troubles.repair(state, node, now)

    def break_service(self, service: Service, lasts: timedelta, stalls_after: timedelta | None = None) -> None:
        """A platform or the monitor fails from now on: errors, and after `stalls_after` no answer at all."""
        state, now = self._settle()
        end = now + lasts
        state.outages.append(Outage(service, now, end if stalls_after is None else now + stalls_after, end))

    def _settle(self) -> tuple[State, datetime]:
        now = self.now()
        while (due := self._state.agenda.due(now)) is not None:
            at, act = due
            act(self._state, at)
        return self._state, now
