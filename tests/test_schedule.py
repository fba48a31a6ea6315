"""Ticks end, happen, and never stop the next one."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.schedule import Routine, Schedule

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SOON = timedelta(milliseconds=20)
Outcomes = list[tuple[str, str]]


@pytest.fixture
def outcomes() -> Outcomes:
    return []


@pytest.fixture
async def schedule(outcomes: Outcomes) -> AsyncIterator[Schedule]:
    schedule = Schedule(lambda: NOW, lambda name, outcome, _seconds: outcomes.append((name, outcome)))
    schedule.start()
    yield schedule
    await schedule.close(timedelta(seconds=1))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - the condition is a plain list filled by the scheduler
            await asyncio.sleep(0.005)


async def test_a_tick_gets_the_clock_and_runs_again(schedule: Schedule) -> None:
    seen: list[datetime] = []

    async def tick(now: datetime) -> None:
        seen.append(now)

    schedule.add(Routine("poll", tick, SOON, timedelta(seconds=1)))

    await until(lambda: len(seen) >= 3)
    assert NOW == seen[0]


async def test_a_tick_that_hangs_is_ended_by_its_deadline_and_runs_again(
    schedule: Schedule, outcomes: Outcomes
) -> None:
    """F76."""
    begun: list[int] = []

    async def hang(_now: datetime) -> None:
        begun.append(1)
        await asyncio.sleep(60)

    schedule.add(Routine("poll", hang, SOON, timedelta(milliseconds=30)))

    await until(lambda: len(begun) >= 2)
    assert ("poll", "deadline") in outcomes


@pytest.mark.parametrize("error", [ValueError("odd"), asyncio.CancelledError()])
async def test_whatever_a_tick_raises_the_next_one_runs(
    schedule: Schedule, outcomes: Outcomes, error: BaseException
) -> None:
    """F77."""
    begun: list[int] = []

    async def fail(_now: datetime) -> None:
        begun.append(1)
        raise error

    schedule.add(Routine("poll", fail, SOON, timedelta(seconds=1)))

    await until(lambda: len(begun) >= 3)
    assert ("poll", "ok") not in outcomes


async def test_a_slow_tick_is_not_stacked(schedule: Schedule, outcomes: Outcomes) -> None:
    running = 0
    most = 0

    async def slow(_now: datetime) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.08)
        running -= 1

    schedule.add(Routine("poll", slow, SOON, timedelta(seconds=1)))

    await until(lambda: outcomes.count(("poll", "ok")) >= 2)
    assert 1 == most
    assert ("poll", "skipped") in outcomes


async def test_a_dead_source_delays_no_other(schedule: Schedule) -> None:
    seen: list[int] = []

    async def hang(_now: datetime) -> None:
        await asyncio.sleep(60)

    async def tick(_now: datetime) -> None:
        seen.append(1)

    schedule.add(Routine("dead", hang, SOON, timedelta(seconds=30)))
    schedule.add(Routine("well", tick, SOON, timedelta(seconds=1)))

    await until(lambda: len(seen) >= 3)


async def test_a_tick_missed_while_the_loop_was_busy_happens_late(schedule: Schedule) -> None:
    seen: list[int] = []

    async def tick(_now: datetime) -> None:
        seen.append(1)

    schedule.add(Routine("poll", tick, timedelta(seconds=1), timedelta(seconds=1), at_start=False))
    end = asyncio.get_running_loop().time() + 2.2
    while asyncio.get_running_loop().time() < end:
        pass  # the loop is blocked for more than the library's one second of grace

    await until(lambda: len(seen) >= 1)


async def test_closing_lets_a_running_tick_end(outcomes: Outcomes) -> None:
    schedule = Schedule(lambda: NOW, lambda name, outcome, _seconds: outcomes.append((name, outcome)))
    begun = asyncio.Event()

    async def slow(_now: datetime) -> None:
        begun.set()
        await asyncio.sleep(0.1)

    schedule.add(Routine("poll", slow, timedelta(seconds=60), timedelta(seconds=1)))
    schedule.start()
    await begun.wait()

    await schedule.close(timedelta(seconds=2))

    assert [("poll", "ok")] == outcomes


async def test_a_day_on_which_the_clocks_change_has_as_many_ticks_as_any_other(
    schedule: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F79: periods are counted in UTC, whatever zone the host is in."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        schedule.add(Routine("thinning", _nothing, timedelta(hours=1), SOON, at_start=False))
        (job,) = schedule._scheduler.get_jobs()
        moments = [datetime(2026, 3, 29, tzinfo=UTC)]
        while (following := job.trigger.get_next_fire_time(moments[-1], moments[-1])).day == 29:
            moments.append(following)
        assert 24 == len(set(moments))
    finally:
        monkeypatch.undo()
        time.tzset()


async def _nothing(_now: datetime) -> None:
    pass
