"""Baidu's own SDK as judge: its signer must agree with ours, and its HTTP core must read our simulator as we do.

The SDK speaks v2 only, but its core and signer can be pointed at v1 paths (AIHC v1 reference §16.1).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clouds.baidu import Baidu
from bot.clouds.http import Http
from bot.clouds.signing import Draft, Keys, bce_v1, encoded, query_string
from bot.domain.capacity import QueueDefinition
from bot.domain.errors import NotFound
from bot.domain.job import Job, JobDefinition, JobState
from bot.domain.series import Metric, Window
from bot.simulator.clouds import Serving, serve_baidu
from bot.simulator.world import World

pytest.importorskip("baidubce", reason="the vendor's SDK is not installed")

from baidubce import utils
from baidubce.auth import bce_v1_signer
from baidubce.auth.bce_credentials import BceCredentials
from baidubce.bce_base_client import BceBaseClient
from baidubce.bce_client_configuration import BceClientConfiguration
from baidubce.exception import BceHttpClientError
from baidubce.http import bce_http_client, handler
from baidubce.retry.retry_policy import NoRetryPolicy

# The SDK leaves its sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)

POOL = "cce-ab12cd34"
POOLS = "/api/v1/resourcepools"
JOBS = "/api/v1/aijobs"

names = st.text(min_size=1, max_size=12).filter(lambda name: name.lower() != "authorization")
texts = st.text(max_size=20)
header_values = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)


# -- the signer


@given(
    segments=st.lists(st.one_of(texts, st.sampled_from(["队列 a", "a+b", "a~b*c", "%41", "a/b"])), max_size=4),
    query=st.dictionaries(names, texts, max_size=5),
    more=st.dictionaries(st.sampled_from(["x-bce-date", "x-bce-security-token", "x-bce-meta"]), header_values),
    content_type=st.sampled_from(["application/json", "application/json; charset=utf-8"]),
    listed=st.booleans(),
    moment=st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),  # noqa: DTZ001  the zone is added below
    life=st.integers(1, 86400),
)
def test_the_official_signer_signs_as_we_do(
    segments: list[str],
    query: dict[str, str],
    more: dict[str, str],
    content_type: str,
    listed: bool,
    moment: datetime,
    life: int,
) -> None:
    at = moment.replace(microsecond=0, tzinfo=UTC)
    path = "/" + "/".join(map(encoded, segments))
    headers = {"host": "aihc.bj.baidubce.com", "content-type": content_type, **more}
    signed = sorted(headers) if listed else None
    theirs = bce_v1_signer.sign(
        BceCredentials("ak", "sk"),
        b"GET",
        path.encode(),
        {name.encode(): value.encode() for name, value in headers.items()},
        {name.encode(): value.encode() for name, value in query.items()},
        int(at.timestamp()),
        life,
        None if signed is None else [name.encode() for name in signed],
    )
    host = headers.pop("host")
    draft = Draft("GET", host, path, query_string(query), headers)
    assert theirs.decode() == bce_v1(draft, Keys("ak", "sk"), at, signed, life)


@given(st.text())
def test_the_official_encoder_encodes_as_we_do(text: str) -> None:
    assert utils.normalize_string(text).decode() == encoded(text)


# -- the HTTP core


class Official(BceBaseClient):  # type: ignore[misc]  # the SDK is untyped
    """The SDK's core, asked for v1 paths."""

    def _compute_service_id(self) -> str:
        return "aihc"

    def call(self, method: str, path: str, params: Mapping[str, object] | None = None, body: object = None) -> Any:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        response = bce_http_client.send_request(
            self.config,
            bce_v1_signer.sign,
            [handler.parse_error, handler.parse_json],
            method.encode(),
            utils.normalize_string(path, False),
            content,
            {b"Content-Type": b"application/json"},
            params,
        )
        return json.loads(response.raw_data)


