"""Alibaba's own SDK as judge: its signer must agree with ours, and it must read our simulator as our adapter does.

The SDK signs with the machine's clock, so the simulated world is set to it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clouds.http import Http, Limits
from bot.clouds.signing import Draft, Keys, acs3, acs3_headers, encoded, query_string, sha256_hex
from bot.clouds.sysom import Sysom
from bot.clouds.sysom import wire as sysom_wire
from bot.clouds.sysom.mapping import to_alarm
from bot.clouds.sysom.topology import to_topology
from bot.domain.errors import Refused, Throttled, Unreachable
from bot.domain.series import Window
from bot.simulator.clouds import Serving, serve_sysom
from bot.simulator.world import World

pytest.importorskip("alibabacloud_sysom20231230", reason="the vendor's SDK is not installed")

from alibabacloud_sysom20231230 import models
from alibabacloud_sysom20231230.client import Client
from alibabacloud_tea_openapi import utils_models
from alibabacloud_tea_openapi.exceptions import ClientException, ThrottlingException
from alibabacloud_tea_openapi.utils import Utils

# The SDK leaves its sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning",
    "ignore::DeprecationWarning",
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
)

BEIJING = ZoneInfo("Asia/Shanghai")
TOKEN = "CAIS-test-security-token=="
AT = datetime(2025, 8, 23, 10, 16, 25, tzinfo=UTC)
NONCE = "0123456789abcdef0123456789abcdef"

words = st.text(st.characters(codec="utf-8"), max_size=20)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.~-]{0,10}", fullmatch=True)
header_values = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)


@pytest.fixture(autouse=True)
def no_proxy_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK sends even calls to this machine through a proxy that the environment names."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


# -- the signer


@given(
    method=st.sampled_from(["GET", "POST", "DELETE"]),
    segments=st.lists(st.one_of(words, st.sampled_from(["a b", "a+b", "~*", "%41", "集群"])), max_size=4),
    query=st.dictionaries(names, words, max_size=6),
    more=st.dictionaries(st.sampled_from(["accept", "user-agent", "x-acs-credentials-provider"]), header_values),
    body=st.binary(max_size=40),
    token=st.one_of(st.none(), st.just(TOKEN)),
    secret=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
)
def test_our_signature_is_the_sdks_signature(
    method: str,
    segments: list[str],
    query: dict[str, str],
    more: dict[str, str],
    body: bytes,
    token: str | None,
    secret: str,
) -> None:
    keys = Keys("LTAI-key", secret, token)
    path = "/" + "/".join(encoded(segment) for segment in segments)
    draft = Draft(method, "sysom.cn-hangzhou.aliyuncs.com", path, query_string(query), more, body)
    headers = {**more, **acs3_headers(draft, keys, "GetListGpuCluster", "2023-12-30", AT, NONCE)}
    ours = acs3(Draft(method, draft.host, path, draft.query, headers, body), keys)
    request = SimpleNamespace(method=method, pathname=path, query=query, headers={"host": draft.host, **headers})
    theirs = Utils.get_authorization(request, "ACS3-HMAC-SHA256", sha256_hex(body), keys.access_key, secret)
    assert theirs == ours


# -- the stage: one world, read by both


@pytest.fixture
def world() -> World:
    world = World.scripted(start=datetime.now(UTC) - timedelta(hours=2))
    world.advance(timedelta(hours=2))
    return world


@pytest.fixture
async def serving(world: World) -> AsyncIterator[Serving]:
    async with serve_sysom(world) as serving:
        yield serving


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    client = Http()
    yield client
    await client.aclose()


@pytest.fixture
def window(world: World) -> Window:
    return Window.last(timedelta(hours=3), world.now())


def ours(serving: Serving, http: Http, secret: str = "sysom-sk", token: str | None = None) -> Sysom:
    limits = Limits(attempts=1)
    return Sysom(
        "ack", serving.url, "sysom-ak", secret, token, http=http, clock=lambda: datetime.now(UTC), limits=limits
    )


def theirs(serving: Serving, secret: str = "sysom-sk", token: str | None = None) -> Any:
    config = utils_models.Config(
        access_key_id="sysom-ak",
        access_key_secret=secret,
        security_token=token,
        endpoint=serving.endpoint,
        protocol="http",
        connect_timeout=2000,
        read_timeout=5000,
    )
    return Client(config)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to call the SDK: its name's ending, and how to wait for it without stopping the server beside it."""

    ending: str

    async def call(self, client: Any, operation: str, request: Any) -> Any:
        method = getattr(client, operation + self.ending)
        return await (method(request) if self.ending else asyncio.to_thread(method, request))


