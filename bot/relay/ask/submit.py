"""What a person may submit, and where: from nothing, or from a job that there was."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.answers import Candidates, Said, SubmitOffer
from bot.domain.capacity import Spot
from bot.domain.command import ShowJob, SubmitJob
from bot.domain.command.words import fold
from bot.domain.definition import hidden, next_name
from bot.domain.errors import NotAvailable
from bot.domain.job import Job
from bot.domain.ports import Can, CapacityCloud
from bot.domain.wording import say
from bot.domain.writers import JobWriter
from bot.relay.ask.capacity import from_all
from bot.relay.ask.listing import named_clouds
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import CHOICE, Target, job_meant
from bot.relay.deadline import in_time

MOST_RECENT = 50
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


async def offer_submit(sources: Sources, command: SubmitJob, person: str | None) -> SubmitOffer | Candidates | Said:
    refusal = await sources.rights.refusal_to_submit(person)
    if refusal is not None:
        return SubmitOffer(refusal=refusal)
    spots = await _spots(sources, command)
    if isinstance(spots, Said):
        return spots
    if command.job is None:
        return SubmitOffer(spots, recent=await _recent(sources, person))
    target = await job_meant(sources, ShowJob(command.job))
    if isinstance(target, Candidates):
        return replace(target, command=f"submit {CHOICE}")
    if isinstance(target, Said):
        return target
    return await _again(sources, target, spots, person)


async def _again(sources: Sources, target: Target, spots: Sequence[Spot], person: str | None) -> SubmitOffer:
    """The job's definition without its secrets, and under a name that is free."""
    job = target.job
    refusal = await sources.rights.refusal(person, job)
    if refusal is not None:
        return SubmitOffer(tuple(spots), job, refusal=refusal)
    definition = hidden(await in_time(job.cloud, sources.read, _writer(sources, job).definition(job.id)))
    taken = {one.name for one in sources.fleet.listed(job.cloud) or ()}
    named = replace(definition, name=next_name(definition.name, taken))
    at_home = sorted(spots, key=lambda spot: (spot.cloud, spot.pool) != (job.cloud, job.pool))
    return SubmitOffer(tuple(at_home), job, named)


def _writer(sources: Sources, job: Job) -> JobWriter:
    cloud = sources.offering(job, Can.SUBMIT)
    if not isinstance(cloud, JobWriter):
        raise NotAvailable(cloud.name, "it takes no jobs")
    return cloud


async def _spots(sources: Sources, command: SubmitJob) -> tuple[Spot, ...] | Said:
    """Every pool of every cloud that takes jobs, or those that were named."""
    able = [
        cloud
        for cloud in sources.clouds.values()
        if isinstance(cloud, CapacityCloud) and isinstance(cloud, JobWriter) and Can.SUBMIT in cloud.abilities
    ]
    names = named_clouds(command.cloud, [cloud.name for cloud in able])
    if isinstance(names, Said):
        return names
    pools, origin = await from_all(
        sources, [cloud for cloud in able if cloud.name in names], lambda cloud: cloud.pools()
    )
    wanted = fold(command.pool) if command.pool else None
    spots = [Spot(pool.cloud, pool.id, pool.name) for pool in pools if wanted in (None, fold(pool.id), fold(pool.name))]
    if spots:
        return tuple(spots)
    if origin.gaps:
        missing = ", ".join(gap.cloud for gap in origin.gaps)
        return Said(
            say("The pools cannot be read now, so nothing can be submitted: {clouds}.", clouds=missing), ok=False
        )
    if not able:
        return Said(say("None of the configured clouds takes jobs."), ok=False)
    return Said(say("There is no pool `{wanted}`.", wanted=command.pool or ""), ok=False)


async def _recent(sources: Sources, person: str | None) -> tuple[Job, ...]:
    """Jobs that this person may run again, their own first, newest before older."""
    known, is_operator = await asyncio.gather(sources.fleet.jobs(sources.clock()), sources.rights.refusal(person, None))
    owned = await sources.rights.owners(person or "", frozenset(job.owner for job in known.jobs if job.owner))
    able = [job for job in known.jobs if Can.SUBMIT in sources.fleet.cloud(job.cloud).abilities]
    allowed = [job for job in able if job.owner in owned or is_operator is None]
    allowed.sort(key=lambda job: (job.owner not in owned, -(job.created_at or _EARLIEST).timestamp(), str(job.key)))
    return tuple(allowed[:MOST_RECENT])
