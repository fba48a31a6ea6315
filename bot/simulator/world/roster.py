"""Who is in the scripted fleet at its start, as rows of data: pools, machines, queues and jobs."""

from dataclasses import dataclass, field

from bot.simulator.world.job import JobState, Load, Platform

POOL_A = "cce-ab12cd34"
POOL_B = "cce-ef56gh78"
CENTRE_1 = "1001"
CENTRE_2 = "1002"

A800 = "A800"
H800 = "H800"
H20 = "H20"


@dataclass(frozen=True, slots=True)
class PoolRow:
    id: str
    name: str
    platform: Platform
    cluster: str


@dataclass(frozen=True, slots=True)
class NodesRow:
    """`count` machines of 8 GPUs, numbered from `first`."""

    pool: str
    model: str
    count: int
    first: int


@dataclass(frozen=True, slots=True)
class JobRow:
    """`minutes`: for how long it has been in its state; `ran`: how long a finished job ran before;
    `left`: after how many minutes a running one ends; `idle_for`: since when it idles."""

    name: str
    pool: str
    queue: str
    owner: str
    load: Load
    pods: int
    gpus: int
    model: str
    state: JobState = JobState.RUNNING
    minutes: float = 300
    ran: float = 90
    left: float | None = None
    failure: str = ""
    idle_for: float | None = None
    priority: str = "normal"
    word: str = ""
    labels: tuple[tuple[str, str], ...] = field(default=())


POOLS = (
    PoolRow(POOL_A, "训练池 A", "baidu", "cluster-bj1"),
    PoolRow(POOL_B, "推理池", "baidu", "cluster-bj1"),
    PoolRow(CENTRE_1, "k8s-01", "alaya", "cluster-alaya1"),
    PoolRow(CENTRE_2, "k8s-02", "alaya", "cluster-alaya1"),
)

NODES = (
    NodesRow(POOL_A, A800, 30, 21),
    NodesRow(POOL_A, H800, 6, 61),
    NodesRow(POOL_B, H20, 8, 101),
    NodesRow(CENTRE_1, H800, 14, 1),
    NodesRow(CENTRE_2, A800, 6, 101),
)
CORDONED = ("192.168.0.50",)

QUEUES = (
    (POOL_A, "default", "默认队列"),
    (POOL_A, "pretrain", "预训练"),
    (POOL_A, "sft", "微调"),
    (POOL_A, "eval", ""),
    (POOL_B, "default", "默认队列"),
    (POOL_B, "online", "在线推理"),
    (CENTRE_1, "default", ""),
    (CENTRE_2, "default", ""),
)

_T, _E, _I = Load.TRAINING, Load.EVALUATION, Load.INFERENCE
_QUEUED, _STARTING = JobState.QUEUED, JobState.STARTING
_FAILED, _SUCCEEDED, _STOPPED = JobState.FAILED, JobState.SUCCEEDED, JobState.STOPPED
LI, ANNA, ZHANG, WANG, OPS = "li.wei", "anna.schmidt", "zhang.min", "wang.fang", "ops-batch"

