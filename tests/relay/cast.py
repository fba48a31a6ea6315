"""Hand-written outside worlds for the use cases: a job cloud with jobs and series, and a speaker that remembers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.alarm import Alarm
from bot.domain.errors import CloudError, NotFound
from bot.domain.job import Job, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.ports import Can
from bot.domain.series import Metric, Series, Window
from bot.domain.wording import Sentence
from bot.store.database import Database
from bot.store.incidents import IncidentStore, Observed


@dataclass
class JobsCloud:
    """A platform that runs the given jobs; `series_of` holds GPU series by job id."""

    running: list[Job] = field(default_factory=list)
    series_of: dict[str, list[Series]] = field(default_factory=dict)
    error: CloudError | None = None
    series_error: CloudError | None = None
    asked: list[str] = field(default_factory=list)
    name: str = "beijing"
    kind: str = "baidu"
    abilities: frozenset[Can] = frozenset(Can)
    next_try: datetime | None = None
    skipped: int = 0

    async def ping(self) -> str:
        return "ok"

    async def jobs(self) -> Sequence[Job]:
        self._may_fail("jobs")
        return tuple(self.running)

    async def job(self, job_id: str) -> Job:
        self._may_fail(f"job {job_id}")
        for job in self.running:
            if job.id == job_id:
                return job
        raise NotFound(self.name, f"no job {job_id}")

    async def pods(self, job_id: str) -> Sequence[Pod]:
        return ()

    async def pod(self, job_id: str, pod: str) -> PodDetail:
        raise NotFound(self.name, "no pod")

    async def series(self, job: Job, metric: Metric, window: Window, pod: str | None = None) -> Sequence[Series]:
        if self.series_error is not None:
            raise self.series_error
        return [one.within(window) for one in self.series_of.get(job.id, [])]

    async def logs(self, job_id: str, pod: str, lines: int) -> LogLines:
        return LogLines(pod, ())

    async def events(self, job: Job, pod: str | None = None) -> Sequence[Event]:
        return ()

    async def stop(self, job_id: str) -> None:
        self.asked.append(f"stop {job_id}")

    async def terminal(self, job_id: str, pod: str) -> TerminalLink:
        raise NotFound(self.name, "no terminal")

    def _may_fail(self, asked: str) -> None:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error


@dataclass
class Speaker:
    told: list[str] = field(default_factory=list)

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None:
        self.told.append(str(sentence))


class Heard(IncidentStore):
    """Keeps the logs of what was observed."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, lambda alarm: "#gpu-alerts")
        self.logs: list[str] = []

    async def observe(
        self,
        source: str,
        alarms: Sequence[Alarm],
        now: datetime,
        cursor: datetime | None = None,
        post: bool = True,
    ) -> Observed:
        self.logs += [alarm.log for alarm in alarms]
        return await super().observe(source, alarms, now, cursor, post)