@pytest.fixture(params=["", "_async"], ids=["sync", "async"])
def way(request: pytest.FixtureRequest) -> Way:
    return Way(request.param)


@pytest.fixture(params=[None, TOKEN], ids=["static", "sts"])
def token(request: pytest.FixtureRequest) -> str | None:
    return request.param  # type: ignore[no-any-return]


def span(window: Window) -> str:
    return ",".join(at.astimezone(BEIJING).strftime("%Y-%m-%d %H:%M:%S") for at in (window.start, window.end))


def alarm_request(window: Window, **more: Any) -> Any:
    return models.GetGpuClusterListAlarmRecordRequest(alarm_time=span(window), current=1, page_size=100, **more)


# -- every operation we use


@pytest.mark.parametrize("filters", [{}, {"alarm_type": "hang"}, {"alarm_cluster": "cluster-bj1,cluster-alaya1"}])
async def test_alarms_are_read_alike(
    serving: Serving, http: Http, window: Window, way: Way, token: str | None, filters: dict[str, str]
) -> None:
    answer = await way.call(
        theirs(serving, token=token), "get_gpu_cluster_list_alarm_record", alarm_request(window, **filters)
    )
    assert (200, "Success") == (answer.status_code, answer.body.code)
    records = [sysom_wire.AlarmRecord.model_validate(row) for row in answer.body.to_map()["data"]]
    read_by_them = {alarm.id: alarm for record in records if (alarm := to_alarm("ack", record, BEIJING))}
    batch = await ours(serving, http, token=token).alarms(window)
    read_by_us = {alarm.id: alarm for alarm in batch.alarms if alarm.id in read_by_them}
    assert read_by_them
    assert read_by_them == read_by_us
    assert filters or len(batch.alarms) == len(read_by_them)


async def test_the_fields_of_the_sdks_own_model_say_the_same_as_our_alarms(
    serving: Serving, http: Http, window: Window, way: Way
) -> None:
    answer = await way.call(theirs(serving), "get_gpu_cluster_list_alarm_record", alarm_request(window))
    told = {row.alarm_id: row for row in answer.body.data if row.alarm_id}
    for alarm in (await ours(serving, http).alarms(window)).alarms:
        row = told.pop(alarm.id)
        assert (row.alarm_type, row.alarm_log, row.status) == (alarm.kind, alarm.log, alarm.platform_state)
        assert (row.alarm_cluster, row.alarm_task or None) == (alarm.subject.cluster, alarm.subject.task)
        assert row.uid == alarm.details["uid"]
    assert {} == told


async def test_clusters_are_read_alike(serving: Serving, http: Http, way: Way, token: str | None) -> None:
    answer = await way.call(theirs(serving, token=token), "get_list_gpu_cluster", models.GetListGpuClusterRequest())
    names = list(await ours(serving, http, token=token).clusters())
    assert len(names) == answer.body.total
    assert all(name in str(answer.body.data) for name in names)


async def test_a_topology_is_read_alike(
    serving: Serving, http: Http, world: World, way: Way, token: str | None
) -> None:
    job = max((job for job in world.jobs() if job.holds), key=lambda job: len(job.pods))
    cluster = next(pool.cluster for pool in world.pools() if pool.id == job.place)
    for task_ids in ([job.id], f'["{job.id}"]'):
        request = models.GetGpuClusterTopologyRequest(cluster_id=cluster, task_id_list=task_ids)
        answer = await way.call(theirs(serving, token=token), "get_gpu_cluster_topology", request)
        graph = answer.body.data.data
        read_by_them = to_topology({"nodes": graph.nodes, "edges": graph.edges})
        assert read_by_them == await ours(serving, http, token=token).topology(cluster, job.id)
        assert read_by_them is not None
        assert len(job.pods) == len(read_by_them.machines)


