"""The scripted story: named beats at minutes after the world's start, each one a thing that happens to
the roster's jobs. After the last beat the rounds go on for as long as the world lives."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.simulator.world import life, troubles
from bot.simulator.world.agenda import Act
from bot.simulator.world.job import JobState, Load
from bot.simulator.world.making import Order, make_job
from bot.simulator.world.roster import A800, ANNA, CENTRE_2, OPS, POOL_B, ZHANG
from bot.simulator.world.state import Outage, State, Unknown

HANG_LASTS = timedelta(hours=5)  # ten minutes of a demo: time enough to read, and to stop the job
NODE_AT_FAULT_CARRIES = "embedding-bge-finetune"


def _hang(state: State, at: datetime) -> None:
    job = _job_id(state, "llm-pretrain-70b")
    troubles.hang(state, job, at, {2: (5,), 5: (0, 1), 7: (3,)}, HANG_LASTS)


def _job_arrives(state: State, at: datetime) -> None:
    lifetime = timedelta(minutes=55)
    order = Order("asr-eval-粤语", "baidu", POOL_B, "default", ANNA, Load.EVALUATION, 1, 8, "H20", lifetime=lifetime)
    life.submit(state, make_job(state.seed, order, at), at)


def _out_of_memory(state: State, at: datetime) -> None:
    troubles.run_out_of_memory(state, _job_id(state, "qwen-32b-sft"), at, {1: (4,)})


def _access_fault(state: State, at: datetime) -> None:
    troubles.fail(state, _job_id(state, "对话模型-sft-v3"), at, {3: (6,)})


def _node_fault(state: State, at: datetime) -> None:
    job = state.jobs.get(_job_id(state, NODE_AT_FAULT_CARRIES))
    if job is not None and job.holds:
        node = job.pods[0].node
        troubles.lose_card(state, node, at, 6)
        state.agenda.plan(at + timedelta(minutes=35), lambda state, at: troubles.repair(state, node, at))


def _alaya_down(state: State, at: datetime) -> None:
    outage = Outage("alaya", at, at + timedelta(minutes=5), at + timedelta(minutes=8))
    state.outages.append(outage)


def _goes_idle(state: State, at: datetime) -> None:
    life.load_changes(state, _job_id(state, "reward-model-v2"), Load.IDLE, at)


def _more_arrive(state: State, at: datetime) -> None:
    for name, owner, pods in (("kv-cache-bench", OPS, 1), ("sft-法律-v1", ZHANG, 2)):
        lifetime = timedelta(minutes=70 + 20 * pods)
        order = Order(name, "alaya", CENTRE_2, "default", owner, Load.TRAINING, pods, 8, A800, lifetime=lifetime)
        life.submit(state, make_job(state.seed, order, at), at)


def _job_fails(state: State, at: datetime) -> None:
    life.end(state, _job_id(state, "tts-zh-v4"), JobState.FAILED, at, "cuda_error")


def _nothing(state: State, at: datetime) -> None:
    """A moment worth a name at which something else of the world happens by itself."""


BEATS: tuple[tuple[str, float, Callable[[State, datetime], None]], ...] = (
    ("nccl_hang", 2.5, _hang),
    ("job_arrives", 4, _job_arrives),
    ("alaya_oom", 6, _out_of_memory),
    ("idle_crosses", 8, _nothing),
    ("alaya_oom_over", 9, _nothing),
    ("access_fault", 10, _access_fault),
    ("access_fault_over", 10.6, _nothing),
    ("alaya_down", 12, _alaya_down),
    ("node_fault", 15, _node_fault),
    ("alaya_stalls", 17, _nothing),
    ("job_succeeds", 18, _nothing),
    ("alaya_back", 20, _nothing),
    ("goes_idle", 25, _goes_idle),
    ("more_arrive", 28, _more_arrive),
    ("job_fails", 36, _job_fails),
    ("hang_over", 2.5 + HANG_LASTS.total_seconds() / 60, _nothing),
    ("node_repaired", 50, _nothing),
)


def plan_story(state: State, start: datetime) -> dict[str, datetime]:
    """Puts the beats on the agenda; their names and times."""
    times: dict[str, datetime] = {}
    for name, minutes, act in BEATS:
        times[name] = start + timedelta(minutes=minutes)
        state.agenda.plan(times[name], _kindly(act))
    return times


def _kindly(act: Act) -> Act:
    """A beat whose job somebody deleted does not happen."""

    def perform(state: State, at: datetime) -> None:
        try:
            act(state, at)
        except Unknown:
            return

    return perform


def _job_id(state: State, name: str) -> str:
    return state.named(name).id
