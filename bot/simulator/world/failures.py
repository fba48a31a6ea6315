"""The ways in which GPU jobs go wrong, as data: what the monitor calls it, what it writes, what the job's
own log shows. A new kind of failure is a row here (types as in the SysOM reference §14)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """`log` is the monitor's text with {rank} {pod} {node} {gpu}; `last_words` end the job's log."""

    name: str
    alarm_type: str
    error_type: str
    log: str
    kernel: str
    reason: str
    last_words: tuple[str, ...]


_FRAMES = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 412, in <module>',
    "    main(args)",
    '  File "/workspace/train.py", line 287, in main',
)

HANG = Failure(
    name="hang",
    alarm_type="NCCL HANG",
    error_type="NCCL HANG",
    log="NCCL HANG：rank {rank} on {node} GPU{gpu} has not left ncclDevKernel_AllReduce for 180 s，pod {pod}",
    kernel="ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    reason="NCCL collective operation timed out",
    last_words=(
        (
            "[rank{rank}]:[E ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation"
            " timeout: WorkNCCL(SeqNum=184467, OpType=ALLREDUCE, NumelIn=67108864, Timeout(ms)=600000)"
            " ran for 600012 milliseconds before timing out."
        ),
    ),
)
OOM = Failure(
    name="oom",
    alarm_type="cuda OOM",
    error_type="cuda OOM",
    log="cuda OOM：CUDA out of memory. Tried to allocate 2.50 GiB. GPU {gpu} has a total capacity of 79.32 GiB"
    " of which 1.02 GiB is free，pod {pod}，节点 {node}",
    kernel="at::native::vectorized_elementwise_kernel",
    reason="OOMKilled: CUDA out of memory",
    last_words=(
        *_FRAMES,
        "    loss.backward()",
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU {gpu} has a total"
            " capacity of 79.32 GiB of which 1.02 GiB is free."
        ),
    ),
)
CUDA_ERROR = Failure(
    name="cuda_error",
    alarm_type="cuda error",
    error_type="cuda error",
    log="cuda error：CUDA error: unspecified launch failure，rank {rank}，pod {pod}",
    kernel="flash_fwd_kernel",
    reason="CUDA error: unspecified launch failure",
    last_words=(*_FRAMES, "    out = model(`tokens`)", "RuntimeError: CUDA error: unspecified launch failure"),
)
ACCESS = Failure(
    name="access",
    alarm_type="显存访问越界",
    error_type="显存访问越界",
    log="显存访问越界：CUDA error: an illegal memory access was encountered，rank {rank}，节点 {node}、GPU {gpu}、"
    "容器 {pod}；请检查自定义算子的索引范围。",
    kernel="rotary_embedding_kernel",
    reason="CUDA error: an illegal memory access was encountered",
    last_words=(
        *_FRAMES,
        "    q = apply_rotary(q, `pos`)  # 自定义算子",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call.",
    ),
)
XID79 = Failure(
    name="xid79",
    alarm_type="XID 79",
    error_type="GPU card drop",
    log="NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.（GPU 掉卡）node {node} GPU{gpu}，pod {pod}",
    kernel="",
    reason="GPU has fallen off the bus (XID 79)",
    last_words=(*_FRAMES, "    torch.cuda.synchronize()", "RuntimeError: CUDA error: device not ready (XID 79)"),
)
TASK_HANG = Failure(
    name="task_hang",
    alarm_type="任务 HANG",
    error_type="task hang",
    log="任务 HANG：no step finished for 15 min，rank {rank}，pod {pod}",
    kernel="",
    reason="no progress",
    last_words=(),
)

ALL = {failure.name: failure for failure in (HANG, OOM, CUDA_ERROR, ACCESS, XID79, TASK_HANG)}
