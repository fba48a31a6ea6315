"""Clusters, their topology now, and the words one may filter it by (SysOM reference §11)."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.sysom.dialect import reply
from bot.simulator.clouds.sysom.graph import Graph
from bot.simulator.clouds.sysom.oddities import Oddities
from bot.simulator.world import Job, World
from bot.simulator.world.topology import Snapshot

_FILTERS = (
    "instance_id_list",
    "comm_instance_id_list",
    "task_id_list",
    "comm_task_id_list",
    "pod_list",
    "comm_pod_list",
    "communication",
    "channel",
    "topoType",
)


class Topology:
    def __init__(self, world: World, oddities: Oddities) -> None:
        self._world, self._oddities = world, oddities
        self._graph = Graph(newlines=oddities.newlines)

    async def clusters(self, request: web.Request) -> web.Response:
        """The names, as a list or as text that holds one."""
        names = self._names()
        data: Any = names if self._oddities.manner == "clean" else json.dumps(names)
        return reply(data, total=len(names))

    async def cluster(self, request: web.Request) -> web.Response:
        jobs = self._jobs(_known(self._names(), request.query.get("clusterId", "")))
        jobs = [job for job in jobs if _wanted(job.id, many(request.query, "taskIdList"))]
        pictures = [self._narrowed(self._world.picture(job), request.query) for job in jobs]
        nodes = tuple(node for picture in pictures for node in picture.nodes)
        links = tuple(link for picture in pictures for link in picture.links)
        graph = self._graph.shape(Snapshot(self._world.now(), nodes, links))
        return reply({"total": sum(len(node.gpus) for node in nodes), "data": graph})

    async def options(self, request: web.Request) -> web.Response:
        kind = request.query.get("filterType", "")
        if kind not in _FILTERS:
            raise Complaint(400, "Sysom.InvalidParameter", f"filterType {kind} is not known")
        cluster = one(request.query, "filterValues", "cluster_id")
        jobs = self._jobs(_known(self._names(), cluster))
        values = self._values(kind.removeprefix("comm_"), jobs)
        return reply(values, total=len(values))

    def _values(self, kind: str, jobs: list[Job]) -> list[str]:
        pods = [pod for job in jobs for pod in job.pods]
        instances = {node.name: node.instance for node in self._world.nodes()}
        values = {
            "instance_id_list": [instances[pod.node] for pod in pods if pod.node in instances],
            "task_id_list": [job.id for job in jobs],
            "pod_list": [pod.name for pod in pods],
            "communication": [f"0x{job.grain & 0xFFFFFFFFFFFF:012x}" for job in jobs if len(job.pods) > 1],
            "channel": ["0", "1"],
            "topoType": ["ring", "tree"],
        }[kind]
        return list(dict.fromkeys(values))

    def _jobs(self, cluster: str) -> list[Job]:
        pools = {pool.id for pool in self._world.pools() if pool.cluster == cluster}
        return [job for job in self._world.jobs() if job.place in pools and job.holds]

    def _narrowed(self, picture: Snapshot, query: Mapping[str, str]) -> Snapshot:
        instances, pods = many(query, "instanceIdList"), many(query, "podList")
        nodes = tuple(node for node in picture.nodes if _wanted(node.instance, instances) and _wanted(node.pod, pods))
        known = {gpu.id for node in nodes for gpu in node.gpus}
        links = tuple(link for link in picture.links if link.source in known and link.target in known)
        return Snapshot(picture.at, nodes, links)

    def _names(self) -> list[str]:
        return sorted({pool.cluster for pool in self._world.pools()})


def _known(names: list[str], cluster: str) -> str:
    if not cluster:
        raise Complaint(400, "MissingParameter", "The cluster id is mandatory.")
    if cluster not in names:
        raise Complaint(400, "Sysom.ACKClusterNotFound", f"cluster {cluster} not found")
    return cluster


def _wanted(value: str, among: list[str]) -> bool:
    return not among or value in among


def many(query: Mapping[str, str], name: str) -> list[str]:
    """A list given as JSON text, or flattened as `name.1=a&name.2=b`, or joined by commas."""
    text = query.get(name, "")
    if not text:
        return [value for key, value in query.items() if key.startswith(f"{name}.")]
    try:
        given = json.loads(text)
    except ValueError:
        return [part.strip() for part in text.split(",")]
    return [str(each) for each in given] if isinstance(given, list) else [text]


def one(query: Mapping[str, str], name: str, key: str) -> str:
    """One value of an object given as JSON text or flattened as `name.key=value`."""
    try:
        given = json.loads(query.get(name, "") or "{}")
    except ValueError:
        raise Complaint(400, "Sysom.InvalidParameter", f"{name} must be a JSON object") from None
    return str(given.get(key, "")) if isinstance(given, dict) and given else query.get(f"{name}.{key}", "")
