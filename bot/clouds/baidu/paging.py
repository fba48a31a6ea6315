"""All pages of a list that changes while it is read.

Pages are numbered, so a row that vanishes from an early page pulls an unread one over the border. A reading counts only
if every page told the same total and that many different rows came; otherwise the list is read again, until two
readings agree. Nothing is lost silently: a list that will not hold still, or that is too long, is an error.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.clouds.scalars import read_text, read_whole
from bot.domain.errors import Unreadable

PAGE_SIZE = 100
MOST_PAGES = 200
MOST_READINGS = 4


@dataclass(frozen=True, slots=True)
class Page:
    rows: tuple[object, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class _Reading:
    rows: dict[object, object]
    steady: bool


Fetch = Callable[[int, int], Awaitable[Page]]
Identify = Callable[[object], str | None]


def page_of(cloud: str, result: Mapping[str, object], key: str) -> Page:
    """One page out of an answer. Raises `Unreadable` where it is no list at all, which is not an empty list."""
    rows = result.get(key)
    total = read_whole(result.get("total", result.get("totalCount")))
    if rows is None and total == 0:
        rows = []
    if not isinstance(rows, list):
        raise Unreadable(cloud, f"the answer holds no list of {key}")
    return Page(tuple(rows), total)


async def all_rows(cloud: str, fetch: Fetch, identify: Identify) -> list[object]:
    """Every row once, in the platform's order; rows without an id are kept for the caller to count."""
    previous: _Reading | None = None
    for _ in range(MOST_READINGS):
        reading = await _read(cloud, fetch, identify)
        if reading.steady or (previous and previous.rows.keys() == reading.rows.keys()):
            return list(reading.rows.values())
        previous = reading
    raise Unreadable(cloud, "the list changed each time while its pages were read")


async def _read(cloud: str, fetch: Fetch, identify: Identify) -> _Reading:
    rows: dict[object, object] = {}
    totals: set[int] = set()
    async for number, page in _pages(fetch):
        known = len(rows)
        for row in page.rows:
            rows.setdefault(identify(row) or ("nameless", repr(row)), row)
        if page.total is not None:
            totals.add(page.total)
        if not page.rows and number == 1 and page.total:
            raise Unreadable(cloud, f"the first page is empty, the total says {page.total}")
        if len(rows) == known or (page.total is not None and len(rows) >= page.total):
            return _Reading(rows, not totals or totals == {len(rows)})
    raise Unreadable(cloud, f"more than {MOST_PAGES} pages")


async def _pages(fetch: Fetch) -> AsyncIterator[tuple[int, Page]]:
    """The pages in order. Those that a full first page announces are read at once: it is quicker, and less can move."""
    first = await fetch(1, PAGE_SIZE)
    yield 1, first
    announced = -(-(first.total or 0) // PAGE_SIZE) if len(first.rows) >= PAGE_SIZE else 1
    together = range(2, min(announced, MOST_PAGES) + 1)
    for number, page in zip(together, await _all(fetch, together), strict=True):
        yield number, page
    for number in range(len(together) + 2, MOST_PAGES + 1):
        yield number, await fetch(number, PAGE_SIZE)


async def _all(fetch: Fetch, numbers: Iterable[int]) -> list[Page]:
    """The first error, by page, once no call is under way any more."""
    answers = await asyncio.gather(*(fetch(number, PAGE_SIZE) for number in numbers), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if isinstance(answer, Page)]


def identified_by(*path: str) -> Identify:
    """Find a row's id under one of the given keys, `a.b` meaning b inside a; keys may carry blanks."""

    def identify(row: object) -> str | None:
        return next((text for key in path if (text := _dig(row, key)) is not None), None)

    return identify


def _dig(row: object, key: str) -> str | None:
    for part in key.split("."):
        if not isinstance(row, Mapping):
            return None
        row = next((item for name, item in row.items() if isinstance(name, str) and name.strip() == part), None)
    return read_text(row)
