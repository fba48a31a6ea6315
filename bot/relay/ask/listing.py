"""The list of jobs: which of them, in which order, which page."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.answers import JobList, Origin, Said
from bot.domain.command import Jobs
from bot.domain.command.spec import listed, nearest
from bot.domain.command.words import fold
from bot.domain.job import Job, JobKey, JobState
from bot.domain.wording import Sentence, say
from bot.relay.ask.sources import Sources

PAGE = 15  # jobs that fit one message beside its buttons

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_RANKS = (JobState.RUNNING, JobState.STARTING, JobState.STOPPING, JobState.QUEUED, JobState.UNKNOWN)


async def list_jobs(sources: Sources, command: Jobs, person: str | None) -> JobList | Said:
    """All clouds at once; the clouds that are missing are named in the answer's origin."""
    only = named_clouds(command.cloud, sources.fleet.names)
    if isinstance(only, Said):
        return only
    known = await sources.fleet.jobs(sources.clock(), only=only)
    owners = await _owners(sources, command, person, known.jobs)
    if owners is None:
        return Said(say("Here nobody knows who you are. Use `--owner NAME` instead of `--mine`."), ok=False)
    jobs = [job for job in known.jobs if _fits(command, job) and _belongs(job, command, owners)]
    if command.mine and not jobs and not known.origin.gaps:
        return Said(_none_of_yours())
    use = sources.fleet.mean_use(jobs)
    return _page(in_order(jobs, command.sort, use), command, use, known.origin)


def in_order(jobs: Iterable[Job], sort: str | None, use: dict[JobKey, float]) -> list[Job]:
    """By the wanted order; what has no such figure comes last. Without one: the active first, newest before older."""
    return sorted(jobs, key=_orders(use)[sort or "state"])


def named_clouds(wanted: str | None, names: Sequence[str]) -> list[str] | Said:
    """The clouds that are meant: all, or the one of that name; else what to say."""
    found = [name for name in names if wanted is None or fold(name) == fold(wanted)]
    if found or wanted is None:
        return found
    alike = nearest(fold(wanted), names)
    if alike is not None:
        return Said(say("There is no cloud `{name}`. Did you mean `{alike}`?", name=wanted, alike=alike), ok=False)
    known = listed(names)
    return Said(say("There is no such cloud as `{name}` here. Known are: {names}.", name=wanted, names=known), ok=False)


async def _owners(sources: Sources, command: Jobs, person: str | None, jobs: Sequence[Job]) -> frozenset[str] | None:
    """The cloud users that are meant; None where it is not known who asks."""
    asked = person if command.mine else (command.owner or "")
    if asked is None:
        return None
    everybody = frozenset(job.owner for job in jobs if job.owner)
    if not command.mine and not asked.startswith("@"):
        return _named(asked, everybody)
    return await sources.rights.owners(asked.removeprefix("@"), everybody)


def _belongs(job: Job, command: Jobs, owners: frozenset[str]) -> bool:
    return job.owner in owners if command.mine or command.owner else True


def _named(wanted: str, everybody: Iterable[str]) -> frozenset[str]:
    """Cloud users by name, or by an e-mail address that begins with it; else by the beginning of a part of the name."""
    name = fold(wanted)
    exact = frozenset(owner for owner in everybody if fold(owner) in (name, name.partition("@")[0]))
    return exact or frozenset(owner for owner in everybody if _begins(fold(owner), name))


def _begins(owner: str, wanted: str) -> bool:
    """Whether the word stands at the beginning of `li.wei` or of its `wei`."""
    return any(owner.startswith(wanted, match.start()) for match in re.finditer(r"[^\W_]+", owner))


def _fits(command: Jobs, job: Job) -> bool:
    return (
        (command.state is None or job.state is command.state)
        and (command.queue is None or fold(job.queue or "") == fold(command.queue))
        and (command.name is None or fold(command.name) in fold(job.name))
    )


def _orders(use: dict[JobKey, float]) -> dict[str, Callable[[Job], tuple[float, float, str]]]:
    return {
        "state": lambda job: (_rank(job), -_began(job).timestamp(), str(job.key)),
        "gpu": lambda job: (job.state.is_over, -(job.gpu_count or 0), str(job.key)),
        "age": lambda job: (job.started_at is None or job.state.is_over, _began(job).timestamp(), str(job.key)),
        "use": lambda job: (job.key not in use, use.get(job.key, float(_rank(job))), str(job.key)),
    }


def _rank(job: Job) -> int:
    return _RANKS.index(job.state) if job.state in _RANKS else len(_RANKS)


def _began(job: Job) -> datetime:
    return job.started_at or job.created_at or _EARLIEST


def _page(jobs: Sequence[Job], command: Jobs, use: dict[JobKey, float], origin: Origin) -> JobList:
    """The asked page; one beyond the end is the last."""
    pages = max(-(-len(jobs) // PAGE), 1)
    page = min(command.page or 1, pages)
    shown = jobs[(page - 1) * PAGE : page * PAGE]
    return JobList(
        jobs=tuple(shown),
        total=len(jobs),
        page=page,
        pages=pages,
        gpus_total=sum(job.gpu_count or 0 for job in jobs if job.state.holds_gpus),
        command=replace(command, page=None).text(),
        filters=_filters(command),
        use={str(job.key): use[job.key] for job in shown if job.key in use},
        origin=origin,
    )


def _filters(command: Jobs) -> tuple[str, ...]:
    """The filters as they can be typed, without order and page."""
    given = {option.name: getattr(command, option.name) for option in command.spec.options}
    named = ((name, value) for name, value in given.items() if value and name not in ("sort", "page"))
    return tuple(f"--{name}" if value is True else f"--{name} {value}" for name, value in named)


def _none_of_yours() -> Sentence:
    return say(
        "No job is known to be yours. If one is, an operator must write your name on that cloud into the setting "
        "`access.people`."
    )
