"""Queues of a resource pool: read, make, change, delete (AIHC v1 reference §6)."""

from dataclasses import replace
from typing import Any

from aiohttp import web

from bot.simulator.clouds.baidu.dialect import answer
from bot.simulator.clouds.baidu.reading import ascending, json_body, paged, pool_of
from bot.simulator.clouds.baidu.spelling import ROOT_QUEUE, descriptor, zulu
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.world import Job, JobState, World
from bot.simulator.world.place import Queue

_KINDS = {"regular": "Regular", "elastic": "Elastic", "physical": "Physical"}
_ID = "requestID"


class Queues:
    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[web.RouteDef]:
        one = "/api/v1/resourcepools/{resourcePoolId}/queue/{queueName}"
        return [
            web.get("/api/v1/resourcepools/{resourcePoolId}/queue", self._list),
            web.post("/api/v1/resourcepools/{resourcePoolId}/queue", self._create),
            web.get(one, self._detail),
            web.put(one, self._update),
            web.delete(one, self._delete),
        ]

    async def _list(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, request.match_info["resourcePoolId"])
        word = request.query.get("keyword", "")
        root = Queue(ROOT_QUEUE, pool.id, pool.created_at)
        queues = [queue for queue in (root, *self._world.queues(pool.id)) if word in queue.name]
        queues.sort(key=lambda queue: queue.created_at, reverse=not ascending(request))
        return answer(paged(request, "queues", queues, self._shape, "createdTime"), key=_ID)

    async def _detail(self, request: web.Request) -> web.Response:
        return answer({"queue": self._shape(self._queue(request))}, key=_ID)

    async def _create(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, request.match_info["resourcePoolId"])
        body = await json_body(request)
        name = body.get("name")
        if not isinstance(name, str) or not name:
            raise Complaint(400, "InvalidParam", "name is required")
        if name == ROOT_QUEUE or any(queue.name == name for queue in self._world.queues(pool.id)):
            raise Complaint(400, "cce.warning.CreateQueueFailed", f"queue {name} already exists")
        self._world.put_queue(_changed(Queue(name, pool.id, self._world.now()), body))
        return answer({"queueName": name}, key=_ID)

    async def _update(self, request: web.Request) -> web.Response:
        queue = self._queue(request)
        self._world.put_queue(_changed(queue, await json_body(request)))
        return answer({"queueName": queue.name}, key=_ID)

    async def _delete(self, request: web.Request) -> web.Response:
        queue = self._queue(request)
        if queue.name in ("default", ROOT_QUEUE) or any(not job.state.over for job in self._jobs(queue)):
            raise Complaint(400, "cce.warning.DeleteQueueFailed", f"queue {queue.name} is in use")
        self._world.drop_queue(queue.pool, queue.name)
        return answer({"queueName": queue.name}, key=_ID)

    def _queue(self, request: web.Request) -> Queue:
        pool = pool_of(self._world, request.match_info["resourcePoolId"])
        name = request.match_info["queueName"]
        if name in (ROOT_QUEUE, "root"):
            return Queue(ROOT_QUEUE, pool.id, pool.created_at)
        found = next((queue for queue in self._world.queues(pool.id) if queue.name == name), None)
        if found is None:
            raise Complaint(400, "cce.warning.GetQueueFailed", f"queue {name} not found")
        return found

    def _jobs(self, queue: Queue) -> list[Job]:
        everywhere = queue.name == ROOT_QUEUE
        return [
            job
            for job in self._world.jobs("baidu")
            if job.place == queue.pool and (everywhere or job.queue == queue.name)
        ]

    def _shape(self, queue: Queue) -> dict[str, Any]:
        jobs = self._jobs(queue)
        running = [job for job in jobs if job.holds]
        return {
            "name": queue.name,
            "nameSpace": "",
            "parentQueue": "" if queue.name == ROOT_QUEUE else queue.parent or ROOT_QUEUE,
            "queueType": queue.kind,
            "state": "Open",
            "createdTime": zulu(queue.created_at),
            "description": queue.description,
            "reclaimable": queue.reclaimable,
            "preemptable": False,
            "disableOversell": queue.disable_oversell,
            "queueingStrategy": queue.strategy,
            "deserved": queue.deserved,
            "guarantee": queue.guarantee,
            "capability": queue.capability or self._capability(queue),
            "allocated": _allocated(running),
            "running": len(running),
            "inqueue": sum(1 for job in jobs if job.state is JobState.STARTING),
            "pending": sum(1 for job in jobs if job.state is JobState.QUEUED),
            "children": [],
        }

    def _capability(self, queue: Queue) -> dict[str, str]:
        """What the machines of the pool have; memory in bytes, as the root queue shows it."""
        nodes = self._world.nodes(queue.pool)
        total = {"cpu": sum(node.cpu_cores for node in nodes), "memory": sum(node.memory_gb for node in nodes) << 30}
        for node in nodes:
            total[descriptor(node.gpu_model)] = total.get(descriptor(node.gpu_model), 0) + node.gpus
        return {name: str(amount) for name, amount in total.items()}


def _allocated(jobs: list[Job]) -> dict[str, str]:
    total: dict[str, int] = {"cpu": 0, "memory": 0}
    for job in jobs:
        total["cpu"] += job.cpu_cores * len(job.pods)
        total["memory"] += job.memory_gb * len(job.pods)
        total[descriptor(job.gpu_model)] = total.get(descriptor(job.gpu_model), 0) + job.gpus
    return {name: str(amount) for name, amount in total.items()}


def _changed(queue: Queue, body: dict[str, Any]) -> Queue:
    """The queue with what the body gives; a given map replaces the whole map."""
    kind = str(body.get("queueType") or queue.kind).lower()
    if kind not in _KINDS:
        raise Complaint(400, "InvalidParam", f"queueType {kind} is not known")
    return replace(
        queue,
        kind=_KINDS[kind],
        description=str(body.get("description", queue.description)),
        parent=_parent(queue, body),
        reclaimable=bool(body.get("reclaimable", queue.reclaimable)),
        disable_oversell=bool(body.get("disableOversell", queue.disable_oversell)),
        strategy=str(body.get("queueingStrategy") or queue.strategy),
        deserved=_map(body, "deserved", queue.deserved),
        guarantee=_map(body, "guarantee", queue.guarantee),
        capability=_map(body, "capability", queue.capability),
    )


def _parent(queue: Queue, body: dict[str, Any]) -> str:
    given = body.get("parentQueue")
    return queue.parent if given is None else "" if given in ("", "root") else str(given)


def _map(body: dict[str, Any], key: str, now: dict[str, str]) -> dict[str, str]:
    amounts = body.get(key)
    if amounts is None:
        return now
    if not isinstance(amounts, dict):
        raise Complaint(400, "InappropriateJSON", f"{key} must be an object")
    return {str(name): str(amount) for name, amount in amounts.items()}
