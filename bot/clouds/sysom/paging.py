"""Reading all alarm records of a window from a list that is newest first, offset-paged, and alive while it is read.

Three dangers, three guards (SysOM reference §4):
- The list shifts between two pages. A record that goes away pulls another over a page's edge, unseen. So pages are
  read again until two passes agree, unless the totals prove that one pass saw everything; the union is returned.
- There is more than a poll may read. The newest pages come first, yet the cursor may only move over what was read.
  So the window is halved and its oldest part is read completely; the rest is left to the next poll.
- `total` may be text, missing, wrong, or the size of the page alone. It never ends the reading on its own word where
  the pages contradict it, and a page that brings nothing new ends it always.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.clouds.scalars import read_record
from bot.clouds.sysom import wire
from bot.domain.errors import Unreadable
from bot.domain.series import Window

PAGE_SIZE = 100
_PASSES = 4
_SECOND = timedelta(seconds=1)
_MOST_IN_A_SECOND = 10  # times the page cap: the shortest window cannot be halved, only read to its end


@dataclass(frozen=True, slots=True)
class Page:
    records: tuple[object, ...]
    total: int | None


Turn = Callable[[Window, int], Awaitable[Page]]


@dataclass(slots=True)
class Haul:
    """What was read: records by id, the latest reading of each. `until` is the end of the part read completely."""

    records: dict[str, wire.AlarmRecord] = field(default_factory=dict)
    skipped: int = 0
    pages: int = 0
    complete: bool = True
    until: datetime | None = None

    def add(self, other: "Haul") -> None:
        self.records |= other.records
        self.skipped += other.skipped
        self.pages += other.pages


@dataclass(slots=True)
class _Pass:
    """One walk over the pages of one window."""

    records: dict[str, wire.AlarmRecord] = field(default_factory=dict)
    skipped: int = 0
    rows: int = 0
    pages: int = 0
    totals: set[int | None] = field(default_factory=set)
    repeated: bool = False
    finished: bool = False

    @property
    def is_snapshot(self) -> bool:
        """Whether nothing can have moved: one page, or one total throughout that the distinct records add up to."""
        return self.pages <= 1 or (not self.repeated and self.totals in ({self.rows}, {len(self.records)}))

    def take(self, page: Page) -> None:
        found = [wire.AlarmRecord.model_validate(read_record(record)) for record in page.records]
        fresh = {record.id: record for record in found if record.id is not None}
        known = len(self.records)
        named = sum(record.id is not None for record in found)
        self.records |= fresh
        self.repeated = self.repeated or len(self.records) < known + named
        self.skipped += len(found) - named
        self.rows += len(found)
        self.pages += 1
        self.totals.add(page.total)
        self.finished = self._is_last(page, brought_news=len(self.records) > known)

    def _is_last(self, page: Page, *, brought_news: bool) -> bool:
        if len(page.records) < PAGE_SIZE or (self.pages > 1 and not brought_news):
            return True
        counted = self.pages * PAGE_SIZE
        # A total of just one full page may be that page's own size; a total below what was seen certainly is.
        return page.total == counted and self.pages > 1


async def read_window(cloud: str, turn: Turn, window: Window, page_cap: int) -> Haul:
    """Every record of the window, or of its oldest part where more than `page_cap` pages would be needed.

    `complete` is False for a part; then it holds at least one record and everything up to `until`.
    """
    haul = Haul()
    waiting = [window]
    while waiting:
        current = waiting.pop()
        part = await _read_part(turn, current, page_cap - haul.pages if haul.records else page_cap)
        if part is None:
            if haul.records:
                haul.complete = False
                break
            if halves := _halved(current):
                waiting += halves
                continue
            part = await _read_second(cloud, turn, current, page_cap)
        haul.add(part)
        haul.until = current.end
        if waiting and haul.records and haul.pages >= page_cap:
            haul.complete = False
            break
    return haul


async def _read_second(cloud: str, turn: Turn, window: Window, page_cap: int) -> Haul:
    part = await _read_part(turn, window, page_cap * _MOST_IN_A_SECOND)
    if part is None:
        raise Unreadable(cloud, "the alarm list does not end, not even that of a single second")
    return part


async def _read_part(turn: Turn, window: Window, limit: int) -> Haul | None:
    """All records of the window, or None where they take more than `limit` pages."""
    haul = Haul()
    seen: set[str] | None = None
    for _ in range(_PASSES):
        walk = await _walk(turn, window, limit)
        if not walk.finished:
            return None
        haul.records |= walk.records
        haul.skipped = max(haul.skipped, walk.skipped)
        haul.pages = max(haul.pages, walk.pages)
        if walk.is_snapshot or walk.records.keys() == seen:
            break
        seen = set(walk.records)
    return haul


async def _walk(turn: Turn, window: Window, limit: int) -> _Pass:
    walk = _Pass()
    for number in range(1, limit + 1):
        page = await turn(window, number)
        walk.take(page)
        if walk.finished or (page.total or 0) > limit * PAGE_SIZE:
            break
    return walk


def _halved(window: Window) -> list[Window]:
    """Two halves that share their border, the older one last, as a stack wants it; none for a window of a second."""
    middle = (window.start + window.length / 2).replace(microsecond=0)
    if window.length <= _SECOND or not window.start < middle < window.end:
        return []
    return [Window(middle, window.end), Window(window.start, middle)]
