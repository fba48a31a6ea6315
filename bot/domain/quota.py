"""Amounts of resources as people write them, one `name = number` a line, and what changed between two of a queue."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.capacity import Queue
from bot.domain.wording import Sentence, say

MOST_LINES = 40
_LINE = re.compile(r"\s*([^\s=:：＝]+)\s*[=:：＝]\s*(\S.*?)\s*")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_./-]*[A-Za-z0-9])?", re.ASCII)
_QUEUE_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)
LONGEST_QUEUE = 63
FACETS = ("description", "deserved", "guarantee", "capability", "oversell", "reclaimable", "strategy")


class QuotaError(Exception):
    """A line that cannot be read."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Change:
    """One facet of a queue, or one resource of a facet, before and after; None is nothing there."""

    facet: str
    resource: str | None
    before: str | None
    after: str | None


def read_amounts(text: str, shown: str = "") -> dict[str, float | str]:
    """Read the lines; an amount that was `shown` in the platform's own way may stay. Raises `QuotaError`."""
    now = {match[1]: match[2] for line in shown.splitlines() if (match := _LINE.fullmatch(line))}
    amounts: dict[str, float | str] = {}
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES:
        raise QuotaError(say("These are {n} lines; at most {most} can be set here.", n=len(lines), most=MOST_LINES))
    for line in lines:
        name, amount = _read_line(line, now)
        if name in amounts:
            raise QuotaError(say("`{name}` is given twice.", name=name))
        amounts[name] = amount
    return amounts


def write_amounts(amounts: Mapping[str, str]) -> str:
    return "\n".join(f"{name} = {amount}" for name, amount in amounts.items())


def queue_name_fault(name: str) -> Sentence | None:
    """Why a queue cannot be called so."""
    if len(name) <= LONGEST_QUEUE and _QUEUE_NAME.fullmatch(name):
        return None
    return say(
        "`{name}` cannot be a name: small letters, digits and `-` between them, {most} characters at most.",
        name=name[:LONGEST_QUEUE],
        most=LONGEST_QUEUE,
    )


def changes(before: Queue | None, after: Queue | None) -> tuple[Change, ...]:
    """What differs between two readings of a queue; None is before it was made, or after it was deleted."""
    found: list[Change] = []
    for facet in FACETS:
        old, new = _facet(before, facet), _facet(after, facet)
        names = [*old, *(name for name in new if name not in old)]
        pairs = ((name, old.get(name), new.get(name)) for name in names)
        found += [Change(facet, name or None, one, other) for name, one, other in pairs if _plain(one) != _plain(other)]
    return tuple(found)


def _facet(queue: Queue | None, facet: str) -> Mapping[str, str]:
    """A facet as named texts; one that is no map has the empty name."""
    value = getattr(queue, facet) if queue else None
    if isinstance(value, Mapping):
        return value
    if isinstance(value, bool):
        return {"": "yes" if value else "no"}
    return {"": str(value)} if value else {}


def _read_line(line: str, now: Mapping[str, str]) -> tuple[str, float | str]:
    match = _LINE.fullmatch(line)
    if match is None or not _NAME.fullmatch(match[1]):
        raise QuotaError(say("`{line}` is not read: write `name = number`, one a line.", line=line.strip()[:60]))
    name, text = match[1], match[2]
    if now.get(name) == text and _number(text) is None:
        return name, text
    number = _number(text)
    if number is None or number < 0:
        raise QuotaError(
            say("How much of `{name}`? It must be a number, not `{value}`.", name=name[:60], value=text[:60])
        )
    return name, int(number) if number.is_integer() else number


def _number(text: str) -> float | None:
    try:
        number = float(text) if text.isascii() else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _plain(amount: float | str | None) -> float | str | None:
    """The amount for comparing."""
    if isinstance(amount, str):
        number = _number(amount)
        return amount if number is None else number
    return amount
