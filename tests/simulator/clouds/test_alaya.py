"""The simulated Alaya NeW: documented calls, the job list, proposed calls, and its ways of saying no."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from bot.simulator.clouds import Serving, serve_alaya
from bot.simulator.clouds.alaya.shapes import gpu_product
from bot.simulator.world import Job, World
from tests.simulator.clouds.callers import alaya, send

ROOT = "/v1/training/instance"


def refusal(response: httpx.Response) -> tuple[int, int]:
    body = response.json()
    assert {} == body["data"]
    return response.status_code, body["status"]


@pytest.fixture
def job(world: World) -> Job:
    return world.job_named("多模态预训练-7b")


@pytest.mark.parametrize("prefix", ["", "/api/osm"])
@pytest.mark.parametrize("hmac", [True, False])
async def test_both_prefixes_and_both_schemes_are_served(alaya_cloud: Serving, prefix: str, hmac: bool) -> None:
    answer = await alaya(alaya_cloud, "GET", f"{ROOT}/checkIsEnabled", prefix=prefix, hmac=hmac)
    assert {"status": 200, "message": "OK", "data": True} == answer.json()


async def test_the_job_list_pages_and_filters(world: World, alaya_cloud: Serving) -> None:
    page = (await alaya(alaya_cloud, "GET", f"{ROOT}/list", pageNo=2, pageSize=10)).json()["data"]
    assert (15, 5, 2) == (page["totalRows"], len(page["records"]), page["pageNo"])
    failed = (await alaya(alaya_cloud, "GET", f"{ROOT}/list", status="failed")).json()["data"]["records"]
    assert ["cot-distill"] == [row["name"] for row in failed]
    assert failed[0]["reason"].startswith("OOMKilled")


async def test_a_row_of_the_list_has_beijing_times_and_text_numbers(job: Job, alaya_cloud: Serving) -> None:
    rows = (await alaya(alaya_cloud, "GET", f"{ROOT}/list", name="多模态")).json()["data"]["records"]
    expected = {"workerCount": 4, "gpuCount": "8", "gpuName": "NVIDIA-H800A-NV-80G"}
    assert [(job.id, "Running", 1001, expected)] == [
        (row["id"], row["status"], row["aidcId"], row["resource"]) for row in rows
    ]
    assert "2026-11-28 23:00:00" == rows[0]["startTime"]
    assert ["NVIDIA-A10", "-"] == [gpu_product(model) for model in ("A10", "")]


async def test_the_list_has_every_state_and_one_word_nobody_knows(alaya_cloud: Serving) -> None:
    rows = (await alaya(alaya_cloud, "GET", f"{ROOT}/list", pageSize=100)).json()["data"]["records"]
    words = {"Waiting", "Starting", "Running", "Succeeded", "Failed", "Canceled", "Preempting"}
    assert words == {row["status"] for row in rows}


async def test_pods_carry_a_terminal_only_while_they_run(world: World, job: Job, alaya_cloud: Serving) -> None:
    pods = (await alaya(alaya_cloud, "GET", f"{ROOT}/{job.id}/pods")).json()["data"]
    assert [pod.name for pod in job.pods] == [pod["podName"] for pod in pods]
    assert ("running", "tn-") == (pods[0]["status"], pods[0]["podName"][:3])
    page = await send(alaya_cloud, "GET", pods[0]["podWebSSH"].removeprefix(alaya_cloud.url), {})
    assert f"simulated terminal of pod {job.pods[0].name}" in page.text
    failed = world.job_named("cot-distill")
    assert "" == (await alaya(alaya_cloud, "GET", f"{ROOT}/{failed.id}/pods")).json()["data"][0]["podWebSSH"]


async def test_gpu_metrics_are_text_ratios_one_series_a_card(job: Job, alaya_cloud: Serving) -> None:
    path = f"{ROOT}/{job.id}/{job.pods[0].name}/gpu-metrics"
    data = (await alaya(alaya_cloud, "GET", path, type="gpu", period="15m")).json()["data"]
    assert [f"NVIDIA-H800A-NV-80G-{card}" for card in range(8)] == [row["gpuName"] for row in data["metricData"]]
    samples = data["metricData"][0]["metricData"]
    assert 60 == samples[1]["timestamp"] - samples[0]["timestamp"]
    assert all(isinstance(sample["value"], str) and 0 <= float(sample["value"]) <= 1 for sample in samples)
    assert ("2026-11-30 09:45:00", "2026-11-30 10:00:00") == (data["startTime"], data["endTime"])


async def test_processor_metrics_are_one_series_without_a_card(job: Job, alaya_cloud: Serving) -> None:
    path = f"{ROOT}/{job.id}/{job.pods[0].name}/gpu-metrics"
    rows = (await alaya(alaya_cloud, "GET", path, type="cpu")).json()["data"]["metricData"]
    assert (1, False) == (len(rows), "gpuName" in rows[0])


async def test_a_span_is_read_as_beijing_time(job: Job, alaya_cloud: Serving) -> None:
    path = f"{ROOT}/{job.id}/{job.pods[0].name}/gpu-metrics"
    span: dict[str, Any] = {"startTime": "2026-11-30 08:00:00", "endTime": "2026-11-30T08:10:00"}
    rows = (await alaya(alaya_cloud, "GET", path, type="vram", **span)).json()["data"]["metricData"]
    assert 1764460800 + 365 * 86400 == rows[0]["metricData"][0]["timestamp"]


@pytest.mark.parametrize(
    "query", [{}, {"type": "power"}, {"type": "gpu", "period": "2h"}, {"type": "gpu", "startTime": "x"}]
)
async def test_a_metric_nobody_knows_fails_inside_http_200(
    job: Job, alaya_cloud: Serving, query: dict[str, Any]
) -> None:
    path = f"{ROOT}/{job.id}/{job.pods[0].name}/gpu-metrics"
    assert (200, 400) == refusal(await alaya(alaya_cloud, "GET", path, **query))


async def test_pod_basics_spell_the_node_in_another_way(job: Job, alaya_cloud: Serving) -> None:
    data = (await alaya(alaya_cloud, "GET", f"{ROOT}/{job.id}/{job.pods[0].name}/basic")).json()["data"]
    assert (job.pods[0].node.replace("gpu-", "gpu-node-"), "Running", 0) == (
        data["hostName"],
        data["status"],
        data["restartCount"],
    )


async def test_products_are_rows_of_text_numbers(alaya_cloud: Serving) -> None:
    rows = (await alaya(alaya_cloud, "GET", "/v1/product/list-for-training-task")).json()["data"]
    assert {("1001", "8"), ("1002", "8")} <= {(str(row["aidcId"]), row["gpuCount"]) for row in rows}


async def test_a_task_or_pod_nobody_knows_is_not_found(job: Job, alaya_cloud: Serving) -> None:
    assert (200, 404) == refusal(await alaya(alaya_cloud, "GET", f"{ROOT}/none/pods"))
    assert (200, 404) == refusal(await alaya(alaya_cloud, "GET", f"{ROOT}/{job.id}/none/basic"))


async def test_stop_moves_the_job_to_canceled(world: World, job: Job, alaya_cloud: Serving) -> None:
    assert {} == (await alaya(alaya_cloud, "POST", f"{ROOT}/{job.id}/stop")).json()["data"]
    world.advance(timedelta(seconds=20))
    assert "Canceled" == (await alaya(alaya_cloud, "GET", f"{ROOT}/{job.id}")).json()["data"]["status"]
    assert (200, 500) == refusal(await alaya(alaya_cloud, "POST", f"{ROOT}/{job.id}/stop"))


async def test_proposed_reads_answer(job: Job, alaya_cloud: Serving) -> None:
    pod = f"{ROOT}/{job.id}/{job.pods[0].name}"
    logs = (await alaya(alaya_cloud, "GET", f"{pod}/logs", tail=3)).json()["data"]
    assert (3, 3) == (len(logs["lines"]), logs["offset"])
    for path in (f"{pod}/events", f"{ROOT}/{job.id}/events", f"{pod}/resource", f"{pod}/schedule"):
        assert (await alaya(alaya_cloud, "GET", path)).json()["data"], path


@pytest.mark.parametrize(("html", "status", "kind"), [(False, 404, "application/json"), (True, 200, "text/html")])
async def test_a_call_that_is_switched_off_is_not_there(html: bool, status: int, kind: str) -> None:
    world = World.scripted()
    job = world.job_named("grpo-math-7b")
    async with serve_alaya(world, proposed=(), unknown_as_html=html) as cloud:
        answer = await alaya(cloud, "POST", f"{ROOT}/{job.id}/stop")
    assert (status, kind) == (answer.status_code, answer.headers["content-type"].partition(";")[0])
    assert job == world.job(job.id)


async def test_the_documented_prefix_may_lead_to_the_web_app(world: World) -> None:
    async with serve_alaya(world, html_for_docs_prefix=True) as cloud:
        docs = await alaya(cloud, "GET", f"{ROOT}/list", prefix="")
        real = await alaya(cloud, "GET", f"{ROOT}/list")
    assert (200, "text/html") == (docs.status_code, docs.headers["content-type"].partition(";")[0])
    assert 15 == real.json()["data"]["totalRows"]


async def test_a_scheme_can_be_forced(world: World) -> None:
    async with serve_alaya(world, only_scheme="hmac") as cloud:
        assert (401, 40001) == refusal(await alaya(cloud, "GET", f"{ROOT}/list", hmac=False))
        assert 200 == (await alaya(cloud, "GET", f"{ROOT}/list")).status_code


async def test_no_credential_is_an_expired_login(alaya_cloud: Serving) -> None:
    assert (401, 40401) == refusal(await send(alaya_cloud, "GET", f"{ROOT}/list", {}))


async def test_an_outage_answers_503_then_nothing_then_works_again(world: World, alaya_cloud: Serving) -> None:
    world.advance_to("alaya_down")
    assert (503, 503) == refusal(await alaya(alaya_cloud, "GET", f"{ROOT}/list"))
    world.advance_to("alaya_stalls")
    with pytest.raises(httpx.ReadTimeout):
        await send(alaya_cloud, "GET", f"{ROOT}/list", {}, seconds=0.1)
    world.advance_to("alaya_back")
    assert 200 == (await alaya(alaya_cloud, "GET", f"{ROOT}/list")).status_code


async def test_odd_samples_are_no_numbers(world: World, job: Job) -> None:
    async with serve_alaya(world, odd_samples=True) as cloud:
        answer = await alaya(cloud, "GET", f"{ROOT}/{job.id}/{job.pods[0].name}/gpu-metrics", type="gpu")
    assert "NaN" == answer.json()["data"]["metricData"][0]["metricData"][0]["value"]


async def test_a_word_nobody_knows_goes_when_the_job_does(world: World, alaya_cloud: Serving) -> None:
    world.stop_job(world.job_named("batch-embed").id)
    world.advance(timedelta(seconds=20))
    rows = (await alaya(alaya_cloud, "GET", f"{ROOT}/list", name="batch-embed")).json()["data"]["records"]
    assert ["Canceled"] == [row["status"] for row in rows]


async def test_a_template_is_made_listed_and_deleted(alaya_cloud: Serving) -> None:
    root = "/v1/training/template"
    body = {
        "name": "模板",
        "aidcId": 1001,
        "trainingType": "PRE_TRAINING",
        "imageType": "private",
        "image": "train:1",
        "resource": {"workerCount": 1},
    }
    made = (await alaya(alaya_cloud, "POST", f"{root}/create", body)).json()["data"]["id"]
    rows = (await alaya(alaya_cloud, "GET", f"{root}/list")).json()["data"]
    assert (1, made, "模板") == (rows["totalRows"], rows["records"][0]["id"], rows["records"][0]["name"])
    assert {} == (await alaya(alaya_cloud, "DELETE", f"{root}/{made}/delete")).json()["data"]
    assert (200, 404) == refusal(await alaya(alaya_cloud, "DELETE", f"{root}/{made}/delete"))
    assert (200, 400) == refusal(await alaya(alaya_cloud, "POST", f"{root}/create", {"name": "x"}))
