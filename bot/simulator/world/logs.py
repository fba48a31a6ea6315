"""What a pod has written: lines that look like training logs, as a pure function of the job, the pod and
the span of time. Long histories are never kept; the lines of a span are made when they are read."""

import math
from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.simulator.world import chance
from bot.simulator.world.failures import ALL, HANG
from bot.simulator.world.job import Job, JobState, Load, LogLine, Pod, Regime

_STEP = 10.0
_WATCHDOG = timedelta(minutes=10)
_QUIET = {Load.OFF, Load.HANG, Load.IDLE}


def pod_log(job: Job, pod: Pod, start: datetime, end: datetime) -> list[LogLine]:
    """Lines with start <= time <= end, oldest first."""
    lines: list[LogLine] = []
    for regime, until in _spans(job, end):
        if until < start:
            continue
        lines += [line for line in _regime_lines(job, pod, regime, start, until) if start <= line.at <= end]
    lines += [line for line in _last_words(job, pod) if start <= line.at <= end]
    return lines


def last_lines(job: Job, pod: Pod, start: datetime, end: datetime, count: int) -> list[LogLine]:
    """The last `count` lines of the span, without making all lines of a log of weeks."""
    span = timedelta(seconds=_STEP * (count + 1))
    while True:
        began = max(start, end - span)
        lines = pod_log(job, pod, began, end)
        if began == start or len(lines) >= count:
            return lines[-count:]
        span *= 4


def _spans(job: Job, end: datetime) -> Iterator[tuple[Regime, datetime]]:
    for index, regime in enumerate(job.regimes):
        if regime.since > end:
            return
        last = index + 1 == len(job.regimes)
        yield regime, end if last else min(end, job.regimes[index + 1].since)


def _regime_lines(job: Job, pod: Pod, regime: Regime, start: datetime, until: datetime) -> Iterator[LogLine]:
    if regime.load is Load.HANG:
        yield from _hang_lines(pod, regime, until)
        return
    if _starts(job, regime):
        yield from _opening(job, pod, regime.since)
    if regime.load in _QUIET:
        return
    first = max(3, math.ceil((start - regime.since).total_seconds() / _STEP))
    last = int((until - regime.since).total_seconds() // _STEP)
    for index in range(first, last + 1):
        yield _line(job, pod, regime, index)


def _starts(job: Job, regime: Regime) -> bool:
    """Whether the regime is the begin of a process, not a change within one."""
    position = job.regimes.index(regime)
    return regime.load is not Load.OFF and (position == 0 or job.regimes[position - 1].load is Load.OFF)


def _opening(job: Job, pod: Pod, at: datetime) -> Iterator[LogLine]:
    world = max(1, job.gpus)
    key = chance.token(40, job.grain, "wandb", letters="0123456789abcdef")
    host = f"{pod.name}:{100 + pod.index}:{100 + pod.index}"
    texts = (
        f"+ cd /work && bash run.sh --name {job.name} --rank {pod.index}",
        f"export WANDB_API_KEY={key}",
        f"MASTER_ADDR={job.pods[0].name} MASTER_PORT=23456 WORLD_SIZE={len(job.pods)} RANK={pod.index}",
        f"{host} [0] NCCL INFO Bootstrap : Using eth0:{pod.ip}<0>",
        f"{host} [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE ; OOB eth0:{pod.ip}<0>",
        f"{host} [0] NCCL INFO NCCL version 2.22.3+cuda12.4",
        f"{host} [0] NCCL INFO comm 0x7f3a2c0 rank {pod.index * pod.gpus} nranks {world} - Init COMPLETE",
        "加载数据集：`/mnt/cluster/数据/zh-web-v5`，共 1,284 个分片",
        "WARNING: config key `lr_sched` is deprecated, use ```lr_schedule``` instead",
        f"| model | {job.name} | params | 70.6B | world | {world} |",
    )
    for index, text in enumerate(texts):
        yield LogLine(at + timedelta(seconds=1 + 2 * index), text)


def _line(job: Job, pod: Pod, regime: Regime, index: int) -> LogLine:
    at = regime.since + timedelta(seconds=index * _STEP)
    began = job.running_at or regime.since
    step = int((at - began).total_seconds() // _STEP)
    return LogLine(
        at, f"[{at:%Y-%m-%d %H:%M:%S},{chance.number(job.grain, step) % 1000:03d}] {_words(job, pod, regime, step)}"
    )


def _words(job: Job, pod: Pod, regime: Regime, step: int) -> str:
    if regime.load in (Load.INFERENCE, Load.EVALUATION):
        return _service_words(job, step)
    if regime.load in (Load.NOTEBOOK, Load.DEBUG):
        return f"[I {step} ServerApp] Saving file at /notebooks/试验-{step % 7}.ipynb"
    if step % 120 == 119:
        return f"saving checkpoint to /mnt/cluster/ckpt/{job.name}/step_{step} ... done in 41.7s"
    noise = chance.wobble(job.grain ^ pod.index, step)
    loss = 1.62 + 5.4 * math.exp(-step / 4000) + 0.04 * noise
    speed = 1890 * max(1, job.gpus) * (1 + 0.03 * noise)
    return (
        f"step {step}/250000 | loss {loss:.4f} | grad_norm {0.41 + 0.08 * abs(noise):.3f} | lr 2.9e-04"
        f" | tokens/s {speed:,.0f} | 进度 {step / 2500:.2f}%"
    )


def _service_words(job: Job, step: int) -> str:
    if job.load is Load.EVALUATION:
        return f"eval batch {step} | acc {0.61 + 0.02 * chance.wobble(job.grain, step):.4f} | 样本 {step * 32}"
    return f'INFO: 10.0.4.{step % 250}:5{step % 10000:04d} - "POST /v1/chat/completions HTTP/1.1" 200 OK'


def _hang_lines(pod: Pod, regime: Regime, until: datetime) -> Iterator[LogLine]:
    fires = regime.since + _WATCHDOG
    while fires <= until:
        for text in HANG.last_words:
            yield LogLine(fires, text.format(rank=pod.index * max(1, pod.gpus)))
        fires += _WATCHDOG


def _last_words(job: Job, pod: Pod) -> Iterator[LogLine]:
    if job.finished_at is None or not job.regimes:
        return
    at = job.finished_at - timedelta(seconds=2)
    if job.state is JobState.SUCCEEDED:
        yield LogLine(at, f"training of {job.name} finished, 全部完成")
    if job.state is JobState.STOPPED:
        yield LogLine(at, "Received SIGTERM, shutting down workers")
    if job.failure:
        rank = pod.index * max(1, pod.gpus)
        for text in ALL[job.failure].last_words:
            yield LogLine(at, text.format(rank=rank, gpu=rank % 8))
