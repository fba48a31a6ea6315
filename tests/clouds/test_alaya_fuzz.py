"""Alaya's answers bent in every way: only a `CloudError` may come of it, and no value that the answer did not hold."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clouds.alaya import Alaya
from bot.clouds.gpu_models import spoken
from bot.clouds.scalars import read_number, read_text
from bot.domain.errors import CloudError
from bot.domain.job import Job, JobKey, JobState, Pod, PodDetail
from bot.domain.series import Metric, Series, Window
from tests.clouds.sayings import CHECK_PATH, JOB_ID, JOB_PATH, LIST_PATH, POD, alaya_saying, envelope, printed
from tests.clouds.test_baidu_fuzz import ODD, bent, places

JOB = Job(JobKey("alaya", JOB_ID), "n", JobState.RUNNING, "Running")
WINDOW = Window(datetime.fromtimestamp(1636453500, UTC), datetime.fromtimestamp(1636457100, UTC))
ROW = {
    "id": JOB_ID,
    "name": "pretrain",
    "status": "Running",
    "aidcId": 1001,
    "createBy": "li.wei",
    "resource": {"workerCount": 2, "gpuCount": "8", "gpuName": "NVIDIA-H800A-NV-80G"},
    "createdTime": "2025-09-10 12:00:00",
    "startTime": "2025-09-10 12:05:00",
    "finishTime": None,
    "reason": "",
}
BASICS = {"hostName": "gpu-node-021", "hostIp": "10.24.7.1", "restartCount": 1, "qosClass": "Guaranteed"}
EVENT = {"type": "Warning", "reason": "BackOff", "message": "m", "count": 2, "lastTime": "2025-09-10 12:00:00"}


@dataclass(frozen=True, slots=True)
class Question:
    """One read of the adapter, the answer to it, and the path it asks."""

    path: str
    answer: dict[str, Any]
    ask: Callable[[Alaya], Awaitable[object]]


PODS = printed("alaya/pods")
QUESTIONS = {
    "ping": Question(CHECK_PATH, envelope(True), lambda alaya: alaya.ping()),
    "jobs": Question(
        LIST_PATH,
        envelope({"records": [ROW, {**ROW, "id": "j-2"}], "totalRows": 2}),
        lambda alaya: alaya.jobs(),
    ),
    "job": Question(JOB_PATH, envelope(ROW), lambda alaya: alaya.job(JOB_ID)),
    "pods": Question(f"{JOB_PATH}/pods", PODS, lambda alaya: alaya.pods(JOB_ID)),
    "terminal": Question(f"{JOB_PATH}/pods", PODS, lambda alaya: alaya.terminal(JOB_ID, POD)),
    "pod": Question(f"{JOB_PATH}/{POD}/basic", envelope(BASICS), lambda alaya: alaya.pod(JOB_ID, POD)),
    "series": Question(
        f"{JOB_PATH}/{POD}/gpu-metrics",
        printed("alaya/metrics"),
        lambda alaya: alaya.series(JOB, Metric.GPU, WINDOW, POD),
    ),
    "logs": Question(
        f"{JOB_PATH}/{POD}/logs", envelope({"lines": ["a", "b"], "offset": 2}), lambda alaya: alaya.logs(JOB_ID, POD, 5)
    ),
    "events": Question(f"{JOB_PATH}/events", envelope([EVENT, EVENT]), lambda alaya: alaya.events(JOB)),
}


async def outcome(question: Question, content: bytes) -> object:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == question.path:
            return httpx.Response(200, content=content)
        return httpx.Response(200, json=PODS if request.url.path.endswith("/pods") else envelope({}, status=404))

    try:
        return await question.ask(alaya_saying(answer))
    except CloudError as error:
        return error


def scalars(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
    for item in inner or ():
        yield from scalars(item)


def never_invented(found: object, answer: Any) -> None:
    """Whatever came through stands in the answer."""
    texts = {read_text(value) for value in scalars(answer)} | {POD, JOB_ID}
    numbers = {read_number(value) for value in scalars(answer)}
    for value in found if isinstance(found, list | tuple) else [found]:
        if isinstance(value, Series):
            assert all(0 <= sample.value <= 1 and sample.value in numbers for sample in value.samples)
            assert all(WINDOW.holds(sample.at) for sample in value.samples)
        if isinstance(value, Job):
            assert {value.id, value.name, value.owner} - {None} <= texts
            assert value.gpu_model in {None, *map(spoken, texts)}
            assert all(at is None or at.tzinfo is UTC for at in (value.created_at, value.started_at))
            assert value.gpu_count is None or value.gpu_count >= 0
        if isinstance(value, Pod):
            assert {value.name, value.node, value.ip, value.reason} - {None} <= texts
        if isinstance(value, PodDetail):
            assert {value.host_ip, value.qos_class, value.namespace} - {None} <= texts


@st.composite
def bent_answers(draw: st.DrawFn) -> tuple[Question, Any]:
    """One to three places of an answer replaced by something odd, or gone."""
    question = QUESTIONS[draw(st.sampled_from(sorted(QUESTIONS)))]
    value = json.loads(json.dumps(question.answer))
    for _ in range(draw(st.integers(1, 3))):
        value = bent(value, draw(st.sampled_from(places(value))), draw(ODD), drop=draw(st.booleans()))
    return question, value


@settings(max_examples=400, deadline=None)
@given(bent_answers())
async def test_a_bent_answer_is_an_error_or_an_honest_value(case: tuple[Question, Any]) -> None:
    question, value = case
    never_invented(await outcome(question, json.dumps(value).encode()), json.loads(json.dumps(value)))


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("spoilt", [b"", b"  ", b"null", b"[]", b"{}", b"<html>", b"\xd6\xd0\xce\xc4", b'{"status": 2'])
async def test_a_spoilt_body_is_always_an_error(name: str, spoilt: bytes) -> None:
    if (name, spoilt) == ("job", b"<html>"):
        pytest.skip("a page says that there is no detail call, and the job's pods tell of it instead")
    assert isinstance(await outcome(QUESTIONS[name], spoilt), CloudError)


@settings(max_examples=150, deadline=None)
@given(bad=ODD, place=st.sampled_from(places(ROW)), drop=st.booleans())
async def test_one_bad_job_record_leaves_the_others_as_they_are(
    bad: object, place: tuple[Any, ...], drop: bool
) -> None:
    odd = bent(json.loads(json.dumps({**ROW, "id": "j-odd"})), place, bad, drop=drop)
    rows = [{**ROW, "id": "j-1"}, odd, {**ROW, "id": "j-2"}]
    answer = json.dumps(envelope({"records": rows, "totalRows": 3})).encode()
    right = json.dumps(envelope({"records": [rows[0], rows[2]], "totalRows": 2})).encode()
    found, expected = await outcome(QUESTIONS["jobs"], answer), await outcome(QUESTIONS["jobs"], right)
    assert isinstance(found, list)
    assert isinstance(expected, list)
    assert expected == [job for job in found if job.id in ("j-1", "j-2")]
    assert len(found) in (2, 3)
