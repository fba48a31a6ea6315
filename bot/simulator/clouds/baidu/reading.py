"""Reads what a request asks of Baidu's simulated API: which pool, which job, which page, which span."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from aiohttp import web

from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import page_of, whole
from bot.simulator.world import Job, Pod, Unknown, World
from bot.simulator.world.place import Pool

T = TypeVar("T")


def pool_of(world: World, pool_id: str) -> Pool:
    found = next((pool for pool in world.pools("baidu") if pool.id == pool_id), None)
    if found is None:
        raise Complaint(400, "cce.warning.GetResourcePoolFailed", f"resource pool {pool_id} not found")
    return found


def required(request: web.Request, name: str) -> str:
    value = request.query.get(name, "")
    if not value:
        raise Complaint(400, "InvalidParam", f"{name} is required")
    return value


def job_of(world: World, request: web.Request) -> Job:
    """The job of the path, in the pool of the query."""
    pool = pool_of(world, required(request, "resourcePoolId"))
    job_id = request.match_info["jobId"]
    try:
        job = world.job(job_id)
    except Unknown:
        job = None
    if job is None or job.place != pool.id:
        message = f"get job by jobid failed, err: {job_id} not found job"
        raise Complaint(400, "cce.warning.GetAIJobByJobIdFailed", message)
    return job


def pod_of(job: Job, request: web.Request) -> Pod:
    name = request.match_info["podName"]
    pod = job.pod(name)
    if pod is None or not pod.node:
        raise Complaint(400, "cce.warning.GetPodFailed", f"pod {name} of job {job.id} not found")
    return pod


def moment(request: web.Request, name: str, default: datetime) -> datetime:
    """Unix seconds as text."""
    text = request.query.get(name, "")
    if not text:
        return default
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except (ValueError, OverflowError, OSError):
        raise Complaint(400, "InvalidParam", f"{name} must be unix seconds") from None


async def json_body(request: web.Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.read() or b"{}")
    except ValueError:
        raise Complaint(400, "MalformedJSON", "the body is not JSON") from None
    if not isinstance(body, dict):
        raise Complaint(400, "InappropriateJSON", "the body must be an object")
    return body


def paged(
    request: web.Request, name: str, rows: Sequence[T], shape: Callable[[T], dict[str, Any]], order_by: str
) -> dict[str, Any]:
    """One page of a list that is sorted already; page 0 and size 0 mean the defaults."""
    number, size = whole(request.query, "pageNo", 1), whole(request.query, "pageSize", 10)
    return {
        "total": len(rows),
        "pageNo": number,
        "pageSize": size,
        "orderBy": request.query.get("orderBy") or order_by,
        "order": "asc" if ascending(request) else "desc",
        name: [shape(row) for row in page_of(rows, number, size)],
    }


def ascending(request: web.Request) -> bool:
    return request.query.get("order", "").lower() == "asc"
