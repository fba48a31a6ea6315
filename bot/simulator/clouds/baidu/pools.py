"""Resource pools and their nodes (AIHC v1 reference §5)."""

from typing import Any

from aiohttp import web

from bot.simulator.clouds.baidu.dialect import answer
from bot.simulator.clouds.baidu.reading import ascending, paged, pool_of
from bot.simulator.clouds.baidu.spelling import descriptor, product_name, zulu
from bot.simulator.world import World
from bot.simulator.world.place import Node, Pool


class Pools:
    def __init__(self, world: World, *, dirty_keys: bool) -> None:
        self._world, self._dirty = world, dirty_keys

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/v1/resourcepools", self._list),
            web.get("/api/v1/resourcepools/{resourcePoolId}", self._detail),
            web.get("/api/v1/resourcepools/{resourcePoolId}/nodes", self._nodes),
        ]

    async def _list(self, request: web.Request) -> web.Response:
        word, kind = request.query.get("keyword", ""), request.query.get("keywordType", "")
        pools = [
            pool
            for pool in self._world.pools("baidu")
            if word in (pool.id if kind.endswith(("ID", "Id")) else pool.name)
        ]
        key = {"clusterName": "name", "clusterID": "id"}.get(request.query.get("orderBy", ""), "created_at")
        pools.sort(key=lambda pool: (getattr(pool, key), pool.id), reverse=not ascending(request))
        page = paged(request, "resourcePools", pools, self._shape, "createdAt")
        if self._dirty:
            page["totalCount"] = page.pop("total")
        return answer(page)

    async def _detail(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, request.match_info["resourcePoolId"])
        return answer({"resourcePool": self._shape(pool)})

    async def _nodes(self, request: web.Request) -> web.Response:
        pool = pool_of(self._world, request.match_info["resourcePoolId"])
        nodes = sorted(self._world.nodes(pool.id), key=lambda node: node.created_at, reverse=not ascending(request))
        return answer(paged(request, "nodes", nodes, self._node_shape, "createdAt"))

    def _shape(self, pool: Pool) -> dict[str, Any]:
        return {
            "metadata": {
                "uid" if self._dirty else "id": pool.id,
                "name": pool.name,
                "createdAt": zulu(pool.created_at),
                "updatedAt": zulu(pool.created_at),
            },
            "spec": {
                "k8sVersion": "1.24.4",
                "associatedCpromIDs" if self._dirty else "associatedCpromIds": ["cprom-0a1b2c3d4e5f6"],
                "associatedPfsID" if self._dirty else "associatedPfsId": "pfs-Ab12Cd",
                "createdBy": "simuser",
                "description": "",
                "forbidDelete": True,
                "region": pool.region,
            },
            "status": {"phase": pool.phase, **self._counts(pool)},
        }

    def _counts(self, pool: Pool) -> dict[str, Any]:
        nodes = self._world.nodes(pool.id)
        total: dict[str, int] = {}
        used: dict[str, int] = {}
        for node in nodes:
            name = descriptor(node.gpu_model)
            total[name] = total.get(name, 0) + node.gpus
            used[name] = used.get(name, 0) + self._allocated(node)
        full = sum(1 for node in nodes if self._allocated(node) == node.gpus)
        return {
            "nodeCount": {"total": len(nodes), "used": full},
            "gpuCount": {"total": sum(total.values()), "used": sum(used.values())},
            "gpuDetail": [{"gpuDescriptor": name, "total": total[name], "used": used[name]} for name in total],
        }

    def _allocated(self, node: Node) -> int:
        return node.gpus - self._world.free(node.name)

    def _node_shape(self, node: Node) -> dict[str, Any]:
        allocated = self._allocated(node)
        share = allocated / node.gpus if node.gpus else 0.0
        return {
            "instanceID" if self._dirty else "instanceId": node.instance,
            "instanceName " if self._dirty else "instanceName": node.instance,
            "nodeName": node.name,
            "chargingType": "Prepaid",
            "statusPhase": "ready_scheduling_disabled" if node.cordoned else node.phase,
            "intervention": "cordoned" if node.cordoned else "unintervened",
            "region": "bj",
            "zone": "zoneF",
            "gpuType": product_name(node.gpu_model),
            "gpuDescriptor": descriptor(node.gpu_model),
            "gpuTotal": node.gpus,
            "gpuAllocated": allocated,
            "cpuTotal": node.cpu_cores,
            "cpuAllocated": round(node.cpu_cores * share),
            "memoryTotal": node.memory_gb,
            "memoryAllocated": round(node.memory_gb * share),
            "createdAt": zulu(node.created_at),
        }
