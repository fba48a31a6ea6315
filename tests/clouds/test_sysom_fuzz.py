"""SysOM's answers bent in every way: only a `CloudError` may come of it, one bad record spoils no other, and nothing
is told that no record held."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clouds.scalars import read_text
from bot.clouds.sysom.ext_info import read_ext_info
from bot.clouds.sysom.topology import to_topology
from bot.domain.alarm import AlarmBatch
from bot.domain.errors import CloudError
from bot.domain.series import Window
from tests.clouds.canned import Canned
from tests.clouds.sayings import ALARMS_PATH, printed, record, records, sysom_saying
from tests.clouds.test_alaya_fuzz import scalars
from tests.clouds.test_baidu_fuzz import ODD, bent, places

WINDOW = Window(datetime(2025, 8, 22, 10, tzinfo=UTC), datetime(2025, 8, 22, 11, tzinfo=UTC))
GRAPH = json.loads(
    (text := printed("sysom/list_alarm_record")["data"][0]["alarmTopology"])[text.index("{") :].rstrip(", \n")
)
EXT_INFO = {
    "error_node_gpu": {"i-bp1": [3]},
    "error_pod": "pytorch-worker-3",
    "task_pod_list": ["pytorch-worker-0", "pytorch-worker-3"],
    "error_type": "NCCL HANG",
    "kernel": "ncclDevKernel",
}
ROW = record(alarmTopology=GRAPH, alarmExtInfo=EXT_INFO)
ODDER = st.one_of(
    ODD, st.recursive(ODD, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
)


def copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


async def read(answer: Any) -> AlarmBatch | CloudError:
    try:
        return await sysom_saying(Canned({ALARMS_PATH: json.dumps(answer).encode()})).alarms(WINDOW)
    except CloudError as error:
        return error


def never_invented(batch: AlarmBatch, answer: Any) -> None:
    texts = {read_text(value) for value in scalars(answer)} | {"unknown", None}
    for alarm in batch.alarms:
        assert {alarm.id, alarm.kind, alarm.subject.cluster, alarm.subject.task} <= texts
        assert alarm.at is None or alarm.at.tzinfo is UTC
        assert all(index >= 0 for _, index in alarm.subject.gpus)
    assert len(batch.alarms) == len({alarm.id for alarm in batch.alarms})


@st.composite
def bent_answers(draw: st.DrawFn) -> Any:
    answer = copy(records(ROW, {**ROW, "alarmId": "a-2"}))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(places(answer)))
        answer = bent(answer, place, draw(ODD), drop=draw(st.booleans()))
    return answer


@settings(max_examples=300, deadline=None)
@given(bent_answers())
async def test_a_bent_answer_is_an_error_or_an_honest_batch(answer: Any) -> None:
    found = await read(answer)
    if isinstance(found, AlarmBatch):
        never_invented(found, copy(answer))


@settings(max_examples=300, deadline=None)
@given(place=st.sampled_from(places(ROW)), bad=ODDER, drop=st.booleans())
async def test_one_bad_record_is_used_or_counted_and_the_others_are_as_they_are(
    place: tuple[Any, ...], bad: object, drop: bool
) -> None:
    """F32."""
    good = [{**ROW, "alarmId": "a-1"}, {**ROW, "alarmId": "a-2"}]
    odd = bent(copy({**ROW, "alarmId": "a-odd"}), place, bad, drop=drop)
    found, alone = await read(records(good[0], odd, good[1])), await read(records(*good))
    assert isinstance(found, AlarmBatch)
    assert isinstance(alone, AlarmBatch)
    assert list(alone.alarms) == [alarm for alarm in found.alarms if alarm.id in ("a-1", "a-2")]
    assert 3 == len(found.alarms) + found.skipped


@pytest.mark.parametrize(
    "spoilt", [b"", b"  ", b"null", b"[]", b"{}", b"<html>", b"\xd6\xd0\xce\xc4", b'{"code": "Suc']
)
async def test_a_spoilt_body_is_always_an_error(spoilt: bytes) -> None:
    with pytest.raises(CloudError):
        await sysom_saying(Canned({ALARMS_PATH: spoilt})).alarms(WINDOW)


@settings(max_examples=300, deadline=None)
@given(st.one_of(ODDER, st.text().map(lambda text: "{" + text), st.text().map(lambda text: f'{{"nodes": [{text}')))
def test_any_topology_is_a_graph_or_none(value: object) -> None:
    topology = to_topology(value)
    assert topology is None or (topology.machines, topology.links) is not None


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(EXT_INFO)), ODDER))
def test_any_ext_info_names_only_what_it_holds(value: dict[str, object]) -> None:
    info = read_ext_info(value)
    assert all(name and name == name.strip() for name in (*info.pods, *info.nodes, *info.task_pods))
    assert all(0 <= number < 10_000 for _, number in info.gpus)


def test_a_topology_nested_beyond_all_reason_is_none() -> None:
    assert to_topology('{"nodes": ' + "[" * 200_000) is None
    assert to_topology("[" * 200_000) is None
