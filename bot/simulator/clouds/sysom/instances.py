"""Clusters and machines as the console manages them (SysOM reference §11)."""

from typing import Any

from aiohttp import web

from bot.simulator.clouds.spelling import beijing, page_of, whole
from bot.simulator.clouds.sysom.dialect import reply
from bot.simulator.world import World
from bot.simulator.world.place import Node

_REGION = "cn-beijing"


class Instances:
    def __init__(self, world: World) -> None:
        self._world = world

    async def clusters(self, request: web.Request) -> web.Response:
        names = sorted({pool.cluster for pool in self._world.pools()})
        query = request.query
        rows = [
            row
            for number, name in enumerate(names, start=1)
            if _fits(row := self._cluster(number, name), query.get("name"), "name")
            and _fits(row, query.get("cluster_id"), "id")
            and _fits(row, query.get("cluster_type"), "cluster_type")
            and _fits(row, query.get("cluster_status"), "cluster_status")
        ]
        return _page(request, rows, key="RequestId")

    async def all(self, request: web.Request) -> web.Response:
        region = request.query.get("region", "")
        rows = [self._instance(node) for node in self._world.nodes() if region in ("", _REGION)]
        return _page(request, rows, maxResults=len(rows), nextToken="")

    async def status(self, request: web.Request) -> web.Response:
        wanted, state = request.query.get("instance", ""), request.query.get("status", "")
        rows = [
            {"instance": node.instance, "region": _REGION, "status": "Running"}
            for node in self._world.nodes()
            if wanted in ("", node.instance) and state in ("", "Running")
        ]
        return _page(request, rows, key="RequestId")

    async def pods(self, request: web.Request) -> web.Response:
        wanted = request.query.get("instance", "")
        names = {node.name for node in self._world.nodes() if node.instance == wanted}
        rows = [
            {"pod": pod.name, "namespace": "default"}
            for job in self._world.jobs()
            if job.holds
            for pod in job.pods
            if pod.node in names
        ]
        return _page(request, rows, key="RequestId")

    def _cluster(self, number: int, name: str) -> dict[str, Any]:
        founded = min(pool.created_at for pool in self._world.pools() if pool.cluster == name)
        return {
            "id": str(number),
            "name": name,
            "cluster_id": name,
            "cluster_type": "ACK",
            "cluster_status": "Running",
            "region": _REGION,
            "created_at": beijing(founded),
            "updated_at": beijing(founded),
        }

    def _instance(self, node: Node) -> dict[str, Any]:
        cluster = next(pool.cluster for pool in self._world.pools() if pool.id == node.pool)
        return {
            "instanceId": node.instance,
            "instanceName": node.name,
            "instanceType": "ecs",
            "clusterId": cluster,
            "clusterName": cluster,
            "status": "Running",
            "osHealthScore": 60 if node.cordoned else 100,
            "kernelVersion": "5.10.134-16.al8.x86_64",
            "osName": "Alibaba Cloud Linux 3",
            "osArch": "x86_64",
            "privateIp": node.name,
            "publicIp": "",
            "imageId": "aliyun_3_x64_20G_alibase.vhd",
            "manageType": "managed",
            "manageLevel": "1",
            "attributes": [
                {"infoType": "gpu", "infoKey": "vendor", "infoValue": "nvidia"},
                {"infoType": "gpu", "infoKey": "count", "infoValue": str(node.gpus)},
            ],
        }


def _fits(row: dict[str, Any], wanted: str | None, key: str) -> bool:
    return wanted in (None, "", row[key])


def _page(request: web.Request, rows: list[dict[str, Any]], *, key: str = "requestId", **more: Any) -> web.Response:
    current, size = whole(request.query, "current", 1), whole(request.query, "pageSize", 10)
    return reply(page_of(rows, current, size), key=key, total=len(rows), **more)