JOBS = (
    JobRow("llm-pretrain-70b", POOL_A, "pretrain", LI, _T, 8, 8, A800, minutes=4320, priority="high"),
    JobRow("对话模型-sft-v3", POOL_A, "sft", ZHANG, _T, 4, 8, A800, minutes=540),
    JobRow("moe-16x7b-ablation", POOL_A, "pretrain", ANNA, _T, 4, 8, H800, minutes=1560),
    JobRow("vit-eval", POOL_A, "eval", ANNA, _E, 1, 8, A800, minutes=130),
    JobRow("reward-model-v2", POOL_A, "sft", LI, _T, 2, 8, A800, minutes=410),
    JobRow("rlhf-ppo-trial", POOL_A, "default", ZHANG, _T, 1, 8, A800, minutes=300, idle_for=52),
    JobRow("debug-fp8-kernels", POOL_A, "default", ANNA, Load.DEBUG, 1, 8, A800, minutes=95),
    JobRow("clip-zh-pretrain", POOL_A, "pretrain", LI, Load.LOADING, 2, 8, A800, minutes=12),
    JobRow("embedding-bge-finetune", POOL_A, "sft", ZHANG, _T, 1, 4, A800, minutes=220),
    JobRow("rerank-finetune", POOL_A, "sft", LI, _T, 1, 4, A800, minutes=180),
    JobRow("tts-zh-v4", POOL_A, "default", WANG, _T, 1, 8, A800, minutes=760),
    JobRow("asr-conformer-large", POOL_A, "default", LI, _T, 2, 8, A800, minutes=1200, left=18),
    JobRow("speech-tokenizer", POOL_A, "default", WANG, Load.DARK, 1, 8, A800, minutes=340),
    JobRow("notebook-wangfang", POOL_A, "default", WANG, Load.NOTEBOOK, 1, 1, A800, minutes=1900),
    JobRow("notebook-liwei", POOL_A, "default", LI, _E, 1, 2, A800, minutes=70),
    JobRow("diffusion-xl-zh", POOL_A, "sft", ZHANG, _T, 1, 8, A800, state=_STARTING, minutes=0.5),
    JobRow("llm-pretrain-130b", POOL_A, "pretrain", LI, _T, 12, 8, A800, _QUEUED, 40, priority="high"),
    JobRow("long-context-128k", POOL_A, "pretrain", ANNA, _T, 4, 8, H800, _QUEUED, 25),
    JobRow("sft-nightly", POOL_A, "sft", OPS, _T, 4, 8, A800, _QUEUED, 8, priority="low"),
    JobRow("mamba-3b", POOL_A, "pretrain", ANNA, _T, 2, 8, A800, _FAILED, 120, 310, failure="cuda_error"),
    JobRow("codegen-15b-sft", POOL_A, "sft", ZHANG, _T, 4, 8, A800, _FAILED, 40, 65, failure="access"),
    JobRow("eval-suite-nightly", POOL_A, "eval", OPS, _E, 1, 8, A800, _SUCCEEDED, 210, 55),
    JobRow("lr-sweep-07", POOL_A, "default", ANNA, _T, 1, 8, A800, _STOPPED, 95, 30),
    JobRow("chat-api-prod", POOL_B, "online", OPS, _I, 4, 8, H20, minutes=20000, priority="high"),
    JobRow("embedding-api", POOL_B, "online", OPS, _I, 2, 4, H20, minutes=9000),
    JobRow("rerank-api", POOL_B, "online", ZHANG, _I, 1, 2, H20, minutes=9000),
    JobRow("vit-eval-h20", POOL_B, "default", ANNA, _E, 1, 8, H20, minutes=45),
    JobRow("batch-caption-图文", POOL_B, "default", OPS, _E, 1, 4, H20, minutes=33, left=70),
    JobRow("多模态预训练-7b", CENTRE_1, "default", LI, _T, 4, 8, H800, minutes=2100),
    JobRow("qwen-32b-sft", CENTRE_1, "default", ZHANG, _T, 2, 8, H800, minutes=145),
    JobRow("grpo-math-7b", CENTRE_1, "default", ANNA, _T, 2, 8, H800, minutes=620),
    JobRow("eval-longbench", CENTRE_1, "default", ANNA, _E, 1, 8, H800, minutes=25, left=95),
    JobRow("视频生成-dit", CENTRE_1, "default", ZHANG, _T, 3, 8, H800, minutes=880),
    JobRow("notebook-zhangmin", CENTRE_1, "default", ZHANG, _E, 1, 1, H800, minutes=400),
    JobRow("batch-embed", CENTRE_1, "default", OPS, _E, 1, 4, H800, minutes=85, word="Preempting"),
    JobRow("world-model-1b", CENTRE_1, "default", LI, _T, 1, 8, H800, state=_STARTING, minutes=0.4),
    JobRow("warmup-140b", CENTRE_1, "default", LI, _T, 6, 8, H800, _QUEUED, 65),
    JobRow("protein-lm-3b", CENTRE_2, "default", ANNA, _T, 2, 8, A800, minutes=5200),
    JobRow("ocr-large-v2", CENTRE_2, "default", WANG, _T, 1, 8, A800, minutes=260, left=33),
    JobRow("ablation-warm-start", CENTRE_2, "default", OPS, Load.LOW, 1, 8, A800, minutes=170),
    JobRow("cot-distill", CENTRE_2, "default", ZHANG, _T, 1, 8, A800, _FAILED, 180, 75, failure="oom"),
    JobRow("data-clean-dedup", CENTRE_2, "default", OPS, _E, 1, 4, A800, _SUCCEEDED, 55, 140),
    JobRow("sparse-attn-test", CENTRE_2, "default", ANNA, _T, 1, 8, A800, _STOPPED, 400, 22),
)
