"""All other readings of a pod beside GPU use and memory, derived from them: processor, memory, disk,
network, heat, power. A hanging collective shows full use at low power and no traffic."""

from collections.abc import Callable, Iterator
from datetime import datetime

from bot.simulator.world import chance
from bot.simulator.world.job import Job, Load, Pod
from bot.simulator.world.use import gpu_memory, gpu_use

Reading = Callable[[Job, Pod, datetime], float | None]

_IDLE_WATTS, _BUSY_WATTS = 88.0, 380.0
_HANG_WATTS = 165.0


def pod_use(job: Job, pod: Pod, at: datetime) -> float | None:
    """Mean use of the pod's GPUs, a ratio."""
    return _mean(gpu_use(job, pod, gpu, at) for gpu in range(pod.gpus))


def pod_memory(job: Job, pod: Pod, at: datetime) -> float | None:
    """Mean GPU memory use of the pod, a ratio."""
    return _mean(gpu_memory(job, pod, gpu, at) for gpu in range(pod.gpus))


def cpu(job: Job, pod: Pod, at: datetime) -> float | None:
    """Ratio of the pod's cores in use."""
    return _after(job, pod, at, lambda use: 0.12 + 0.3 * use + 0.04 * _noise(job, pod, at, 1))


def memory(job: Job, pod: Pod, at: datetime) -> float | None:
    """Ratio of the pod's main memory in use."""
    return _after(job, pod, at, lambda use: 0.41 + 0.05 * use + 0.01 * _noise(job, pod, at, 2))


def _traffic(full: float, salt: int, *, network: bool = False) -> Reading:
    def read(job: Job, pod: Pod, at: datetime) -> float | None:
        if _hangs(job, at) or (network and len(job.pods) == 1):
            return _after(job, pod, at, lambda use: 0.0)
        return _after(job, pod, at, lambda use: full * use * (1 + 0.15 * _noise(job, pod, at, salt)))

    return read


def _power(job: Job, pod: Pod, at: datetime) -> float | None:
    if _hangs(job, at):
        return _after(job, pod, at, lambda use: _HANG_WATTS)
    return _after(job, pod, at, lambda use: _IDLE_WATTS + (_BUSY_WATTS - _IDLE_WATTS) * use)


def _heat(job: Job, pod: Pod, at: datetime) -> float | None:
    return _after(job, pod, at, lambda use: 33 + 38 * use + 2 * _noise(job, pod, at, 4))


def _level(value: float) -> Reading:
    return lambda job, pod, at: _after(job, pod, at, lambda use: value)


def _tensor(job: Job, pod: Pod, at: datetime) -> float | None:
    return _after(job, pod, at, lambda use: 0.0 if _hangs(job, at) else 0.58 * use)


def _cpu_time(job: Job, pod: Pod, at: datetime) -> float | None:
    began = job.running_at or at
    return _after(job, pod, at, lambda use: 0.3 * job.cpu_cores * (at - began).total_seconds())


RATIOS: dict[str, Reading] = {
    "gpu": pod_use,
    "gpu_memory": pod_memory,
    "cpu": cpu,
    "memory": memory,
    "tensor": _tensor,
}
AMOUNTS: dict[str, Reading] = {
    "disk_read": _traffic(6.0e8, 11),
    "disk_write": _traffic(9.0e7, 12),
    "rdma_send": _traffic(2.1e10, 13, network=True),
    "rdma_receive": _traffic(2.1e10, 14, network=True),
    "rdma_send_packets": _traffic(5.2e6, 15, network=True),
    "rdma_receive_packets": _traffic(5.2e6, 16, network=True),
    "pcie_send": _traffic(3.0e9, 17),
    "pcie_receive": _traffic(4.0e9, 18),
    "nvlink_send": _traffic(9.0e10, 19),
    "nvlink_receive": _traffic(9.0e10, 20),
    "heat": _heat,
    "power": _power,
    "rdma_health": _level(1.0),
    "rdma_send_errors": _level(0.0),
    "rdma_receive_errors": _level(0.0),
    "cpu_time": _cpu_time,
    "memory_bytes": lambda job, pod, at: _after(job, pod, at, lambda use: 0.45 * job.memory_gb * 2.0**30),
}


def _after(job: Job, pod: Pod, at: datetime, of_use: Callable[[float], float]) -> float | None:
    """The reading for the pod's GPU use; None when there is no sample or the pod has no process."""
    if pod.gpus == 0:
        regime = job.regime(at)
        return of_use(0.2) if regime is not None and regime.load is not Load.OFF else None
    use = pod_use(job, pod, at)
    return None if use is None else max(0.0, of_use(use))


def _hangs(job: Job, at: datetime) -> bool:
    regime = job.regime(at)
    return regime is not None and regime.load is Load.HANG


def _noise(job: Job, pod: Pod, at: datetime, salt: int) -> float:
    return chance.wobble(job.grain ^ (pod.index << 24) ^ salt, int(at.timestamp()) // 30)


def _mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
