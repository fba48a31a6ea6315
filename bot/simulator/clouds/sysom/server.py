"""Puts the parts of the simulated SysOM console together over one world: one row for each operation,
with the action name that must come along (SysOM reference §11)."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Literal

from aiohttp import web

from bot.simulator.clouds.serving import Handler, Serving, serve
from bot.simulator.clouds.sysom.alarms import AlarmRecords
from bot.simulator.clouds.sysom.dialect import ErrorStyle, SysomDialect
from bot.simulator.clouds.sysom.health import Health
from bot.simulator.clouds.sysom.instances import Instances
from bot.simulator.clouds.sysom.oddities import Manner, Oddities
from bot.simulator.clouds.sysom.signature import Gate
from bot.simulator.clouds.sysom.topology import Topology
from bot.simulator.world import World

KEYS = MappingProxyType({"sysom-ak": "sysom-sk"})
_TOPOLOGY = "/api/v1/aiTopology/topology"
_HEALTH = "/api/v1/openapi/cluster_health/range"


def serve_sysom(
    world: World,
    *,
    keys: Mapping[str, str] = KEYS,
    denied: frozenset[str] = frozenset(),
    tokens: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    oddities: Manner = "mixed",
    total_as: Literal["text", "number"] = "text",
    duplicates: bool = False,
    error_style: ErrorStyle = "gateway",
) -> AbstractAsyncContextManager[Serving]:
    """Serves the world's alarms. `keys`: secret by access key; `denied`: keys that RAM refuses.
    `tokens`: by temporary access key, each good only with its token.
    `oddities`: see `Oddities`. `error_style`: whose keys errors with a status of 400 and more have."""
    operations = _operations(world, Oddities(oddities, total_as, duplicates))
    actions = {("GET", path): action for path, (action, _) in operations.items()}
    routes = [web.get(path, handler) for path, (_, handler) in operations.items()]
    dialect = SysomDialect(world, Gate(keys, denied, tokens), actions, error_style)
    return serve(Serving(world, "sysom"), routes, dialect, host, port)


def _operations(world: World, oddities: Oddities) -> dict[str, tuple[str, Handler]]:
    alarms, topology = AlarmRecords(world, oddities), Topology(world, oddities)
    instances, health = Instances(world), Health(world)
    return {
        f"{_TOPOLOGY}/listAlarmRecord": ("GetGpuClusterListAlarmRecord", alarms.listing),
        f"{_TOPOLOGY}/listCluster": ("GetListGpuCluster", topology.clusters),
        f"{_TOPOLOGY}/clusterTopology": ("GetGpuClusterTopology", topology.cluster),
        f"{_TOPOLOGY}/listClusterTopologyOptions": ("GetGpuClusterArgsOptions", topology.options),
        "/api/v1/am/cluster/list_clusters": ("ListClusters", instances.clusters),
        "/api/v1/am/instance/listAllInstances": ("ListAllInstances", instances.all),
        "/api/v1/am/instance/list_instance_status": ("ListInstanceStatus", instances.status),
        "/api/v1/am/instance/list_pod_of_instance": ("ListPodsOfInstance", instances.pods),
        f"{_HEALTH}/instance_health_list": ("ListInstanceHealth", health.instances),
        f"{_HEALTH}/abnormaly_events": ("ListAbnormalyEvents", health.events),
        f"{_HEALTH}/abnormaly_events_count": ("GetAbnormalEventsCount", health.count),
        f"{_HEALTH}/health_percentage": ("GetHealthPercentage", health.percentage),
    }