async def test_health_is_read_alike(serving: Serving, http: Http, window: Window, way: Way, token: str | None) -> None:
    start, end = (int(at.timestamp() * 1000) for at in (window.start, window.end))
    request = models.ListInstanceHealthRequest(start=start, end=end, current=1, page_size=100)
    answer = await way.call(theirs(serving, token=token), "list_instance_health", request)
    nodes = await ours(serving, http, token=token).node_health(window)
    assert [(row.instance, row.score, row.status) for row in answer.body.data] == [
        (node.name, node.health, node.platform_state) for node in nodes
    ][:100]


async def test_abnormal_events_are_read_alike(
    serving: Serving, http: Http, window: Window, way: Way, token: str | None
) -> None:
    start, end = (int(at.timestamp() * 1000) for at in (window.start, window.end))
    request = models.ListAbnormalyEventsRequest(start=start, end=end, current=1, page_size=100)
    answer = await way.call(theirs(serving, token=token), "list_abnormaly_events", request)
    events = await ours(serving, http, token=token).abnormal_events(window)
    assert sorted((row.item, row.description) for row in answer.body.data) == sorted(
        (event.reason, event.message) for event in events
    )


# -- what goes wrong goes wrong for both


async def failures(theirs_call: Awaitable[Any], ours_call: Awaitable[Any]) -> tuple[Exception, Exception]:
    with pytest.raises(Exception) as their_error:  # noqa: PT011 - which one is the question
        await theirs_call
    with pytest.raises(Exception) as our_error:  # noqa: PT011
        await ours_call
    return their_error.value, our_error.value


async def test_a_wrong_secret_is_refused_to_both(serving: Serving, http: Http, window: Window, way: Way) -> None:
    call = way.call(theirs(serving, "wrong"), "get_gpu_cluster_list_alarm_record", alarm_request(window))
    their_error, our_error = await failures(call, ours(serving, http, "wrong").alarms(window))
    assert isinstance(their_error, ClientException)
    assert "SignatureDoesNotMatch" == their_error.code
    assert isinstance(our_error, Refused)
    assert "SignatureDoesNotMatch" in our_error.detail


async def test_throttling_tells_both_the_same_wait(serving: Serving, http: Http, window: Window, way: Way) -> None:
    serving.faults.add("throttle", times=None, retry_after=30)
    call = way.call(theirs(serving), "get_gpu_cluster_list_alarm_record", alarm_request(window))
    their_error, our_error = await failures(call, ours(serving, http).alarms(window))
    assert isinstance(their_error, ThrottlingException)
    assert isinstance(our_error, Throttled)
    assert (30_000, 30.0) == (their_error.retry_after, our_error.retry_after)


async def test_a_failure_next_to_http_200_passes_the_sdk_and_not_us(
    serving: Serving, http: Http, window: Window, way: Way
) -> None:
    serving.faults.add("business", times=None)
    answer = await way.call(theirs(serving), "get_gpu_cluster_list_alarm_record", alarm_request(window))
    assert "Sysom.ServerError" == answer.body.code
    with pytest.raises(Unreachable, match=r"Sysom\.ServerError"):
        await ours(serving, http).alarms(window)


@pytest.mark.parametrize("manner", ["clean", "json", "text"])
async def test_every_form_of_ext_info_and_topology_passes_both(
    world: World, http: Http, window: Window, manner: Any, way: Way
) -> None:
    kinds: dict[str, Callable[[Any], bool]] = {
        "clean": lambda value: isinstance(value, dict),
        "json": lambda value: isinstance(value, str) and value.startswith("{"),
        "text": lambda value: isinstance(value, str) and value.startswith("topology data"),
    }
    async with serve_sysom(world, oddities=manner) as serving:
        answer = await way.call(theirs(serving), "get_gpu_cluster_list_alarm_record", alarm_request(window))
        batch = await ours(serving, http).alarms(window)
    drawn = {row.alarm_id for row in answer.body.data if row.alarm_topology is not None}
    assert all(kinds[manner](row.alarm_topology) for row in answer.body.data if row.alarm_id in drawn)
    assert drawn
    assert drawn == {alarm.id for alarm in batch.alarms if alarm.topology is not None}
