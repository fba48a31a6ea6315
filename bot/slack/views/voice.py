"""How one reader is spoken to: the language, the command's name, who is who, and figures and times in words.

Times of day are Slack's date tokens, which every reader sees in a zone and a language of their own; ages are only for
answers, for a card must not change by itself.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.job import Job
from bot.domain.wording import Sentence
from bot.messages import Texts
from bot.slack.views.mrkdwn import code, line, literal

_SLACK_ID = re.compile(r"[UW][A-Z0-9]{4,}")


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
        """A sentence of the domain; the values in it are text from outside."""
        values = {k: line(v, 500) if isinstance(v, str) else v for k, v in sentence.values.items()}
        return self.t(sentence.text, **values)

    def owner(self, owner: str | None) -> str | None:
        """A cloud's user, with the person in Slack where one is known."""
        if owner is None:
            return None
        person = self.person_of(owner)
        return f"{literal(owner)} (<@{person}>)" if person else literal(owner)

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
        every = list(names)
        shown = ", ".join(literal(name, 80) for name in every[:most])
        if len(every) > most:
            return self.t("{names} and {n} more", names=shown, n=len(every) - most)
        return shown or None


def person(by: str | None) -> str:
    """Who did something: a mention for a Slack id, otherwise the word itself."""
    if by is None:
        return "–"
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
