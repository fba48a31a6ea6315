"""Each numbered oddity of the Alaya reference §8 survives, and the printed examples are read letter for letter."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest

from bot.clouds.alaya import wire
from bot.clouds.alaya.mapping import job_state, to_job, to_pod, to_series
from bot.domain.errors import NotAvailable, NotFound, Refused, Unreachable, Unreadable
from bot.domain.job import Job, JobKey, JobState, PodState
from bot.domain.series import Metric, Sample, Series, Window
from tests.clouds.canned import Canned
from tests.clouds.sayings import (
    CHECK_PATH,
    JOB_ID,
    JOB_PATH,
    LIST_PATH,
    NOW,
    POD,
    WEB_PAGE,
    alaya_saying,
    envelope,
    printed,
)

BEIJING = ZoneInfo("Asia/Shanghai")
KEY = JobKey("alaya", JOB_ID)
JOB = Job(KEY, "pretrain", JobState.RUNNING, "Running")
WINDOW = Window(datetime(2025, 9, 10, 4, tzinfo=UTC), NOW)
METRICS_PATH = f"{JOB_PATH}/{POD}/gpu-metrics"
AT = int(datetime(2025, 9, 10, 9, tzinfo=UTC).timestamp())


def curves(*series: Mapping[str, object], metric: Metric = Metric.GPU) -> tuple[Series, ...]:
    return to_series(POD, metric, wire.Metrics.model_validate({"metricData": list(series)}), WINDOW).series


def curve(*values: object, gpu: str | None = "NVIDIA-H800A-NV-80G-3", step: int = 60) -> dict[str, object]:
    samples = [{"timestamp": AT + place * step, "value": value} for place, value in enumerate(values)]
    return {"type": "gpu", "podName": "pod_name_master", "gpuName": gpu, "metricData": samples}


def values_of(series: Series) -> list[float]:
    return [sample.value for sample in series.samples]


def pod_of(**fields: object) -> wire.Pod:
    return wire.Pod.model_validate({"podName": POD, **fields})


# -- the printed examples


async def test_the_printed_pod_list_is_read_as_printed() -> None:
    pods = await alaya_saying(Canned({f"{JOB_PATH}/pods": printed("alaya/pods")})).pods(JOB_ID)
    [pod] = pods
    assert (POD, PodState.RUNNING, "running") == (pod.name, pod.state, pod.platform_state)
    assert ("10.233.250.123", "gpu-021", "master", "string") == (pod.ip, pod.node, pod.role, pod.reason)
    assert datetime(2024, 1, 1, 4, tzinfo=UTC) == pod.created_at
    assert pod.has_terminal


async def test_the_printed_metrics_are_read_as_printed() -> None:
    metrics = wire.Metrics.model_validate(printed("alaya/metrics")["data"])
    [series] = metrics.series
    assert (0.93, 0.7, 0.65) == (series.max_rate, series.avg_rate, series.current_rate)
    then = datetime(2021, 11, 9, 11, 25, tzinfo=UTC)
    [mapped] = to_series(POD, Metric.GPU, metrics, Window(then, then)).series
    assert (POD, 3, "H800-80G") == (mapped.pod, mapped.gpu, mapped.gpu_model)
    assert (Sample(then, 0.95),) == mapped.samples


@pytest.mark.parametrize(("example", "error"), [("forbidden", Refused), ("server_error", Unreachable)])
async def test_the_printed_failures_are_errors_next_to_http_200(example: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        await alaya_saying(Canned({f"{JOB_PATH}/pods": printed(f"alaya/{example}")})).pods(JOB_ID)


# -- 1, 2: numbers and ratios


@pytest.mark.parametrize(
    ("wired", "ratio"),
    [("0.093", 0.093), (" 0.93 ", 0.93), ("1e-2", 0.01), (0.5, 0.5), (1, 1.0), ("1", 1.0), ("0", 0.0), (0, 0.0)],
    ids=repr,
)
def test_1_numbers_may_be_text_whole_or_decimal(wired: object, ratio: float) -> None:
    assert [ratio] == values_of(curves(curve(wired))[0])


@pytest.mark.parametrize(
    "wired", [None, "", "-", "NaN", "0,93", "high", True, [], {}, "1_0", "٠", "1e999", " "], ids=repr
)
def test_1_what_is_no_number_is_no_data_and_never_zero(wired: object) -> None:
    [series] = curves(curve("0.5", wired))
    assert [0.5] == values_of(series)
    assert 1 == series.dropped


def test_1_gpus_of_a_job_are_workers_times_gpus_of_each_whatever_their_spelling() -> None:
    for workers, gpus in ((2, 8), ("2", "8"), (2.0, " 8 ")):
        resource = {"workerCount": workers, "gpuCount": gpus}
        job = to_job("alaya", wire.Job.model_validate({"id": "j", "resource": resource}), BEIJING)
        assert job is not None
        assert 16 == job.gpu_count


@pytest.mark.parametrize("resource", [{"workerCount": 2}, {"gpuCount": "-"}, {}, None, "8", [8]])
def test_1_a_gpu_count_that_was_not_said_is_unknown(resource: object) -> None:
    job = to_job("alaya", wire.Job.model_validate({"id": "j", "resource": resource}), BEIJING)
    assert job is not None
    assert job.gpu_count is None


def test_1_a_dash_is_no_gpu_model() -> None:
    job = to_job("alaya", wire.Job.model_validate({"id": "j", "resource": {"gpuName": "-"}}), BEIJING)
    assert job is not None
    assert job.gpu_model is None


def test_2_a_value_above_one_is_kept_on_the_wire_dropped_from_the_series_and_flagged() -> None:
    metrics = wire.Metrics.model_validate({"metricData": [curve("0.4", "93", "-0.1")]})
    reading = to_series(POD, Metric.GPU, metrics, WINDOW)
    assert [0.4, 93, -0.1] == [sample.value for sample in metrics.series[0].samples]
    assert ([0.4], 2, 1) == (values_of(reading.series[0]), reading.series[0].dropped, reading.above_one)


async def test_2_values_above_one_are_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    canned = Canned({METRICS_PATH: envelope({"metricData": [curve("0.4", "93")]})})
    await alaya_saying(canned).series(JOB, Metric.GPU, WINDOW, POD)
    assert "above 1" in caplog.text


# -- 3 to 6: nesting and time


def test_3_curves_and_samples_are_different_things_under_one_key() -> None:
    nested = {"metricData": [{"metricData": [{"timestamp": AT, "value": "0.1", "metricData": [{"value": "0.9"}]}]}]}
    metrics = wire.Metrics.model_validate(nested)
    assert [[0.1]] == [[sample.value for sample in series.samples] for series in metrics.series]


@pytest.mark.parametrize("stamp", [AT, str(AT), AT * 1000, f"{AT}000", float(AT)], ids=repr)
def test_4_time_stamps_are_seconds_or_milliseconds_as_number_or_text(stamp: object) -> None:
    [series] = curves({"metricData": [{"timestamp": stamp, "value": "0.5"}]})
    assert [datetime(2025, 9, 10, 9, tzinfo=UTC)] == [sample.at for sample in series.samples]


@pytest.mark.parametrize("stamp", [None, "", "yesterday", 0, -5, 1e300, "2025-09-10 17:00:00", True], ids=repr)
def test_4_a_sample_without_a_readable_time_is_dropped_and_counted(stamp: object) -> None:
    [series] = curves({"metricData": [{"timestamp": stamp, "value": "0.5"}]})
    assert ((), 1) == (series.samples, series.dropped)


def test_5_times_without_a_zone_are_beijing_time_unless_configured() -> None:
    pod = pod_of(createdTime="2024-01-01 12:00:00")
    here, there = to_pod(KEY, pod, BEIJING), to_pod(KEY, pod, ZoneInfo("UTC"))
    assert here is not None
    assert there is not None
    assert datetime(2024, 1, 1, 4, tzinfo=UTC) == here.created_at
    assert datetime(2024, 1, 1, 12, tzinfo=UTC) == there.created_at


@pytest.mark.parametrize(
    "text", ["", None, "soon", "2024-01-01", "2024-13-01 00:00:00", 5, "0001-01-01 00:00:00"], ids=repr
)
def test_5_an_unreadable_time_is_unknown(text: object) -> None:
    pod = to_pod(KEY, pod_of(createdTime=text), BEIJING)
    assert pod is not None
    assert pod.created_at is None


async def test_6_a_window_is_asked_for_in_beijing_time_with_a_space() -> None:
    canned = Canned({METRICS_PATH: envelope({"metricData": []})})
    window = Window(datetime(2025, 9, 10, 4, tzinfo=UTC), datetime(2025, 9, 10, 5, tzinfo=UTC))
    await alaya_saying(canned).series(JOB, Metric.VRAM, window, POD)
    assert {"type": "vram", "startTime": "2025-09-10 12:00:00", "endTime": "2025-09-10 13:00:00"} == canned.query()
    assert "startTime=2025-09-10%2012%3A00%3A00" in str(canned.requests[-1].url.query)


async def test_6_a_preset_that_ends_now_is_asked_for_as_a_period_which_needs_no_zone() -> None:
    canned = Canned({METRICS_PATH: envelope({"metricData": []})})
    await alaya_saying(canned).series(JOB, Metric.GPU, Window.last(timedelta(hours=1), NOW), POD)
    assert {"type": "gpu", "period": "1h"} == canned.query()


# -- 7 to 10: envelope and placeholders


async def test_7_the_business_status_counts_and_may_be_text() -> None:
    canned = Canned({f"{JOB_PATH}/pods": envelope([{"podName": POD}], status="200")})
    assert [POD] == [pod.name for pod in await alaya_saying(canned).pods(JOB_ID)]
    forbidden = Canned({f"{JOB_PATH}/pods": envelope({}, status="403", message="Forbidden")})
    with pytest.raises(Refused, match="Forbidden"):
        await alaya_saying(forbidden).pods(JOB_ID)


async def test_8_an_empty_object_where_a_list_is_expected_is_an_empty_list_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert [] == await alaya_saying(Canned({f"{JOB_PATH}/pods": envelope({})})).pods(JOB_ID)
    assert "taken as empty" in caplog.text


@pytest.mark.parametrize("data", [{"podName": POD}, "pods", 5, True])
async def test_8_something_else_where_a_list_is_expected_is_unreadable(data: object) -> None:
    with pytest.raises(Unreadable):
        await alaya_saying(Canned({f"{JOB_PATH}/pods": envelope(data)})).pods(JOB_ID)


@pytest.mark.parametrize("fields", [{"podWebSSH": ""}, {"podWebSSH": None}, {}, {"podWebSSH": "  "}])
async def test_9_a_terminal_that_is_empty_null_or_missing_is_not_available(fields: dict[str, object]) -> None:
    alaya = alaya_saying(Canned({f"{JOB_PATH}/pods": envelope([{"podName": POD, **fields}])}))
    assert not (await alaya.pods(JOB_ID))[0].has_terminal
    with pytest.raises(NotAvailable, match="offers no terminal"):
        await alaya.terminal(JOB_ID, POD)


async def test_9_a_terminals_address_is_in_no_repr_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    address = "https://ssh.example.com/?token=s3cret-of-one"
    alaya = alaya_saying(Canned({f"{JOB_PATH}/pods": envelope([{"podName": POD, "podWebSSH": address}])}))
    link = await alaya.terminal(JOB_ID, POD)
    pods = await alaya.pods(JOB_ID)
    assert address == link.url
    assert "s3cret" not in f"{link!r} {pods!r} {pod_of(podWebSSH=address)!r} {caplog.text}"


def test_10_a_placeholder_of_the_page_has_no_meaning_of_its_own() -> None:
    pod = to_pod(KEY, pod_of(reason="string", podWebSSH="string"), BEIJING)
    assert pod is not None
    assert ("string", True) == (pod.reason, pod.has_terminal)


async def test_10_what_is_no_web_address_is_not_handed_out_as_one() -> None:
    alaya = alaya_saying(Canned({f"{JOB_PATH}/pods": printed("alaya/pods")}))
    with pytest.raises(Unreadable, match="no web address"):
        await alaya.terminal(JOB_ID, POD)


# -- 11 to 15: words, names, order, pods that come and go


@pytest.mark.parametrize("word", ["running", "Running", "RUNNING", " Running "])
def test_11_the_case_of_a_state_does_not_matter(word: str) -> None:
    pod = to_pod(KEY, pod_of(status=word), BEIJING)
    job = to_job("alaya", wire.Job.model_validate({"id": "j", "status": word}), BEIJING)
    assert pod is not None
    assert job is not None
    assert (PodState.RUNNING, JobState.RUNNING) == (pod.state, job.state)
    assert word.strip() == job.platform_state


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("Waiting", JobState.QUEUED),
        ("queuing", JobState.QUEUED),
        ("Creating", JobState.STARTING),
        ("Suspended", JobState.STOPPED),
        ("Success", JobState.SUCCEEDED),
        ("Error", JobState.FAILED),
        ("cancelled", JobState.STOPPED),
        ("NotStarted", JobState.UNKNOWN),
        ("运行中", JobState.UNKNOWN),
        (None, JobState.UNKNOWN),
    ],
)
def test_11_known_words_are_mapped_and_all_others_are_unknown(word: str | None, state: JobState) -> None:
    assert state is job_state(word)


@pytest.mark.parametrize(
    "fields",
    [{"createdTime": "2024-01-01 12:00:00", "nodeName": "n"}, {"createTime": "2024-01-01 12:00:00", "hostName": "n"}],
)
def test_12_both_spellings_of_a_name_are_read(fields: dict[str, object]) -> None:
    pod = to_pod(KEY, pod_of(**fields), BEIJING)
    assert pod is not None
    assert (datetime(2024, 1, 1, 4, tzinfo=UTC), "n") == (pod.created_at, pod.node)


def test_12_a_null_in_one_spelling_does_not_hide_the_other() -> None:
    row = {"id": "j", "endTime": None, "finishTime": "2024-01-01 12:00:00", "trainingFramwork": "PyTorch"}
    job = to_job("alaya", wire.Job.model_validate(row), BEIJING)
    assert job is not None
    assert (datetime(2024, 1, 1, 4, tzinfo=UTC), "PyTorch") == (job.finished_at, job.framework)


async def test_12_the_node_of_the_pod_list_wins_over_another_spelling_in_the_basics() -> None:
    basics = {
        "clusterName": "k8s-01",
        "hostName": "gpu-node-021",
        "namespace": "usr-iZBv1HWA",
        "hostIp": "10.24.7.1",
        "status": "Running",
        "restartCount": 2,
        "qosClass": "Guaranteed",
        "createBy": "li.wei",
        "createTime": "2025-12-02 06:24:44",
    }
    canned = Canned({f"{JOB_PATH}/pods": printed("alaya/pods"), f"{JOB_PATH}/{POD}/basic": envelope(basics)})
    detail = await alaya_saying(canned).pod(JOB_ID, POD)
    assert ("gpu-021", 2, "usr-iZBv1HWA", "10.24.7.1") == (
        detail.pod.node,
        detail.pod.restarts,
        detail.namespace,
        detail.host_ip,
    )
    assert ("Guaranteed", "li.wei") == (detail.qos_class, detail.created_by)
    assert ("hostName", "gpu-node-021") in detail.facts


def test_13_a_sample_above_the_maximum_is_still_a_sample() -> None:
    [series] = curves({**curve("0.95"), "maxRate": "0.93"})
    assert [0.95] == values_of(series)


def test_13_a_sample_outside_the_window_is_not_of_the_window() -> None:
    outside = {"timestamp": 1636457100, "value": "0.95"}
    assert ((),) == tuple(series.samples for series in curves({"metricData": [outside]}))


def test_14_a_series_belongs_to_the_pod_that_was_asked_for() -> None:
    assert [POD] == [series.pod for series in curves(curve("0.5"))]


async def test_15_one_pod_that_is_gone_does_not_lose_the_others_and_is_not_passed_over() -> None:
    gone = "tn-exqr5k7lvj7k-worker-1"
    canned = Canned(
        {
            f"{JOB_PATH}/pods": envelope([{"podName": POD}, {"podName": gone}]),
            METRICS_PATH: envelope({"metricData": [curve("0.5")]}),
            f"{JOB_PATH}/{gone}/gpu-metrics": envelope({}, status=404, message="pod not found"),
        }
    )
    found = await alaya_saying(canned).series(JOB, Metric.GPU, WINDOW)
    assert {POD: [0.5], gone: []} == {series.pod: values_of(series) for series in found}


async def test_15_only_when_no_pod_can_be_read_is_that_an_error() -> None:
    canned = Canned({f"{JOB_PATH}/pods": envelope([{"podName": POD}]), METRICS_PATH: envelope({}, status=403)})
    with pytest.raises(Refused):
        await alaya_saying(canned).series(JOB, Metric.GPU, WINDOW)


async def test_15_a_job_without_pods_has_no_data() -> None:
    assert [] == await alaya_saying(Canned({f"{JOB_PATH}/pods": envelope([])})).series(JOB, Metric.GPU, WINDOW)


# -- 16, 17, 21: cards, emptiness


def test_16_the_card_is_the_number_at_the_end_of_its_name() -> None:
    found = curves(curve("0.1", gpu="NVIDIA-H800A-NV-80G-7"), curve("0.2", gpu="NVIDIA-H800A-NV-80G-0"))
    assert [(7, "H800-80G"), (0, "H800-80G")] == [(one.gpu, one.gpu_model) for one in found]


def test_16_without_a_number_the_card_is_the_place_in_the_list() -> None:
    found = curves(curve("0.1", gpu="H800"), curve("0.2", gpu=None))
    assert [(0, "H800"), (1, None)] == [(one.gpu, one.gpu_model) for one in found]


def test_16_equal_numbers_are_part_of_the_model_and_the_places_count() -> None:
    found = curves(curve("0.1", gpu="NVIDIA-A100-80"), curve("0.2", gpu="NVIDIA-A100-80"))
    assert [(0, "NVIDIA-A100-80"), (1, "NVIDIA-A100-80")] == [(one.gpu, one.gpu_model) for one in found]


@pytest.mark.parametrize("metric", [Metric.CPU, Metric.MEMORY])
def test_16_a_pods_cpu_and_memory_have_no_card(metric: Metric) -> None:
    assert [None] == [series.gpu for series in curves(curve("0.1", gpu=None), metric=metric)]


@pytest.mark.parametrize("data", [{}, {"metricData": []}, {"metricData": None}, {"metricData": "x"}, None])
async def test_17_no_series_at_all_is_no_data(data: object) -> None:
    found = await alaya_saying(Canned({METRICS_PATH: envelope(data)})).series(JOB, Metric.GPU, WINDOW, POD)
    assert [] == found


@pytest.mark.parametrize("samples", [[], None, {}, "0.5"])
def test_17_a_series_without_samples_is_no_data_and_has_no_mean(samples: object) -> None:
    [series] = curves({"gpuName": "H800-0", "metricData": samples})
    assert (None, None) == (series.mean, series.latest)


def test_17_the_step_is_the_platforms_own_even_where_values_are_blank() -> None:
    [series] = curves(curve("0.1", "", None, "0.2", step=300))
    assert timedelta(minutes=5) == series.step


def test_21_rates_may_be_null() -> None:
    rates = {"maxRate": None, "avgRate": None, "currentRate": None}
    metrics = wire.Metrics.model_validate({"metricData": [{**curve(), **rates}]})
    assert [(None, None, None)] == [(one.max_rate, one.avg_rate, one.current_rate) for one in metrics.series]


# -- 18 to 20: wrong doors, codes, totals


async def test_18_a_web_page_with_http_200_names_the_prefix_setting() -> None:
    with pytest.raises(Unreadable, match="path_prefix"):
        await alaya_saying(Canned({f"{JOB_PATH}/pods": WEB_PAGE})).pods(JOB_ID)


async def test_18_a_job_list_behind_a_wrong_prefix_names_it_too() -> None:
    with pytest.raises(Unreadable, match="path_prefix"):
        await alaya_saying(Canned({LIST_PATH: WEB_PAGE, CHECK_PATH: WEB_PAGE})).jobs()


async def test_18_a_prefix_of_which_nothing_is_left_ends_no_job() -> None:
    gone = httpx.Response(404, json=envelope({}, status=404, message="Not Found"))
    alaya = alaya_saying(Canned(dict.fromkeys((JOB_PATH, LIST_PATH, f"{JOB_PATH}/pods", CHECK_PATH), gone)))
    with pytest.raises(Unreadable, match="not there any more"):
        await alaya.job(JOB_ID)


@pytest.mark.parametrize("status", [401, 403, 40001, 40003, 40004, 40005, 40006, 40401])
@pytest.mark.parametrize("http", [200, 401, 403])
async def test_19_codes_of_five_digits_are_refusals_whatever_the_http_status(status: int, http: int) -> None:
    answer = httpx.Response(http, json=envelope({}, status=status, message="API key not found"))
    with pytest.raises(Refused, match="API key not found"):
        await alaya_saying(Canned({CHECK_PATH: answer})).ping()


async def test_20_the_total_of_this_family_is_total_rows() -> None:
    rows = [{"id": f"j-{number}"} for number in range(3)]
    listing = Canned({LIST_PATH: envelope({"records": rows, "totalRows": "3", "count": 9, "rows": []})})
    assert ["j-0", "j-1", "j-2"] == [job.id for job in await alaya_saying(listing).jobs()]
    assert 1 == len(listing.requests)


# -- text


async def test_an_answer_without_a_charset_is_utf_8() -> None:
    body = json.dumps(envelope([{"podName": POD, "reason": "显存不足："}]), ensure_ascii=False).encode()
    answer = httpx.Response(200, content=body, headers={"content-type": "application/json"})
    assert "显存不足：" == (await alaya_saying(Canned({f"{JOB_PATH}/pods": answer})).pods(JOB_ID))[0].reason


async def test_an_unknown_pod_is_not_found() -> None:
    with pytest.raises(NotFound):
        await alaya_saying(Canned({f"{JOB_PATH}/pods": printed("alaya/pods")})).terminal(JOB_ID, "worker-9")
