"""Recorded answers bent in every way that platforms and gateways bend them: only a `CloudError` may come of it, and
no value that the answer did not hold."""

import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clouds.baidu import Baidu
from bot.domain.errors import CloudError
from bot.domain.job import Job, JobKey, JobState
from bot.domain.series import Metric, Series, Window
from tests.clouds.canned import JOB_ID, JOB_PATH, POD, POOL, baidu_saying

FIXTURES = Path(__file__).parent / "fixtures" / "baidu"
JOB = Job(JobKey("beijing", JOB_ID), "n", JobState.RUNNING, "Running", pool=POOL, framework="pytorch")
WINDOW = Window(datetime.fromtimestamp(1721109600, UTC), datetime.fromtimestamp(1721113200, UTC))
POOLS = "/api/v1/resourcepools"


@dataclass(frozen=True, slots=True)
class Question:
    """One read of the adapter, the fixture that answers it and the path it asks."""

    name: str
    fixture: str
    path: str
    ask: Callable[[Baidu], Awaitable[object]]


QUESTIONS = [
    Question("pools", "pools", POOLS, lambda baidu: baidu.pools()),
    Question("nodes", "nodes", f"{POOLS}/{POOL}/nodes", lambda baidu: baidu.nodes()),
    Question("queue", "queue", f"{POOLS}/{POOL}/queue/team-a", lambda baidu: baidu.queue(POOL, "team-a")),
    Question("job", "job", JOB_PATH, lambda baidu: baidu.job(JOB_ID)),
    Question("pods", "job", JOB_PATH, lambda baidu: baidu.pods(JOB_ID)),
    Question("pod", "job", JOB_PATH, lambda baidu: baidu.pod(JOB_ID, POD)),
    Question("jobs", "jobs", "/api/v1/aijobs", lambda baidu: baidu.jobs()),
    Question("events", "events", f"{JOB_PATH}/events", lambda baidu: baidu.events(JOB)),
    Question("logs", "logs", f"{JOB_PATH}/pods/{POD}/logs", lambda baidu: baidu.logs(JOB_ID, POD, 5)),
    Question("metrics", "metrics", f"{JOB_PATH}/metrics", lambda baidu: baidu.series(JOB, Metric.GPU, WINDOW)),
    Question("job_nodes", "job_nodes", f"{JOB_PATH}/nodes", lambda baidu: baidu.job_nodes(JOB_ID)),
    Question("terminal", "terminal", f"{JOB_PATH}/pods/{POD}/webterminal", lambda baidu: baidu.terminal(JOB_ID, POD)),
]

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**20, max_value=10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", " ", "-", "NaN", "Infinity", "-1", "1e999", "8GB", "0,5", "\ud800", "\x00", "x" * 5000, "训练"]
    ),
    st.sampled_from([[], {}, [None], [[]], [{}], {"": ""}, {"a": {"b": []}}]).map(deepcopy),  # bent in place later
    st.text(max_size=20),
)


def answer_of(fixture: str) -> Any:
    if fixture == "jobs":
        row = answer_of("job")["result"]
        return {"result": {"jobs": [row, {**row, "jobId": "j-2"}], "total": 2}}
    return json.loads((FIXTURES / f"{fixture}.json").read_text("utf-8"))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a JSON value, the whole of it first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *chain.from_iterable(places(item, (*path, key)) for key, item in inner)]


def bent(value: Any, path: tuple[Any, ...], odd: Any, *, drop: bool) -> Any:
    if not path:
        return odd
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    if drop:
        del holder[path[-1]]
    else:
        holder[path[-1]] = odd
    return value


async def outcome(question: Question, content: bytes, headers: dict[str, str] | None = None) -> object:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == question.path:
            return httpx.Response(200, content=content, headers=headers)
        return httpx.Response(200, content=(FIXTURES / "job.json").read_bytes())

    pools = () if question.path == POOLS else (POOL,)
    try:
        return await question.ask(baidu_saying(answer, pools))
    except CloudError as error:
        return error


def never_invented(answer: object) -> None:
    """What must hold of any value that came through, however odd the answer was."""
    for job in [answer] if isinstance(answer, Job) else answer if isinstance(answer, list) else []:
        if isinstance(job, Job):
            assert job.id
            assert all(at is None or at.tzinfo is UTC for at in (job.created_at, job.started_at, job.finished_at))
            assert job.gpu_count is None or job.gpu_count >= 0
        if isinstance(job, Series):
            assert all(0 <= sample.value <= 1 and WINDOW.holds(sample.at) for sample in job.samples)


@st.composite
def bent_answers(draw: st.DrawFn) -> tuple[Question, bytes]:
    """One to three places of an answer replaced by something odd, or gone."""
    question = draw(st.sampled_from(QUESTIONS))
    value = answer_of(question.fixture)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(value)))
        value = bent(value, path, draw(ODD), drop=draw(st.booleans()))
    return question, json.dumps(value).encode()


@st.composite
def spoilt_answers(draw: st.DrawFn) -> tuple[Question, bytes]:
    """Bytes that are no answer any more."""
    question = draw(st.sampled_from(QUESTIONS))
    whole = json.dumps(answer_of(question.fixture), ensure_ascii=False).encode()
    spoilt = st.one_of(
        st.integers(0, len(whole) - 2).map(lambda length: whole[:length]),
        st.sampled_from([b"", b"   ", b"<html><body>502</body></html>", b"null", b"[]", b"{}", b"NaN"]),
        st.just(whole.replace(b":", b":NaN,", 1)),
        st.just(json.dumps({"备注": "编码"}, ensure_ascii=False).encode("gb18030")),
    )
    return question, draw(spoilt)


@settings(max_examples=300, deadline=None)
@given(bent_answers())
async def test_a_bent_answer_is_an_error_or_an_honest_value(case: tuple[Question, bytes]) -> None:
    never_invented(await outcome(*case))


@settings(max_examples=150, deadline=None)
@given(spoilt_answers())
async def test_a_spoilt_body_is_always_an_error(case: tuple[Question, bytes]) -> None:
    assert isinstance(await outcome(*case), CloudError)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
async def test_a_wrong_charset_or_type_changes_nothing(question: Question) -> None:
    whole = json.dumps(answer_of(question.fixture), ensure_ascii=False).encode()
    right = await outcome(question, whole)
    assert not isinstance(right, CloudError)
    for kind in ("text/html; charset=gbk", "application/json; charset=latin-1", "nonsense"):
        assert right == await outcome(question, whole, {"content-type": kind})


@given(st.lists(ODD, max_size=8))
async def test_samples_of_any_kind_are_kept_honestly_or_counted(values: list[object]) -> None:
    times = [int(WINDOW.start.timestamp()) + 60 * place for place in range(len(values))]
    samples = [{"time": time, "value": value} for time, value in zip(times, values, strict=True)]
    body = {"result": {"podMetrics": [{"podName": POD, "metrics": samples}]}}
    question = next(question for question in QUESTIONS if question.fixture == "metrics")
    answer = await outcome(question, json.dumps(body).encode())
    assert isinstance(answer, list)
    assert len(values) == len(answer[0].samples) + answer[0].dropped
