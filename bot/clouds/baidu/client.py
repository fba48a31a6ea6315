"""The twenty calls of AIHC v1, one small method each: path, query and body in, wire models out (AIHC v1 reference §4).

It concludes nothing. The action-style v2 would be a second client beside this one (AIHC v1 reference §15).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from bot.clouds.answer import Body
from bot.clouds.baidu import wire
from bot.clouds.baidu.paging import Page, page_of
from bot.clouds.http import Wire
from bot.clouds.signing import Query
from bot.domain.errors import Unreadable

POOLS = "/api/v1/resourcepools"
JOBS = "/api/v1/aijobs"

R = TypeVar("R", bound=wire.Record)


@dataclass(frozen=True, slots=True)
class Place:
    """A pool to ask in; managed pools (`aihc-serverless`) need a queue id besides (§1.4), written `pool/queue-id`."""

    pool: str
    queue_id: str | None = None

    @classmethod
    def read(cls, text: str) -> "Place":
        pool, _, queue_id = text.partition("/")
        return cls(pool, queue_id or None)

    @property
    def query(self) -> dict[str, str | int | None]:
        return {"resourcePoolId": self.pool, "queueID": self.queue_id}


class Client:
    """Speaks v1 over a wire. Every method raises `CloudError`."""

    def __init__(self, line: Wire) -> None:
        self._line = line

    async def list_pools(self, number: int, size: int) -> Page:
        """§5.1"""
        return await self._page(POOLS, "resourcePools", _paging(number, size, "createdAt"))

    async def get_pool(self, pool: str) -> wire.Pool:
        """§5.2"""
        result = await self._result(self._line.path(POOLS, pool))
        return self._record(wire.Pool, result.get("resourcePool"))

    async def list_nodes(self, pool: str, number: int, size: int) -> Page:
        """§5.3"""
        path = self._line.path(POOLS, pool, "nodes")
        return await self._page(path, "nodes", _paging(number, size, "createdAt"))

    async def create_queue(self, pool: str, body: Body) -> wire.Receipt:
        """§6.1"""
        return await self._write("POST", self._line.path(POOLS, pool, "queue"), body=body)

    async def delete_queue(self, pool: str, queue: str) -> wire.Receipt:
        """§6.2"""
        return await self._write("DELETE", self._line.path(POOLS, pool, "queue", queue))

    async def update_queue(self, pool: str, queue: str, body: Body) -> wire.Receipt:
        """§6.3"""
        return await self._write("PUT", self._line.path(POOLS, pool, "queue", queue), body=body)

    async def get_queue(self, pool: str, queue: str) -> wire.Queue:
        """§6.4"""
        result = await self._result(self._line.path(POOLS, pool, "queue", queue))
        return self._record(wire.Queue, result.get("queue"))

    async def list_queues(self, pool: str, number: int, size: int) -> Page:
        """§6.5"""
        path = self._line.path(POOLS, pool, "queue")
        return await self._page(path, "queues", _paging(number, size, "createdTime"))

    async def create_job(self, place: Place, body: Body, token: str | None) -> wire.Receipt:
        """§7.1; `token` makes a repeated create the same create, as far as the platform honours it."""
        return await self._write("POST", JOBS, {**place.query, "clientToken": token}, body)

    async def get_job(self, place: Place, job: str) -> wire.Job:
        """§7.2"""
        result = await self._result(self._line.path(JOBS, job), place.query)
        return self._record(wire.Job, result)

    async def list_jobs(self, place: Place, number: int, size: int) -> Page:
        """§7.3; oldest first, so that a new job does not push read ones over a page's border."""
        return await self._page(JOBS, "jobs", {**place.query, **_paging(number, size, "createdAt")})

    async def update_job(self, place: Place, job: str, priority: str) -> wire.Receipt:
        """§7.4"""
        return await self._write("PUT", self._line.path(JOBS, job), place.query, {"priority": priority})

    async def delete_job(self, place: Place, job: str) -> wire.Receipt:
        """§7.5"""
        return await self._write("DELETE", self._line.path(JOBS, job), place.query)

    async def stop_job(self, place: Place, job: str) -> wire.Receipt:
        """§7.6; the platform stops running jobs only."""
        return await self._write("POST", self._line.path(JOBS, job, "stop"), place.query)

    async def list_job_events(self, place: Place, job: str, framework: str) -> wire.EventPage:
        """§7.7"""
        return await self._events(self._line.path(JOBS, job, "events"), {**place.query, "jobFramework": framework})

    async def read_logs(
        self, place: Place, job: str, pod: str, lines: int, marker: str | None = None, start: int | None = None
    ) -> wire.LogPage:
        """§9; `start` is in Unix seconds."""
        query = {**place.query, "maxLines": lines, "marker": marker, "startTime": start}
        return self._record(wire.LogPage, await self._result(self._line.path(JOBS, job, "pods", pod, "logs"), query))

    async def list_pod_events(self, place: Place, job: str, pod: str, framework: str) -> wire.EventPage:
        """§10"""
        path = self._line.path(JOBS, job, "pods", pod, "events")
        return await self._events(path, {**place.query, "jobFramework": framework})

    async def read_metrics(self, place: Place, job: str, metric: str, start: int, end: int, step: int) -> wire.Metrics:
        """§11; times in Unix seconds, the step in seconds."""
        query = {**place.query, "metricType": metric, "startTime": start, "endTime": end, "timeStep": step}
        return self._record(wire.Metrics, await self._result(self._line.path(JOBS, job, "metrics"), query))

    async def list_job_nodes(self, place: Place, job: str) -> wire.JobNodes:
        """§12"""
        return self._record(wire.JobNodes, await self._result(self._line.path(JOBS, job, "nodes"), place.query))

    async def open_terminal(self, place: Place, job: str, pod: str, handshake: int) -> wire.Terminal:
        """§13; `handshake` is how many seconds the link may wait to be opened."""
        path = self._line.path(JOBS, job, "pods", pod, "webterminal")
        query = {**place.query, "handshakeTimeoutSecond": handshake}
        return self._record(wire.Terminal, await self._result(path, query))

    async def _events(self, path: str, query: Query) -> wire.EventPage:
        """Events come bare, or wrapped like everything else; both are read (§1.3)."""
        body = await self._line.read(path, query)
        holder = body if "events" in body else body.get("result")
        if not isinstance(holder, Mapping) or not isinstance(holder.get("events"), list | None):
            raise Unreadable(self._line.name, "the answer holds no list of events")
        return wire.EventPage.model_validate(holder)

    async def _page(self, path: str, key: str, query: Query) -> Page:
        return page_of(self._line.name, await self._result(path, query), key)

    async def _result(self, path: str, query: Query | None = None) -> Mapping[str, object]:
        result = (await self._line.read(path, query)).get("result")
        if not isinstance(result, Mapping):
            raise Unreadable(self._line.name, "the answer holds no result")
        return result

    async def _write(
        self, method: str, path: str, query: Query | None = None, body: Body | None = None
    ) -> wire.Receipt:
        """A write was accepted with its status; a receipt without content is no reason to doubt it."""
        return wire.Receipt.model_validate((await self._line.write(method, path, query, body)).get("result"))

    def _record(self, model: type[R], value: object) -> R:
        if not isinstance(value, Mapping):
            raise Unreadable(self._line.name, f"the answer holds no {model.__name__.lower()}")
        return model.model_validate(value)


def _paging(number: int, size: int, order_by: str) -> dict[str, str | int | None]:
    return {"pageNo": number, "pageSize": size, "orderBy": order_by, "order": "asc"}
