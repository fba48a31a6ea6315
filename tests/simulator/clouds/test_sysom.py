"""The simulated SysOM console: alarm records with filters and oddities, topology, instances, health."""

import json
from datetime import timedelta
from typing import Any

import pytest

from bot.simulator.clouds import Serving, serve_sysom
from bot.simulator.world import World
from tests.simulator.clouds.callers import ALARMS, raw_query, send, sysom, sysom_headers

TOPOLOGY = "/api/v1/aiTopology/topology"
HEALTH = "/api/v1/openapi/cluster_health/range"


async def records(cloud: Serving, **params: Any) -> list[dict[str, Any]]:
    body = (await sysom(cloud, **params)).json()
    assert "Success" == body["code"], body
    return [record for record in body["data"] if record.get("alarmId")]


async def test_a_hang_gives_a_record_for_each_faulty_machine(world: World, sysom_cloud: Serving) -> None:
    at = world.advance_to("nccl_hang")
    found = await records(sysom_cloud, alarmType="NCCL")
    job = world.job_named("llm-pretrain-70b")
    assert [(job.id, "blocking", "cluster-bj1", "2026-11-30 10:02:30")] * 3 == [
        (each["alarmTask"], each["status"], each["alarmCluster"], each["alarmTime"]) for each in found
    ]
    assert "2026-11-30T02:02:30+00:00" == at.isoformat()


async def test_a_clean_record_holds_objects_with_eight_machines_and_marked_gpus(world: World) -> None:
    world.advance_to("nccl_hang")
    async with serve_sysom(world, oddities="clean") as cloud:
        record = (await records(cloud))[0]
    nodes, edges = record["alarmTopology"]["nodes"], record["alarmTopology"]["edges"]
    marked = [gpu for node in nodes for gpu in node["gpu_list"] if gpu["values"]["Exception"]]
    assert (8, 64, 4) == (len(nodes), sum(len(node["gpu_list"]) for node in nodes), len(marked))
    assert 8 == sum(bool(edge["values"]["Exception"]) for edge in edges)
    assert {"error_node_gpu", "error_pod", "task_pod_list", "error_type", "kernel"} == set(record["alarmExtInfo"])


