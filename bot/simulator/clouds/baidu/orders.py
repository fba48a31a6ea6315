"""Reads the body of a job that somebody creates (AIHC v1 reference §7.1); refuses what the platform
would."""

from dataclasses import replace
from typing import Any

from bot.simulator.clouds.baidu.spelling import model_of
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.world import Job, Load, World
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.place import Pool

_FRAMEWORKS = {"": "pytorch", "pytorchjob": "pytorch", "pytorch": "pytorch", "mpijob": "mpi", "mpi": "mpi"}
_PRIORITIES = ("high", "normal", "low")


def read_order(world: World, pool: Pool, body: dict[str, Any], owner: str, number: int) -> Job:
    """A job that waits; `number` tells it from others of its name. Raises Complaint."""
    spec = body.get("jobSpec")
    if not isinstance(spec, dict):
        raise Complaint(400, "InvalidParam", "jobSpec is required")
    resources = _resources(spec.get("resources") or [])
    model, gpus = _gpus(resources)
    name = _text(body, "name")
    order = Order(
        name=name,
        platform="baidu",
        place=pool.id,
        queue=_queue(world, pool, body),
        owner=owner,
        load=Load.TRAINING,
        pods=_replicas(spec),
        gpus=gpus,
        gpu_model=model,
        priority=checked_priority(body.get("priority") or "normal"),
        salt=f"order {number}",
    )
    job = make_job(world.state().seed, order, world.now())
    return _dressed(job, body, spec, resources)


def checked_priority(priority: Any) -> str:
    if priority not in _PRIORITIES:
        raise Complaint(400, "InvalidParam", f"priority must be one of {', '.join(_PRIORITIES)}")
    return str(priority)


def _dressed(job: Job, body: dict[str, Any], spec: dict[str, Any], resources: dict[str, float]) -> Job:
    framework = _FRAMEWORKS.get(str(body.get("jobFramework") or "").lower())
    if framework is None:
        raise Complaint(400, "InvalidParam", f"jobFramework {body['jobFramework']} is not supported")
    return replace(
        job,
        id=job.id if framework == "pytorch" else job.id.replace("pytorchjob-", "mpijob-"),
        framework=framework,
        image=_text(spec, "image"),
        command=_text(spec, "command"),
        rdma=bool(spec.get("enableRDMA")),
        fault_tolerance=bool(body.get("faultTolerance")),
        resources=tuple(resources.items()),
        envs=_pairs(spec.get("envs"), "name"),
        labels=_pairs(body.get("labels"), "key"),
    )


def _text(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise Complaint(400, "InvalidParam", f"{key} is required")
    return value


def _replicas(spec: dict[str, Any]) -> int:
    replicas = spec.get("replicas")
    if not isinstance(replicas, int) or replicas < 1:
        raise Complaint(400, "InvalidParam", "replicas must be a positive integer")
    return replicas


def _queue(world: World, pool: Pool, body: dict[str, Any]) -> str:
    name = str(body.get("queue") or "default")
    if all(queue.name != name for queue in world.queues(pool.id)):
        raise Complaint(400, "cce.warning.GetQueueFailed", f"queue {name} not found")
    return name


def _resources(given: Any) -> dict[str, float]:
    """Quantities may be numbers or text, memory even text with a unit."""
    try:
        return {str(each["name"]): float(str(each["quantity"]).removesuffix("GB")) for each in given}
    except (KeyError, TypeError, ValueError):
        raise Complaint(400, "InappropriateJSON", "resources must be a list of name and quantity") from None


def _gpus(resources: dict[str, float]) -> tuple[str, int]:
    for name, quantity in resources.items():
        model = model_of(name)
        if model is not None:
            return model, int(quantity)
    return "A800", 0


def _pairs(given: Any, key: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(each[key]), str(each["value"])) for each in given or [])
