"""The documented calls of distributed training and the job list (Alaya reference §5)."""

from aiohttp import web

from bot.simulator.clouds.alaya.dialect import envelope
from bot.simulator.clouds.alaya.metrics import metric_data
from bot.simulator.clouds.alaya.shapes import pod_basic, pod_overview, product, record, status
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.odd_samples import spoil_samples
from bot.simulator.clouds.spelling import page_of, whole
from bot.simulator.world import Job, Pod, Unknown, World
from bot.simulator.world.place import Pool

ROOT = "/v1/training/instance"
_CARDS = (1, 2, 4, 8)


class Training:
    def __init__(self, world: World, *, job_list: bool, odd_samples: bool) -> None:
        self._world, self._job_list, self._odd = world, job_list, odd_samples

    def routes(self, prefix: str) -> list[web.RouteDef]:
        root = prefix + ROOT
        return [
            *([web.get(f"{root}/list", self._list)] if self._job_list else []),
            web.get(f"{root}/checkIsEnabled", self._enabled),
            web.get(f"{root}/{{id}}/pods", self._pods),
            web.get(f"{root}/{{id}}/{{podName}}/gpu-metrics", self._metrics),
            web.get(f"{root}/{{id}}/{{podName}}/basic", self._basic),
            web.get(f"{prefix}/v1/product/list-for-training-task", self._products),
        ]

    async def _list(self, request: web.Request) -> web.Response:
        word, name = request.query.get("status", "").lower(), request.query.get("name", "")
        centre = request.query.get("aidcId", "")
        jobs = [
            job
            for job in self._world.jobs("alaya")
            if word in ("", status(job).lower()) and name in job.name and centre in ("", job.place)
        ]
        jobs.sort(key=lambda job: (job.created_at, job.id), reverse=True)
        number, size = whole(request.query, "pageNo", 1), whole(request.query, "pageSize", 10)
        rows = [record(job) for job in page_of(jobs, number, size)]
        return envelope({"records": rows, "totalRows": len(jobs), "pageNo": number, "pageSize": size})

    async def _enabled(self, request: web.Request) -> web.Response:
        centre = request.query.get("aidcId", "")
        return envelope(not centre or any(pool.id == centre for pool in self._world.pools("alaya")))

    async def _pods(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        origin = f"http://{request.host}"
        return envelope([pod_overview(job, pod, origin) for pod in job.pods if pod.node])

    async def _metrics(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        pod = pod_of(job, request)
        data = metric_data(job, pod, request, self._world.now())
        for row in data["metricData"] if self._odd else ():
            row["metricData"] = spoil_samples(row["metricData"])
        return envelope(data)

    async def _basic(self, request: web.Request) -> web.Response:
        job = job_of(self._world, request)
        return envelope(pod_basic(job, pod_of(job, request), self._pool(job)))

    async def _products(self, request: web.Request) -> web.Response:
        """Rows of all centres, whatever is asked for: clients must filter."""
        rows = [
            product(pool, model, cards, free)
            for pool in self._world.pools("alaya")
            for model, free in self._free(pool).items()
            for cards in _CARDS
        ]
        return envelope(rows)

    def _free(self, pool: Pool) -> dict[str, int]:
        free: dict[str, int] = {}
        for node in self._world.nodes(pool.id):
            free[node.gpu_model] = free.get(node.gpu_model, 0) + self._world.free(node.name)
        return free

    def _pool(self, job: Job) -> Pool:
        return next(pool for pool in self._world.pools("alaya") if pool.id == job.place)


def job_of(world: World, request: web.Request) -> Job:
    try:
        job = world.job(request.match_info["id"])
    except Unknown:
        job = None
    if job is None or job.platform != "alaya":
        raise Complaint(200, "404", "training task not found")
    return job


def pod_of(job: Job, request: web.Request) -> Pod:
    pod = job.pod(request.match_info["podName"])
    if pod is None or not pod.node:
        raise Complaint(200, "404", "pod not found")
    return pod
