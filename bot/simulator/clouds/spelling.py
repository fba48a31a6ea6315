"""Spellings that several platforms share: times, numbers as text, pages of a list, query parameters."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TypeVar

T = TypeVar("T")

BEIJING = timezone(timedelta(hours=8))


def beijing(at: datetime | None) -> str:
    """`2026-11-30 10:00:00`, without a zone, as the platforms write Beijing time."""
    return at.astimezone(BEIJING).strftime("%Y-%m-%d %H:%M:%S") if at else ""


def from_beijing(text: str) -> datetime:
    """Reads `2026-11-30 10:00:00`, also with `T` or a zone. ValueError: it is no time."""
    at = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return (at if at.tzinfo else at.replace(tzinfo=BEIJING)).astimezone(UTC)


def decimal(value: float, places: int) -> str:
    """`87.5` for 87.500, `0` for 0.0."""
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(query: Mapping[str, str], name: str, default: int) -> int:
    """A positive whole number of the query; missing, not a number or not positive: the default."""
    try:
        value = int(query.get(name, ""))
    except ValueError:
        return default
    return value if value > 0 else default


def page_of(rows: Sequence[T], number: int, size: int) -> list[T]:
    return list(rows[(number - 1) * size : number * size])
