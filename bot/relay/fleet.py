"""The jobs of all clouds as last read, and the way to read them again.

Each cloud keeps its last complete listing, so that a cloud that fails still answers with what it said before, marked
with its age. A listing is replaced only by a complete one: a failed or slow read ends no job.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean

from bot.domain.answers import Gap, Origin
from bot.domain.errors import CloudError, NotFound, Throttled, Unreachable
from bot.domain.job import Job, JobKey
from bot.domain.ports import Can, Clouds, JobCloud
from bot.domain.series import UseLine

ANSWER_WITHIN = 2.5  # seconds that a person's question waits for one cloud
FRESH_FOR = timedelta(seconds=15)
REST_AFTER_FAILURE = timedelta(seconds=5)  # questions in a row do not each wait for a cloud that just failed
UNKNOWN_FOR = timedelta(minutes=5)  # a task that no cloud knew is looked up again after this


@dataclass(frozen=True, slots=True)
class Listing:
    """One complete reading of a cloud's jobs, by platform id."""

    jobs: Mapping[str, Job]
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Trouble:
    """A cloud whose listing fails: since when, how often in a row, and when it will be asked again."""

    since: datetime
    error: CloudError
    count: int
    next_try: datetime


@dataclass(frozen=True, slots=True)
class Survey:
    """The jobs of the asked clouds, each once, and where they come from."""

    jobs: tuple[Job, ...]
    origin: Origin


