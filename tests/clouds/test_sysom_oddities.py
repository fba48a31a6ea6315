"""Each numbered oddity of the SysOM reference §6 survives, and the printed example is read letter for letter."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from bot.clouds.sysom import wire
from bot.clouds.sysom.envelope import request_id_of
from bot.clouds.sysom.ext_info import ExtInfo, read_ext_info
from bot.clouds.sysom.kinds import severity_of
from bot.clouds.sysom.mapping import task_state, to_alarm
from bot.clouds.sysom.topology import to_topology
from bot.domain.alarm import Alarm, AlarmBatch, Severity, TaskState
from bot.domain.errors import CloudError, Unreachable, Unreadable
from bot.domain.series import Window
from bot.domain.topology import Fact, Topology
from tests.clouds.canned import Canned
from tests.clouds.sayings import ALARMS_PATH, NOW, printed, record, records, sysom_saying

BEIJING = ZoneInfo("Asia/Shanghai")
WINDOW = Window(datetime(2025, 8, 22, 10, 16, 25, tzinfo=UTC), datetime(2025, 8, 23, 10, 16, 25, tzinfo=UTC))
PRINTED_ID = "746d13f8-9662-4441-b76b-a8ed8d485195"


async def read(answer: object) -> AlarmBatch:
    return await sysom_saying(Canned({ALARMS_PATH: answer})).alarms(WINDOW)


def alarm_of(**changes: object) -> Alarm:
    alarm = to_alarm("ack", wire.AlarmRecord.model_validate(record(**changes)), BEIJING)
    assert alarm is not None
    return alarm


def graph_of(**machine: object) -> Topology:
    topology = to_topology({"nodes": [machine], "edges": []})
    assert topology is not None
    return topology


def printed_graph() -> Any:
    text = printed("sysom/list_alarm_record")["data"][0]["alarmTopology"]
    return json.loads(text[text.index("{") :].rstrip().rstrip(","))


# -- the printed example


async def test_the_printed_record_is_read_as_printed() -> None:
    [alarm] = (await read({**printed("sysom/list_alarm_record"), "code": "Success"})).alarms
    assert ("ack", PRINTED_ID, "cuda OOM", "cuda OOM：xxxxx") == (alarm.source, alarm.id, alarm.kind, alarm.log)
    assert datetime(2025, 8, 22, 10, 16, 25, tzinfo=UTC) == alarm.at
    assert ("ack", "cluster1", "task job id") == (alarm.subject.cloud, alarm.subject.cluster, alarm.subject.task)
    assert (("i-xxxxxx",), (("i-xxxxxx", 1),)) == (alarm.subject.nodes, alarm.subject.gpus)
    assert TaskState.UNKNOWN is alarm.task_state
    assert "1234123412352311" == alarm.details["uid"]


def test_the_printed_topology_is_read_as_printed() -> None:
    topology = to_topology(printed("sysom/list_alarm_record")["data"][0]["alarmTopology"])
    assert topology is not None
    [machine], [link] = topology.machines, topology.links
    [gpu] = machine.gpus
    assert ("975fbcb0", "i-xxxxxx", ("NCCL HANG",)) == (machine.id, machine.name, machine.exceptions)
    assert (Fact("name of metric 1", "value of metrics 1"),) == machine.metrics
    assert ("6cc37fbc", "GPU1", 1, (Fact("Gpu Number", "1"),)) == (gpu.id, gpu.name, gpu.index, gpu.basic)
    assert (Fact("gpu_util", "50", "%"),) == gpu.metrics
    assert ("00534a88", "260525e9", "GPU") == (link.source_id, link.target_id, link.kind)
    assert (Fact("NCCL Version", "v2.22.3"),) == link.basic
    assert (machine.marked, gpu.marked, link.marked) == (True, True, True)


# -- 1 to 3: text of all sorts in keys and values


def test_1_line_ends_inside_keys_values_names_and_colours_are_stripped() -> None:
    pair = {"key": " Gpu Number\n", "value": " 3\n"}
    gpu = {"id": "g\n", "name": "GPU3\n", "style": {"fill": "#E94242\n"}, "values": {"Basic\n": [pair]}}
    [machine] = graph_of(id="n\n", name="i-bp1\n", gpu_list=[gpu]).machines
    assert ("n", "i-bp1") == (machine.id, machine.name)
    assert (3, True, (Fact("Gpu Number", "3"),)) == (
        machine.gpus[0].index,
        machine.gpus[0].marked,
        machine.gpus[0].basic,
    )


@pytest.mark.parametrize("value", ["10000", 10000, "value of metrics 1"], ids=repr)
def test_2_values_stay_text_because_not_all_are_numbers(value: object) -> None:
    [machine] = graph_of(values={"Metric": [{"key": "Recv Msg Count", "value": value}]}).machines
    assert (Fact("Recv Msg Count", str(value)),) == machine.metrics


@pytest.mark.parametrize(("key", "fact"), [("gpu_util(%)", ("gpu_util", "%")), ("temp（℃）", ("temp", "℃"))])
def test_3_a_unit_inside_a_key_is_split_off(key: str, fact: tuple[str, str]) -> None:
    [machine] = graph_of(values={"Metric": [{"key": key, "value": "50"}]}).machines
    assert (Fact(fact[0], "50", fact[1]),) == machine.metrics


# -- 4 to 6: things inside text


@pytest.mark.parametrize(
    "form",
    [
        lambda graph: graph,
        json.dumps,
        lambda graph: json.dumps(json.dumps(graph)),
        lambda graph: {"alarmTopology": graph},
        lambda graph: f'topology data，e.g.\n "alarmTopology": {json.dumps(graph)},',
    ],
    ids=["object", "json", "json twice", "wrapped", "text"],
)
def test_4_a_topology_is_found_in_each_of_its_forms(form: Any) -> None:
    assert to_topology(printed_graph()) == to_topology(form(printed_graph()))
    assert to_topology(printed_graph()) is not None


@pytest.mark.parametrize(
    "value", [None, "", "no graph", "{", "{}", [], 5, "see {below}", {"data": None}, "[1]"], ids=repr
)
def test_4_where_there_is_no_graph_there_is_no_topology(value: object) -> None:
    assert to_topology(value) is None


def test_4_text_without_a_graph_is_kept_as_text() -> None:
    assert "snapshot expired" == alarm_of(alarmTopology="snapshot expired").details["topology"]


def test_5_ext_info_that_is_no_json_is_kept_raw() -> None:
    raw = "{\nerror_node_gpu, \nerror_pod, \ntask_pod_list, \nerror_type, \nkernel, \n}"
    assert ExtInfo(raw=raw) == read_ext_info(raw)
    assert raw == alarm_of(alarmExtInfo=raw).details["ext_info"]


def _as_lines(info: dict[str, Any]) -> str:
    """The documented text, with values."""
    return "{\n" + "".join(f"{key}: {_word(value)}, \n" for key, value in info.items()) + "}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_5_of_lines_without_values_those_with_one_are_used() -> None:
    info = read_ext_info('{\nerror_node_gpu: {"i-bp1": [6]}, \nerror_pod: , \ntask_pod_list, \nkernel: , \n}')
    assert ExtInfo(nodes=("i-bp1",), gpus=(("i-bp1", 6),)) == info


@pytest.mark.parametrize("form", [lambda info: info, json.dumps, _as_lines], ids=["object", "json", "lines"])
def test_5_ext_info_is_read_as_object_and_as_json(form: Any) -> None:
    info = {
        "error_node_gpu": {"i-bp1": [3, 5]},
        "error_pod": "pytorch-worker-3",
        "task_pod_list": ["pytorch-worker-0", "pytorch-worker-3"],
        "error_type": "NCCL HANG",
        "kernel": "ncclDevKernel_AllReduce",
    }
    alarm = alarm_of(alarmExtInfo=form(info), alarmTopology=None)
    assert (("pytorch-worker-3",), ("i-bp1",), (("i-bp1", 3), ("i-bp1", 5))) == (
        alarm.subject.pods,
        alarm.subject.nodes,
        alarm.subject.gpus,
    )
    assert ("NCCL HANG", "ncclDevKernel_AllReduce", "pytorch-worker-0, pytorch-worker-3") == (
        alarm.details["error_type"],
        alarm.details["kernel"],
        alarm.details["task_pod_list"],
    )


@pytest.mark.parametrize(
    "value",
    [
        {"i-1": [3]},
        {"i-1": "3"},
        {"i-1": "GPU3"},
        {"i-1": 3},
        '{"i-1": [3]}',
        "i-1:3",
        "i-1：GPU3",
        ["i-1:3"],
        [{"node": "i-1", "gpu": 3}],
        [{"instance": "i-1", "gpus": ["3"]}],
    ],
    ids=repr,
)
def test_5_a_node_and_its_gpu_are_read_however_they_are_joined(value: object) -> None:
    info = read_ext_info({"error_node_gpu": value})
    assert (("i-1",), (("i-1", 3),)) == (info.nodes, info.gpus)


def test_5_several_pods_in_one_text_are_several_pods() -> None:
    assert ("p-0", "p-1", "p-2") == read_ext_info({"error_pod": "p-0、p-1, p-2"}).pods


def test_5_what_the_record_names_comes_before_what_its_picture_shows() -> None:
    alarm = alarm_of(alarmExtInfo={"error_node_gpu": {"i-named": [0]}}, alarmTopology=printed_graph())
    assert (("i-named", "i-xxxxxx"), (("i-named", 0), ("i-xxxxxx", 1))) == (alarm.subject.nodes, alarm.subject.gpus)


def test_6_a_doubly_encoded_style_disturbs_nothing() -> None:
    selected = '"{\\"opacity\\": 1, \\"lineWidth\\": 1}"\n'
    assert {"opacity": 1, "lineWidth": 1} == json.loads(json.loads(selected))
    topology = to_topology({"nodes": [], "edges": [{"style": {"selectedStyle": selected, "stroke": "#e94242"}}]})
    assert topology is not None
    assert topology.links[0].marked


# -- 7 to 13: states, codes, counts, texts


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("running", TaskState.RUNNING),
        ("Running", TaskState.RUNNING),
        ("BLOCKING", TaskState.BLOCKING),
        ("restart\n", TaskState.RESTART),
        ("failed", TaskState.FAILED),
        ("running、blocking、restart、exited、failed", TaskState.UNKNOWN),
        ("暂停", TaskState.UNKNOWN),
        ("", TaskState.UNKNOWN),
        (None, TaskState.UNKNOWN),
        (5, TaskState.UNKNOWN),
    ],
    ids=repr,
)
def test_7_a_task_state_is_never_strict_and_its_word_is_kept(word: object, state: TaskState) -> None:
    alarm = alarm_of(status=word)
    assert state is alarm.task_state
    assert str(word or "").strip() == alarm.platform_state
    assert TaskState.UNKNOWN is task_state(None)


@pytest.mark.parametrize(
    "code", ["Success or Sysom.ServerError", "success", "SUCCESS", "OK", 200, "Sysom.ServerError"], ids=repr
)
async def test_8_only_the_very_word_success_is_one(code: object) -> None:
    with pytest.raises(Unreachable):
        await read({**printed("sysom/list_alarm_record"), "code": code})


async def test_8_a_success_may_have_blanks_around_it() -> None:
    assert 1 == len((await read({**records(record()), "code": "Success\n"})).alarms)


@pytest.mark.parametrize("total", ["1", 1, None, "", "many", "-1", 1.0, [], "99999"], ids=repr)
async def test_9_a_total_of_any_type_reads_one_record(total: object) -> None:
    """F89."""
    batch = await read({**records(record()), "total": total})
    assert (1, True) == (len(batch.alarms), batch.complete)


def test_10_full_width_punctuation_in_texts_is_kept() -> None:
    assert "显存，越界：a、b" == alarm_of(alarmLog="显存，越界：a、b").log


async def test_11_a_message_next_to_a_success_means_nothing() -> None:
    assert 1 == len((await read({**records(record()), "message": "server error"})).alarms)


@pytest.mark.parametrize("uid", ["1234123412352311", 1234123412352311], ids=repr)
def test_12_a_long_account_id_never_loses_a_digit(uid: object) -> None:
    assert "1234123412352311" == alarm_of(uid=uid).details["uid"]


@pytest.mark.parametrize("answer", [{"data": None}, {}, {"data": []}], ids=["null", "missing", "empty"])
async def test_13_data_that_is_null_or_missing_is_an_empty_list(answer: Mapping[str, object]) -> None:
    assert AlarmBatch(()) == await read({"code": "Success", "total": "0", **answer})


@pytest.mark.parametrize("data", [{"alarmId": "a"}, "records", 5], ids=repr)
async def test_13_data_that_is_no_list_is_unreadable(data: object) -> None:
    with pytest.raises(Unreadable):
        await read({"code": "Success", "data": data})


# -- 14 to 19: records and the other operations


async def test_14_records_of_no_use_are_counted_and_the_rest_used() -> None:
    rows = [None, {}, record(alarmId="a"), {"alarmType": "cuda error"}, "text", record(alarmId=""), record(alarmId="b")]
    batch = await read(records(*rows))
    assert (["a", "b"], 5) == ([alarm.id for alarm in batch.alarms], batch.skipped)


@pytest.mark.parametrize(
    "time", [None, "", "soon", "2025-08-22", 5, [], "2025-02-30 10:00:00", "0001-01-01 00:00:00"], ids=repr
)
async def test_14_a_record_without_a_readable_time_is_used_without_one(time: object) -> None:
    batch = await read(records(record(alarmTime=time)))
    assert [None] == [alarm.at for alarm in batch.alarms]


@pytest.mark.parametrize(
    "time", ["2025-08-22 18:16:25", "2025-08-22T18:16:25", "2025-08-22T10:16:25Z", "2025-08-22 18:16:25+08:00\n"]
)
async def test_14_a_written_offset_wins_over_the_zone(time: str) -> None:
    [alarm] = (await read(records(record(alarmTime=time)))).alarms
    assert datetime(2025, 8, 22, 10, 16, 25, tzinfo=UTC) == alarm.at


def test_15_unknown_fields_are_ignored_and_kept_aside() -> None:
    read_record = wire.AlarmRecord.model_validate(record(alarmLevel="P1"))
    assert {"alarmLevel": "P1"} == read_record.model_extra


@pytest.mark.parametrize("key", ["requestId", "RequestId", "request_id"])
def test_16_the_request_id_is_found_under_each_of_its_names(key: str) -> None:
    assert "R-7" == request_id_of({key: "R-7"})


async def test_16_a_failure_tells_its_request_id_for_the_platforms_support() -> None:
    answer = httpx.Response(400, json={"Code": "Sysom.ServerError", "Message": "broken", "RequestId": "R-7"})
    with pytest.raises(CloudError, match="request R-7"):
        await read(answer)


@pytest.mark.parametrize(
    "data", [["cluster1", "cluster2"], '["cluster1", "cluster2"]', [{"name": "cluster1"}, "cluster2"]]
)
async def test_17_clusters_are_a_list_or_text_that_holds_one(data: object) -> None:
    path = "/api/v1/aiTopology/topology/listCluster"
    sysom = sysom_saying(Canned({path: {"code": "Success", "data": data, "total": 2}}))
    assert ("cluster1", "cluster2") == tuple(await sysom.clusters())


async def test_18_the_contradictory_time_region_is_not_sent() -> None:
    canned = Canned({"/api/v1/aiTopology/topology/listCluster": {"code": "Success", "data": []}})
    await sysom_saying(canned).clusters()
    assert {} == canned.query()


async def test_19_abnormal_events_are_asked_for_in_the_platforms_spelling() -> None:
    row = {"item": "NCCL HANG", "level": "critical", "description": "卡住", "pod": "p-0", "created_at": 1755858985}
    canned = Canned(
        {"/api/v1/openapi/cluster_health/range/abnormaly_events": {"code": "Success", "data": [row, {}], "total": 2}}
    )
    [event] = await sysom_saying(canned).abnormal_events(WINDOW, node="i-1")
    assert "ListAbnormalyEvents" == canned.requests[0].headers["x-acs-action"]
    assert ("NCCL HANG", "卡住", True, "p-0") == (event.reason, event.message, event.warning, event.pod)
    assert datetime(2025, 8, 22, 10, 36, 25, tzinfo=UTC) == event.last_at
    assert {"start": "1755857785000", "end": "1755944185000", "instance": "i-1"}.items() <= canned.query().items()


# -- meanings beyond the table


@pytest.mark.parametrize(
    ("kind", "log", "severity"),
    [
        ("NCCL HANG", "", Severity.CRITICAL),
        ("任务 HANG", "", Severity.CRITICAL),
        ("GPU card  drop", "", Severity.CRITICAL),
        ("掉卡", "", Severity.CRITICAL),
        ("XID 79", "", Severity.CRITICAL),
        ("Xid error", "NVRM: Xid (PCI:0000:5d:00): 79, pid=1", Severity.CRITICAL),
        ("xid", "Xid 31: MMU fault", Severity.WARNING),
        ("XID error", "no code", Severity.WARNING),
        ("cuda OOM", "", Severity.WARNING),
        ("cuda error", "", Severity.WARNING),
        ("显存访问越界", "", Severity.WARNING),
        ("something new", "", Severity.WARNING),
    ],
)
def test_the_severity_is_data_and_an_unknown_kind_is_a_warning(kind: str, log: str, severity: Severity) -> None:
    assert severity is severity_of(kind, log)


def test_a_kind_is_the_platforms_own_word_stripped() -> None:
    assert "全新 Kind" == alarm_of(alarmType=" 全新 Kind\n").kind
    assert "NCCL HANG" == alarm_of(alarmType="", alarmExtInfo={"error_type": "NCCL HANG"}).kind
    assert "unknown" == alarm_of(alarmType=None, alarmExtInfo=None).kind


def test_gpu_numbers_that_begin_at_one_can_be_said_so() -> None:
    topology = to_topology(printed_graph(), gpu_numbers_from=1)
    assert topology is not None
    assert [0] == [gpu.index for gpu in topology.machines[0].gpus]
    info = {"error_node_gpu": {"i-1": [1, 0]}}
    wired = wire.AlarmRecord.model_validate(record(alarmExtInfo=info, alarmTopology=None))
    alarm = to_alarm("ack", wired, BEIJING, gpu_numbers_from=1)
    assert alarm is not None
    assert (("i-1", 0),) == alarm.subject.gpus


async def test_the_window_is_sent_in_the_monitors_zone_and_nothing_is_quoted() -> None:
    canned = Canned({ALARMS_PATH: records()})
    await sysom_saying(canned, clusters=["cluster1", "cluster2"]).alarms(WINDOW, ["task-1", "task-2"])
    assert {
        "alarmTime": "2025-08-22 18:16:25,2025-08-23 18:16:25",
        "alarmCluster": "cluster1,cluster2",
        "alarmTask": "task-1,task-2",
        "current": "1",
        "pageSize": "100",
    } == canned.query()
    assert b"alarmTime=2025-08-22%2018%3A16%3A25%2C2025-08-23%2018%3A16%3A25" in canned.requests[0].url.query


async def test_the_zone_of_the_monitor_is_a_setting() -> None:
    canned = Canned({ALARMS_PATH: records(record(alarmTime="2025-08-22 10:16:25"))})
    [alarm] = (await sysom_saying(canned, timezone="UTC").alarms(WINDOW)).alarms
    assert "2025-08-22 10:16:25,2025-08-23 10:16:25" == canned.query()["alarmTime"]
    assert WINDOW.start == alarm.at


async def test_an_alarm_of_ten_in_beijing_is_found_by_a_bot_in_utc() -> None:
    """F95."""
    window = Window(datetime(2025, 8, 22, 1, 50, tzinfo=UTC), datetime(2025, 8, 22, 2, 5, tzinfo=UTC))
    canned = Canned({ALARMS_PATH: records(record(alarmTime="2025-08-22 10:00:00"))})
    [alarm] = (await sysom_saying(canned).alarms(window)).alarms
    assert "2025-08-22 09:50:00,2025-08-22 10:05:00" == canned.query()["alarmTime"]
    assert alarm.at is not None
    assert window.holds(alarm.at)


async def test_a_topology_is_asked_for_by_cluster_task_and_moment() -> None:
    path = "/api/v1/aiTopology/topology/clusterTopology"
    canned = Canned({path: {"code": "Success", "data": {"total": 1, "data": printed_graph()}}})
    topology = await sysom_saying(canned).topology("cluster1", "task-1", NOW)
    assert to_topology(printed_graph()) == topology
    assert {"clusterId": "cluster1", "taskIdList": '["task-1"]', "startTime": "1757500200"} == canned.query()


async def test_node_health_is_a_score_or_unknown() -> None:
    rows = [
        {"instance": "i-1", "score": "42.5", "status": "critical", "region_id": "cn-beijing"},
        {"instance": "i-2", "score": 4200},
        {},
    ]
    canned = Canned(
        {"/api/v1/openapi/cluster_health/range/instance_health_list": {"code": "Success", "data": rows, "total": 3}}
    )
    nodes = await sysom_saying(canned).node_health(WINDOW, "cluster1")
    assert [("i-1", 42.5, "critical"), ("i-2", None, "")] == [(n.name, n.health, n.platform_state) for n in nodes]
