"""How one reader is spoken to: the language, the command's name, who is who, and figures and times in words.

Times of day are Slack's date tokens, which every reader sees in a zone and a language of their own; ages are only for
answers, for a card must not change by itself.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.alarm import Subject
from bot.domain.job import Job
from bot.domain.wording import Mention, Sentence, Value
from bot.messages import Texts
from bot.slack.views import words
from bot.slack.views.mrkdwn import code, line, literal

_SLACK_ID = re.compile(r"[UW][A-Z0-9]{4,}")
_GROUP_ID = re.compile(r"S[A-Z0-9]{4,}")


def nobody(owner: str) -> str | None:
    """The look-up that knows no one."""
    return None


@dataclass(frozen=True, slots=True)
class Voice:
    """`person_of` gives a cloud user's Slack id where it is known already; it must not wait for anything."""

    t: Texts
    command: str = "/gpu"
    person_of: Callable[[str], str | None] = nobody

    def sentence(self, sentence: Sentence) -> str:
        """A sentence of the domain; the texts in it come from outside, moments and mentions are shown as such."""
        return self.t(sentence.text, **{place: self._shown(value) for place, value in sentence.values.items()})

    def _shown(self, value: Value) -> object:
        if isinstance(value, datetime):
            return date(value)
        if isinstance(value, Mention):
            return ", ".join(person(one) for one in value.ids)
        if isinstance(value, str):
            state = words.job_state(value)
            return self.t.sentence(state) if state else line(value, 500)
        return value

    def kind(self, kind: str, most: int = 80) -> str:
        """A kind of alarm: our own kinds in the reader's language, a monitor's in its own words; not yet escaped."""
        own = words.KIND.get(kind)
        return self.t.sentence(own) if own else kind[:most]

    def owner(self, owner: str | None) -> str | None:
        """A cloud's user, with the person in Slack where one is known."""
        if owner is None:
            return None
        person = self.person_of(owner)
        return f"{literal(owner)} (<@{person}>)" if person else literal(owner)

    def source(self, name: str) -> str:
        """What is read: a cloud, or one part of what a cloud gives."""
        part, _, cloud = name.rpartition(":")
        return self.t("GPU use of {cloud}", cloud=literal(cloud, 60)) if part == "use" else literal(name, 80)

    def gpus(self, job: Job) -> str | None:
        """`8 × H800`; None where the platform did not say."""
        if job.gpu_count is None:
            return None
        if job.gpu_model:
            return f"{job.gpu_count} × {literal(job.gpu_model)}"
        return self.t.n("{n} GPU", "{n} GPUs", job.gpu_count)

    def age(self, span: timedelta | float) -> str:
        """A span of time in its two largest units; a negative one is nothing."""
        seconds = max(int(span.total_seconds() if isinstance(span, timedelta) else span), 0)
        minutes, hours, days = seconds // 60, seconds // 3_600, seconds // 86_400
        if seconds < 60:
            return self.t("{n} s", n=seconds)
        if minutes < 60:
            return self.t("{n} min", n=minutes)
        if hours < 24:
            rest = minutes % 60
            return self.t("{h} h {m} min", h=hours, m=rest) if rest else self.t("{n} h", n=hours)
        rest = hours % 24
        return self.t("{d} d {h} h", d=days, h=rest) if rest else self.t("{n} d", n=days)

    def ago(self, at: datetime, now: datetime) -> str:
        return self.t("{age} ago", age=self.age(now - at))

    def names(self, names: Iterable[str], most: int = 4) -> str | None:
        """The first names and how many more there are; None for none."""
        return self.listed([literal(name, 80) for name in names], most) or None

    def pods(self, subject: Subject, job: Job | None) -> str | None:
        """The subject's pods, without the job's id or name in front of each."""
        key = job.key if job else subject.job
        fronts = [f"{one}-" for one in (key.id if key else "", job.name if job else "") if one]
        return self.names(_without(pod, fronts) for pod in subject.pods)

    def listed(self, marked: Sequence[str], most: int = 4) -> str:
        """The first of what is marked up already, and how many more there are."""
        shown = ", ".join(marked[:most])
        if len(marked) > most:
            return self.t("{names} and {n} more", names=shown, n=len(marked) - most)
        return shown


def _without(name: str, fronts: Sequence[str]) -> str:
    front = next((front for front in fronts if name.startswith(front) and name != front), "")
    return name.removeprefix(front)


def person(by: str | None) -> str:
    """Who did something: a mention for the id of a person or a user group, otherwise the word itself."""
    if by is None:
        return "–"
    if _GROUP_ID.fullmatch(by):
        return f"<!subteam^{by}>"
    return f"<@{by}>" if _SLACK_ID.fullmatch(by) else code(by)


def date(at: datetime) -> str:
    """Day and time of day in the reader's own zone; UTC where Slack does not fill the token in."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{at:%Y-%m-%d %H:%M} UTC>"


def time(at: datetime) -> str:
    """Time of day in the reader's own zone, where the day is plain from what stands beside it."""
    return f"<!date^{int(at.timestamp())}^{{time}}|{at:%H:%M} UTC>"


def percent(ratio: float | None) -> str:
    """A ratio as percent; a missing one is no number at all."""
    return "–" if ratio is None else f"{ratio * 100:.0f} %"


def joined(*parts: str | None) -> str:
    """The parts that exist, in one line."""
    return " · ".join(part for part in parts if part)
