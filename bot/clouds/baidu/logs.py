"""The newest lines of a pod's log (AIHC v1 reference §9).

Whether `maxLines` means the first lines or the last ones is not documented, so pages are read to their end. A log too
long for that is read again from shortly before its end, and from ever earlier until there are lines enough: a job that
hangs has been silent for hours, and its last lines are the ones that matter.
"""

from collections import deque
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.clouds.baidu import wire
from bot.domain.journal import LogLines

PAGE_LINES = 1000
MOST_PAGES = 20
TAILS = (timedelta(minutes=5), timedelta(hours=1), timedelta(days=1), timedelta(days=7))


class ReadPage(Protocol):
    async def __call__(self, lines: int, marker: str | None = None, start: int | None = None) -> wire.LogPage: ...


class End(Protocol):
    """When the log ends: now, or when the job did."""

    def __call__(self) -> Awaitable[datetime]: ...


@dataclass(frozen=True, slots=True)
class _Reading:
    newest: tuple[str, ...]
    count: int
    complete: bool


async def newest_lines(read_page: ReadPage, pod: str, lines: int, end: End) -> LogLines:
    """At most `lines` lines, the log's last ones. Raises `CloudError`."""
    reading = await _read(read_page, lines, None)
    if reading.complete:
        return LogLines(pod, reading.newest, cut=reading.count > lines)
    return LogLines(pod, await _tail(read_page, lines, await end()), cut=True)


async def _tail(read_page: ReadPage, lines: int, end: datetime) -> tuple[str, ...]:
    best: tuple[str, ...] = ()
    for tail in TAILS:
        reading = await _read(read_page, lines, int((end - tail).timestamp()))
        if not reading.complete:
            return best or reading.newest
        best = reading.newest
        if reading.count >= lines:
            break
    return best


async def _read(read_page: ReadPage, lines: int, start: int | None) -> _Reading:
    newest: deque[str] = deque(maxlen=max(lines, 0))
    count = 0
    marker: str | None = None
    for _ in range(MOST_PAGES):
        page = await read_page(max(lines + 1, PAGE_LINES), marker, start)
        found = to_lines(page.logs)
        newest.extend(found)
        count += len(found)
        if page.next_marker is None or page.next_marker == marker:
            return _Reading(tuple(newest), count, complete=True)
        marker = page.next_marker
    return _Reading(tuple(newest), count, complete=False)


def to_lines(records: Iterable[str]) -> list[str]:
    """The lines of log records, each record holding one or many of them (§9, `chunk`)."""
    return [line for record in records if record for line in record.removesuffix("\n").split("\n")]
