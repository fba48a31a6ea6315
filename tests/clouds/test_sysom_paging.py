"""The alarm list is read whole, once, and honestly: it shifts while it is read, it can be too long, its total lies."""

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clouds.sysom import Sysom
from bot.clouds.zone import read_local, write_local
from bot.domain.errors import Unreadable
from bot.domain.series import Window
from tests.clouds.sayings import sysom_saying

BEIJING = ZoneInfo("Asia/Shanghai")
START = datetime(2025, 8, 22, 10, 0, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(hours=1))
Row = dict[str, Any]


def rows(count: int, *, each: float = 1.0, since: datetime = START, prefix: str = "a") -> list[Row]:
    """Alarms `each` seconds apart, oldest first; names sort by time."""
    return [
        {
            "alarmId": f"{prefix}-{number:05}",
            "alarmTime": write_local(since + timedelta(seconds=each * number), BEIJING),
            "alarmType": "NCCL HANG",
        }
        for number in range(count)
    ]


class Monitor:
    """A living alarm list, newest first. `meanwhile` may change it after each page; `total` says what is told of it."""

    def __init__(
        self,
        alarms: Sequence[Row],
        *,
        meanwhile: Callable[["Monitor"], None] = lambda monitor: None,
        total: Callable[[int, int], object] = lambda matches, on_page: str(matches),
        ignores_page: bool = False,
    ) -> None:
        self.alarms = list(alarms)
        self.pages = 0
        self._meanwhile = meanwhile
        self._total = total
        self._ignores_page = ignores_page

    def __call__(self, request: httpx.Request) -> httpx.Response:
        query = request.url.params
        start, end = query["alarmTime"].split(",")
        matches = [row for row in reversed(self.alarms) if start <= str(row["alarmTime"]) <= end]
        if tasks := query.get("alarmTask"):
            matches = [row for row in matches if row.get("alarmTask") in tasks.split(",")]
        current, size = (1 if self._ignores_page else int(query["current"])), int(query["pageSize"])
        page = matches[(current - 1) * size : current * size]
        body = {"code": "Success", "data": page, "total": self._total(len(matches), len(page))}
        self.pages += 1
        self._meanwhile(self)
        return httpx.Response(200, json=body)


async def ids(sysom: Sysom, window: Window = WINDOW) -> list[str]:
    batch = await sysom.alarms(window)
    assert batch.complete
    return [alarm.id for alarm in batch.alarms]


def ids_of(alarms: Sequence[Row]) -> list[str]:
    return [row["alarmId"] for row in alarms]


# -- where to stop


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 199, 200, 201, 350])
async def test_any_number_of_alarms_is_read_oldest_first(count: int) -> None:
    monitor = Monitor(rows(count))
    assert ids_of(rows(count)) == await ids(sysom_saying(monitor))
    assert monitor.pages <= count // 100 + 1


@pytest.mark.parametrize(
    "total",
    [
        lambda matches, on_page: matches,
        lambda matches, on_page: str(on_page),
        lambda matches, on_page: None,
        lambda matches, on_page: "",
        lambda matches, on_page: "0",
        lambda matches, on_page: "7",
        lambda matches, on_page: str(matches + 500),
        lambda matches, on_page: "many",
    ],
    ids=["number", "page size", "null", "empty", "zero", "too small", "too large", "word"],
)
@pytest.mark.parametrize("count", [100, 250, 300])
async def test_a_total_that_is_wrong_or_missing_loses_nothing_and_ends(
    total: Callable[[int, int], object], count: int
) -> None:
    """F89."""
    monitor = Monitor(rows(count), total=total)
    assert ids_of(rows(count)) == await ids(sysom_saying(monitor))
    assert monitor.pages <= 9


async def test_a_monitor_that_ignores_the_page_number_is_no_endless_loop() -> None:
    monitor = Monitor(rows(250), ignores_page=True, total=lambda matches, on_page: None)
    assert 100 == len(await ids(sysom_saying(monitor)))
    assert monitor.pages <= 4


async def test_alarms_of_the_very_same_second_are_all_read() -> None:
    same = rows(250, each=0)
    assert ids_of(same) == await ids(sysom_saying(Monitor(same)))


async def test_an_alarm_that_comes_twice_is_one_alarm_as_last_read() -> None:
    newest_first = [{**rows(1)[0], "status": "running"}, {**rows(1)[0], "status": "failed"}]
    batch = await sysom_saying(Monitor(newest_first[::-1])).alarms(WINDOW)
    assert ["failed"] == [alarm.platform_state for alarm in batch.alarms]


# -- shifting pages


async def test_alarms_that_arrive_between_two_pages_double_nothing() -> None:
    """F86."""
    fresh = iter(rows(5, since=START + timedelta(minutes=50), prefix="new"))

    def arrive(monitor: Monitor) -> None:
        if row := next(fresh, None):
            monitor.alarms.append(row)

    monitor = Monitor(rows(250), meanwhile=arrive)
    found = await ids(sysom_saying(monitor))
    assert set(ids_of(rows(250))) <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("removed", [0, 3, 99, 100, 150])
@pytest.mark.parametrize("total", [True, False], ids=["with total", "without total"])
async def test_an_alarm_that_goes_away_between_two_pages_hides_no_other(removed: int, total: bool) -> None:
    """F86: Newest first: what is removed on page 1 pulls the first of page 2 over the edge."""

    def remove(monitor: Monitor) -> None:
        if monitor.pages == 1:
            del monitor.alarms[-1 - removed]

    told: Callable[[int, int], object] = (lambda matches, on_page: str(matches)) if total else lambda *_: None
    monitor = Monitor(rows(250), meanwhile=remove, total=told)
    found = await ids(sysom_saying(monitor))
    assert set(ids_of(monitor.alarms)) <= set(found)


