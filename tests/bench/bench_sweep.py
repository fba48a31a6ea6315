"""One sweep over a large fleet: the listing of its jobs, and the use of every running one as the judge reads it.

The measure is wall time over the ideal, which is the number of calls times a call's latency, divided by how many may
run at once. The answers take 50 ms; what that means on this machine is measured during the very run by a bare client
beside it, so that other programs' load counts for both. The ratio over the bare 50 ms is told beside it.
"""

import asyncio
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.clouds.alaya import Alaya
from bot.clouds.baidu import Baidu
from bot.clouds.http import Http, Limits
from bot.domain.alarm import Alarm
from bot.domain.incident import Incident
from bot.domain.low_use import Rule
from bot.domain.ports import JobCloud
from bot.domain.wording import Sentence
from bot.relay.fleet import Fleet
from bot.relay.judge import Judge
from bot.relay.watch import Watch
from tests.bench.answerer import PAGE, PODS, POOL
from tests.bench.table import show, time_of

LATENCY = 0.05
MOST = 1.15  # times the ideal
RULE = Rule("idle", window=timedelta(minutes=60))

pytestmark = pytest.mark.timeout(240)


@dataclass(frozen=True, slots=True)
class Case:
    """`each` is how many requests a job may cost in one sweep, besides the pages of the listing."""

    name: str
    jobs: int
    at_once: int
    each: int
    build: Callable[[str, Http, Limits], JobCloud]


def baidu(url: str, http: Http, limits: Limits) -> JobCloud:
    return Baidu("beijing", url, "ak", "sk", None, [POOL], http=http, clock=now, limits=limits)


def alaya(url: str, http: Http, limits: Limits) -> JobCloud:
    return Alaya("alaya", url, http=http, clock=now, api_key="key", limits=limits)


CASES = (
    Case("AIHC", 1_000, 4, 1, baidu),
    Case("Alaya NeW", 100, 4, 1 + PODS, alaya),  # it tells use pod by pod
)


@dataclass
class Nothing:
    """A store that holds no incidents and a speaker that says nothing: a sweep is measured, not what follows."""

    observed: list[Alarm] = field(default_factory=list)

    async def open(self) -> Sequence[Incident]:
        return ()

    async def recent(self, since: datetime) -> Sequence[Incident]:
        return ()

    async def observe(self, source: str, alarms: Sequence[Alarm], now: datetime) -> None:
        self.observed += alarms

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None: ...


def now() -> datetime:
    return datetime.now(UTC)


async def test_a_sweep_takes_little_longer_than_its_calls_must() -> None:
    rows, ratios = [], {}
    for case in CASES:
        swept = await best_of(3, case)
        assert (case.at_once, case.jobs * case.each + pages(case.jobs)) == (swept.most_at_once, swept.requests)
        ratios[case.name, case.at_once] = swept.over(swept.latency, case)
        rows.append(_row(case, swept))
    head = ["answers after 50 ms", "requests", "per job", "latency", "ideal", "wall", "ratio", "over 50 ms"]
    show("One sweep of a fleet", head, rows)
    assert {} == {case: ratio for case, ratio in ratios.items() if ratio > MOST}


def pages(jobs: int) -> int:
    return -(-jobs // PAGE)


def _row(case: Case, swept: "Swept") -> list[str]:
    return [
        f"{case.name}, {case.jobs:,} jobs × {PODS} pods, {case.at_once} at once",
        f"{swept.requests:,}",
        f"{swept.requests / case.jobs:.2f}",
        time_of(swept.latency),
        time_of(swept.requests * swept.latency / case.at_once),
        time_of(swept.wall),
        f"{swept.over(swept.latency, case):.3f}",
        f"{swept.over(LATENCY, case):.3f}",
    ]


@dataclass(frozen=True, slots=True)
class Swept:
    """`wall` and `latency` are seconds, the latter that of a bare client at the same time."""

    wall: float
    requests: int
    most_at_once: int
    latency: float

    def over(self, latency: float, case: Case) -> float:
        return self.wall / (self.requests * latency / case.at_once)


async def best_of(tries: int, case: Case) -> Swept:
    """A busy machine can only make a sweep worse: the first that is good enough counts, else the best."""
    found = [await sweep(case)]
    while len(found) < tries and found[-1].over(found[-1].latency, case) > MOST:
        found.append(await sweep(case))
    return min(found, key=lambda swept: swept.over(swept.latency, case))


async def sweep(case: Case) -> Swept:
    http = Http()
    try:
        async with answerer(case.jobs) as url:
            cloud = case.build(url, http, Limits(concurrency=case.at_once))
            fleet = Fleet({cloud.name: cloud})
            nothing = Nothing()
            judge = Judge(cloud, [RULE], fleet, nothing, Watch(nothing, nothing))  # type: ignore[arg-type]
            began = time.perf_counter()
            assert await fleet.refresh(cloud.name, now()) is None
            await judge.tick(now())
            wall = time.perf_counter() - began
            assert case.jobs == judge.tally.judged
            return Swept(wall, **await seen_by(url))
    finally:
        await http.aclose()


@asynccontextmanager
async def answerer(jobs: int) -> AsyncIterator[str]:
    """Its address; it ends with the block."""
    command = (sys.executable, "-m", "tests.bench.answerer", str(jobs), str(LATENCY))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert process.stdin
    assert process.stdout
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def seen_by(url: str) -> dict[str, Any]:
    async with ClientSession() as session, session.get(f"{url}/seen") as answer:
        told: dict[str, Any] = await answer.json()
        return told
