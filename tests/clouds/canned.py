"""A cloud of answers written by hand: each path answers what it was told, in turn, and notes what it was asked."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import httpx

from bot.clouds.baidu import Baidu
from bot.clouds.http import Http, Limits

NOW = datetime(2024, 7, 16, 6, 30, tzinfo=UTC)
POOL = "cce-ab12cd34"
JOB_ID = "pytorchjob-7c1e0f52-3a44-4c1b-9d0e-5b8f2f6a9e01"
POD = "sim-train-1-master-0"
JOB_PATH = f"/api/v1/aijobs/{JOB_ID}"


class Canned:
    """Answers by path. A value is a body for 200, a whole response, or a list of either to be given in turn."""

    def __init__(self, answers: Mapping[str, object]) -> None:
        self._answers = dict(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers[request.url.path]
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, content=_bytes(answer))

    def query(self, number: int = -1) -> dict[str, str]:
        return dict(self.requests[number].url.params)


def _bytes(answer: object) -> bytes:
    return answer if isinstance(answer, bytes) else json.dumps(answer, ensure_ascii=False).encode()


def baidu_saying(
    canned: Callable[[httpx.Request], httpx.Response],
    pools: tuple[str, ...] = (POOL,),
    clock: Callable[[], datetime] = lambda: NOW,
) -> Baidu:
    http = Http(transport=httpx.MockTransport(canned))
    limits = Limits(first_pause=0)
    return Baidu(
        "beijing",
        "https://aihc.bj.baidubce.com",
        "ak-1",
        "sk-1",
        resource_pools=pools,
        http=http,
        clock=clock,
        limits=limits,
    )


def result(**body: object) -> dict[str, object]:
    return {"requestId": "r-1", "result": body}


def page(key: str, *rows: object, total: object = None) -> dict[str, object]:
    return result(**{key: list(rows), "total": len(rows) if total is None else total, "pageNo": 1, "pageSize": 100})
