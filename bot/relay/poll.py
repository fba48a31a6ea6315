"""One tick of one monitor: read its new alarms, find their jobs, record them. Here an alarm enters the bot.

The cursor is the end of the last complete read, so what happened while the bot was away is read late rather than
never; the overlap re-reads records that appeared behind the cursor, and known ones cost nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.alarm import Alarm, AlarmBatch
from bot.domain.errors import CloudError
from bot.domain.incident import Incident
from bot.domain.job import Job, JobKey
from bot.domain.ports import AlarmCloud, Incidents
from bot.domain.series import UseLine, Window
from bot.relay.watch import Watch

BASELINE = timedelta(days=1)  # how far a first start looks back to count what it does not post


class Locator(Protocol):
    """Finds the job behind a monitor's task id, or None where no cloud knows it; and its GPU use as last read."""

    async def locate(self, task: str, jobs_in: Sequence[str], now: datetime) -> Job | None: ...
    def use(self, job: JobKey) -> UseLine | None: ...


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a poll looks back: at a first start, and behind its cursor."""

    look_back: timedelta = timedelta(minutes=15)
    overlap: timedelta = timedelta(minutes=10)


class Poll:
    """The poller of one monitor."""

    def __init__(self, cloud: AlarmCloud, incidents: Incidents, locator: Locator, watch: Watch, reach: Reach) -> None:
        self._cloud = cloud
        self._incidents = incidents
        self._locator = locator
        self._watch = watch
        self._reach = reach

    @property
    def source(self) -> str:
        return self._cloud.name

    async def tick(self, now: datetime) -> None:
        """Read and record once. A monitor that does not answer is noted by the watch; nothing ends because of it."""
        try:
            cursor = await self._incidents.cursor(self.source)
            if cursor is None:
                await self._take_baseline(now)
            else:
                await self._read(Window(cursor - self._reach.overlap, now), now)
            await self._look_again(now, cursor)
        except CloudError as error:
            await self._watch.failed(self.source, error, now)
        else:
            await self._watch.succeeded(self.source, now)

    async def _take_baseline(self, now: datetime) -> None:
        """A first start counts what is older than the look-back and posts only what is recent."""
        batch = await self._cloud.alarms(Window(now - BASELINE, now))
        recent = now - self._reach.look_back
        older = [alarm for alarm in batch.alarms if alarm.at is not None and alarm.at < recent]
        newer = [alarm for alarm in batch.alarms if alarm.at is None or alarm.at >= recent]
        await self._incidents.observe(self.source, older, now, post=False)
        await self._record(replace(batch, alarms=tuple(newer)), now)
        if older:
            await self._watch.mention_baseline(self.source, len(older), now)

    async def _read(self, window: Window, now: datetime) -> None:
        await self._record(await self._cloud.alarms(window), now)

    async def _record(self, batch: AlarmBatch, now: datetime) -> None:
        located = await self._locate(batch.alarms, now)
        await self._incidents.observe(self.source, located, now, cursor=_reached(batch, now))
        self._watch.count(self.source, read=len(batch.alarms), skipped=batch.skipped, complete=batch.complete)

    async def _look_again(self, now: datetime, cursor: datetime | None) -> None:
        """Re-read the records behind open incidents that the overlap no longer covers: their task may be well again."""
        covered = (cursor or now) - self._reach.overlap
        open_tasks = {
            task: incident.opened_at
            for incident in await self._incidents.open()
            if (task := _watched_task(incident, self.source)) and incident.opened_at < covered
        }
        if open_tasks:
            window = Window(min(open_tasks.values()), now)
            batch = await self._cloud.alarms(window, sorted(open_tasks))
            await self._incidents.observe(self.source, await self._locate(batch.alarms, now), now)

    async def _locate(self, alarms: Sequence[Alarm], now: datetime) -> list[Alarm]:
        tasks = sorted({alarm.subject.task for alarm in alarms if alarm.subject.task})
        jobs = await asyncio.gather(*(self._locator.locate(task, self._cloud.jobs_in, now) for task in tasks))
        found = dict(zip(tasks, jobs, strict=True))
        return [self._with_job(alarm, found.get(alarm.subject.task or "")) for alarm in alarms]

    def _with_job(self, alarm: Alarm, job: Job | None) -> Alarm:
        if job is None:
            return alarm
        return replace(alarm, job=job, use=self._locator.use(job.key), subject=replace(alarm.subject, job=job.key))


def _reached(batch: AlarmBatch, now: datetime) -> datetime | None:
    """How far the cursor may move: to now after a complete read, else only over what was read."""
    if batch.complete:
        return now
    return max((alarm.at for alarm in batch.alarms if alarm.at is not None), default=None)


def _watched_task(incident: Incident, source: str) -> str | None:
    from_here = any(c.is_open and c.source == source for c in incident.conditions)
    return incident.subject.task if from_here else None
