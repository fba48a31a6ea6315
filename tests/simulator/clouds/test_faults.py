"""Faults on demand, alike on every cloud: what a client sees, how often, and what is written down."""

import time

import httpx
import pytest

from bot.simulator.clouds import Serving
from bot.simulator.world.roster import POOL_A
from tests.simulator.clouds.callers import alaya, baidu, send, sysom

POOLS = "/api/v1/resourcepools"
LIST = "/v1/training/instance/list"


async def test_a_fault_hits_as_often_as_it_says(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("status", path="resourcepools$", status=500, code="InternalError", times=2)
    statuses = [(await baidu(baidu_cloud, "GET", POOLS)).status_code for _ in range(3)]
    assert [500, 500, 200] == statuses


async def test_a_fault_spares_other_paths_and_methods(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("status", path="/nodes", method="DELETE", times=None)
    assert 200 == (await baidu(baidu_cloud, "GET", f"{POOLS}/{POOL_A}/nodes")).status_code
    assert 503 == (await baidu(baidu_cloud, "DELETE", f"{POOLS}/{POOL_A}/nodes")).status_code
    baidu_cloud.faults.clear()
    assert 404 == (await baidu(baidu_cloud, "DELETE", f"{POOLS}/{POOL_A}/nodes")).status_code


async def test_each_platform_fails_in_its_own_words_inside_http_200(
    baidu_cloud: Serving, alaya_cloud: Serving, sysom_cloud: Serving
) -> None:
    for cloud in (baidu_cloud, alaya_cloud, sysom_cloud):
        cloud.faults.add("business")
    answers = [await baidu(baidu_cloud, "GET", POOLS), await alaya(alaya_cloud, "GET", LIST), await sysom(sysom_cloud)]
    assert [200, 200, 200] == [answer.status_code for answer in answers]
    assert "InternalError" == answers[0].json()["code"]
    assert {"status": 403, "message": "Forbidden", "data": {}} == answers[1].json()
    assert "Sysom.ServerError" == answers[2].json()["code"]


async def test_throttling_comes_with_and_without_a_wait(
    baidu_cloud: Serving, alaya_cloud: Serving, sysom_cloud: Serving
) -> None:
    for cloud in (baidu_cloud, alaya_cloud, sysom_cloud):
        cloud.faults.add("throttle", retry_after=1.5)
        cloud.faults.add("throttle")
    with_wait = [
        await baidu(baidu_cloud, "GET", POOLS),
        await alaya(alaya_cloud, "GET", LIST),
        await sysom(sysom_cloud),
    ]
    without = [await baidu(baidu_cloud, "GET", POOLS), await alaya(alaya_cloud, "GET", LIST), await sysom(sysom_cloud)]
    assert [(429, "1.5", None), (429, "1.5", None), (400, None, "1500")] == [
        (answer.status_code, answer.headers.get("retry-after"), answer.headers.get("x-acs-retry-after"))
        for answer in with_wait
    ]
    assert all({"retry-after", "x-acs-retry-after"}.isdisjoint(answer.headers) for answer in without)
    assert "Throttling.User" == without[2].json()["Code"]


@pytest.mark.parametrize("status", [200, 502])
async def test_a_web_page_may_stand_where_json_should(alaya_cloud: Serving, status: int) -> None:
    alaya_cloud.faults.add("html", status=status)
    answer = await alaya(alaya_cloud, "GET", LIST)
    assert (status, True) == (answer.status_code, answer.text.startswith("<!doctype html>"))


async def test_a_body_may_be_empty_or_half(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("empty")
    baidu_cloud.faults.add("truncate")
    assert (200, b"") == ((empty := await baidu(baidu_cloud, "GET", POOLS)).status_code, empty.content)
    half = await baidu(baidu_cloud, "GET", POOLS)
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        half.json()


async def test_a_body_may_lie_about_its_encoding(sysom_cloud: Serving) -> None:
    sysom_cloud.faults.add("charset")
    answer = await sysom(sysom_cloud)
    with pytest.raises(UnicodeDecodeError):
        answer.content.decode()
    assert "Success" in answer.content.decode("gb18030")


async def test_a_slow_body_arrives_whole(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("drip", seconds=0.2)
    began = time.monotonic()
    answer = await baidu(baidu_cloud, "GET", POOLS)
    assert (2, True) == (answer.json()["result"]["total"], time.monotonic() - began >= 0.2)


async def test_a_hang_lasts_until_the_client_gives_up(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("hang")
    with pytest.raises(httpx.ReadTimeout):
        await baidu(baidu_cloud, "GET", POOLS, seconds=0.1)
    assert 200 == (await baidu(baidu_cloud, "GET", POOLS)).status_code


async def test_a_dropped_connection_is_no_answer(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("drop")
    with pytest.raises(httpx.RemoteProtocolError):
        await baidu(baidu_cloud, "GET", POOLS)
    assert 0 == baidu_cloud.requests[-1].status


async def test_every_request_is_written_down_at_the_worlds_time(baidu_cloud: Serving) -> None:
    await baidu(baidu_cloud, "GET", POOLS, pageSize=5)
    await send(baidu_cloud, "GET", POOLS, {})
    assert [("GET", POOLS, "pageSize=5", 200), ("GET", POOLS, "", 403)] == [
        (seen.method, seen.path, seen.query, seen.status) for seen in baidu_cloud.requests
    ]
    assert baidu_cloud.world.now() == baidu_cloud.requests[0].at


async def test_faults_can_be_set_over_http(alaya_cloud: Serving) -> None:
    given = [{"kind": "status", "status": 500, "path": "list"}, {"kind": "html", "status": 502}]
    answer = await send(alaya_cloud, "POST", "/sim/faults", {}, given)
    assert ["status", "html"] == [fault["kind"] for fault in answer.json()["faults"]]
    assert 500 == (await alaya(alaya_cloud, "GET", LIST)).status_code
    assert 1 == len((await send(alaya_cloud, "GET", "/sim/faults", {})).json()["faults"])
    await send(alaya_cloud, "DELETE", "/sim/faults", {})
    assert 200 == (await alaya(alaya_cloud, "GET", LIST)).status_code
    assert {"/api/osm" + LIST} == {seen.path for seen in alaya_cloud.requests}


@pytest.mark.parametrize(
    "fault", [{"kind": "earthquake"}, {"kind": "status", "path": "("}, {"kind": "status", "colour": 1}, {}]
)
async def test_a_fault_nobody_knows_is_refused(alaya_cloud: Serving, fault: dict[str, object]) -> None:
    assert 400 == (await send(alaya_cloud, "POST", "/sim/faults", {}, fault)).status_code


async def test_a_slow_answer_is_the_right_one(baidu_cloud: Serving) -> None:
    baidu_cloud.faults.add("slow", seconds=0.2)
    with pytest.raises(httpx.ReadTimeout):
        await baidu(baidu_cloud, "GET", POOLS, seconds=0.05)
    baidu_cloud.faults.add("slow", seconds=0.05)
    assert 2 == (await baidu(baidu_cloud, "GET", POOLS)).json()["result"]["total"]
