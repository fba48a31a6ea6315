"""Alaya NeW and SysOM as their pages print them, spoken by hand-written answers instead of a simulator."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from bot.clouds.alaya import Alaya
from bot.clouds.http import Http, Limits
from bot.clouds.sysom import Sysom

FIXTURES = Path(__file__).parent / "fixtures"
NOW = datetime(2025, 9, 10, 10, 30, tzinfo=UTC)  # 18:30 in Beijing
JOB_ID = "ca78d6b9-e196-5a0f-b1be-ab036b3cb91a"
JOB_PATH = f"/v1/training/instance/{JOB_ID}"
LIST_PATH = "/v1/training/instance/list"
CHECK_PATH = "/v1/training/instance/checkIsEnabled"
POD = "tn-exqr5k7lvj7k-master-0"
ALARMS_PATH = "/api/v1/aiTopology/topology/listAlarmRecord"
WEB_PAGE = httpx.Response(200, text="<!doctype html><div id=app></div>", headers={"content-type": "text/html"})

Answering = Callable[[httpx.Request], httpx.Response]


def printed(name: str) -> Any:
    """A vendor's example answer, letter for letter."""
    return json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))


def envelope(data: object, status: object = 200, message: object = "OK") -> dict[str, object]:
    return {"status": status, "message": message, "data": data}


def alaya_saying(
    answering: Answering,
    *,
    jobs: Sequence[str] = (),
    operations: Mapping[str, Mapping[str, object]] | None = None,
    clock: Callable[[], datetime] = lambda: NOW,
    **more: Any,
) -> Alaya:
    return Alaya(
        "alaya",
        "https://api.alayanew.com",
        http=Http(transport=httpx.MockTransport(answering)),
        clock=clock,
        jobs=jobs,
        operations=operations,
        limits=Limits(first_pause=0),
        **({"api_key": "key-of-the-tests"} | more),
    )


def records(*rows: object, total: object = None) -> dict[str, object]:
    """A successful page of alarm records."""
    return {"code": "Success", "message": "", "requestId": "R-1", "total": str(len(rows)) if total is None else total,
            "data": list(rows)}  # fmt: skip


def record(**changes: object) -> dict[str, object]:
    """The printed record with some of its fields changed."""
    return {**printed("sysom/list_alarm_record")["data"][0], **changes}


def sysom_saying(answering: Answering, *, clock: Callable[[], datetime] = lambda: NOW, **more: Any) -> Sysom:
    return Sysom(
        "ack",
        "https://sysom.cn-hangzhou.aliyuncs.com",
        "ak-1",
        "sk-of-the-tests",
        http=Http(transport=httpx.MockTransport(answering)),
        clock=clock,
        limits=Limits(first_pause=0),
        **more,
    )