class Fleet:
    """All clouds that run jobs. One event loop uses it; two reads of one cloud at a time become one."""

    def __init__(self, clouds: Clouds, *, answer_within: float = ANSWER_WITHIN) -> None:
        self._clouds = {name: cloud for name, cloud in clouds.items() if isinstance(cloud, JobCloud)}
        self._answer_within = answer_within
        self._listings: dict[str, Listing] = {}
        self._troubles: dict[str, Trouble] = {}
        self._reads: dict[str, asyncio.Task[CloudError | None]] = {}
        self._use: dict[JobKey, UseLine] = {}
        self._unknown: dict[tuple[str, str], datetime] = {}  # (cloud, task) -> when to look again

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._clouds)

    def cloud(self, name: str) -> JobCloud:
        """The cloud of that name; raises `NotFound` where none that runs jobs is configured."""
        try:
            return self._clouds[name]
        except KeyError:
            raise NotFound(name, "no cloud of this name that runs jobs is configured") from None

    def listed(self, cloud: str) -> Sequence[Job] | None:
        """The last complete listing, None before the first."""
        listing = self._listings.get(cloud)
        return tuple(listing.jobs.values()) if listing else None

    def read_at(self, cloud: str) -> datetime | None:
        """When the last complete listing was read."""
        listing = self._listings.get(cloud)
        return listing.read_at if listing else None

    def trouble(self, cloud: str) -> Trouble | None:
        return self._troubles.get(cloud)

    async def refresh(self, cloud: str, now: datetime) -> CloudError | None:
        """Read the cloud's jobs again, on schedule. Returns what went wrong; the listing then stays as it was."""
        if not self._can_list(cloud):
            return None
        trouble = self._troubles.get(cloud)
        if trouble and isinstance(trouble.error, Throttled) and now < trouble.next_try:
            return trouble.error
        return await self._read(cloud, now)

    async def jobs(self, now: datetime, max_age: timedelta = FRESH_FOR, only: Iterable[str] | None = None) -> Survey:
        """Jobs of all clouds (or of those named), none older than `max_age` unless its cloud does not answer."""
        names = [name for name in (self._clouds if only is None else only) if name in self._clouds]
        gaps = await asyncio.gather(*(self._catch_up(name, now, max_age) for name in names))
        known = {name: self._listings[name] for name in names if name in self._listings}
        return Survey(
            tuple(job for listing in known.values() for job in listing.jobs.values()),
            Origin(
                tuple((name, listing.read_at) for name, listing in known.items()),
                tuple(gap for gap in gaps if gap is not None),
            ),
        )

    async def job(self, key: JobKey) -> Job:
        """Read one job anew; raises `CloudError`. The listing learns what was read."""
        job = await self.cloud(key.cloud).job(key.id)
        self._remember(job)
        return job

    async def locate(self, task: str, jobs_in: Sequence[str], now: datetime) -> Job | None:
        """The job with this platform id in the first of the named clouds that knows it.

        Listings are asked first, then the clouds. A cloud that fails is asked again soon, one that does not know the
        task only after a while: a poll with many strange tasks must not become a storm of calls.
        """
        self._unknown = {place: until for place, until in self._unknown.items() if now < until}
        clouds = [name for name in jobs_in if name in self._clouds]
        for name in clouds:
            listing = self._listings.get(name)
            if listing and task in listing.jobs:
                return listing.jobs[task]
        found = await asyncio.gather(*(self._look_up(name, task, now) for name in clouds))
        return next((job for job in found if job is not None), None)

    def note_use(self, job: JobKey, use: UseLine) -> None:
        """Keep what was measured; a later reading replaces it."""
        self._use[job] = use

    def use(self, job: JobKey) -> UseLine | None:
        return self._use.get(job)

    def mean_use(self, jobs: Iterable[Job]) -> dict[JobKey, float]:
        """The last known mean GPU use of those jobs that have one; ratios 0..1."""
        lines = ((job.key, self._use.get(job.key)) for job in jobs)
        measured = ((key, [gpu for gpu in line.gpus if gpu is not None]) for key, line in lines if line)
        return {key: fmean(gpus) for key, gpus in measured if gpus}

    async def close(self) -> None:
        """Give up reads that are still under way."""
        reads = list(self._reads.values())
        for read in reads:
            read.cancel()
        await asyncio.gather(*reads, return_exceptions=True)

    def _can_list(self, name: str) -> bool:
        """An adapter with watched ids lists those; one that can do neither has no listing and is not in trouble."""
        return Can.LIST_JOBS in self.cloud(name).abilities

    async def _catch_up(self, name: str, now: datetime, max_age: timedelta) -> Gap | None:
        """Make the listing young enough, or say why it is not."""
        listing = self._listings.get(name)
        if listing and now - listing.read_at <= max_age:
            return None
        if not self._can_list(name):
            return Gap(name, "NotAvailable", "this cloud does not list its jobs")
        trouble = self._troubles.get(name)
        if trouble is None or now >= trouble.next_try:
            error = await self._read_in_time(name, now)
            if error is None:
                return None
        else:
            error = trouble.error
        return self._gap(name, error, now)

    async def _read_in_time(self, name: str, now: datetime) -> CloudError | None:
        """Read within the time a person waits. A slower answer still becomes the listing of the next question."""
        try:
            async with asyncio.timeout(self._answer_within):
                return await asyncio.shield(self._read(name, now))
        except TimeoutError:
            return Unreachable(name, f"no answer within {self._answer_within:g} s")

    def _read(self, name: str, now: datetime) -> "asyncio.Task[CloudError | None]":
        """The read that is under way, or a new one."""
        if name not in self._reads:
            self._reads[name] = asyncio.create_task(self._take(name, now))
            self._reads[name].add_done_callback(lambda _: self._reads.pop(name, None))
        return self._reads[name]

    async def _take(self, name: str, now: datetime) -> CloudError | None:
        try:
            jobs = await self._clouds[name].jobs()
        except CloudError as error:
            self._note_trouble(name, error, now)
            return error
        self._listings[name] = Listing({job.id: job for job in jobs}, now)
        self._troubles.pop(name, None)
        self._forget_use(name)
        return None

    def _note_trouble(self, name: str, error: CloudError, now: datetime) -> None:
        before = self._troubles.get(name)
        wait = REST_AFTER_FAILURE
        if isinstance(error, Throttled) and error.retry_after is not None:
            wait = timedelta(seconds=error.retry_after)
        since, count = (before.since, before.count + 1) if before else (now, 1)
        self._troubles[name] = Trouble(since, error, count, now + wait)

    def _gap(self, name: str, error: CloudError, now: datetime) -> Gap:
        trouble, listing = self._troubles.get(name), self._listings.get(name)
        tries = [at for at in (trouble.next_try if trouble else None, self.cloud(name).next_try) if at and at > now]
        return Gap(
            cloud=name,
            kind=type(error).__name__,
            detail=error.detail,
            since=trouble.since if trouble else now,
            as_of=listing.read_at if listing else None,
            next_try=max(tries, default=None),
        )

    def _forget_use(self, name: str) -> None:
        """What is no longer listed has no use any more."""
        listed = self._listings[name].jobs
        for key in [key for key in self._use if key.cloud == name and key.id not in listed]:
            del self._use[key]

    def _remember(self, job: Job) -> None:
        listing = self._listings.get(job.cloud)
        if listing:
            self._listings[job.cloud] = Listing({**listing.jobs, job.id: job}, listing.read_at)

    async def _look_up(self, name: str, task: str, now: datetime) -> Job | None:
        if (name, task) in self._unknown:
            return None
        try:
            job = await self._clouds[name].job(task)
        except NotFound:
            self._unknown[name, task] = now + UNKNOWN_FOR
        except CloudError:
            self._unknown[name, task] = now + REST_AFTER_FAILURE
        else:
            return job
        return None
