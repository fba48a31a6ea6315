"""Times that a platform writes without a zone: read as wall time of one configured zone, kept as aware UTC."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

_WITH_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MILLISECONDS_FROM = 1e11  # as seconds this would be the year 5138


def read_local(text: str | None, zone: ZoneInfo) -> datetime | None:
    """`2025-08-22 18:16:25` as an aware UTC time; a written offset wins over the zone. None if it is no such time."""
    if text is None or not _WITH_CLOCK.match(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def write_local(moment: datetime, zone: ZoneInfo) -> str:
    """An aware time as `YYYY-MM-DD HH:MM:SS` on the zone's wall clock, fractions of a second cut off."""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def read_epoch(value: float | None) -> datetime | None:
    """Unix seconds, or milliseconds where the number is too large for seconds, as an aware UTC time."""
    if value is None or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
