"""Reading the whole job list page by page, so that a list which changes meanwhile cannot lose a job unnoticed."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.clouds.alaya import wire
from bot.clouds.scalars import read_record
from bot.domain.errors import Unreachable, Unreadable

PAGE_SIZE = 100
MOST_PAGES = 100
_TRIES = 3

Turn = Callable[[int], Awaitable[wire.JobPage]]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Pass:
    """One walk over all pages. `steady` is lost when rows or the total moved between two pages."""

    jobs: dict[str, wire.Job] = field(default_factory=dict)
    rows: int = 0
    skipped: int = 0
    totals: set[int] = field(default_factory=set)
    repeated: bool = False

    @property
    def steady(self) -> bool:
        return not self.repeated and len(self.totals) <= 1

    def take(self, page: wire.JobPage) -> bool:
        """Add a page; whether it brought anything new."""
        records = [wire.Job.model_validate(read_record(record)) for record in page.records]
        known = [record for record in records if record.id in self.jobs]
        self.repeated = self.repeated or bool(known)
        self.skipped += sum(record.id is None for record in records)
        self.rows += len(records)
        self.jobs |= {record.id: record for record in records if record.id is not None}
        if page.total_rows is not None:
            self.totals.add(page.total_rows)
        return len(known) < len(records)


async def read_all(cloud: str, turn: Turn) -> tuple[list[wire.Job], int]:
    """Every record, each once, and how many had no id and were left out.

    Raises rather than returning a part: `Unreadable` where pages are empty, repeated or too many before the announced
    total, `Unreachable` where the list kept changing (Alaya reference §5.7).
    """
    for _ in range(_TRIES):
        walk = await _walk(cloud, turn)
        if walk.steady:
            if walk.skipped:
                _log.warning("%s: %d job records without an id skipped", cloud, walk.skipped)
            return list(walk.jobs.values()), walk.skipped
    raise Unreachable(cloud, "the job list changed each time while it was read")


async def _walk(cloud: str, turn: Turn) -> _Pass:
    walk = _Pass()
    for number in range(1, MOST_PAGES + 1):
        page = await turn(number)
        fresh = walk.take(page)
        total = page.total_rows
        if (walk.rows >= total) if total is not None else (len(page.records) < PAGE_SIZE):
            return walk
        if not fresh and walk.steady:
            raise Unreadable(cloud, f"page {number} of the job list is empty before its total of {total}")
        if not fresh:
            raise Unreadable(cloud, f"page {number} of the job list repeats earlier ones")
    raise Unreadable(cloud, f"the job list does not end after {MOST_PAGES} pages")
