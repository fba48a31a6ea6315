"""Which job or pod a question is about, read anew; or the candidates, where more than one may be meant."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.domain.answers import Candidates, Gap, Origin, Said
from bot.domain.command import Events, Logs, OpenTerminal, Pods, ShowJob, ShowPod, StopJob, Usage
from bot.domain.command.words import quote
from bot.domain.errors import CloudError, NotFound
from bot.domain.find import Matches, find_job, find_pod
from bot.domain.job import Job, JobKey, Pod
from bot.domain.redact import redact
from bot.domain.wording import Sentence, say
from bot.relay.ask.sources import Sources
from bot.relay.deadline import in_time

AboutJob = ShowJob | Pods | ShowPod | Usage | Logs | Events | StopJob | OpenTerminal
AboutPod = ShowPod | Usage | Logs | Events | OpenTerminal
CHOICE = "{choice}"


@dataclass(frozen=True, slots=True)
class Target:
    """The job that is meant, and how fresh the reading is."""

    job: Job
    origin: Origin


async def job_meant(sources: Sources, command: AboutJob) -> Target | Candidates | Said:
    """Look in the listings, then ask the clouds for that id. Raises `CloudError` only for the fresh reading."""
    now = sources.clock()
    addressed = _addressed(sources, command.job)
    if addressed is not None:
        return await _read_anew(sources, addressed)
    known = await sources.fleet.jobs(now)
    matches = await asyncio.to_thread(find_job, command.job, known.jobs)  # a fleet of thousands takes a while
    if matches.only is not None:
        return await _read_anew(sources, matches.only)
    if matches.fitting:
        return _candidates(command, matches)
    unlisted = await _unlisted(sources, command.job)
    if unlisted is not None:
        return Target(_shown(unlisted), Origin(((unlisted.cloud, now),)))
    if matches.alike:
        return _candidates(command, matches)
    return Said(_unknown(command.job, known.origin.gaps), ok=False)


def pod_meant(command: AboutPod, pods: Sequence[Pod]) -> Pod | Candidates | Said:
    """The pod of the job that was named; with no pods there is none to name."""
    wanted = command.pod or ""
    if not pods:
        return Said(say("This job has no pods at the moment."), ok=False)
    matches = find_pod(wanted, pods)
    if matches.only is not None:
        return matches.only
    choices = matches.fitting or matches.alike or tuple(pods[:10])
    return Candidates(
        wanted=wanted,
        what="pod",
        choices=tuple((quote(pod.name), f"{pod.platform_state} {pod.node or ''}".strip()) for pod in choices),
        command=_open(replace(command, pod=CHOICE).text()),
        exact=bool(matches.fitting),
        left_out=matches.left_out,
    )


def _addressed(sources: Sources, wanted: str) -> Job | None:
    """The listed job whose full address was given, as buttons do: no other cloud need be waited for."""
    cloud, _, job_id = wanted.partition("/")
    return next((job for job in sources.fleet.listed(cloud) or () if job.id == job_id), None)


async def _read_anew(sources: Sources, listed: Job) -> Target:
    """The job as it is now; where its cloud fails, as it was listed, with a gap that says so."""
    now = sources.clock()
    try:
        job = await in_time(listed.cloud, sources.read, sources.fleet.job(listed.key))
    except NotFound:
        raise
    except CloudError as error:
        as_of = sources.fleet.read_at(listed.cloud)
        gap = Gap(listed.cloud, type(error).__name__, error.detail, since=now, as_of=as_of)
        return Target(_shown(listed), Origin(((listed.cloud, as_of or now),), (gap,)))
    return Target(_shown(job), Origin(((job.cloud, now),)))


async def _unlisted(sources: Sources, wanted: str) -> Job | None:
    """A job that no listing holds, by its id: `cloud/id`, or the id alone in any cloud."""
    cloud, slash, job_id = wanted.partition("/")
    keys = [JobKey(name, wanted) for name in sources.fleet.names]
    if slash and cloud in sources.fleet.names:
        keys.insert(0, JobKey(cloud, job_id))
    found = await asyncio.gather(*(_look_up(sources, key) for key in keys))
    return next((job for job in found if job is not None), None)


async def _look_up(sources: Sources, key: JobKey) -> Job | None:
    try:
        return await in_time(key.cloud, sources.glance, sources.fleet.job(key))
    except CloudError:
        return None


def _shown(job: Job) -> Job:
    """The job without the secrets that people write into commands."""
    return replace(
        job,
        command=redact(job.command).text if job.command else job.command,
        reason=redact(job.reason).text if job.reason else job.reason,
    )


def _candidates(command: AboutJob, matches: Matches[Job]) -> Candidates:
    jobs = matches.fitting or matches.alike
    return Candidates(
        wanted=command.job,
        what="job",
        choices=tuple((quote(str(job.key)), _described(job)) for job in jobs),
        command=_open(replace(command, job=CHOICE).text()),
        exact=bool(matches.fitting),
        left_out=matches.left_out,
    )


def _described(job: Job) -> str:
    return " · ".join(part for part in (job.name, job.state.value, job.owner) if part)


def _open(text: str) -> str:
    """The command with the place for the choice bare: a choice is written as it must be typed."""
    return text.replace(f'"{CHOICE}"', CHOICE, 1)


def _unknown(wanted: str, gaps: Sequence[Gap]) -> Sentence:
    if not gaps:
        return say("No job fits `{wanted}`.", wanted=wanted)
    missing = ", ".join(gap.cloud for gap in gaps)
    return say("No job fits `{wanted}`, but not every cloud answered: {clouds}.", wanted=wanted, clouds=missing)
