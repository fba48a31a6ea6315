"""Draws the monitor's picture of a job: its machines, the ring through their GPUs, the faulty marked."""

from datetime import datetime

from bot.simulator.world import chance
from bot.simulator.world.job import Job, Pod
from bot.simulator.world.state import State
from bot.simulator.world.topology import GpuView, Link, NodeView, Snapshot
from bot.simulator.world.use import gpu_use

Faulty = dict[int, tuple[int, ...]]


def snapshot(state: State, job: Job, at: datetime, faulty: Faulty | None = None, fault: str = "") -> Snapshot:
    """The job's machines and the ring through their GPUs, the faulty ones marked."""
    faulty = faulty or {}
    nodes = tuple(_node_view(state, job, pod, at, faulty.get(pod.index), fault) for pod in job.pods)
    return Snapshot(at, nodes, _ring(job, nodes, fault))


def _node_view(state: State, job: Job, pod: Pod, at: datetime, faulty: tuple[int, ...] | None, fault: str) -> NodeView:
    gpus = tuple(
        GpuView(
            id=chance.uuid(job.id, pod.index, gpu)[:8],
            number=gpu,
            use=gpu_use(job, pod, gpu, at) or 0.0,
            fault=fault if faulty and gpu in faulty else "",
        )
        for gpu in range(pod.gpus)
    )
    node_id = chance.uuid(job.id, pod.index, "node")[:8]
    instance = state.nodes[pod.node].instance if pod.node in state.nodes else ""
    return NodeView(node_id, instance, pod.name, gpus, fault if faulty is not None else "")


def _ring(job: Job, nodes: tuple[NodeView, ...], fault: str) -> tuple[Link, ...]:
    if len(nodes) < 2:
        return ()
    links: list[Link] = []
    for here, there in zip(nodes, (*nodes[1:], nodes[0]), strict=True):
        for one, other in zip(here.gpus, there.gpus, strict=False):
            received = 9000 + chance.number(job.grain, one.id, other.id) % 2000
            marked = fault if one.fault or other.fault else ""
            links.append(Link(one.id, other.id, received - 800 if marked else received, marked))
    return tuple(links)