async def test_the_same_records_come_in_every_documented_form(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("node_fault")
    found = await records(sysom_cloud)
    forms = {type(record["alarmExtInfo"]) for record in found}
    assert {dict, str} == forms
    texts = [record["alarmExtInfo"] for record in found if isinstance(record["alarmExtInfo"], str)]
    assert {True, False} == {_is_json(text) for text in texts}
    pictures = [record["alarmTopology"] for record in found if isinstance(record.get("alarmTopology"), str)]
    assert {True, False} == {_is_json(text) for text in pictures}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


async def test_the_documented_pseudo_text_still_holds_the_picture(world: World) -> None:
    world.advance_to("nccl_hang")
    async with serve_sysom(world, oddities="text") as cloud:
        text = (await records(cloud))[0]["alarmTopology"]
    assert text.startswith("topology data，e.g.\n")
    picture, end = json.JSONDecoder().raw_decode(text, text.index("{"))
    assert ({"nodes", "edges"}, ",") == (set(picture), text[end:])
    assert picture["nodes"][0]["name"].endswith("\n")
    selected = picture["edges"][0]["style"]["selectedStyle"]
    assert {"opacity": 1, "lineWidth": 1} == json.loads(json.loads(selected))


async def test_records_without_an_id_come_along_and_do_not_count(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("nccl_hang")
    body = (await sysom(sysom_cloud)).json()
    assert ("3", 5) == (body["total"], len(body["data"]))
    assert [False, False] == ["alarmId" in record for record in body["data"][1:3]]


async def test_pages_follow_each_other_newest_first(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("node_fault")
    pages = [await records(sysom_cloud, current=page, pageSize=3) for page in (1, 2, 3, 4)]
    assert [3, 3, 2, 0] == [len(page) for page in pages]
    times = [record["alarmTime"] for page in pages for record in page]
    assert sorted(times, reverse=True) == times
    assert 8 == len({record["alarmId"] for page in pages for record in page})


async def test_every_filter_narrows(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("node_fault")
    qwen = world.job_named("qwen-32b-sft")
    one = world.alarms()[0]
    expected: list[tuple[dict[str, str], int]] = [
        ({"alarmTime": "2026-11-30 10:02:30"}, 3),
        ({"alarmTime": "2026-11-30 10:02:31,2026-11-30 10:10:00"}, 2),
        ({"alarmTime": '"2026-11-30 10:02:30,2026-11-30 10:15:00"'}, 8),
        ({"alarmCluster": "cluster-alaya1"}, 1),
        ({"alarmCluster": "cluster-bj1,cluster-alaya1"}, 8),
        ({"alarmTask": f"{qwen.id},none"}, 1),
        ({"status": "Blocking"}, 6),
        ({"status": "failed、running"}, 2),
        ({"alarmType": "显存访问越界"}, 1),
        ({"alarmType": "CUDA"}, 1),
        ({"alarmExtInfo": one.instance}, 3),
        ({"alarmExtInfo": qwen.pods[1].name}, 1),
        ({"alarmType": ""}, 8),
    ]
    found = [(query, len(await records(sysom_cloud, **query))) for query, _ in expected]
    assert expected == found


async def test_a_record_follows_its_job_from_blocking_to_running(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("nccl_hang")
    assert {"blocking"} == {record["status"] for record in await records(sysom_cloud)}
    world.advance_to("hang_over")
    assert {"running"} == {record["status"] for record in await records(sysom_cloud, alarmType="NCCL HANG")}


async def test_stopping_the_job_ends_its_records(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("nccl_hang")
    world.stop_job(world.job_named("llm-pretrain-70b").id)
    world.advance(timedelta(seconds=20))
    assert {"exited"} == {record["status"] for record in await records(sysom_cloud)}


async def test_full_width_punctuation_survives(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("access_fault")
    record = (await records(sysom_cloud, alarmType="显存访问越界"))[0]
    assert record["alarmLog"].startswith("显存访问越界：")
    assert "、" in record["alarmLog"]


async def test_total_may_be_a_number(world: World) -> None:
    async with serve_sysom(world, total_as="number") as cloud:
        assert 0 == (await sysom(cloud)).json()["total"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"pageSize": 10}, "MissingParameter"),
        ({"current": 1}, "MissingParameter"),
        ({"current": 0, "pageSize": 10}, "Sysom.InvalidParameter"),
        ({"current": 1, "pageSize": 10, "alarmTime": "yesterday"}, "Sysom.InvalidParameter"),
    ],
)
async def test_parameters_that_make_no_sense_are_gateway_errors(
    sysom_cloud: Serving, query: dict[str, Any], code: str
) -> None:
    text = raw_query(query)
    answer = await send(sysom_cloud, "GET", f"{ALARMS[1]}?{text}", sysom_headers(sysom_cloud, *ALARMS, text))
    assert (400, code) == (answer.status_code, answer.json()["Code"])
    assert {"RequestId", "HostId", "Code", "Message", "Recommend"} == set(answer.json())


async def test_a_wrong_action_is_no_api(sysom_cloud: Serving) -> None:
    answer = await sysom(sysom_cloud, ("ListAlarmRecord", ALARMS[1]), current=1, pageSize=1)
    assert (404, "InvalidApi.NotFound") == (answer.status_code, answer.json()["Code"])


async def test_a_denied_key_sees_why(world: World) -> None:
    async with serve_sysom(world, denied=frozenset({"sysom-ak"})) as cloud:
        answer = await sysom(cloud)
    assert (403, "Forbidden.RAM") == (answer.status_code, answer.json()["Code"])
    assert "AccessDeniedDetail" in answer.json()


async def test_errors_can_come_in_the_services_own_keys(world: World) -> None:
    async with serve_sysom(world, error_style="service", denied=frozenset({"sysom-ak"})) as cloud:
        answer = await sysom(cloud)
    assert {"code", "message", "requestId", "data", "total"} == set(answer.json())


async def test_a_nonce_counts_once(sysom_cloud: Serving) -> None:
    query = "current=1&pageSize=10"
    headers = sysom_headers(sysom_cloud, *ALARMS, query)
    first = await send(sysom_cloud, "GET", f"{ALARMS[1]}?{query}", headers)
    second = await send(sysom_cloud, "GET", f"{ALARMS[1]}?{query}", headers)
    assert (200, "SignatureNonceUsed") == (first.status_code, second.json()["Code"])


async def test_clusters_are_a_list_inside_a_string(sysom_cloud: Serving) -> None:
    body = (await sysom(sysom_cloud, ("GetListGpuCluster", f"{TOPOLOGY}/listCluster"))).json()
    assert (["cluster-alaya1", "cluster-bj1"], 2) == (json.loads(body["data"]), body["total"])


async def test_the_topology_of_a_cluster_can_be_narrowed(world: World, sysom_cloud: Serving) -> None:
    call = ("GetGpuClusterTopology", f"{TOPOLOGY}/clusterTopology")
    job = world.job_named("llm-pretrain-70b")
    whole = (await sysom(sysom_cloud, call, clusterId="cluster-bj1")).json()["data"]
    mine = (await sysom(sysom_cloud, call, clusterId="cluster-bj1", taskIdList=json.dumps([job.id]))).json()["data"]
    flat = (await sysom(sysom_cloud, call, clusterId="cluster-bj1", **{"podList.1": job.pods[0].name})).json()["data"]
    assert (64, 8) == (mine["total"], len(mine["data"]["nodes"]))
    assert (8, 1, 0) == (flat["total"], len(flat["data"]["nodes"]), len(flat["data"]["edges"]))
    assert whole["total"] > 200
    unknown = await sysom(sysom_cloud, call, clusterId="none")
    assert (400, "Sysom.ACKClusterNotFound") == (unknown.status_code, unknown.json()["Code"])


@pytest.mark.parametrize(
    "values", [{"filterValues": '{"cluster_id":"cluster-bj1"}'}, {"filterValues.cluster_id": "cluster-bj1"}]
)
async def test_topology_options_take_json_and_flattened_values(sysom_cloud: Serving, values: dict[str, str]) -> None:
    call = ("GetGpuClusterArgsOptions", f"{TOPOLOGY}/listClusterTopologyOptions")
    body = (await sysom(sysom_cloud, call, filterType="pod_list", **values)).json()
    assert "llm-pretrain-70b-master-0" in body["data"]
    assert body["total"] == len(body["data"])


@pytest.mark.parametrize(
    ("action", "path", "key", "query"),
    [
        ("ListClusters", "/api/v1/am/cluster/list_clusters", "RequestId", {}),
        ("ListAllInstances", "/api/v1/am/instance/listAllInstances", "requestId", {}),
        ("ListInstanceStatus", "/api/v1/am/instance/list_instance_status", "RequestId", {}),
        ("ListInstanceHealth", f"{HEALTH}/instance_health_list", "request_id", {"start": 1, "end": 2}),
    ],
)
async def test_each_operation_spells_its_request_id_its_own_way(
    sysom_cloud: Serving, action: str, path: str, key: str, query: dict[str, int]
) -> None:
    answer = await sysom(sysom_cloud, (action, path), **query)
    body = answer.json()
    assert {key} == {name for name in body if name.lower().replace("_", "") == "requestid"}
    assert (answer.headers["x-acs-request-id"], True) == (body[key], bool(body["data"]))


async def test_a_machine_at_fault_is_sick_and_has_events(world: World, sysom_cloud: Serving) -> None:
    world.advance_to("node_fault")
    machine = world.alarms()[0].instance
    span = {"start": 0, "end": int(world.now().timestamp() * 1000), "instance": machine}
    health = (await sysom(sysom_cloud, ("ListInstanceHealth", f"{HEALTH}/instance_health_list"), **span)).json()
    events = (await sysom(sysom_cloud, ("ListAbnormalyEvents", f"{HEALTH}/abnormaly_events"), **span)).json()
    counts = (await sysom(sysom_cloud, ("GetAbnormalEventsCount", f"{HEALTH}/abnormaly_events_count"), **span)).json()
    share = (await sysom(sysom_cloud, ("GetHealthPercentage", f"{HEALTH}/health_percentage"), **span)).json()
    pods = (
        await sysom(sysom_cloud, ("ListPodsOfInstance", "/api/v1/am/instance/list_pod_of_instance"), instance=machine)
    ).json()
    assert [("critical", 42.0)] == [(row["status"], row["score"]) for row in health["data"]]
    assert (3, {"XID 79", "GPU 掉卡"}) == (events["total"], {event["item"] for event in events["data"]})
    assert {"XID 79": 2, "GPU 掉卡": 1} == {row["type"]: row["value"] for row in counts["data"]}
    assert {"healthy": 0, "warning": 0, "critical": 1} == {row["type"]: row["value"] for row in share["data"]}
    assert ["embedding-bge-finetune-master-0", "rerank-finetune-master-0"] == sorted(row["pod"] for row in pods["data"])


async def test_the_monitor_can_go_blind_for_a_while(world: World, sysom_cloud: Serving) -> None:
    world.break_service("sysom", timedelta(minutes=3))
    answer = await sysom(sysom_cloud)
    assert (503, "ServiceUnavailable") == (answer.status_code, answer.json()["Code"])
    world.advance(timedelta(minutes=3))
    assert 200 == (await sysom(sysom_cloud)).status_code


async def test_pages_may_repeat_a_record(world: World) -> None:
    world.advance_to("node_fault")
    async with serve_sysom(world, duplicates=True) as cloud:
        first = await records(cloud, current=1, pageSize=4)
        second = await records(cloud, current=2, pageSize=4)
    assert first[-1]["alarmId"] == second[0]["alarmId"]
