"""Which job or pod a person means by a word: an id, the beginning of one, a name or a part of it.

What fits more exactly beats what fits less; among several that fit alike the person chooses. Ids and names are text:
nothing in them has a meaning of its own, but the `/` between a cloud's name and the rest.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from heapq import nlargest
from os.path import commonprefix
from typing import Generic, TypeVar

from bot.domain.command.words import fold
from bot.domain.job import Job, Pod

T = TypeVar("T")

MOST_CHOICES = 10
MOST_COMPARED = 200
SHORTEST_PREFIX = 3  # a shorter one fits too much by chance
ALIKE = 0.6
LEADERS = ("master", "chief", "launcher", "head", "worker-0")  # the pod that speaks for the job, in this order


@dataclass(frozen=True, slots=True)
class Matches(Generic[T]):
    """What fits, best first: exactly one is the answer. Where nothing fits, `alike` holds what was perhaps meant."""

    fitting: tuple[T, ...]
    alike: tuple[T, ...] = ()
    left_out: int = 0

    @property
    def only(self) -> T | None:
        return self.fitting[0] if len(self.fitting) == 1 else None


class Fit(IntEnum):
    """How exactly a word fits; a higher number is better."""

    NONE = 0
    PART_OF_NAME = 1
    ID_PREFIX = 2
    NAME = 3
    ID = 4


_BY_NAME = (Fit.NAME, Fit.PART_OF_NAME)


def find_job(wanted: str, jobs: Sequence[Job]) -> Matches[Job]:
    """The job that is meant: its id, `cloud/id`, its name, the beginning of its id, a part of its name.

    Where a name fits several jobs of which just one is not over, it is that one; ids are never chosen so.
    """
    word = fold(wanted.strip())
    fits = [(fit, job) for job in jobs if (fit := _fit(word, job)) is not Fit.NONE]
    if not fits:
        return Matches((), _nearest(word, jobs, _names_for(word)))
    best = max(fit for fit, _ in fits)
    fitting = _exactly(wanted, [job for fit, job in fits if fit is best])
    active = [job for job in fitting if not job.state.is_over]
    if best in _BY_NAME and len(active) == 1:
        return Matches((active[0],))
    if len(fitting) == 1:
        return Matches((fitting[0],))
    return _first(sorted(fitting, key=_newest_active))


def find_pod(wanted: str, pods: Sequence[Pod]) -> Matches[Pod]:
    """The pod that is meant: its name, its ending such as `worker-0`, or a part of it."""
    word = fold(wanted.strip())
    tests: tuple[Callable[[str], bool], ...] = (
        lambda name: name == word,
        lambda name: name.endswith(f"-{word}"),
        lambda name: word in name,
    )
    for fits in tests:
        fitting = [pod for pod in pods if word and fits(fold(pod.name))]
        if fitting:
            return _first(fitting)
    return Matches((), _nearest(word, pods, _names_of_pod))


def leading_pod(pods: Iterable[Pod]) -> Pod | None:
    """The pod to look at when none was named: the master, else the first worker, else the first by name."""
    return min(pods, key=lambda pod: (_lead(pod), pod.name), default=None)


def short_id(job_id: str) -> str:
    """The id without the kind that some platforms put before it, such as `pytorchjob-`."""
    kind, dash, rest = job_id.partition("-")
    return rest if dash and rest and kind.endswith("job") else job_id


def _fit(word: str, job: Job) -> Fit:
    whole = _fit_within(word, job)
    cloud, slash, rest = word.partition("/")
    if slash and rest and cloud == fold(job.cloud):
        return max(whole, _fit_within(rest, job))
    return whole


def _fit_within(word: str, job: Job) -> Fit:
    job_id, name = fold(job.id), fold(job.name)
    if word == job_id:
        return Fit.ID
    if word == name:
        return Fit.NAME
    if len(word) >= SHORTEST_PREFIX and (job_id.startswith(word) or short_id(job_id).startswith(word)):
        return Fit.ID_PREFIX
    return Fit.PART_OF_NAME if word and word in name else Fit.NONE


def _exactly(wanted: str, jobs: list[Job]) -> list[Job]:
    """Of ids that differ only in case, the one that was typed."""
    same = [job for job in jobs if wanted.strip() in (job.id, str(job.key))]
    return same or jobs


def _newest_active(job: Job) -> tuple[bool, float, str]:
    began = job.started_at or job.created_at
    return job.state.is_over, -began.timestamp() if began else 0.0, str(job.key)


def _first(fitting: Sequence[T]) -> Matches[T]:
    return Matches(tuple(fitting[:MOST_CHOICES]), left_out=max(len(fitting) - MOST_CHOICES, 0))


def _names_for(word: str) -> Callable[[Job], tuple[str, ...]]:
    """A job's name, and its id as the word is written: with the kind before it or without."""
    if short_id(word) == word:
        return lambda job: (fold(job.name), short_id(fold(job.id)))
    return lambda job: (fold(job.name), fold(job.id))


def _names_of_pod(pod: Pod) -> tuple[str, ...]:
    name = fold(pod.name)
    return name, "-".join(name.split("-")[-2:])


def _nearest(word: str, things: Sequence[T], names: Callable[[T], Iterable[str]]) -> tuple[T, ...]:
    """What is most like the word, best first.

    To compare exactly takes 30 µs, and a fleet has thousands of names that are all alike: two cheap measures choose
    the few that are compared.
    """
    letters = Counter(word)
    hopeful = (
        (bound + _ends(word, name), place, name)
        for place, thing in enumerate(things)
        for name in names(thing)
        if (bound := _bound(word, letters, name)) >= ALIKE
    )
    matcher, best = SequenceMatcher(b=word), dict[int, float]()
    for _, place, name in nlargest(MOST_COMPARED, hopeful):
        best[place] = max(_likeness(matcher, name), best.get(place, 0.0))
    close = [(score, place) for place, score in best.items() if score >= ALIKE]
    return tuple(things[place] for _, place in nlargest(MOST_CHOICES // 2, close, key=lambda pair: (pair[0], -pair[1])))


def _bound(word: str, letters: Mapping[str, int], name: str) -> float:
    """The likeness cannot be more: as if all letters that both have stood in the same order."""
    longest = len(word) + len(name)
    if 2 * min(len(word), len(name)) < ALIKE * longest or not longest:
        return 0.0
    return 2 * sum(min(n, name.count(letter)) for letter, n in letters.items()) / longest


def _ends(word: str, name: str) -> float:
    """How much of the name a typing error within leaves as it is, at its beginning and at its end; a ratio."""
    front, back = _same(word, name), _same(word[::-1], name[::-1])
    return min((front + back) / max(len(word), len(name)), 1.0)


def _same(word: str, name: str) -> int:
    """How many characters both begin with."""
    return len(commonprefix((word, name)))  # noqa: RUF071 - these are no paths


def _likeness(matcher: "SequenceMatcher[str]", name: str) -> float:
    matcher.set_seq1(name)
    return matcher.ratio()


def _lead(pod: Pod) -> int:
    text = fold(f"{pod.role or ''} {pod.name}")
    return next((place for place, word in enumerate(LEADERS) if word in text), len(LEADERS))
