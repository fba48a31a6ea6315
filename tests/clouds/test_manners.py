"""Manners towards every platform: never more at once or faster than set, a dead cloud is asked less and less, waits
that a platform asks for are kept, and nobody else's proxy is used."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from itertools import pairwise

import pytest
import stamina

from bot.clouds.answer import Answer
from bot.clouds.http import Http, Limits
from bot.clouds.transport import Call
from bot.domain.errors import ClockSkew, CloudError, Throttled, Unreachable
from bot.domain.ports import Cloud
from bot.simulator.clouds import Serving
from bot.simulator.world import World
from tests.clouds import test_http
from tests.clouds.test_contract import QUICK, STAGES, Setting, Stage

pytestmark = pytest.mark.usefixtures("no_waiting_between_attempts")


@pytest.fixture
def world() -> World:
    return World.scripted()


@pytest.fixture(params=STAGES, ids=lambda stage: stage.name)
def stage(request: pytest.FixtureRequest) -> Stage:
    found: Stage = request.param
    return found


@pytest.fixture
async def serving(stage: Stage, world: World) -> AsyncIterator[Serving]:
    async with stage.serve(world) as serving:
        yield serving


class Counting(Http):
    """Notes how many calls are under way at once, and when each began."""

    def __init__(self, connections: int = 128) -> None:
        super().__init__(connections=connections)
        self.begun = asyncio.Event()
        self.running = self.most = 0
        self.starts: list[float] = []

    async def exchange(self, call: Call, limits: Limits) -> Answer:
        self.starts.append(asyncio.get_running_loop().time())
        self.begun.set()
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            return await super().exchange(call, limits)
        finally:
            self.running -= 1


@pytest.fixture
async def http() -> AsyncIterator[Counting]:
    client = Counting()
    yield client
    await client.aclose()


def built(stage: Stage, serving: Serving, http: Http, limits: Limits = QUICK) -> Cloud:
    return stage.build(Setting(serving.url, stage.secret, http, serving.world.now, limits))


# -- how much at once, and how fast


async def test_a_burst_never_exceeds_what_may_run_at_once(stage: Stage, serving: Serving, http: Counting) -> None:
    serving.faults.add("slow", times=None, seconds=0.01)
    cloud = built(stage, serving, http, Limits(concurrency=3))
    await asyncio.gather(*(cloud.ping() for _ in range(15)))
    assert (3, 15) == (http.most, len(serving.requests))


async def test_a_burst_keeps_its_pace_from_the_first_call_to_the_last(
    stage: Stage, serving: Serving, http: Counting
) -> None:
    cloud = built(stage, serving, http, Limits(concurrency=8, pace=0.02))
    await asyncio.gather(*(cloud.ping() for _ in range(8)))
    gaps = [later - earlier for earlier, later in pairwise(http.starts)]
    assert 7 == len(gaps)
    assert sum(gaps) >= 7 * 0.02 * 0.95


async def test_one_clouds_limits_are_not_anothers(stage: Stage, serving: Serving, http: Counting) -> None:
    """Two configured clouds share one client, and a slow one must not hold the other up."""
    slow, quick = (built(stage, serving, http, Limits(concurrency=1)) for _ in range(2))
    serving.faults.add("slow", times=1, seconds=0.2)
    waiting = asyncio.create_task(slow.ping())
    await http.begun.wait()
    async with asyncio.timeout(0.15):
        await quick.ping()
    assert not waiting.done()
    await waiting


# -- a dead cloud


def _hangs(serving: Serving) -> None:
    serving.faults.add("hang", times=None)


def _gives_503(serving: Serving) -> None:
    serving.faults.add("status", times=None, status=503)


def _gives_a_gateways_page(serving: Serving) -> None:
    serving.faults.add("html", times=None, status=502)


@pytest.mark.parametrize("dies", [_hangs, _gives_503, _gives_a_gateways_page])
async def test_a_dead_cloud_is_asked_less_and_less_until_it_answers(
    stage: Stage, serving: Serving, world: World, http: Counting, dies: Callable[[Serving], None]
) -> None:
    limits = Limits(connect=0.1, read=0.02, deadline=0.2, patience=0.01, first_pause=5, longest_pause=300)
    cloud = built(stage, serving, http, limits)
    dies(serving)
    asked: list[int] = []
    for _ in range(5 * 60):  # twenty-five minutes of a question every five seconds
        before = len(http.starts)
        with pytest.raises(CloudError):
            await cloud.ping()
        asked.append(len(http.starts) - before)
        world.advance(timedelta(seconds=5))
    assert cloud.next_try is not None
    assert cloud.next_try - world.now() <= timedelta(seconds=300)
    tries = [place for place, requests in enumerate(asked) if requests]
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert 12 > len(tries) >= 8
    assert sorted(pauses) == pauses, "each pause is at least as long as the one before"
    serving.faults.clear()
    world.advance(timedelta(seconds=300))
    assert await cloud.ping()
    assert cloud.next_try is None


async def test_a_hanging_cloud_costs_one_deadline_and_then_nothing(
    stage: Stage, serving: Serving, http: Counting
) -> None:
    stamina.set_testing(False)  # testing knows no patience
    serving.faults.add("hang", times=None)
    cloud = built(stage, serving, http, Limits(read=0.1, deadline=0.2, patience=0.05))
    spent = []
    for _ in range(5):
        began = time.perf_counter()
        with pytest.raises(Unreachable):
            await cloud.ping()
        spent.append(time.perf_counter() - began)
    assert 0.1 <= spent[0] < 1.0
    assert sum(spent[1:]) < 0.1
    assert 1 == len(http.starts)


async def test_a_burst_at_a_cloud_that_hangs_costs_each_question_at_most_one_deadline(
    stage: Stage, serving: Serving, http: Counting
) -> None:
    """Those that wait for a slot are told at once when the calls before them found the cloud dead."""
    stamina.set_testing(False)
    serving.faults.add("hang", times=None)
    cloud = built(stage, serving, http, Limits(read=0.1, deadline=0.2, patience=0.05, concurrency=2))
    began = time.perf_counter()
    answers = await asyncio.gather(*(cloud.ping() for _ in range(40)), return_exceptions=True)
    assert {Unreachable} == {type(answer) for answer in answers}
    assert time.perf_counter() - began < 1.0
    assert len(http.starts) <= 4


# -- what a platform asks for


async def test_a_wait_that_a_platform_asks_for_is_told_in_seconds(stage: Stage, serving: Serving, http: Http) -> None:
    serving.faults.add("throttle", times=None, retry_after=7)
    with pytest.raises(Throttled) as caught:
        await built(stage, serving, http).ping()
    assert 7.0 == caught.value.retry_after
    assert 1 == len(serving.requests), "too long to wait within the question"


async def test_a_short_wait_is_kept_within_the_question(stage: Stage, serving: Serving, http: Http) -> None:
    stamina.set_testing(False)
    serving.faults.add("throttle", times=1, retry_after=0.2)
    began = time.perf_counter()
    assert await built(stage, serving, http, Limits()).ping()
    assert 2 == len(serving.requests)
    assert time.perf_counter() - began >= 0.2


async def test_a_clock_that_is_off_is_named_as_such_by_every_platform(
    stage: Stage, serving: Serving, world: World, http: Http
) -> None:
    behind = lambda: world.now() - timedelta(minutes=40)  # noqa: E731
    cloud = stage.build(Setting(serving.url, stage.secret, http, behind, QUICK))
    with pytest.raises(ClockSkew, match=r"clock|ours|timestamp|[Tt]ime"):
        await cloud.ping()


# -- proxies


async def _proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lines: list[str]) -> None:
    lines.append((await reader.readline()).decode().strip())
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 403 no\r\ncontent-length: 0\r\n\r\n")


async def test_the_proxy_of_the_settings_is_asked_and_no_other(
    stage: Stage, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    async with test_http.serving(lambda reader, writer: _proxy(reader, writer, lines)) as proxy:
        http = Http(proxy=proxy)
        with pytest.raises(CloudError):
            await built(stage, serving, http).ping()
        await http.aclose()
        assert lines[0].startswith(f"GET {serving.url}/")
        assert [] == serving.requests
        lines.clear()
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        direct = Http()
        assert await built(stage, serving, direct).ping()
        await direct.aclose()
    assert [] == lines


# -- our own pool


async def test_a_pool_that_leaked_its_connections_is_replaced_and_the_next_call_works(
    stage: Stage, serving: Serving
) -> None:
    http = Counting(connections=1)
    limits = Limits(pool=0.05, attempts=1, patience=0.01, deadline=5, read=5)
    serving.faults.add("hang", times=1)
    lost = asyncio.create_task(built(stage, serving, http, limits).ping())
    await http.begun.wait()
    cloud = built(stage, serving, http, limits)
    for _ in range(2):
        with pytest.raises(Unreachable, match="no free connection on our side"):
            await cloud.ping()
    assert await cloud.ping()
    assert cloud.next_try is None
    lost.cancel()
    await asyncio.gather(lost, return_exceptions=True)
    await http.aclose()
