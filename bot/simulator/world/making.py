"""Makes one job with all its particulars from the few things that tell it apart: ids, pod names in the
platform's form, resources. Ids depend on the seed and the name alone, so they are the same each time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.simulator.world import chance
from bot.simulator.world.job import Job, JobState, Load, Platform, Pod


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants to run."""

    name: str
    platform: Platform
    place: str
    queue: str
    owner: str
    load: Load
    pods: int
    gpus: int
    gpu_model: str
    priority: str = "normal"
    lifetime: timedelta | None = None
    ending: JobState = JobState.SUCCEEDED
    doom: str = ""
    salt: str = ""


def make_job(seed: int, order: Order, at: datetime) -> Job:
    """A job that waits for its GPUs."""
    words = (seed, order.platform, order.name, order.salt)
    identity = chance.uuid("job", *words)
    return Job(
        id=f"pytorchjob-{identity}" if order.platform == "baidu" else identity,
        name=order.name,
        platform=order.platform,
        place=order.place,
        queue=order.queue,
        owner=order.owner,
        gpu_model=order.gpu_model,
        load=order.load,
        pods=_pods(order, words),
        state=JobState.QUEUED,
        created_at=at.replace(microsecond=0),
        uid=chance.uuid("uid", *words),
        grain=chance.number("grain", *words),
        priority=order.priority,
        rdma=order.pods > 1,
        fault_tolerance=order.pods > 1,
        lifetime=order.lifetime,
        ending=order.ending,
        doom=order.doom,
        image=f"registry.example.com/{order.owner.split('.')[0]}/train:2.{chance.number(*words) % 9}",
        command=f"cd /work && bash run.sh --name '{order.name}'",
        cpu_cores=12 * max(1, order.gpus),
        memory_gb=110 * max(1, order.gpus),
    )


def _pods(order: Order, words: tuple[object, ...]) -> tuple[Pod, ...]:
    stem = order.name if order.platform == "baidu" else f"tn-{chance.token(12, *words)}"
    pods = [Pod(f"{stem}-master-0", "master", 0, order.gpus)]
    pods += [Pod(f"{stem}-worker-{i}", "worker", i + 1, order.gpus) for i in range(order.pods - 1)]
    return tuple(pods)
