"""A job of the world in Baidu's words: the object of lists and of the detail (AIHC v1 reference §7.2)."""

from typing import Any

from bot.simulator.clouds.baidu.spelling import descriptor, pod_phase, status, zulu
from bot.simulator.world import Job, JobState, Pod

_LABEL = "aijob.cce.baidubce.com"


def job_shape(job: Job, place_in_queue: int | None) -> dict[str, Any]:
    return {
        "jobId": job.id,
        "name": job.name,
        "resourcePoolId": job.place,
        "queue": job.queue,
        "status": status(job),
        "priority": job.priority,
        "jobFramework": job.framework,
        "image": job.image,
        "command": job.command,
        "createdAt": zulu(job.created_at),
        "scheduledAt": zulu(job.scheduled_at),
        "runningAt": zulu(job.running_at),
        "finishedAt": zulu(job.finished_at),
        "replicas": len(job.pods),
        "resources": _resources(job),
        "envs": _envs(job),
        "labels": _labels(job),
        "datasources": _datasources(job),
        "enableRDMA": job.rdma,
        "hostNetwork": job.rdma,
        "enableFaultTolerance": job.fault_tolerance,
        "customFaultTolerancePattern": [],
        "queueingSequence": place_in_queue,
        "enableBccl": False,
        "enableBcclStatus": "unknown",
        "enableBcclErrorReason": "",
        "k8sUID": job.uid,
        "k8sNamespace": "default",
    }


def detail_shape(job: Job, place_in_queue: int | None) -> dict[str, Any]:
    pods = [_pod_shape(job, pod) for pod in job.pods if pod.node]
    listed = {"listMeta": {"totalItems": len(pods)}, "pods": pods}
    return {**job_shape(job, place_in_queue), "podList": listed}


def _resources(job: Job) -> list[dict[str, Any]]:
    if job.resources:
        return [{"name": name, "quantity": quantity} for name, quantity in job.resources]
    per_pod: dict[str, float] = {"cpu": job.cpu_cores, "memory": job.memory_gb}
    if job.pods[0].gpus:
        per_pod[descriptor(job.gpu_model)] = job.pods[0].gpus
    if job.rdma:
        per_pod["rdma/hca"] = 1
    return [{"name": name, "quantity": quantity} for name, quantity in per_pod.items()]


def _envs(job: Job) -> list[dict[str, str]]:
    envs = {"AIHC_JOB_NAME": job.name, "NCCL_DEBUG": "INFO", "AIHC_TENSORBOARD_LOG_PATH": "", **dict(job.envs)}
    if job.rdma:
        envs["NCCL_IB_DISABLE"] = "0"
    return [{"name": name, "value": value} for name, value in envs.items()]


def _labels(job: Job) -> list[dict[str, str]]:
    labels = dict(job.labels) | {
        f"{_LABEL}/create-from-aihcp-api": "true",
        f"{_LABEL}/ai-user-id": f"u-{job.owner}",
        f"{_LABEL}/ai-user-name": job.owner,
        f"{_LABEL}/openapi-jobid": job.id,
    }
    return [{"key": key, "value": value} for key, value in labels.items()]


def _datasources(job: Job) -> list[dict[str, Any]]:
    options = {"sizeLimit": 0, "medium": "", "readOnly": False}
    listed: list[dict[str, Any]] = [
        {"type": "pfs", "name": "pfs-Ab12Cd", "mountPath": "/mnt/cluster", "options": options}
    ]
    if job.rdma:
        shm = {"medium": "Memory", "sizeLimit": 10, "readOnly": False}
        listed.append({"type": "emptydir", "name": "devshm", "mountPath": "/dev/shm", "options": shm})
    return listed


def _pod_shape(job: Job, pod: Pod) -> dict[str, Any]:
    phase = pod_phase(job)
    return {
        "PodIP": pod.ip,
        "nodeName": pod.node,
        "replicaType": pod.role,
        "restartCount": pod.restarts,
        "finishedAt": zulu(job.finished_at),
        "reason": _reason(job, pod),
        "envs": _pod_envs(job, pod),
        "podStatus": {"podPhase": phase, "status": phase},
        "objectMeta": _meta(job, pod),
    }


def _reason(job: Job, pod: Pod) -> str:
    if pod.reason:
        return pod.reason
    return {JobState.FAILED: "Error", JobState.STOPPED: "Terminated"}.get(job.state, "")


def _pod_envs(job: Job, pod: Pod) -> list[dict[str, str]]:
    envs = {
        "MASTER_ADDR": f"{job.name}-master-0",
        "MASTER_PORT": "23456",
        "WORLD_SIZE": str(len(job.pods)),
        "RANK": str(pod.index),
        "PYTHONUNBUFFERED": "0",
    }
    return [{"name": name, "value": value} for name, value in envs.items()]


def _meta(job: Job, pod: Pod) -> dict[str, Any]:
    kind = "MPIJob" if job.framework == "mpi" else "PyTorchJob"
    return {
        "name": pod.name,
        "namespace": "default",
        "creationTimestamp": zulu(job.scheduled_at),
        "annotations": {},
        "labels": {
            "training.kubeflow.org/job-name": job.name,
            "training.kubeflow.org/job-role": pod.role,
            "training.kubeflow.org/operator-name": "pytorchjob-controller",
            "training.kubeflow.org/replica-index": "0" if pod.role == "master" else str(pod.index - 1),
            "training.kubeflow.org/replica-type": pod.role,
        },
        "ownerReferences": [
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": kind,
                "name": job.name,
                "uid": job.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
