"""The operations of SysOM that are used, each with the action name that is signed along with its path
(SysOM reference §11)."""

from dataclasses import dataclass

VERSION = "2023-12-30"
_TOPOLOGY = "/api/v1/aiTopology/topology"
_HEALTH = "/api/v1/openapi/cluster_health/range"


@dataclass(frozen=True, slots=True)
class Operation:
    action: str
    path: str


ALARMS = Operation("GetGpuClusterListAlarmRecord", f"{_TOPOLOGY}/listAlarmRecord")
CLUSTERS = Operation("GetListGpuCluster", f"{_TOPOLOGY}/listCluster")
TOPOLOGY = Operation("GetGpuClusterTopology", f"{_TOPOLOGY}/clusterTopology")
HEALTH = Operation("ListInstanceHealth", f"{_HEALTH}/instance_health_list")
EVENTS = Operation("ListAbnormalyEvents", f"{_HEALTH}/abnormaly_events")  # spelt so on the wire

ACTIONS = {operation.path: operation.action for operation in (ALARMS, CLUSTERS, TOPOLOGY, HEALTH, EVENTS)}
