"""The picture of machines in SysOM's graph vocabulary: every number is text, keys and values may end in
a newline (SysOM reference §5 and §6)."""

import json
from typing import Any

from bot.simulator.world.topology import GpuView, Link, NodeView, Snapshot

_FAULTY, _FINE = "#e94242", "#5b8ff9"
_NCCL = "v2.22.3"


class Graph:
    """`newlines`: write the stray newlines that were seen."""

    def __init__(self, *, newlines: bool) -> None:
        self._tail = "\n" if newlines else ""

    def shape(self, picture: Snapshot) -> dict[str, Any]:
        nodes = [self._node(node) for node in picture.nodes]
        return {"nodes": nodes, "edges": [self._edge(link) for link in picture.links]}

    def _node(self, node: NodeView) -> dict[str, Any]:
        return {
            "id": node.id,
            "name": node.instance + self._tail,
            "style": {"fill": _colour(node.fault) + self._tail, "fillOpacity": "0.5"},
            "values": {
                "Basic": [_pair("instance", node.instance), _pair("pod", node.pod)],
                "Metric": [_pair("gpu_count", str(len(node.gpus)))],
                "Exception": _exceptions(node.fault),
            },
            "gpu_list": [self._gpu(gpu) for gpu in node.gpus],
        }

    def _gpu(self, gpu: GpuView) -> dict[str, Any]:
        return {
            "id": gpu.id,
            "name": f"GPU{gpu.number}",
            "style": {"fill": _colour(gpu.fault) + self._tail, "opacity": "0.1"},
            "values": {
                "Basic": [_pair(f"Gpu Number{self._tail}", str(gpu.number))],
                "Metric": [_pair(f"gpu_util(%){self._tail}", f"{gpu.use * 100:.0f}")],
                "Exception": _exceptions(gpu.fault),
            },
        }

    def _edge(self, link: Link) -> dict[str, Any]:
        selected = json.dumps(json.dumps({"opacity": 1, "lineWidth": 1})) + self._tail
        return {
            "src_id": link.source,
            "dst_id": link.target,
            "type": "GPU",
            "style": {
                "stroke": _colour(link.fault),
                "lineWidth": "1",
                "opacity": "0.1",
                "selectedStyle": selected,
            },
            "values": {
                "Basic": [_pair(f"NCCL Version{self._tail}", _NCCL + self._tail)],
                "Metric": [_pair("Recv Msg Count", str(link.received))],
                "Exception": _exceptions(link.fault),
            },
        }


def _colour(fault: str) -> str:
    return _FAULTY if fault else _FINE


def _exceptions(fault: str) -> list[dict[str, str]]:
    return [_pair("error0", fault)] if fault else []


def _pair(key: str, value: str) -> dict[str, str]:
    return {"key": key, "value": value}
