"""What runs how often. The only file that knows APScheduler; it starts ticks and sees to it that they end.

Each source has a job of its own, so a dead cloud delays nobody. A tick that hangs is ended by its deadline, one that
was missed happens late and once, and one that raises is counted and runs again next time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.events import EVENT_JOB_MAX_INSTANCES, JobSubmissionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.domain.errors import StoreError

Tick = Callable[[datetime], Awaitable[None]]
Outcome = Callable[[str, str, float], None]  # name, outcome word, seconds

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Routine:
    """A tick with its name, its period, and the longest it may take."""

    name: str
    tick: Tick
    every: timedelta
    deadline: timedelta
    at_start: bool = True


class Schedule:
    """Runs routines until closed. `clock` gives the `now` that a tick works with; periods are real time."""

    def __init__(self, clock: Callable[[], datetime], outcome: Outcome) -> None:
        self._clock = clock
        self._outcome = outcome
        self._running: set[asyncio.Task[None]] = set()
        self._closing = False
        # misfire_grace_time: the library drops a run that is one second late unless told otherwise
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        self._scheduler.add_listener(self._skipped, EVENT_JOB_MAX_INSTANCES)

    def add(self, routine: Routine) -> None:
        first = {"next_run_time": datetime.now(UTC)} if routine.at_start else {}
        self._scheduler.add_job(
            self._run,
            IntervalTrigger(seconds=routine.every.total_seconds(), timezone=UTC),
            args=[routine],
            id=routine.name,
            **first,
        )

    def start(self) -> None:
        self._scheduler.start()

    async def close(self, grace: timedelta) -> None:
        """Start nothing more, let running ticks end within the grace, cancel what is left.

        The library's own shutdown cancels running coroutines at once whatever it is asked.
        """
        self._closing = True
        self._scheduler.pause()
        if self._running:
            await asyncio.wait(self._running, timeout=grace.total_seconds())
        self._scheduler.shutdown(wait=False)

    async def _run(self, routine: Routine) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        begun = asyncio.get_running_loop().time()
        outcome = "cancelled"
        try:
            outcome = await self._tick(routine)
        except asyncio.CancelledError:
            if not self._closing:
                raise  # else the library would write each tick that the end cut off into the log, as an error
        finally:
            self._running.discard(task)
            self._outcome(routine.name, outcome, asyncio.get_running_loop().time() - begun)

    async def _tick(self, routine: Routine) -> str:
        try:
            async with asyncio.timeout(routine.deadline.total_seconds()):
                await routine.tick(self._clock())
        except TimeoutError:
            log.warning("tick ended by its deadline", routine=routine.name, seconds=routine.deadline.total_seconds())
            return "deadline"
        except StoreError as error:  # it lasts for many ticks, and its sentence says all that a person can use
            log.error("tick could not be recorded", routine=routine.name, reason=str(error))
            return "store"
        except Exception:
            log.exception("tick failed", routine=routine.name)
            return "error"
        return "ok"

    def _skipped(self, event: JobSubmissionEvent) -> None:
        self._outcome(event.job_id, "skipped", 0.0)
