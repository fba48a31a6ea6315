"""What every act needs: a fresh look at the job, the person's rights, and a line in the audit."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import structlog

from bot.domain.errors import CloudError, StoreError
from bot.domain.excuse import excuse
from bot.domain.incident import Incident
from bot.domain.job import Job, JobKey
from bot.domain.life import see_job
from bot.domain.ports import Audit, Claims, Incidents
from bot.domain.wording import Sentence, say
from bot.relay.act.outcome import Declined
from bot.relay.deadline import in_time
from bot.relay.fleet import Fleet
from bot.relay.rights import Rights

LOOK_WITHIN = 8.0  # seconds
T = TypeVar("T")
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Look:
    """The job as it is now, and the open incident about it."""

    job: Job
    incident: Incident | None


@dataclass(frozen=True, slots=True)
class Desk:
    """`clock` tells the time, `sleep` waits between two looks (seconds)."""

    fleet: Fleet
    incidents: Incidents
    claims: Claims
    rights: Rights
    audit: Audit
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]

    async def look(self, person: str, key: JobKey, started_at: datetime | None) -> Look | Declined:
        """Read the job anew and see whether the person may act on it, and whether it is still that run."""
        try:
            job = await in_time(key.cloud, LOOK_WITHIN, self.fleet.job(key))
        except CloudError as error:
            return Declined(excuse(error))
        refusal = await self.rights.refusal(person, job)
        if refusal is not None:
            return Declined(refusal, job)
        incident = await self._incident(job)
        if not _is_run(job, started_at):
            return Declined(_another_run(job), job)
        return Look(job, incident)

    async def told(self, action: str, person: str, outcome: str, look: Look | JobKey | Incident) -> None:
        """One line in the audit."""
        incident = look if isinstance(look, Incident) else look.incident if isinstance(look, Look) else None
        job = look if isinstance(look, JobKey) else look.job.key if isinstance(look, Look) else look.subject.job
        await self.audit.note(
            person, action, outcome, self.clock(), incident_id=incident.id if incident else None, job=job
        )

    async def kept(self, writing: Awaitable[T]) -> T | None:
        """What is written down after a platform was asked; None where the store takes nothing.

        What was done stays done, and the person who did it has to hear so.
        """
        try:
            return await writing
        except StoreError as error:
            log.error("done, but not written down", reason=str(error))
            return None

    async def _incident(self, job: Job) -> Incident | None:
        """The open incident about the job; one whose job is over by now learns of it, if it saw this run."""
        incident = await self.incidents.about_job(job.key)
        is_other = incident is not None and incident.job is not None and not incident.job.is_same_run(job)
        if incident is None or is_other or not job.state.is_over:
            return incident
        now = self.clock()
        return await self.incidents.change(incident.id, lambda one: see_job(one, job, now), now, at_once=True)


def _is_run(job: Job, started_at: datetime | None) -> bool:
    """Identity is id plus start time, compared by the second: buttons carry no more."""
    seen, now = started_at, job.started_at
    return (int(seen.timestamp()) if seen else None) == (int(now.timestamp()) if now else None)


def _another_run(job: Job) -> Sentence:
    if job.started_at is None:
        return say(
            "{job} is not running any more as it was when you looked: it is {state}.",
            job=job.name,
            state=job.state.value,
        )
    return say(
        "That was about an earlier look at {job}: the present run began {at}. Look at it again first.",
        job=job.name,
        at=job.started_at,
    )
