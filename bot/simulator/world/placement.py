"""Which node a pod gets: first fit by GPU model over nodes that are up and not cordoned, all pods of a
job or none. Keeps the count of free GPUs right; decides nothing about order."""

from dataclasses import replace

from bot.simulator.world import chance
from bot.simulator.world.job import Job, Pod
from bot.simulator.world.place import Node
from bot.simulator.world.state import State


def place(state: State, job: Job) -> tuple[Pod, ...] | None:
    """Take GPUs for every pod of the job; None, and nothing taken, when they do not all fit."""
    nodes = [node for node in state.nodes_of(job.place) if _usable(node, job)]
    taken: list[Pod] = []
    for pod in job.pods:
        node = next((node for node in nodes if state.free[node.name] >= pod.gpus), None)
        if node is None:
            release(state, tuple(taken))
            return None
        state.free[node.name] -= pod.gpus
        taken.append(replace(pod, node=node.name, ip=address(job, pod)))
    return tuple(taken)


def release(state: State, pods: tuple[Pod, ...]) -> None:
    for pod in pods:
        if pod.node in state.free:
            state.free[pod.node] += pod.gpus


def address(job: Job, pod: Pod) -> str:
    grain = chance.number(job.grain, pod.index, "ip")
    return f"10.{233 if job.platform == 'alaya' else 0}.{grain % 250}.{2 + (grain >> 8) % 250}"


def _usable(node: Node, job: Job) -> bool:
    return node.gpu_model == job.gpu_model and not node.cordoned and node.phase == "running"