async def test_a_list_that_holds_still_and_says_its_total_is_read_only_once() -> None:
    monitor = Monitor(rows(350))
    await ids(sysom_saying(monitor))
    assert 4 == monitor.pages


async def test_a_list_that_never_holds_still_is_read_a_bounded_number_of_times() -> None:
    numbers = itertools.count()

    def churn(monitor: Monitor) -> None:
        monitor.alarms.append(rows(1, since=WINDOW.end, prefix=f"new{next(numbers):03}")[0])

    monitor = Monitor(rows(250), meanwhile=churn)
    assert set(ids_of(rows(250))) <= set(await ids(sysom_saying(monitor)))
    assert monitor.pages <= 16


# -- more than a poll may read


@pytest.mark.parametrize("told", [True, False], ids=["with total", "without total"])
async def test_at_the_page_cap_the_oldest_part_comes_back_and_is_said_to_be_a_part(told: bool) -> None:
    alarms = rows(3000)
    total: Callable[[int, int], object] = (lambda matches, on_page: matches) if told else lambda *_: None
    batch = await sysom_saying(Monitor(alarms, total=total), page_cap=10).alarms(WINDOW)
    found = [alarm.id for alarm in batch.alarms]
    assert not batch.complete
    assert found
    assert ids_of(alarms)[: len(found)] == found


@pytest.mark.parametrize("each", [1.0, 0.1, 0.004], ids=["spread", "dense", "within seconds"])
async def test_a_cursor_that_follows_the_parts_reads_everything(each: float) -> None:
    alarms = rows(3000, each=each)
    sysom = sysom_saying(Monitor(alarms), page_cap=10)
    found: set[str] = set()
    cursor, window = START, WINDOW
    for _ in range(20):
        batch = await sysom.alarms(window)
        found |= {alarm.id for alarm in batch.alarms}
        if batch.complete:
            break
        newest = max(alarm.at for alarm in batch.alarms if alarm.at)
        assert newest > cursor or each < 1
        cursor, window = newest, Window(newest, WINDOW.end)
    assert set(ids_of(alarms)) == found


async def test_thirty_pages_with_a_cap_of_ten_cost_a_bounded_number_of_calls() -> None:
    """F87."""
    monitor = Monitor(rows(3000))
    await sysom_saying(monitor, page_cap=10).alarms(WINDOW)
    assert monitor.pages <= 20


async def test_a_quiet_beginning_does_not_hide_the_alarms_after_it() -> None:
    late = rows(3000, each=0.1, since=WINDOW.end - timedelta(minutes=5))
    batch = await sysom_saying(Monitor(late), page_cap=10).alarms(Window(START - timedelta(days=1), WINDOW.end))
    assert not batch.complete
    assert ids_of(late)[: len(batch.alarms)] == [alarm.id for alarm in batch.alarms]
    assert batch.alarms


async def test_a_single_second_beyond_the_cap_is_read_to_its_end() -> None:
    burst = rows(1500, each=0, since=START + timedelta(minutes=10))
    batch = await sysom_saying(Monitor(burst), page_cap=10).alarms(WINDOW)
    assert set(ids_of(burst)) == {alarm.id for alarm in batch.alarms}


async def test_a_second_that_never_ends_is_unreadable_rather_than_endless() -> None:
    numbers = itertools.count()

    def endless(request: httpx.Request) -> httpx.Response:
        page = [{"alarmId": f"x-{next(numbers)}"} for _ in range(100)]
        return httpx.Response(200, json={"code": "Success", "data": page, "total": "0"})

    with pytest.raises(Unreadable, match="does not end"):
        await sysom_saying(endless, page_cap=2).alarms(Window(START, START + timedelta(seconds=1)))


async def test_many_tasks_are_asked_for_in_portions_and_merged() -> None:
    alarms = [{**row, "alarmTask": f"task-{number:03}"} for number, row in enumerate(rows(120))]
    monitor = Monitor(alarms)
    batch = await sysom_saying(monitor).alarms(WINDOW, [f"task-{number:03}" for number in range(120)])
    assert ids_of(alarms) == [alarm.id for alarm in batch.alarms]
    assert 3 == monitor.pages


@settings(max_examples=60, deadline=None)
@given(
    times=st.lists(st.integers(0, 3600), max_size=700),
    cap=st.integers(1, 4),
    told=st.booleans(),
)
async def test_whatever_the_times_the_part_is_gapless_up_to_its_newest_alarm(
    times: list[int], cap: int, told: bool
) -> None:
    alarms = [
        {"alarmId": f"a-{place}", "alarmTime": write_local(START + timedelta(seconds=second), BEIJING)}
        for place, second in enumerate(sorted(times))
    ]
    total: Callable[[int, int], object] = (lambda matches, on_page: str(matches)) if told else lambda *_: None
    batch = await sysom_saying(Monitor(alarms, total=total), page_cap=cap).alarms(WINDOW)
    found = {alarm.id for alarm in batch.alarms}
    newest = max((alarm.at for alarm in batch.alarms if alarm.at), default=START)
    until = WINDOW.end if batch.complete else newest
    due = {row["alarmId"] for row in alarms if (read_local(row["alarmTime"], BEIJING) or START) <= until}
    assert due == found
    assert batch.complete or found
