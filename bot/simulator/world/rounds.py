"""What keeps a world alive after its story: rounds of 90 minutes with new jobs that come and end, and one
trouble each, of another kind and to another job every time. A modest rate of alarms, for ever."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.simulator.world import chance, life, troubles
from bot.simulator.world.failures import ACCESS, CUDA_ERROR, HANG, TASK_HANG
from bot.simulator.world.job import Job, JobState, Load, Platform
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.roster import A800, ANNA, CENTRE_1, CENTRE_2, H20, H800, LI, OPS, POOL_A, POOL_B, WANG, ZHANG
from bot.simulator.world.state import Outage, Service, State

ROUND = timedelta(minutes=90)
FIRST_ROUND = timedelta(minutes=60)
_ARRIVALS = 4

_PLACES: tuple[tuple[Platform, str, str, str], ...] = (
    ("baidu", POOL_A, "sft", A800),
    ("baidu", POOL_A, "default", A800),
    ("baidu", POOL_B, "default", H20),
    ("alaya", CENTRE_1, "default", H800),
    ("alaya", CENTRE_2, "default", A800),
)
_NAMES = ("sft-金融", "dpo-helpful", "vit-ablation", "llama-ctx-ext", "ocr-票据", "tts-方言", "moe-router", "grpo-code")
_OWNERS = (LI, ANNA, ZHANG, WANG, OPS)
_SERVICES: tuple[Service, ...] = ("alaya", "baidu", "sysom")
_LOADS = (Load.TRAINING, Load.TRAINING, Load.TRAINING, Load.EVALUATION, Load.LOADING)


def plan_rounds(state: State, start: datetime) -> None:
    _plan(state, start + FIRST_ROUND, 1)


def _plan(state: State, at: datetime, number: int) -> None:
    state.agenda.plan(at, lambda state, at: _play(state, at, number))


def _play(state: State, at: datetime, number: int) -> None:
    for index in range(_ARRIVALS):
        comes = at + timedelta(minutes=chance.between(0, 85, state.seed, number, "comes", index))
        state.agenda.plan(comes, _arrival(number, index))
    strikes = at + timedelta(minutes=chance.between(5, 50, state.seed, number, "strikes"))
    state.agenda.plan(strikes, _TROUBLES[number % len(_TROUBLES)])
    _plan(state, at + ROUND, number + 1)


def _arrival(number: int, index: int) -> Callable[[State, datetime], None]:
    def arrive(state: State, at: datetime) -> None:
        key = (state.seed, number, index)
        platform, pool, queue, model = chance.pick(_PLACES, *key, "place")
        fails = chance.unit(*key, "fails") < 0.12
        order = Order(
            name=f"{chance.pick(_NAMES, *key, 'name')}-{number:02d}{'abcd'[index]}",
            platform=platform,
            place=pool,
            queue=queue,
            owner=chance.pick(_OWNERS, *key, "owner"),
            load=chance.pick(_LOADS, *key, "load"),
            pods=chance.pick((1, 1, 1, 2), *key, "pods"),
            gpus=chance.pick((4, 8, 8), *key, "gpus"),
            gpu_model=model,
            lifetime=timedelta(minutes=chance.between(35, 170, *key, "lifetime")),
            ending=JobState.FAILED if fails else JobState.SUCCEEDED,
            doom="cuda_error" if fails else "",
        )
        life.submit(state, make_job(state.seed, order, at), at)

    return arrive


def _victim(state: State, at: datetime, pods: int, *words: object) -> Job | None:
    """A training job with at least so many pods, chosen by the hour."""
    jobs = [job for job in state.running() if len(job.pods) >= pods and _trains(job, at)]
    jobs.sort(key=lambda job: job.id)
    return chance.pick(jobs, state.seed, at, *words) if jobs else None


def _trains(job: Job, at: datetime) -> bool:
    regime = job.regime(at)
    return regime is not None and regime.load is Load.TRAINING


def _hang(state: State, at: datetime) -> None:
    job = _victim(state, at, 2, "hang")
    if job is not None:
        faulty = chance.number(at, "pod") % len(job.pods)
        gpu = chance.number(at, "gpu") % job.pods[faulty].gpus
        failure = chance.pick((HANG, TASK_HANG), at)
        troubles.hang(state, job.id, at, {faulty: (gpu,)}, timedelta(minutes=30), failure)


def _out_of_memory(state: State, at: datetime) -> None:
    job = _victim(state, at, 1, "oom")
    if job is not None:
        troubles.run_out_of_memory(state, job.id, at, {0: (0,)})


def _failure(state: State, at: datetime) -> None:
    short = [job for job in state.running() if job.lifetime is not None and _trains(job, at)]
    if short:
        job = chance.pick(sorted(short, key=lambda job: job.id), at)
        troubles.fail(state, job.id, at, {0: (0,)}, chance.pick((ACCESS, CUDA_ERROR), at))


def _idles(state: State, at: datetime) -> None:
    job = _victim(state, at, 1, "idle")
    if job is None:
        return
    life.load_changes(state, job.id, Load.IDLE, at)
    back = at + timedelta(minutes=150)
    state.agenda.plan(back, lambda state, at: life.load_changes(state, job.id, job.load, at))


def _node_fault(state: State, at: datetime) -> None:
    job = _victim(state, at, 1, "node")
    if job is None:
        return
    node = job.pods[0].node
    troubles.lose_card(state, node, at, 0)
    state.agenda.plan(at + timedelta(minutes=30), lambda state, at: troubles.repair(state, node, at))


def _outage(state: State, at: datetime) -> None:
    service: Service = chance.pick(_SERVICES, state.seed, at)
    end = at + timedelta(minutes=6)
    state.outages.append(Outage(service, at, end, end))


_TROUBLES = (_hang, _out_of_memory, _idles, _failure, _node_fault, _outage)
