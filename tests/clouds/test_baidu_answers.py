"""Baidu's answers letter for letter as the reference shows them, and every oddity it names."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from bot.clouds.baidu import gpus
from bot.clouds.baidu.jobs import USER_LABEL, to_state
from bot.clouds.baidu.journal import step_for
from bot.clouds.baidu.times import read_event_time, read_time
from bot.domain.capacity import Node, Pool, Queue, QueueDefinition
from bot.domain.errors import NotFound, Refused, Unreadable
from bot.domain.job import Job, JobDefinition, JobKey, JobState, Mount, Pod, PodDetail, PodState
from bot.domain.journal import Event, LogLines
from bot.domain.series import Metric, Sample, Series, Window
from tests.clouds.canned import JOB_ID, JOB_PATH, NOW, POD, POOL, Canned, baidu_saying, page, result

FIXTURES = Path(__file__).parent / "fixtures" / "baidu"
KEY = JobKey("beijing", JOB_ID)
METRICS_FROM = datetime.fromtimestamp(1721109600, UTC)


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.json").read_bytes()


def job_row(**changes: object) -> dict[str, object]:
    row: dict[str, object] = dict(json.loads(fixture("job"))["result"])
    del row["podList"]
    return {**row, **changes}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


RUNNING = Job(
    key=KEY,
    name="sim-train-1",
    state=JobState.RUNNING,
    platform_state="Running",
    owner=None,
    pool=POOL,
    queue="default",
    gpu_count=16,
    gpu_model="A800-80G",
    replicas=2,
    priority="normal",
    framework="pytorch",
    image="registry.example.com/team/train:1.0",
    command="bash /mnt/cluster/run.sh",
    created_at=at("2024-07-16T06:00:00Z"),
    started_at=at("2024-07-16T06:00:20Z"),
)
MASTER = Pod(
    job=KEY,
    name=POD,
    state=PodState.RUNNING,
    platform_state="Running",
    node="192.168.0.21",
    ip="10.0.3.17",
    role="master",
    restarts=0,
    gpu_count=8,
    has_terminal=True,
    created_at=at("2024-07-16T06:00:01Z"),
)


# -- the reference's examples, letter for letter


async def test_the_examples_job_is_read_whole() -> None:
    assert RUNNING == await baidu_saying(Canned({JOB_PATH: fixture("job")})).job(JOB_ID)


async def test_the_examples_pod_is_read_whole() -> None:
    baidu = baidu_saying(Canned({JOB_PATH: fixture("job")}))
    labels = (("training.kubeflow.org/job-name", "sim-train-1"), ("training.kubeflow.org/replica-type", "master"))
    assert [MASTER] == await baidu.pods(JOB_ID)
    assert PodDetail(MASTER, namespace="default", facts=labels) == await baidu.pod(JOB_ID, POD)


async def test_the_examples_pool_is_read_whole() -> None:
    baidu = baidu_saying(Canned({"/api/v1/resourcepools": fixture("pools")}), pools=())
    expected = Pool(
        cloud="beijing",
        id=POOL,
        name="sim-pool",
        platform_state="running",
        region="bj",
        nodes_total=4,
        nodes_used=1,
        gpus_total=32,
        gpus_used=8,
        gpu_models=(("A800-80G", 32, 8),),
        created_at=at("2024-07-01T02:00:00Z"),
    )
    assert [expected] == await baidu.pools()


async def test_the_examples_node_is_read_whole() -> None:
    baidu = baidu_saying(Canned({f"/api/v1/resourcepools/{POOL}/nodes": fixture("nodes")}))
    expected = Node(
        cloud="beijing",
        name="192.168.0.21",
        platform_state="running",
        id="cce-ab12cd34-x1y2z3w4",
        pool=POOL,
        zone="zoneF",
        schedulable=True,
        gpu_model="A800-80G",
        gpus_total=8,
        gpus_used=8,
        cpus_total=128,
        cpus_used=64,
        memory_total_gb=1024,
        memory_used_gb=512,
        created_at=at("2024-07-01T03:00:00Z"),
    )
    assert [expected] == await baidu.nodes()


async def test_the_examples_queue_is_read_whole() -> None:
    baidu = baidu_saying(Canned({f"/api/v1/resourcepools/{POOL}/queue/team-a": fixture("queue")}))
    expected = Queue(
        cloud="beijing",
        pool=POOL,
        name="team-a",
        kind="Regular",
        platform_state="Open",
        parent="root",
        description="模拟队列",
        gpus_quota=8,
        gpus_used=None,
        running=0,
        pending=0,
        reclaimable=False,
        oversell=True,
        quota={"cpu": "64", "memory": "512", "baidu.com/a800_80g_cgpu": "8"},
        used={"cpu": "0", "memory": "0"},
        deserved={"cpu": "64", "memory": "512", "baidu.com/a800_80g_cgpu": "8"},
        created_at=at("2024-07-16T06:00:00Z"),
    )
    assert expected == await baidu.queue(POOL, "team-a")


async def test_the_examples_events_are_read_newest_first() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/events": fixture("events")})
    expected = (
        Event(
            "ExitedWithCode",
            "Pod: default.sim-train-1-master-0 exited with code 1",
            count=2,
            first_at=at("2024-07-16T06:20:41Z"),
            last_at=at("2024-07-16T06:20:50Z"),
        ),
        Event(
            "SuccessfulCreatePod",
            "Created pod: sim-train-1-master-0",
            first_at=at("2024-07-16T06:00:01Z"),
            last_at=at("2024-07-16T06:00:01Z"),
        ),
    )
    assert expected == await baidu_saying(canned).events(RUNNING)


async def test_the_examples_log_is_read_line_by_line() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/logs": fixture("logs")})
    expected = LogLines(POD, ("step 1 loss 2.31", "step 2 loss 2.17"))
    assert expected == await baidu_saying(canned).logs(JOB_ID, POD, 10)


async def test_the_examples_metrics_become_ratios() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/metrics": fixture("metrics")})
    window = Window(METRICS_FROM, METRICS_FROM + timedelta(hours=1))
    samples = (Sample(METRICS_FROM, 0.875), Sample(METRICS_FROM + timedelta(minutes=5), 0.9125))
    expected = [Series(POD, Metric.GPU, samples, timedelta(minutes=1), gpu_model="A800-80G")]
    assert expected == await baidu_saying(canned).series(RUNNING, Metric.GPU, window)


async def test_the_examples_nodes_of_a_job_are_names_under_a_singular_key() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/nodes": fixture("job_nodes")})
    assert ("192.168.0.21", "192.168.0.22") == await baidu_saying(canned).job_nodes(JOB_ID)


async def test_the_examples_terminal_is_a_secret_that_waits_half_a_minute() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/webterminal": fixture("terminal")})
    link = await baidu_saying(canned).terminal(JOB_ID, POD)
    url = json.loads(fixture("terminal"))["result"]["WebTerminalUrl"]
    assert (url, 30.0, False) == (link.url, link.expires_in, "establish" in repr(link))


async def test_the_examples_queue_definition_is_what_we_send() -> None:
    canned = Canned({f"/api/v1/resourcepools/{POOL}/queue": result(queueName="team-a")})
    deserved = {"cpu": 64, "memory": 512, "baidu.com/a800_80g_cgpu": 8}
    definition = QueueDefinition("team-a", "模拟队列", "Regular", "root", deserved, oversell=True, reclaimable=False)
    await baidu_saying(canned).create_queue(POOL, definition)
    assert json.loads(fixture("queue_definition")) == json.loads(canned.requests[0].content)


async def test_the_examples_job_order_is_what_we_send() -> None:
    canned = Canned({"/api/v1/aijobs": fixture("created")})
    order = json.loads(fixture("job_order"))
    definition = JobDefinition(
        name="sim-train-1",
        image="registry.example.com/team/train:1.0",
        command=order["jobSpec"]["command"],
        replicas=2,
        resources={"baidu.com/a800_80g_cgpu": 8},
        queue="default",
        priority="normal",
        env={"CUDA_DEVICE_MAX_CONNECTIONS": "1"},
        labels={"team": "训练"},
        mounts=(Mount("pfs", "/mnt/cluster", "pfs-Ab12Cd"),),
        rdma=True,
    )
    assert KEY == await baidu_saying(canned).create_job(POOL, definition, token="order-1")
    assert order == json.loads(canned.requests[0].content)
    assert {"resourcePoolId": POOL, "clientToken": "order-1"} == canned.query()


# -- oddities of the wire


async def jobs_of(*rows: object, **more: object) -> list[Job]:
    return await baidu_saying(Canned({"/api/v1/aijobs": page("jobs", *rows, **more)})).jobs()


async def test_a_job_is_the_same_in_the_list_and_in_its_detail() -> None:
    assert [RUNNING] == await jobs_of(job_row())


@pytest.mark.parametrize("quantity", [8, 8.0, "8", " 8 "], ids=repr)
async def test_a_quantity_may_be_a_number_or_text(quantity: object) -> None:
    (job,) = await jobs_of(job_row(resources=[{"name": "baidu.com/a800_80g_cgpu", "quantity": quantity}]))
    assert 16 == job.gpu_count


@pytest.mark.parametrize("quantity", ["8GB", None, "NaN", -8, [], True], ids=repr)
async def test_a_quantity_that_is_no_number_is_unknown_and_not_zero(quantity: object) -> None:
    (job,) = await jobs_of(job_row(resources=[{"name": "baidu.com/a800_80g_cgpu", "quantity": quantity}]))
    assert job.gpu_count is None


async def test_a_job_without_gpus_has_none_and_a_job_without_resources_is_unknown() -> None:
    (processor,) = await jobs_of(job_row(resources=[{"name": "cpu", "quantity": 4}]))
    (unknown,) = await jobs_of(job_row(resources=None))
    assert (0, None) == (processor.gpu_count, unknown.gpu_count)


async def test_missing_replicas_leave_the_gpu_count_unknown() -> None:
    (job,) = await jobs_of(job_row(replicas=None))
    assert (None, None) == (job.replicas, job.gpu_count)


async def test_the_owner_is_who_the_platforms_label_names() -> None:
    (job,) = await jobs_of(job_row(labels=[{"key": USER_LABEL, "value": "li.wei"}, {"key": None}, "x"]))
    assert "li.wei" == job.owner


async def test_a_failed_job_says_why_in_the_words_of_its_pods() -> None:
    body = json.loads(fixture("job"))
    body["result"]["status"] = "Failed"
    body["result"]["podList"]["pods"][0]["reason"] = "OOMKilled"
    job = await baidu_saying(Canned({JOB_PATH: body})).job(JOB_ID)
    assert (JobState.FAILED, "OOMKilled") == (job.state, job.reason)


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("Created", JobState.QUEUED),
        ("Pending", JobState.QUEUED),
        ("Scheduled", JobState.STARTING),
        ("Starting", JobState.STARTING),
        ("Restarting", JobState.STARTING),
        ("Running", JobState.RUNNING),
        ("running", JobState.RUNNING),
        ("Abnormal", JobState.RUNNING),
        ("Stopping", JobState.STOPPING),
        ("Stopped", JobState.STOPPED),
        ("ManualTermination", JobState.STOPPED),
        ("Cancelled", JobState.STOPPED),
        ("Succeeded", JobState.SUCCEEDED),
        ("Failed", JobState.FAILED),
        ("Unknown", JobState.UNKNOWN),
        ("Hibernating", JobState.UNKNOWN),
        (None, JobState.UNKNOWN),
    ],
)
def test_every_known_state_has_a_meaning_and_a_new_one_is_unknown(word: str | None, state: JobState) -> None:
    assert state is to_state(word)


async def test_the_platforms_own_word_is_kept_beside_an_unknown_state() -> None:
    (job,) = await jobs_of(job_row(status="Hibernating"))
    assert (JobState.UNKNOWN, "Hibernating") == (job.state, job.platform_state)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-07-16T06:00:00Z", "2024-07-16T06:00:00+00:00"),
        ("2024-07-16T14:00:00+08:00", "2024-07-16T06:00:00+00:00"),
        ("2024-07-16T06:00:00.123456789Z", "2024-07-16T06:00:00.123456+00:00"),
        ("", None),
        (None, None),
        ("2024-07-16", None),
        ("2024-07-16T06:00:00", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("yesterday", None),
    ],
)
def test_times_have_any_offset_and_blank_zero_or_zoneless_ones_are_none(text: str | None, expected: str | None) -> None:
    assert expected == ((moment := read_time(text)) and moment.isoformat())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-07-15 16:52:50 +0000 UTC", "2024-07-15T16:52:50+00:00"),
        ("2024-07-15 16:52:50.5 +0800 CST", "2024-07-15T08:52:50+00:00"),
        ("2024-07-15 16:52:50 +0000 UTC m=+0.001", "2024-07-15T16:52:50+00:00"),
        ("2024-07-15T16:52:50Z", "2024-07-15T16:52:50+00:00"),
        ("0001-01-01 00:00:00 +0000 UTC", None),
        ("2024-07-15 16:52:50", None),
        ("2024-13-45 16:52:50 +0000 UTC", None),
        (None, None),
    ],
)
def test_event_times_are_gos_own_print(text: str | None, expected: str | None) -> None:
    assert expected == ((moment := read_event_time(text)) and moment.isoformat())


@pytest.mark.parametrize(
    ("resource", "model"),
    [
        ("baidu.com/a800_80g_cgpu", "A800-80G"),
        ("baidu.com/h800_80g_cgpu", "H800-80G"),
        ("baidu.com/rtx_4090_cgpu", "RTX-4090"),
        ("baidu.com/l20_cgpu", "L20"),
        ("baidu.com/cgpu", None),
        ("nvidia.com/gpu", None),
        ("huawei.com/Ascend910", "Ascend910"),
        ("kunlunxin.com/xpu", "XPU"),
    ],
)
def test_gpu_resources_are_known_by_name(resource: str, model: str | None) -> None:
    assert (True, model) == (gpus.is_gpu(resource), gpus.model(resource))


@pytest.mark.parametrize("resource", ["cpu", "memory", "rdma/hca", "baidu.com/a800_80g_cgpu_memory", "", None])
def test_other_resources_are_no_gpus(resource: str | None) -> None:
    assert (False, None) == (gpus.is_gpu(resource), gpus.model(resource))


async def test_dirty_keys_and_other_spellings_read_like_clean_ones() -> None:
    row = {"instanceID": "i-1", "instanceName ": "m-1", "nodeName": "", "gpudescriptor": "baidu.com/l20_cgpu"}
    node_path = f"/api/v1/resourcepools/{POOL}/nodes"
    body = {"requestID": "r", "result": {"totalCount": "1", "nodes": [row]}}
    (node,) = await baidu_saying(Canned({node_path: body})).nodes()
    assert ("m-1", "i-1", "L20", None) == (node.name, node.id, node.gpu_model, node.gpus_total)


@pytest.mark.parametrize(("word", "schedulable"), [("unintervened", True), ("cordoned", False), ("tainted", False)])
async def test_a_cordoned_or_tainted_node_takes_no_work(word: str, schedulable: bool) -> None:
    body = page("nodes", {"instanceId": "i-1", "intervention": word})
    (node,) = await baidu_saying(Canned({f"/api/v1/resourcepools/{POOL}/nodes": body})).nodes()
    assert schedulable is node.schedulable


async def test_the_pools_id_may_be_called_uid() -> None:
    body = page("resourcePools", {"metadata": {"uid": POOL}, "status": None})
    (pool,) = await baidu_saying(Canned({"/api/v1/resourcepools": body}), pools=()).pools()
    assert (POOL, POOL, None) == (pool.id, pool.name, pool.gpus_total)


async def test_events_may_come_wrapped_like_everything_else() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/events": {"result": json.loads(fixture("events"))}})
    assert 2 == len(await baidu_saying(canned).events(RUNNING))


async def test_events_without_a_time_come_last_and_none_is_invented() -> None:
    rows = [{"reason": "A"}, {"reason": "B", "lastTimestamp": "2024-07-15 16:52:50 +0000 UTC", "type": "Warning"}]
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/events": {"events": rows, "total": 2}})
    first, second = await baidu_saying(canned).events(RUNNING, POD)
    assert ("B", True, POD, "A", None, 1) == (
        first.reason,
        first.warning,
        first.pod,
        second.reason,
        second.last_at,
        second.count,
    )


@pytest.mark.parametrize(
    ("framework", "word"),
    [("pytorch", "PyTorchJob"), ("PyTorchJob", "PyTorchJob"), ("mpi", "MPIJob"), (None, "PyTorchJob")],
)
async def test_events_are_asked_for_with_the_frameworks_long_name(framework: str | None, word: str) -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/events": fixture("events")})
    await baidu_saying(canned).events(Job(KEY, "n", JobState.RUNNING, "Running", framework=framework))
    assert {"resourcePoolId": POOL, "jobFramework": word} == canned.query()


# -- metrics


async def series_of(*metrics: object, window: Window | None = None, metric: Metric = Metric.GPU) -> list[Series]:
    body = result(jobId=JOB_ID, podMetrics=list(metrics))
    window = window or Window(METRICS_FROM, METRICS_FROM + timedelta(hours=1))
    baidu = baidu_saying(Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/metrics": body}))
    return await baidu.series(RUNNING, metric, window)


def samples(*values: object, start: int = 1721109600, step: int = 60) -> dict[str, object]:
    return {"podName": POD, "metrics": [{"time": start + step * i, "value": v} for i, v in enumerate(values)]}


@pytest.mark.parametrize(
    "value", ["NaN", "", None, "-", "0,93", -1, 100.5, "1e400", [], {}, True, "Infinity"], ids=repr
)
async def test_a_sample_that_is_no_percentage_is_dropped_and_counted_but_never_zero(value: object) -> None:
    (series,) = await series_of(samples("50", value, "60"))
    assert ([0.5, 0.6], 1) == ([sample.value for sample in series.samples], series.dropped)


@pytest.mark.parametrize(
    ("value", "ratio"),
    [(1, 0.01), ("1", 0.01), (" 9.3 ", 0.093), ("1e-2", 0.0001), (100, 1.0), ("0", 0.0)],
    ids=repr,
)
async def test_a_value_is_percent_by_its_declared_unit_whatever_its_size(value: object, ratio: float) -> None:
    (series,) = await series_of(samples(value))
    assert ratio == pytest.approx(series.samples[0].value)


async def test_times_may_be_milliseconds_or_text_and_samples_unsorted_or_double() -> None:
    metrics = [
        {"time": 1721109660000, "value": "20"},
        {"time": "1721109600", "value": "10"},
        {"time": 1721109660, "value": "30"},
        {"time": None, "value": "40"},
    ]
    (series,) = await series_of({"podName": POD, "metrics": metrics})
    expected = (Sample(METRICS_FROM, 0.1), Sample(METRICS_FROM + timedelta(minutes=1), 0.3))
    assert (expected, 1) == (series.samples, series.dropped)


async def test_samples_outside_the_window_are_not_in_it() -> None:
    (series,) = await series_of(samples("10", "20", start=1721109600 - 60))
    assert [0.2] == [sample.value for sample in series.samples]


async def test_the_step_is_what_the_platform_really_sampled_at() -> None:
    (series,) = await series_of(samples("1", None, "3", "4", "5", step=300))
    assert timedelta(minutes=5) == series.step


@pytest.mark.parametrize("body", [result(podMetrics=[]), result(podMetrics=None), result(jobId=JOB_ID)])
async def test_no_series_is_no_data(body: object) -> None:
    baidu = baidu_saying(Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/metrics": body}))
    assert [] == await baidu.series(RUNNING, Metric.GPU, Window.last(timedelta(hours=1), NOW))


async def test_a_series_of_blanks_is_no_data_that_can_be_told_from_not_asked() -> None:
    (series,) = await series_of(samples(None, "", "NaN"))
    assert ((), None, 3) == (series.samples, series.mean, series.dropped)


@pytest.mark.parametrize(
    ("span", "seconds"), [("5m", 60), ("1h", 60), ("2h", 60), ("6h", 300), ("24h", 900), ("168h", 7200), ("999h", 7200)]
)
def test_the_step_grows_with_the_window(span: str, seconds: int) -> None:
    minutes = int(span[:-1]) * (60 if span.endswith("h") else 1)
    assert timedelta(seconds=seconds) == step_for(Window.last(timedelta(minutes=minutes), NOW))


async def test_each_metric_is_asked_for_by_its_platform_name_in_unix_seconds() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/metrics": fixture("metrics")})
    baidu = baidu_saying(canned)
    asked = []
    for metric in Metric:
        await baidu.series(RUNNING, metric, Window.last(timedelta(hours=1), NOW), pod="another")
        asked.append(canned.query())
    assert ["GpuUsage", "GpuMemoryUsage", "CpuUsage", "MemoryUsage"] == [query["metricType"] for query in asked]
    assert ("1721107800", "1721111400", "60") == (asked[0]["startTime"], asked[0]["endTime"], asked[0]["timeStep"])


# -- logs


def log_page(*lines: str, marker: object = "") -> dict[str, object]:
    return result(logs=["\n".join(lines) + "\n"] if lines else [], nextMarker=marker)


async def log_of(*pages: object, lines: int = 3) -> tuple[LogLines, Canned]:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/logs": list(pages)})
    return await baidu_saying(canned).logs(JOB_ID, POD, lines), canned


async def test_the_newest_lines_are_kept_over_all_pages() -> None:
    log, canned = await log_of(log_page("1", "2", marker="m1"), log_page("3", "4", marker="m2"), log_page("5"))
    assert (LogLines(POD, ("3", "4", "5"), cut=True), "m2") == (log, canned.query()["marker"])


async def test_a_log_without_a_marker_is_one_page() -> None:
    log, _ = await log_of(result(logs=["a\n", "  b\n\n"]))
    assert LogLines(POD, ("a", "  b", "")) == log


async def test_a_log_without_lines_is_empty_and_not_one_blank_line() -> None:
    log, _ = await log_of(result(logs=None))
    blank, _ = await log_of(result(logs=[""]))
    assert ((), ()) == (log.lines, blank.lines)


async def test_a_marker_that_never_moves_ends_the_reading() -> None:
    log, canned = await log_of(log_page("1", marker="m"))
    assert (("1", "1"), 3) == (log.lines, len(canned.requests))


async def test_an_endless_log_is_read_from_shortly_before_its_end() -> None:
    endless = [log_page("old", marker=f"m{i}") for i in range(20)]
    log, canned = await log_of(*endless, log_page(), log_page("new"), log_page("older", "new"), lines=2)
    assert LogLines(POD, ("older", "new"), cut=True) == log
    assert str(int((NOW - timedelta(days=1)).timestamp())) == canned.query()["startTime"]


# -- pages


async def test_every_page_is_read_and_every_job_is_there_once() -> None:
    rows = [job_row(jobId=f"j{i}") for i in range(5)]
    pages = [page("jobs", *rows[:2], total="5"), page("jobs", *rows[2:4], total="5"), page("jobs", rows[4], total="5")]
    canned = Canned({"/api/v1/aijobs": pages})
    assert ["j0", "j1", "j2", "j3", "j4"] == [job.id for job in await baidu_saying(canned).jobs()]
    assert ["1", "2", "3"] == [canned.query(i)["pageNo"] for i in range(3)]


async def test_a_job_that_vanishes_while_pages_are_read_hides_no_other() -> None:
    a, b, c, d = (job_row(jobId=name) for name in "abcd")
    first = [page("jobs", a, b, total=4), page("jobs", d, total=3)]  # a went, so c moved to the page already read
    again = [page("jobs", b, c, total=3), page("jobs", d, total=3)]
    canned = Canned({"/api/v1/aijobs": [*first, *again]})
    assert ["b", "c", "d"] == [job.id for job in await baidu_saying(canned).jobs()]


async def test_a_job_that_comes_twice_is_there_once() -> None:
    a, b, c = (job_row(jobId=name) for name in "abc")
    canned = Canned({"/api/v1/aijobs": [page("jobs", a, b, total=3), page("jobs", b, c, total=3)]})
    assert ["a", "b", "c"] == [job.id for job in await baidu_saying(canned).jobs()]


async def test_a_total_that_is_simply_wrong_ends_in_the_same_list_read_twice() -> None:
    a, b = (job_row(jobId=name) for name in "ab")
    canned = Canned({"/api/v1/aijobs": [page("jobs", a, b, total=9), page("jobs", total=9)] * 2})
    assert (["a", "b"], 4) == ([job.id for job in await baidu_saying(canned).jobs()], len(canned.requests))


async def test_a_server_that_ignores_page_numbers_does_not_keep_us_for_ever() -> None:
    canned = Canned({"/api/v1/aijobs": page("jobs", job_row(), {"name": "nameless"}, total=9)})
    assert [JOB_ID] == [job.id for job in await baidu_saying(canned).jobs()]


async def test_a_list_that_never_holds_still_is_an_error_and_no_part() -> None:
    def restless(request: httpx.Request) -> httpx.Response:
        restless.count += 1  # type: ignore[attr-defined]
        name = f"j{restless.count}"  # type: ignore[attr-defined]
        return httpx.Response(200, json=page("jobs", job_row(jobId=name), total=1 + restless.count % 2))  # type: ignore[attr-defined]

    restless.count = 0  # type: ignore[attr-defined]
    with pytest.raises(Unreadable, match="changed each time"):
        await baidu_saying(restless).jobs()


async def test_more_pages_than_the_cap_are_an_error_and_no_part() -> None:
    def endless(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=page("jobs", job_row(jobId=f"j{request.url.params['pageNo']}"), total=10_000))

    with pytest.raises(Unreadable, match="more than 200 pages"):
        await baidu_saying(endless).jobs()


async def test_a_null_list_with_a_total_of_zero_is_empty() -> None:
    assert [] == await jobs_of() == await baidu_saying(Canned({"/api/v1/aijobs": result(jobs=None, total=0)})).jobs()


@pytest.mark.parametrize(
    "body",
    [
        {"requestId": "r"},
        result(),
        result(jobs={}, total=0),
        result(jobs=None, total=3),
        result(jobs=[], total=3),
        {"result": []},
        {"result": None},
    ],
)
async def test_an_answer_without_a_list_is_not_a_cloud_without_jobs(body: object) -> None:
    with pytest.raises(Unreadable):
        await baidu_saying(Canned({"/api/v1/aijobs": body})).jobs()


async def test_a_record_without_an_id_costs_only_itself_and_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    baidu = baidu_saying(Canned({"/api/v1/aijobs": page("jobs", {"name": "secret-name"}, job_row(), "x", None)}))
    assert ([JOB_ID], 3) == ([job.id for job in await baidu.jobs()], baidu.skipped)
    assert ("3 jobs" in caplog.text, "secret-name" in caplog.text) == (True, False)


# -- several pools


POOLS = ("cce-1", "cce-2")


def by_pool(answers: dict[str, httpx.Response]) -> Canned:
    class ByPool(Canned):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            return answers[request.url.params["resourcePoolId"]]

    return ByPool({})


def missing() -> httpx.Response:
    body = {"code": "cce.warning.GetAIJobByJobIdFailed", "message": "not found job", "requestId": "r"}
    return httpx.Response(400, json=body)


async def test_a_job_is_looked_for_in_every_pool_and_remembered() -> None:
    canned = by_pool({"cce-1": missing(), "cce-2": httpx.Response(200, content=fixture("job"))})
    baidu = baidu_saying(canned, POOLS)
    await baidu.job(JOB_ID)
    await baidu.job(JOB_ID)
    assert ["cce-1", "cce-2", "cce-2"] == [request.url.params["resourcePoolId"] for request in canned.requests]


async def test_a_job_is_not_found_only_if_every_pool_says_so() -> None:
    with pytest.raises(NotFound):
        await baidu_saying(by_pool({"cce-1": missing(), "cce-2": missing()}), POOLS).job(JOB_ID)


async def test_a_pool_that_gave_no_answer_may_hold_the_job() -> None:
    canned = by_pool({"cce-1": httpx.Response(200, text="<html>"), "cce-2": missing()})
    with pytest.raises(Unreadable):
        await baidu_saying(canned, POOLS).job(JOB_ID)


async def test_an_answer_about_another_job_is_not_believed() -> None:
    with pytest.raises(Unreadable, match="another job"):
        await baidu_saying(Canned({"/api/v1/aijobs/j-2": fixture("job")})).job("j-2")


async def test_a_managed_pool_is_asked_with_its_queues_id() -> None:
    canned = Canned({"/api/v1/aijobs": page("jobs", job_row())})
    await baidu_saying(canned, ("aihc-serverless/q-1",)).jobs()
    assert ("aihc-serverless", "q-1") == (canned.query()["resourcePoolId"], canned.query()["queueID"])


async def test_all_visible_pools_are_looked_up_once_and_again_after_ten_minutes() -> None:
    now = [NOW]
    canned = Canned({"/api/v1/resourcepools": fixture("pools"), "/api/v1/aijobs": page("jobs", job_row())})
    baidu = baidu_saying(canned, (), clock=lambda: now[0])
    await baidu.jobs()
    await baidu.jobs()
    now[0] += timedelta(minutes=11)
    await baidu.jobs()
    assert [True, False, False, True, False] == [request.url.path.endswith("pools") for request in canned.requests]


@pytest.mark.parametrize("url", [None, "", "javascript:alert(1)", "file:///etc/passwd", 7], ids=repr)
async def test_a_terminal_without_a_web_address_is_none(url: object) -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/webterminal": result(WebTerminalUrl=url)})
    with pytest.raises(Unreadable):
        await baidu_saying(canned).terminal(JOB_ID, POD)


@pytest.mark.parametrize("key", ["WebTerminalUrl", "webTerminalUrl", "webTerminalURL"])
async def test_the_terminals_key_is_spelt_in_three_ways(key: str) -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/pods/{POD}/webterminal": result(**{key: "wss://t/x"})})
    link = await baidu_saying(canned).terminal(JOB_ID, POD)
    assert ("wss://t/x", None) == (link.url, link.expires_in)


async def test_a_job_that_two_pools_list_is_one_job() -> None:
    """A pool may be configured beside the managed one that contains it."""
    twin, other = job_row(jobId="twin"), job_row(jobId="other")
    canned = Canned({"/api/v1/aijobs": [page("jobs", twin), page("jobs", twin, other)]})
    assert ["twin", "other"] == [job.id for job in await baidu_saying(canned, ("cce-1", "cce-2")).jobs()]


async def test_the_pages_that_a_full_first_one_announces_are_read_at_once_and_put_in_order() -> None:
    rows = [job_row(jobId=f"job-{n:03d}") for n in range(250)]
    under_way = most = 0

    async def answer(request: httpx.Request) -> httpx.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        number = int(request.url.params["pageNo"])
        await asyncio.sleep(0.003 * (4 - number))  # the later page answers first
        under_way -= 1
        return httpx.Response(200, json=page("jobs", *rows[(number - 1) * 100 : number * 100], total=250))

    found = await baidu_saying(answer).jobs()  # type: ignore[arg-type]
    assert [f"job-{n:03d}" for n in range(250)] == [job.id for job in found]
    assert 2 == most


async def test_one_failing_page_of_many_makes_no_part_of_a_list() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.params["pageNo"] == "3":
            return httpx.Response(403, json={"code": "AccessDenied", "message": "no", "requestId": "r"})
        rows = [job_row(jobId=f"{request.url.params['pageNo']}-{n}") for n in range(100)]
        return httpx.Response(200, json=page("jobs", *rows, total=400))

    with pytest.raises(Refused):
        await baidu_saying(answer).jobs()
