"""Baidu's spelling of the world: GPU names, states, times (AIHC v1 reference §1.4 and §8)."""

from datetime import datetime

from bot.simulator.world import Job, JobState

ROOT_QUEUE = "63a9f0ea7bb98050796b649e85481845"

_DESCRIPTORS = {
    "A800": "baidu.com/a800_80g_cgpu",
    "H800": "baidu.com/h800_80g_cgpu",
    "H20": "baidu.com/h20_96g_cgpu",
    "V100M32": "baidu.com/v100_32g_cgpu",
    "V100M16": "baidu.com/v100_16g_cgpu",
    "T4": "baidu.com/t4_16g_cgpu",
    "A10": "baidu.com/a10_24g_cgpu",
}
_MEMORY = {"A800": "80G", "H800": "80G", "H20": "96G", "V100M32": "32G", "V100M16": "16G", "T4": "16G", "A10": "24G"}

_WORDS = {
    JobState.QUEUED: "Created",
    JobState.STARTING: "Scheduled",
    JobState.RUNNING: "Running",
    JobState.RESTARTING: "Restarting",
    JobState.STOPPING: "Stopping",
    JobState.STOPPED: "ManualTermination",
    JobState.FAILED: "Failed",
    JobState.SUCCEEDED: "Succeeded",
}
_PHASES = {
    JobState.STARTING: "Pending",
    JobState.RUNNING: "Running",
    JobState.RESTARTING: "Pending",
    JobState.STOPPING: "Running",
    JobState.STOPPED: "Failed",
    JobState.FAILED: "Failed",
    JobState.SUCCEEDED: "Succeeded",
}


def descriptor(model: str) -> str:
    return _DESCRIPTORS.get(model, "nvidia.com/gpu")


def model_of(resource: str) -> str | None:
    """The GPU model of a resource name, None for a resource that is no GPU."""
    known = {name: model for model, name in _DESCRIPTORS.items()}
    if resource in known:
        return known[resource]
    return "A800" if resource in ("nvidia.com/gpu", "baidu.com/cgpu") else None


def product_name(model: str) -> str:
    return f"NVIDIA-{model}-{_MEMORY.get(model, '16G')}"


def status(job: Job) -> str:
    return _WORDS[job.state] if job.state is not JobState.RUNNING else job.word or "Running"


def pod_phase(job: Job) -> str:
    return _PHASES[job.state]


def zulu(at: datetime | None) -> str:
    """RFC 3339 in UTC, seconds; "" for a time that has not come."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""


def event_time(at: datetime) -> str:
    """As Go prints a time."""
    return at.strftime("%Y-%m-%d %H:%M:%S +0000 UTC")
