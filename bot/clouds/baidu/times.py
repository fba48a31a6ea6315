"""The three ways in which AIHC writes a time (AIHC v1 reference §1.4). "" and the zero time mean "not yet"."""

import re
from datetime import UTC, datetime

_GO_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? ([+-]\d\d)(\d\d)(?: .*)?", re.ASCII)
_ZERO_YEAR = 1970  # Go's zero time is in the year 1, a zeroed Unix time at the start of 1970


def read_time(text: str | None) -> datetime | None:
    """RFC 3339 with any offset, as aware UTC. A time without an offset is none: its zone would be a guess."""
    return _aware(text) if text and re.match(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d", text) else None


def read_event_time(text: str | None) -> datetime | None:
    """Go's own print of a time, `2024-07-15 16:52:50 +0000 UTC`; RFC 3339 is read as well."""
    go = _GO_TIME.fullmatch(text or "")
    return _aware(f"{go[1]}T{go[2]}{go[3]}:{go[4]}") if go else read_time(text)


def _aware(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.upper())
        return moment.astimezone(UTC) if moment.tzinfo is not None and moment.year > _ZERO_YEAR else None
    except (ValueError, OverflowError):
        return None
