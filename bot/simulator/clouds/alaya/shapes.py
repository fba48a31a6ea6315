"""Jobs, pods and products of the world in Alaya's words: local Beijing times, numbers as text where the
platform has them so (Alaya reference §5)."""

from typing import Any

from bot.simulator.clouds.spelling import beijing
from bot.simulator.clouds.terminal import terminal_path
from bot.simulator.world import Job, JobState, Pod
from bot.simulator.world.chance import token
from bot.simulator.world.place import Pool

_WORDS = {
    JobState.QUEUED: "Waiting",
    JobState.STARTING: "Starting",
    JobState.RUNNING: "Running",
    JobState.RESTARTING: "Restarting",
    JobState.STOPPING: "Stopping",
    JobState.STOPPED: "Canceled",
    JobState.FAILED: "Failed",
    JobState.SUCCEEDED: "Succeeded",
}
_POD_WORDS = {
    JobState.STARTING: "pending",
    JobState.RUNNING: "running",
    JobState.RESTARTING: "pending",
    JobState.STOPPING: "running",
    JobState.STOPPED: "failed",
    JobState.FAILED: "failed",
    JobState.SUCCEEDED: "succeeded",
}
_PRODUCTS = {"H800": "NVIDIA-H800A-NV-80G", "A800": "NVIDIA-A800-NV-80G", "H20": "NVIDIA-H20-NV-96G"}


def status(job: Job) -> str:
    return _WORDS[job.state] if job.state is not JobState.RUNNING else job.word or "Running"


def gpu_product(model: str) -> str:
    """A waiting job may not know its cards yet."""
    return _PRODUCTS.get(model, f"NVIDIA-{model}") if model else "-"


def record(job: Job) -> dict[str, Any]:
    """A row of the job list."""
    return {
        "id": job.id,
        "name": job.name,
        "status": status(job),
        "aidcId": int(job.place),
        "resource": {
            "workerCount": len(job.pods),
            "gpuCount": str(job.pods[0].gpus),
            "gpuName": gpu_product(job.gpu_model),
        },
        "createdTime": beijing(job.created_at),
        "startTime": beijing(job.running_at),
        "endTime": beijing(job.finished_at),
        "createBy": job.owner,
        "reason": job.reason,
    }


def detail(job: Job) -> dict[str, Any]:
    return {
        **record(job),
        "priority": job.priority,
        "image": job.image,
        "command": job.command,
        "trainingFramwork": "PyTorch",
        "enableAutoRetry": job.fault_tolerance,
    }


def pod_overview(job: Job, pod: Pod, origin: str) -> dict[str, Any]:
    """`origin`: scheme and host for the terminal; no terminal unless the pod runs."""
    live = job.state in (JobState.RUNNING, JobState.STOPPING)
    return {
        "podName": pod.name,
        "podIp": pod.ip,
        "status": _POD_WORDS[job.state],
        "reason": pod.reason,
        "nodeName": pod.node,
        "createdTime": beijing(job.scheduled_at),
        "updatedTime": beijing(job.finished_at or job.running_at or job.scheduled_at),
        "podWebSSH": f"{origin}{terminal_path(pod.name, job.grain)}" if live else "",
    }


def pod_basic(job: Job, pod: Pod, pool: Pool) -> dict[str, Any]:
    grain = job.grain % 250
    return {
        "clusterName": pool.name,
        "hostName": pod.node.replace("gpu-", "gpu-node-"),
        "namespace": f"usr-{token(8, job.owner)}",
        "hostIp": f"10.24.7.{1 + grain}",
        "status": _POD_WORDS[job.state].capitalize(),
        "podIp": pod.ip,
        "restartCount": pod.restarts,
        "qosClass": "Guaranteed",
        "createBy": job.owner,
        "createTime": beijing(job.scheduled_at),
    }


def pod_resource(job: Job, pod: Pod) -> dict[str, Any]:
    return {
        "podName": pod.name,
        "cpuCores": str(job.cpu_cores),
        "memoryGB": str(job.memory_gb),
        "gpuCount": str(pod.gpus),
        "gpuName": gpu_product(job.gpu_model),
    }


def product(pool: Pool, model: str, cards: int, free: int) -> dict[str, Any]:
    return {
        "name": f"{model} x{cards}",
        "aidcId": int(pool.id),
        "productCode": f"gpu.{model.lower()}.{cards}x",
        "cpuCores": str(cards * 14),
        "memoryGB": str(cards * 120),
        "gpuName": gpu_product(model),
        "gpuCount": str(cards),
        "diskGB": "500",
        "price": f"{cards * 11.5:.1f}",
        "priceUnit": 1,
        "remainingCount": free // cards,
        "ext": {},
    }