@dataclass(frozen=True, slots=True)
class Pair:
    """The official core and our adapter over one simulator."""

    ours: Baidu
    official: Official
    world: World

    async def theirs(
        self, method: str, path: str, params: Mapping[str, object] | None = None, body: object = None
    ) -> Any:
        """What the official core reads, the envelope taken off; it blocks, so it runs beside the loop."""
        answer = await asyncio.to_thread(self.official.call, method, path, params, body)
        return answer.get("result", answer)

    async def running(self) -> Job:
        return next(job for job in await self.ours.jobs() if job.state is JobState.RUNNING and job.pool == POOL)


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    world = World.scripted(start=datetime.now(UTC))  # the SDK signs with the real clock
    http = Http()
    async with serve_baidu(world) as cloud:
        yield Pair(Baidu("beijing", cloud.url, "ak-sim", "sk-sim", http=http, clock=world.now), _official(cloud), world)
    await http.aclose()


def _official(cloud: Serving, secret: str = "sk-sim") -> Official:
    credentials = BceCredentials("ak-sim", secret)
    return Official(BceClientConfiguration(credentials=credentials, endpoint=cloud.url, retry_policy=NoRetryPolicy()))


def _seconds(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else ""


async def test_pools_read_the_same(pair: Pair) -> None:
    theirs = (await pair.theirs("GET", POOLS, {"pageSize": 100}))["resourcePools"]
    ours = {pool.id: pool for pool in await pair.ours.pools()}
    assert {row["metadata"]["id"] for row in theirs} == set(ours)
    for row in theirs:
        pool = ours[row["metadata"]["id"]]
        one = (await pair.theirs("GET", f"{POOLS}/{pool.id}"))["resourcePool"]
        assert (one["metadata"]["name"], one["status"]["gpuCount"], _seconds(pool.created_at)) == (
            pool.name,
            {"total": pool.gpus_total, "used": pool.gpus_used},
            one["metadata"]["createdAt"],
        )


async def test_nodes_read_the_same(pair: Pair) -> None:
    theirs = (await pair.theirs("GET", f"{POOLS}/{POOL}/nodes", {"pageSize": 1000}))["nodes"]
    ours = {node.id: node for node in await pair.ours.nodes() if node.pool == POOL}
    assert {(row["instanceId"], row["nodeName"], row["gpuTotal"], row["gpuAllocated"]) for row in theirs} == {
        (node.id, node.name, node.gpus_total, node.gpus_used) for node in ours.values()
    }


async def test_queues_read_the_same(pair: Pair) -> None:
    theirs = (await pair.theirs("GET", f"{POOLS}/{POOL}/queue", {"pageSize": 100}))["queues"]
    ours = {queue.name: queue for queue in await pair.ours.queues() if queue.pool == POOL}
    assert len(theirs) == len(ours)
    default = (await pair.theirs("GET", f"{POOLS}/{POOL}/queue/default"))["queue"]
    assert (default["allocated"], default["running"]) == (ours["default"].used, ours["default"].running)
    assert ours["default"] == await pair.ours.queue(POOL, "default")


async def test_jobs_read_the_same(pair: Pair) -> None:
    theirs = (await pair.theirs("GET", JOBS, {"resourcePoolId": POOL, "pageSize": 1000}))["jobs"]
    ours = {job.id: job for job in await pair.ours.jobs() if job.pool == POOL}
    assert {row["jobId"] for row in theirs} == set(ours)
    for row in theirs:
        job = ours[row["jobId"]]
        assert (row["name"], row["status"], row["replicas"], row["runningAt"], row["finishedAt"]) == (
            job.name,
            job.platform_state,
            job.replicas,
            _seconds(job.started_at),
            _seconds(job.finished_at),
        )


async def test_one_jobs_detail_pods_and_nodes_read_the_same(pair: Pair) -> None:
    job = await pair.running()
    row = await pair.theirs("GET", f"{JOBS}/{job.id}", {"resourcePoolId": POOL})
    pods = {pod.name: pod for pod in await pair.ours.pods(job.id)}
    assert {(p["objectMeta"]["name"], p["PodIP"], p["nodeName"]) for p in row["podList"]["pods"]} == {
        (pod.name, pod.ip, pod.node) for pod in pods.values()
    }
    nodes = await pair.theirs("GET", f"{JOBS}/{job.id}/nodes", {"resourcePoolId": POOL})
    assert tuple(nodes["nodeName"]) == await pair.ours.job_nodes(job.id)


async def test_events_of_a_job_and_of_a_pod_read_the_same(pair: Pair) -> None:
    job = await pair.running()
    pod = (await pair.ours.pods(job.id))[0].name
    params = {"resourcePoolId": POOL, "jobFramework": "PyTorchJob"}
    for path, name in ((f"{JOBS}/{job.id}/events", None), (f"{JOBS}/{job.id}/pods/{pod}/events", pod)):
        theirs = (await pair.theirs("GET", path, params))["events"]
        ours = await pair.ours.events(job, name)
        assert [(row["reason"], row["message"], row["count"]) for row in theirs] == [
            (event.reason, event.message, event.count) for event in ours
        ]


async def test_logs_read_the_same(pair: Pair) -> None:
    job = await pair.running()
    pod = (await pair.ours.pods(job.id))[0].name
    theirs = await pair.theirs("GET", f"{JOBS}/{job.id}/pods/{pod}/logs", {"resourcePoolId": POOL, "maxLines": 30})
    assert "".join(theirs["logs"]).splitlines() == list((await pair.ours.logs(job.id, pod, 30)).lines)


@pytest.mark.parametrize(
    ("metric", "word"),
    [
        (Metric.GPU, "GpuUsage"),
        (Metric.VRAM, "GpuMemoryUsage"),
        (Metric.CPU, "CpuUsage"),
        (Metric.MEMORY, "MemoryUsage"),
    ],
)
async def test_metrics_read_the_same_as_ratios(pair: Pair, metric: Metric, word: str) -> None:
    job = await pair.running()
    end = pair.world.now().replace(microsecond=0)
    window = Window(end - timedelta(hours=1), end)
    times = {"startTime": int(window.start.timestamp()), "endTime": int(window.end.timestamp()), "timeStep": 60}
    params = {"resourcePoolId": POOL, "metricType": word, **times}
    theirs = (await pair.theirs("GET", f"{JOBS}/{job.id}/metrics", params))["podMetrics"]
    ours = {series.pod: series for series in await pair.ours.series(job, metric, window)}
    assert {row["podName"] for row in theirs} == set(ours)
    for row in theirs:
        samples = ours[row["podName"]].samples
        assert [sample["time"] for sample in row["metrics"]] == [int(sample.at.timestamp()) for sample in samples]
        percents = [sample.value * 100 for sample in samples]
        assert pytest.approx([float(sample["value"]) for sample in row["metrics"]]) == percents


async def test_a_terminal_opens_for_both(pair: Pair) -> None:
    job = await pair.running()
    pod = (await pair.ours.pods(job.id))[0].name
    theirs = await pair.theirs("GET", f"{JOBS}/{job.id}/pods/{pod}/webterminal", {"resourcePoolId": POOL})
    link = await pair.ours.terminal(job.id, pod)
    assert (
        theirs["WebTerminalUrl"].partition("?")[0].rpartition("/")[0] == link.url.partition("?")[0].rpartition("/")[0]
    )


async def test_what_one_writes_the_other_reads(pair: Pair) -> None:
    queue = "队列 a"
    await pair.ours.create_queue(POOL, QueueDefinition(queue, "试", deserved={"cpu": 8}))
    seen = (await pair.theirs("GET", f"{POOLS}/{POOL}/queue/{queue}"))["queue"]
    assert ("试", {"cpu": "8"}) == (seen["description"], seen["deserved"])
    await pair.theirs("PUT", f"{POOLS}/{POOL}/queue/{queue}", body={"description": "改"})
    assert "改" == (await pair.ours.queue(POOL, queue)).description
    await pair.ours.update_queue(POOL, QueueDefinition(queue, reclaimable=True))
    assert ("改", True) == _description_and_flag((await pair.theirs("GET", f"{POOLS}/{POOL}/queue/{queue}"))["queue"])
    await pair.ours.delete_queue(POOL, queue)
    with pytest.raises(BceHttpClientError) as caught:
        await pair.theirs("GET", f"{POOLS}/{POOL}/queue/{queue}")
    assert "cce.warning.GetQueueFailed" == caught.value.code


def _description_and_flag(queue: Mapping[str, object]) -> tuple[object, object]:
    return queue["description"], queue["reclaimable"]


async def test_a_job_is_ordered_raised_stopped_and_deleted_by_both(pair: Pair) -> None:
    definition = JobDefinition("训练-1", "img:1", "bash run.sh", 200, {"baidu.com/a800_80g_cgpu": 8}, queue="default")
    key = await pair.ours.create_job(POOL, definition, token="t-1")
    params = {"resourcePoolId": POOL}
    assert "Created" == (await pair.theirs("GET", f"{JOBS}/{key.id}", params))["status"]
    await pair.ours.set_priority(key.id, "high")
    assert "high" == (await pair.theirs("GET", f"{JOBS}/{key.id}", params))["priority"]
    await pair.theirs("PUT", f"{JOBS}/{key.id}", params, {"priority": "low"})
    assert "low" == (await pair.ours.job(key.id)).priority
    await pair.ours.delete_job(key.id)
    with pytest.raises(BceHttpClientError) as caught:
        await pair.theirs("GET", f"{JOBS}/{key.id}", params)
    assert "cce.warning.GetAIJobByJobIdFailed" == caught.value.code


async def test_a_queue_that_the_official_core_makes_and_removes_is_seen_by_us(pair: Pair) -> None:
    body = {"name": "team-b", "description": "乙", "deserved": {"baidu.com/a800_80g_cgpu": 4}, "disableOversell": True}
    assert {"queueName": "team-b"} == await pair.theirs("POST", f"{POOLS}/{POOL}/queue", body=body)
    queue = await pair.ours.queue(POOL, "team-b")
    assert ("乙", 4.0, False) == (queue.description, queue.gpus_quota, queue.oversell)
    assert {"queueName": "team-b"} == await pair.theirs("DELETE", f"{POOLS}/{POOL}/queue/team-b")
    with pytest.raises(NotFound):
        await pair.ours.queue(POOL, "team-b")


async def test_a_job_that_the_official_core_orders_and_deletes_is_seen_by_us(pair: Pair) -> None:
    spec = {"image": "img:1", "replicas": 2, "command": "run", "resources": [_resource("baidu.com/a800_80g_cgpu", 8)]}
    body = {"name": "训练-2", "queue": "default", "jobSpec": spec}
    params = {"resourcePoolId": POOL}
    made = await pair.theirs("POST", JOBS, params, body)
    job = await pair.ours.job(made["jobId"])
    assert ("训练-2", 16, "A800-80G") == (job.name, job.gpu_count, job.gpu_model)
    assert made == await pair.theirs("DELETE", f"{JOBS}/{job.id}", params)
    with pytest.raises(NotFound):
        await pair.ours.job(job.id)


def _resource(name: str, quantity: float) -> dict[str, object]:
    return {"name": name, "quantity": quantity}


@pytest.mark.parametrize("stopper", ["ours", "theirs"])
async def test_a_stop_by_one_is_seen_by_the_other(pair: Pair, stopper: str) -> None:
    job = await pair.running()
    params = {"resourcePoolId": POOL}
    if stopper == "ours":
        await pair.ours.stop(job.id)
    else:
        assert {"jobId": job.id} == await pair.theirs("POST", f"{JOBS}/{job.id}/stop", params)
    row = await pair.theirs("GET", f"{JOBS}/{job.id}", params)
    assert row["status"] == (await pair.ours.job(job.id)).platform_state == "Stopping"


async def test_a_wrong_secret_is_refused_to_both_with_the_same_code() -> None:
    world = World.scripted(start=datetime.now(UTC))
    async with serve_baidu(world) as cloud:
        with pytest.raises(BceHttpClientError) as caught:
            await asyncio.to_thread(_official(cloud, "wrong").call, "GET", POOLS)
    assert "SignatureDoesNotMatch" == caught.value.code
