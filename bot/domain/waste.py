"""GPU-hours that were paid for and stood idle."""

from dataclasses import dataclass

from bot.domain.job import Job


@dataclass(frozen=True, slots=True)
class Waste:
    """A job's mean GPU use over the window and the GPU-hours that stood idle: GPUs × hours × (1 - mean)."""

    job: Job
    mean: float
    idle_gpu_hours: float
    idle_gpus: int
