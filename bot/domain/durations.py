"""Spans of time as people write them: `30s`, `15m`, `2h`, `7d`, `1h30m`. Settings and commands read them alike."""

import re
import unicodedata
from datetime import timedelta

from bot.domain.wording import Sentence, say

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_WRITTEN = re.compile(r"(?:([0-9]{1,9})d)? ?(?:([0-9]{1,9})h)? ?(?:([0-9]{1,9})m)? ?(?:([0-9]{1,9})s)?")


class DurationError(ValueError):
    """The text is not a duration that is allowed here; `sentence` says why."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


def parse_duration(text: str, shortest: timedelta | None = None, longest: timedelta | None = None) -> timedelta:
    """Read `1h30m` and its like, within the limits where they are given. Raises `DurationError`."""
    span = _read(text, unicodedata.normalize("NFKC", text).strip().casefold())
    if shortest is not None and span < shortest:
        raise DurationError(
            say("`{typed}` is too short: the shortest is {limit}.", typed=text, limit=written(shortest))
        )
    if longest is not None and span > longest:
        raise DurationError(say("`{typed}` is too long: the longest is {limit}.", typed=text, limit=written(longest)))
    return span


def written(span: timedelta) -> str:
    """The shortest way to write the span, rounded down to whole seconds: `1h30m`, `7d`, `0s`."""
    rest = int(span.total_seconds())
    parts = []
    for unit, seconds in _UNITS.items():
        count, rest = divmod(rest, seconds)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def _read(typed: str, plain: str) -> timedelta:
    if plain.isdecimal():
        raise DurationError(
            say("`{typed}` lacks a unit: write `{typed}s`, `{typed}m`, `{typed}h` or `{typed}d`.", typed=plain)
        )
    found = _WRITTEN.fullmatch(plain)
    if found is None or not any(found.groups()):
        raise DurationError(
            say("`{typed}` is not a duration. Write for instance `30m`, `6h`, `7d` or `1h30m`.", typed=typed)
        )
    seconds = sum(int(count or 0) * unit for count, unit in zip(found.groups(), _UNITS.values(), strict=True))
    try:
        return timedelta(seconds=seconds)
    except OverflowError:
        raise DurationError(say("`{typed}` is longer than any time the calendar knows.", typed=typed)) from None
