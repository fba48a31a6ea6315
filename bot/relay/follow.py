"""One tick of following a cloud's jobs: what ended, what failed, what is gone, and who should be reminded.

Absence from an answer ends nothing: a job missing from a complete listing is looked up once more by its id.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.alarm import JOB_FAILED, Alarm, Severity, Subject
from bot.domain.errors import CloudError, NotFound
from bot.domain.incident import Incident, Resolution
from bot.domain.job import Job, JobState
from bot.domain.life import remind, resolve, see_job
from bot.domain.ports import Incidents, JobCloud
from bot.domain.stopping import fail_stop, is_stop_lost
from bot.relay.last_words import last_words
from bot.relay.poll import Reach
from bot.relay.watch import Watch

REMIND_EVERY = timedelta(hours=4)
AT_ONCE = 5  # failed jobs whose last words are read in one tick


class Listings(Protocol):
    """Reads a cloud's jobs; `refresh` keeps the listing and gives the error if it failed."""

    async def refresh(self, cloud: str, now: datetime) -> CloudError | None: ...
    def listed(self, cloud: str) -> Sequence[Job] | None: ...


class Follow:
    """The follower of one cloud's jobs."""

    def __init__(
        self,
        cloud: JobCloud,
        listings: Listings,
        incidents: Incidents,
        watch: Watch,
        reach: Reach,
        *,
        started_at: datetime,
        failed_jobs: bool = True,
    ) -> None:
        self._cloud = cloud
        self._listings = listings
        self._incidents = incidents
        self._watch = watch
        self._reach = reach
        self._started_at = started_at
        self._failed_jobs = failed_jobs
        self._heard: set[str] = set()

    @property
    def source(self) -> str:
        return self._cloud.name

    async def tick(self, now: datetime) -> None:
        """Refresh the listing once and draw the consequences; a failed refresh has none."""
        error = await self._listings.refresh(self._cloud.name, now)
        jobs = self._listings.listed(self._cloud.name)
        if error is not None or jobs is None:
            if error is not None:
                await self._watch.failed(self.source, error, now)
            return
        self._watch.count(self.source, read=len(jobs), skipped=self._cloud.skipped, complete=True)
        await self._watch.succeeded(self.source, now)
        await self._report_failures(jobs, now)
        await self._follow_incidents({job.id: job for job in jobs}, now)

    async def _report_failures(self, jobs: Sequence[Job], now: datetime) -> None:
        cursor = await self._incidents.cursor(self.source)
        since = now - self._reach.look_back if cursor is None else cursor - self._reach.overlap
        failed = [job for job in jobs if self._failed_jobs and _failed_after(job, since)]
        alarms = await self._hear([failure_of(job) for job in failed])
        await self._incidents.observe(self.source, alarms, now, cursor=now)

    async def _hear(self, alarms: Sequence[Alarm]) -> Sequence[Alarm]:
        """The alarms with their jobs' last words, which are asked for once, and of a few jobs only in one tick."""
        new = [alarm for alarm in alarms if alarm.id not in self._heard and alarm.job]
        words = await asyncio.gather(*(last_words(self._cloud, alarm.job) for alarm in new[:AT_ONCE] if alarm.job))
        told = dict(zip((alarm.id for alarm in new), words, strict=False))
        self._heard = {alarm.id for alarm in alarms}
        return [replace(alarm, log=told.get(alarm.id, alarm.log)) for alarm in alarms]

    async def _follow_incidents(self, jobs: dict[str, Job], now: datetime) -> None:
        for incident in await self._incidents.open():
            key = incident.subject.job
            if key is not None and key.cloud == self._cloud.name:
                await self._follow(incident, jobs.get(key.id), now)

    async def _follow(self, incident: Incident, job: Job | None, now: datetime) -> None:
        if job is None:
            await self._look_for(incident, now)
        elif _is_news(incident, job):
            late = job.finished_at is not None and job.finished_at < self._started_at
            await self._incidents.change(incident.id, lambda one: see_job(one, job, now, late=late), now, at_once=True)
        elif is_stop_lost(incident, job, now):
            why = "the bot was restarted before it saw what came of it, and the job still runs"
            await self._incidents.change(incident.id, lambda one: fail_stop(one, job, why, now), now, at_once=True)
        elif remind(incident, REMIND_EVERY, now)[1]:
            await self._incidents.change(incident.id, lambda one: remind(one, REMIND_EVERY, now), now, at_once=False)

    async def _look_for(self, incident: Incident, now: datetime) -> None:
        """The second look at a job that a complete listing no longer holds."""
        key = incident.subject.job
        try:
            job = await self._cloud.job(key.id) if key else None
        except NotFound:
            await self._incidents.change(
                incident.id, lambda one: resolve(one, Resolution.JOB_GONE, now), now, at_once=True
            )
        except CloudError:
            return
        else:
            if job is not None and _is_news(incident, job):
                await self._incidents.change(incident.id, lambda one: see_job(one, job, now), now, at_once=True)


def failure_of(job: Job) -> Alarm:
    """The alarm of a job that failed; its id holds the run, so each run fails once."""
    started = int(job.started_at.timestamp()) if job.started_at else 0
    return Alarm(
        source=job.cloud,
        id=f"{job.id}@{started}/failed",
        kind=JOB_FAILED,
        severity=Severity.WARNING,
        subject=Subject(cloud=job.cloud, task=job.id, job=job.key),
        at=job.finished_at,
        log=job.reason or "",
        job=job,
    )


def _failed_after(job: Job, since: datetime) -> bool:
    return job.state is JobState.FAILED and job.finished_at is not None and job.finished_at >= since


def _is_news(incident: Incident, job: Job) -> bool:
    """Unknown is no news, and neither is another run of the same id: this incident is about the run it saw."""
    if job.state is JobState.UNKNOWN:
        return False
    return incident.job is None or job.state.is_over or job.state is not incident.job.state
