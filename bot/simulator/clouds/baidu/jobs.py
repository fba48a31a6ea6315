"""Jobs: list, detail, create, priority, delete, stop, nodes (AIHC v1 reference §7 and §12)."""

import itertools

from aiohttp import web

from bot.simulator.clouds.baidu.dialect import answer
from bot.simulator.clouds.baidu.orders import checked_priority, read_order
from bot.simulator.clouds.baidu.reading import ascending, job_of, json_body, paged, pool_of, required
from bot.simulator.clouds.baidu.shapes import detail_shape, job_shape
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.world import Job, JobState, Refused, World
from bot.simulator.world.place import Pool


class Jobs:
    def __init__(self, world: World, *, dirty_keys: bool) -> None:
        self._world, self._dirty = world, dirty_keys
        self._numbers = itertools.count(1)
        self._created: dict[tuple[str, str], Job] = {}

    def routes(self) -> list[web.RouteDef]:
        one = "/api/v1/aijobs/{jobId}"
        return [
            web.get("/api/v1/aijobs", self._list),
            web.post("/api/v1/aijobs", self._create),
            web.get(one, self._detail),
            web.put(one, self._update),
            web.delete(one, self._delete),
            web.post(f"{one}/stop", self._stop),
            web.get(f"{one}/nodes", self._nodes),
        ]

    async def _list(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, required(request, "resourcePoolId"))
        queue = request.query.get("queue", "")
        jobs = [job for job in self._world.jobs("baidu") if job.place == pool.id and queue in ("", "all", job.queue)]
        finished = request.query.get("orderBy") == "finishedAt"
        jobs.sort(
            key=lambda job: ((job.finished_at or self._world.now()) if finished else job.created_at, job.id),
            reverse=not ascending(request),
        )
        places = self._places(pool)
        page = paged(request, "jobs", jobs, lambda job: job_shape(job, places.get(job.id)), "createdAt")
        return answer(page)

    async def _detail(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pool = pool_of(self._world, job.place)
        return answer(detail_shape(job, self._places(pool).get(job.id)))

    async def _create(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, required(request, "resourcePoolId"))
        token = request.query.get("clientToken", "")
        job = self._created.get((pool.id, token)) if token else None
        if job is None:
            body = await json_body(request)
            owner = request.query.get("username") or "li.wei"
            job = self._world.submit(read_order(self._world, pool, body, owner, next(self._numbers)))
            if token:
                self._created[pool.id, token] = job
        return answer({"jobId": job.id, "jobName": job.name})

    async def _update(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        priority = checked_priority((await json_body(request)).get("priority"))
        if job.state is JobState.QUEUED:
            self._world.set_priority(job.id, priority)
        return answer({"jobId": job.id})

    async def _delete(self, request: web.Request) -> web.Response:
        job = self._world.delete_job(job_of(self._world, request).id)
        return answer({"jobId": job.id, "jobName": job.name})

    async def _stop(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        try:
            self._world.stop_job(job.id)
        except Refused as refusal:
            raise Complaint(400, "cce.warning.StopAIJobFailed", f"stop job failed, err: {refusal}") from None
        return answer({"jobId": job.id})

    async def _nodes(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        names = list(dict.fromkeys(pod.node for pod in job.pods if pod.node))
        return answer({"jobID" if self._dirty else "jobId": job.id, "nodeName": names})

    def _places(self, pool: Pool) -> dict[str, int]:
        return {job.id: place for place, job in enumerate(self._world.waiting(pool.id), start=1)}
