"""The simulated Baidu AIHC, call by call, as the AIHC v1 reference has it."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from bot.simulator.clouds import Serving, serve_baidu
from bot.simulator.clouds.baidu.metrics import PERCENT, PLAIN
from bot.simulator.world import World
from bot.simulator.world.roster import POOL_A, POOL_B
from tests.simulator.clouds.callers import baidu, baidu_headers, send

POOLS = "/api/v1/resourcepools"
JOBS = "/api/v1/aijobs"
NEW_JOB = {
    "name": "sim-train-1",
    "jobFramework": "PyTorchJob",
    "jobSpec": {
        "image": "registry.example.com/team/train:1.0",
        "replicas": 2,
        "command": "bash run.sh",
        "enableRDMA": True,
        "resources": [{"name": "baidu.com/a800_80g_cgpu", "quantity": "8"}, {"name": "memory", "quantity": "16.0GB"}],
    },
    "labels": [{"key": "team", "value": "训练"}],
    "codeSource": None,
}


def code_of(response: httpx.Response) -> tuple[int, str]:
    assert {"code", "message", "requestId"} == set(response.json())
    return response.status_code, response.json()["code"]


async def test_pools_come_with_counts_that_fit_their_nodes(baidu_cloud: Serving) -> None:
    page = (await baidu(baidu_cloud, "GET", POOLS)).json()["result"]
    assert (2, 1, 10, "createdAt", "desc") == tuple(
        page[k] for k in ("total", "pageNo", "pageSize", "orderBy", "order")
    )
    pool = next(pool for pool in page["resourcePools"] if pool["metadata"]["id"] == POOL_A)
    nodes = (await baidu(baidu_cloud, "GET", f"{POOLS}/{POOL_A}/nodes", pageSize=100)).json()["result"]["nodes"]
    assert pool["status"]["gpuCount"]["used"] == sum(node["gpuAllocated"] for node in nodes)
    assert pool["status"]["nodeCount"]["used"] == sum(node["gpuAllocated"] == node["gpuTotal"] for node in nodes)
    assert ["cordoned"] == [node["intervention"] for node in nodes if node["intervention"] != "unintervened"]


async def test_one_pool_is_wrapped_and_an_unknown_one_named(baidu_cloud: Serving) -> None:
    found = await baidu(baidu_cloud, "GET", f"{POOLS}/{POOL_B}")
    assert "推理池" == found.json()["result"]["resourcePool"]["metadata"]["name"]
    assert found.headers["x-bce-request-id"] == found.json()["requestId"]
    assert (400, "cce.warning.GetResourcePoolFailed") == code_of(await baidu(baidu_cloud, "GET", f"{POOLS}/cce-none"))


@pytest.mark.parametrize(("number", "size", "shown"), [(0, 0, 10), (1, 5, 5), (2, 20, 3), (9, 10, 0)])
async def test_job_pages_treat_zero_as_the_default_and_end_empty(
    baidu_cloud: Serving, number: int, size: int, shown: int
) -> None:
    page = (await baidu(baidu_cloud, "GET", JOBS, pageNo=number, pageSize=size)).json()["result"]
    assert (23, shown) == (page["total"], len(page["jobs"]))


async def test_jobs_are_listed_newest_first_and_by_queue(baidu_cloud: Serving) -> None:
    jobs = (await baidu(baidu_cloud, "GET", JOBS, pageSize=100)).json()["result"]["jobs"]
    assert sorted((job["createdAt"] for job in jobs), reverse=True) == [job["createdAt"] for job in jobs]
    sft = (await baidu(baidu_cloud, "GET", JOBS, pageSize=100, queue="sft")).json()["result"]["jobs"]
    assert {"sft"} == {job["queue"] for job in sft}
    assert {"Created", "Scheduled", "Running", "Failed", "Succeeded", "ManualTermination"} == {
        j["status"] for j in jobs
    }


async def test_queued_jobs_know_their_place(baidu_cloud: Serving) -> None:
    jobs = (await baidu(baidu_cloud, "GET", JOBS, pageSize=100)).json()["result"]["jobs"]
    places = {job["name"]: job["queueingSequence"] for job in jobs if job["status"] == "Created"}
    assert {"llm-pretrain-130b": 1, "long-context-128k": 2, "sft-nightly": 3} == places


async def test_a_job_has_its_pods_with_the_odd_capital(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("对话模型-sft-v3")
    detail = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).json()["result"]
    pods = detail["podList"]["pods"]
    assert (4, 4) == (detail["podList"]["listMeta"]["totalItems"], len(pods))
    assert ["对话模型-sft-v3-master-0", "对话模型-sft-v3-worker-0"] == [pod["objectMeta"]["name"] for pod in pods[:2]]
    assert pods[0]["PodIP"].startswith("10.0.")
    assert {"key": "aijob.cce.baidubce.com/ai-user-name", "value": "zhang.min"} in detail["labels"]


async def test_a_waiting_job_has_no_pods_and_no_times(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("llm-pretrain-130b")
    detail = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).json()["result"]
    assert {"listMeta": {"totalItems": 0}, "pods": []} == detail["podList"]
    assert ("", "", "") == (detail["scheduledAt"], detail["runningAt"], detail["finishedAt"])


async def test_an_unknown_job_and_one_of_another_pool_are_not_found(world: World, baidu_cloud: Serving) -> None:
    for job_id, pool in (("pytorchjob-none", POOL_A), (world.job_named("chat-api-prod").id, POOL_A)):
        response = await baidu(baidu_cloud, "GET", f"{JOBS}/{job_id}", resourcePoolId=pool)
        assert (400, "cce.warning.GetAIJobByJobIdFailed") == code_of(response)


async def test_a_created_job_is_placed_and_runs(world: World, baidu_cloud: Serving) -> None:
    made = (await baidu(baidu_cloud, "POST", JOBS, NEW_JOB, clientToken="t-1")).json()["result"]
    again = (await baidu(baidu_cloud, "POST", JOBS, NEW_JOB, clientToken="t-1")).json()["result"]
    assert made == again
    world.advance(timedelta(minutes=2))
    detail = (await baidu(baidu_cloud, "GET", f"{JOBS}/{made['jobId']}")).json()["result"]
    assert ("Running", "pytorch", 2) == (detail["status"], detail["jobFramework"], detail["replicas"])
    assert {"name": "baidu.com/a800_80g_cgpu", "quantity": 8.0} in detail["resources"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "InvalidParam"),
        ({**NEW_JOB, "jobFramework": "RayJob"}, "InvalidParam"),
        ({**NEW_JOB, "queue": "none"}, "cce.warning.GetQueueFailed"),
        ({**NEW_JOB, "priority": "urgent"}, "InvalidParam"),
        ([1], "InappropriateJSON"),
    ],
)
async def test_a_job_that_makes_no_sense_is_refused(baidu_cloud: Serving, body: object, code: str) -> None:
    assert (400, code) == code_of(await baidu(baidu_cloud, "POST", JOBS, body))


async def test_a_stopped_job_ends_as_manual_termination(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("vit-eval")
    stopped = await baidu(baidu_cloud, "POST", f"{JOBS}/{job.id}/stop")
    assert {"jobId": job.id} == stopped.json()["result"]
    assert "Stopping" == (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).json()["result"]["status"]
    world.advance(timedelta(seconds=20))
    after = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).json()["result"]
    assert ("ManualTermination", "2026-11-30T02:00:") == (after["status"], after["finishedAt"][:17])
    refused = await baidu(baidu_cloud, "POST", f"{JOBS}/{job.id}/stop")
    assert (400, "cce.warning.StopAIJobFailed") == code_of(refused)


async def test_a_higher_priority_moves_a_waiting_job_up(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("sft-nightly")
    await baidu(baidu_cloud, "PUT", f"{JOBS}/{job.id}", {"priority": "high"})
    assert 2 == (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).json()["result"]["queueingSequence"]
    assert (400, "InvalidParam") == code_of(await baidu(baidu_cloud, "PUT", f"{JOBS}/{job.id}", {"priority": "x"}))


async def test_a_deleted_job_is_gone(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("mamba-3b")
    gone = (await baidu(baidu_cloud, "DELETE", f"{JOBS}/{job.id}")).json()["result"]
    assert {"jobId": job.id, "jobName": "mamba-3b"} == gone
    assert 400 == (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}")).status_code


async def test_a_job_lists_the_names_of_its_nodes(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("moe-16x7b-ablation")
    nodes = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/nodes")).json()["result"]
    assert {"jobId": job.id, "nodeName": [pod.node for pod in job.pods]} == nodes


async def test_events_come_bare_newest_first_in_go_time(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("codegen-15b-sft")
    body = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/events", jobFramework="PyTorchJob")).json()
    assert {"events", "total"} == set(body)
    assert ["JobFailed", "ExitedWithCode"] == [event["reason"] for event in body["events"][:2]]
    assert body["events"][0]["firstTimestamp"].endswith(" +0000 UTC")
    path = f"{JOBS}/{job.id}/pods/{job.pods[0].name}/events"
    pod = (await baidu(baidu_cloud, "GET", path, jobFramework="PyTorchJob")).json()
    assert ["Started", "Created", "Pulled", "Pulling", "Scheduled"] == [event["reason"] for event in pod["events"]]
    assert (400, "InvalidParam") == code_of(await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/events"))


async def test_logs_are_cut_by_lines_time_and_chunk(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("对话模型-sft-v3")
    path = f"{JOBS}/{job.id}/pods/{job.pods[1].name}/logs"
    last = (await baidu(baidu_cloud, "GET", path, maxLines=4, chunk=2)).json()["result"]
    assert (["\n", "\n"], "") == ([record[-1] for record in last["logs"]], last["nextMarker"])
    assert 4 == "".join(last["logs"]).count("\n")
    since = int((world.now() - timedelta(minutes=1)).timestamp())
    minute = (await baidu(baidu_cloud, "GET", path, startTime=since)).json()["result"]["logs"]
    assert (1, 7) == (len(minute), minute[0].count("\n"))


async def test_a_long_log_is_read_by_its_markers(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("对话模型-sft-v3")
    path, marker, lines = f"{JOBS}/{job.id}/pods/{job.pods[0].name}/logs", "", 0
    for _ in range(5):
        page = (await baidu(baidu_cloud, "GET", path, marker=marker)).json()["result"]
        lines += "".join(page["logs"]).count("\n")
        marker = page["nextMarker"]
        if not marker:
            break
    assert ("", len(world.log(job, job.pods[0], job.created_at))) == (marker, lines)


async def test_max_lines_can_mean_the_first_lines() -> None:
    world = World.scripted()
    job = world.job_named("vit-eval")
    async with serve_baidu(world, max_lines="first") as cloud:
        path = f"{JOBS}/{job.id}/pods/{job.pods[0].name}/logs"
        page = (await baidu(cloud, "GET", path, maxLines=2)).json()["result"]
    assert page["logs"][0].startswith("+ cd /work")
    assert page["nextMarker"]


async def test_gpu_use_is_percent_text_at_unix_seconds_with_the_end(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("llm-pretrain-70b")
    end = int(world.now().timestamp())
    params: dict[str, Any] = {"metricType": "GpuUsage", "startTime": end - 600, "endTime": end, "timeStep": "60"}
    series = (await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/metrics", **params)).json()["result"]["podMetrics"]
    assert [pod.name for pod in job.pods] == [each["podName"] for each in series]
    samples = series[0]["metrics"]
    assert end == samples[-1]["time"]
    assert all(isinstance(sample["value"], str) and 0 <= float(sample["value"]) <= 100 for sample in samples)
    assert 80 < max(float(sample["value"]) for sample in samples)


async def test_every_documented_metric_has_samples(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("moe-16x7b-ablation")
    kinds = [*PERCENT, *PLAIN]
    assert 22 == len(kinds)
    for kind in kinds:
        answer = await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/metrics", metricType=kind, timeStep="3600")
        assert answer.json()["result"]["podMetrics"][0]["metrics"], kind


async def test_a_pod_whose_exporter_is_dead_has_no_samples(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("speech-tokenizer")
    answer = await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/metrics", metricType="GpuUsage")
    assert [{"podName": job.pods[0].name, "metrics": []}] == answer.json()["result"]["podMetrics"]


async def test_an_unknown_metric_is_empty_or_an_error(world: World, baidu_cloud: Serving) -> None:
    path = f"{JOBS}/{world.job_named('vit-eval').id}/metrics"
    assert [] == (await baidu(baidu_cloud, "GET", path, metricType="X")).json()["result"]["podMetrics"]
    async with serve_baidu(world, strict_metrics=True) as strict:
        assert (400, "InvalidParam") == code_of(await baidu(strict, "GET", path, metricType="X"))


async def test_a_terminal_url_opens_the_simulated_pod(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("对话模型-sft-v3")
    path = f"{JOBS}/{job.id}/pods/{job.pods[0].name}/webterminal"
    url = (await baidu(baidu_cloud, "GET", path, pingTimeoutSecond=60)).json()["result"]["WebTerminalUrl"]
    assert url.endswith("?handshakeTimeoutSecond=30&pingTimeoutSecond=60")
    page = await send(baidu_cloud, "GET", url.removeprefix(baidu_cloud.url), {})
    assert "simulated terminal of pod 对话模型-sft-v3-master-0" in page.text


async def test_queue_calls_spell_their_request_id_in_another_way(baidu_cloud: Serving) -> None:
    root = f"{POOLS}/{POOL_A}/queue"
    body = {"name": "team-a", "queueType": "regular", "deserved": {"cpu": 64, "memory": "512"}}
    made = (await baidu(baidu_cloud, "POST", root, body)).json()
    assert ({"result", "requestID"}, "team-a") == (set(made), made["result"]["queueName"])
    assert (400, "cce.warning.CreateQueueFailed") == code_of(await baidu(baidu_cloud, "POST", root, body))


async def test_a_queue_keeps_what_a_change_does_not_name(baidu_cloud: Serving) -> None:
    root = f"{POOLS}/{POOL_A}/queue"
    await baidu(baidu_cloud, "POST", root, {"name": "队列 a", "description": "旧", "deserved": {"cpu": 64}})
    await baidu(baidu_cloud, "PUT", f"{root}/队列 a", {"deserved": {"cpu": 8}, "reclaimable": True})
    queue = (await baidu(baidu_cloud, "GET", f"{root}/队列 a")).json()["result"]["queue"]
    assert ("旧", {"cpu": "8"}, True) == (queue["description"], queue["deserved"], queue["reclaimable"])
    assert 200 == (await baidu(baidu_cloud, "DELETE", f"{root}/队列 a")).status_code
    assert (400, "cce.warning.GetQueueFailed") == code_of(await baidu(baidu_cloud, "GET", f"{root}/队列 a"))


async def test_a_queue_with_live_jobs_stays(baidu_cloud: Serving) -> None:
    response = await baidu(baidu_cloud, "DELETE", f"{POOLS}/{POOL_A}/queue/sft")
    assert (400, "cce.warning.DeleteQueueFailed") == code_of(response)


async def test_the_queue_list_holds_the_root_and_counts_jobs(baidu_cloud: Serving) -> None:
    page = (await baidu(baidu_cloud, "GET", f"{POOLS}/{POOL_A}/queue", orderBy="createdAt")).json()["result"]
    queues = {queue["name"]: queue for queue in page["queues"]}
    assert {"63a9f0ea7bb98050796b649e85481845", "default", "pretrain", "sft", "eval"} == set(queues)
    assert (3, 2) == (queues["pretrain"]["running"], queues["pretrain"]["pending"])
    assert "80" == queues["pretrain"]["allocated"]["baidu.com/a800_80g_cgpu"]


async def test_dirty_keys_are_the_ones_that_were_seen(world: World) -> None:
    async with serve_baidu(world, dirty_keys=True) as cloud:
        page = (await baidu(cloud, "GET", POOLS)).json()["result"]
        nodes = (await baidu(cloud, "GET", f"{POOLS}/{POOL_A}/nodes")).json()["result"]["nodes"]
    assert ("totalCount" in page, "total" in page, "uid" in page["resourcePools"][0]["metadata"]) == (True, False, True)
    assert {"instanceID", "instanceName "} <= set(nodes[0])


async def test_unsigned_and_unknown_requests_are_refused_in_baidus_words(baidu_cloud: Serving) -> None:
    assert (403, "AccessDenied") == code_of(await send(baidu_cloud, "GET", POOLS, {}))
    assert (404, "InvalidURI") == code_of(await baidu(baidu_cloud, "GET", "/api/v1/none"))
    assert (400, "InvalidParam") == code_of(await baidu(baidu_cloud, "GET", JOBS, resourcePoolId=""))


async def test_signatures_are_checked_against_the_worlds_clock(world: World, baidu_cloud: Serving) -> None:
    headers = baidu_headers(baidu_cloud, "GET", POOLS, "")
    world.advance(timedelta(minutes=31))
    assert (400, "RequestExpired") == code_of(await send(baidu_cloud, "GET", POOLS, headers))


async def test_a_hanging_job_shows_full_use_at_low_power(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("moe-16x7b-ablation")
    world.hang(job.id, {1: (2,)})
    world.advance(timedelta(minutes=5))
    now = int(world.now().timestamp())

    async def last(kind: str) -> float:
        params: dict[str, Any] = {"metricType": kind, "startTime": now - 60, "endTime": now, "timeStep": "15"}
        answer = await baidu(baidu_cloud, "GET", f"{JOBS}/{job.id}/metrics", **params)
        return float(answer.json()["result"]["podMetrics"][0]["metrics"][-1]["value"])

    assert (100.0, 165.0, 0.0) == (await last("GpuUsage"), await last("GpuPowerUsage"), await last("RDMASendDataRate"))


async def test_odd_samples_are_no_numbers_at_right_times(world: World) -> None:
    job = world.job_named("vit-eval")
    async with serve_baidu(world, odd_samples=True) as cloud:
        answer = await baidu(cloud, "GET", f"{JOBS}/{job.id}/metrics", metricType="GpuUsage", timeStep="1m")
    samples = answer.json()["result"]["podMetrics"][0]["metrics"]
    assert ["NaN", None, "-1", "", "1e12", "n/a"] == [sample["value"] for sample in samples[:30:5]]
    assert sorted(sample["time"] for sample in samples) == [sample["time"] for sample in samples]


async def test_two_jobs_of_one_name_are_two_jobs(baidu_cloud: Serving) -> None:
    first = (await baidu(baidu_cloud, "POST", JOBS, NEW_JOB)).json()["result"]["jobId"]
    second = (await baidu(baidu_cloud, "POST", JOBS, NEW_JOB)).json()["result"]["jobId"]
    await baidu(baidu_cloud, "DELETE", f"{JOBS}/{first}")
    third = (await baidu(baidu_cloud, "POST", JOBS, NEW_JOB)).json()["result"]["jobId"]
    assert 3 == len({first, second, third})
