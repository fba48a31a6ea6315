"""The scripted world: the same for everyone who reads it, alive, and with the story it promises."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from bot.simulator.world import Job, JobState, Load, Refused, Unknown, World
from bot.simulator.world.clock import Clock
from bot.simulator.world.roster import POOL_A
from bot.simulator.world.use import gpu_memory, gpu_use


def picture_of(world: World) -> tuple[object, ...]:
    state = world.state()
    return dict(state.jobs), dict(state.alarms), dict(state.free), {key: list(v) for key, v in state.events.items()}


def test_the_same_seed_and_advances_give_the_same_world_whatever_is_read_between() -> None:
    curious, patient = World.scripted(seed=3), World.scripted(seed=3)
    for _ in range(120):
        curious.advance(timedelta(minutes=10))
        curious.alarms()
        curious.jobs()
    patient.advance(timedelta(minutes=1200))
    assert picture_of(curious) == picture_of(patient)


def test_another_seed_is_another_world() -> None:
    one, other = World.scripted(seed=1), World.scripted(seed=2)
    assert {job.id for job in one.jobs()}.isdisjoint(job.id for job in other.jobs())


def test_the_fleet_has_every_state_and_more_than_300_gpus_in_use() -> None:
    world = World.scripted()
    states = Counter(job.state for job in world.jobs())
    assert {"queued", "starting", "running", "failed", "succeeded", "stopped"} == set(states)
    assert (43, True) == (len(world.jobs()), sum(job.gpus for job in world.jobs() if job.holds) > 300)


def test_no_node_is_ever_promised_twice() -> None:
    world = World.scripted()
    for _ in range(60):
        world.advance(timedelta(minutes=30))
        used = Counter[str]()
        for job in world.jobs():
            for pod in job.pods if job.holds else ():
                used[pod.node] += pod.gpus
        expected = {node.name: node.gpus - used[node.name] for node in world.nodes()}
        assert expected == {node.name: world.free(node.name) for node in world.nodes()}
        assert min(expected.values()) >= 0


def test_a_world_left_open_stays_alive_without_a_flood() -> None:
    world = World.scripted()
    world.advance(timedelta(hours=2))
    before = len(world.alarms())
    world.advance(timedelta(hours=48))
    made = len(world.alarms()) - before
    assert 15 <= made <= 96
    assert len(world.state().running()) >= 25
    assert max(job.created_at for job in world.jobs()) > world.now() - timedelta(hours=2)


def test_the_clock_runs_at_its_speed_and_can_be_pushed() -> None:
    ticks = iter([100.0, 101.0, 102.0])
    clock = Clock(datetime(2026, 1, 1, tzinfo=UTC), 30, lambda: next(ticks))
    assert datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC) == clock.now()
    clock.advance(timedelta(hours=1))
    assert datetime(2026, 1, 1, 1, 1, tzinfo=UTC) == clock.now()
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(timedelta(seconds=-1))


def test_a_naive_start_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        Clock(datetime(2026, 1, 1), 0)  # noqa: DTZ001 - the point of the test


# -- the story


def kinds(world: World) -> Counter[str]:
    return Counter(alarm.kind for alarm in world.alarms())


def test_the_hang_keeps_gpus_at_full_use_until_it_is_over() -> None:
    world = World.scripted()
    at = world.advance_to("nccl_hang")
    job = world.job_named("llm-pretrain-70b")
    assert (64, 3) == (job.gpus, kinds(world)["NCCL HANG"])
    later = at + timedelta(minutes=20, seconds=7)
    uses = {gpu_use(job, pod, gpu, later) for pod in job.pods for gpu in range(8)} - {None}
    assert {1.0} == uses
    over = world.advance_to("hang_over")
    assert {"running"} == {alarm.status for alarm in world.alarms() if alarm.task == job.id}
    assert Load.TRAINING is regime_load(world.job(job.id), over)


def regime_load(job: Job, at: datetime) -> Load | None:
    regime = job.regime(at)
    return regime.load if regime else None


def test_an_out_of_memory_job_restarts_and_counts_it() -> None:
    world = World.scripted()
    world.advance_to("alaya_oom")
    world.advance(timedelta(seconds=5))
    job = world.job_named("qwen-32b-sft")
    assert (JobState.RESTARTING, "restart") == (job.state, world.alarms()[0].status)
    world.advance_to("alaya_oom_over")
    job = world.job(job.id)
    assert (JobState.RUNNING, [0, 1], "running") == (
        job.state,
        [pod.restarts for pod in job.pods],
        world.alarms()[0].status,
    )


def test_an_idle_job_has_idled_for_an_hour_at_its_beat() -> None:
    world = World.scripted()
    at = world.advance_to("idle_crosses")
    job = world.job_named("rlhf-ppo-trial")
    idle = [gpu_use(job, job.pods[0], 0, at - timedelta(minutes=minute)) for minute in range(60)]
    assert {0.0} == set(idle) - {None}
    assert 0.5 < (gpu_use(job, job.pods[0], 0, at - timedelta(minutes=63)) or 0)


def test_an_access_fault_ends_its_job() -> None:
    world = World.scripted()
    world.advance_to("access_fault_over")
    job = world.job_named("对话模型-sft-v3")
    assert (JobState.FAILED, "failed") == (job.state, world.alarms()[0].status)
    assert "illegal memory access" in job.reason
    text = "\n".join(line.text for line in world.log(job, job.pods[3], world.now() - timedelta(minutes=2)))
    assert "RuntimeError: CUDA error: an illegal memory access" in text


def test_a_lost_card_alarms_both_jobs_and_the_machine_and_cordons_it() -> None:
    world = World.scripted()
    world.advance_to("node_fault")
    records = world.alarms()[:3]
    tasks = {world.job_named("embedding-bge-finetune").id, world.job_named("rerank-finetune").id, ""}
    assert (tasks, 1) == ({alarm.task for alarm in records}, len({alarm.instance for alarm in records}))
    node = next(node for node in world.nodes() if node.instance == records[0].instance)
    assert node.cordoned
    world.advance_to("node_repaired")
    assert {"running"} == {alarm.status for alarm in world.alarms() if alarm.instance == node.instance}


def test_a_finished_job_lets_the_queue_move() -> None:
    world = World.scripted()
    assert ["llm-pretrain-130b", "long-context-128k", "sft-nightly"] == [job.name for job in world.waiting(POOL_A)]
    world.advance_to("job_succeeds")
    assert JobState.SUCCEEDED is world.job_named("asr-conformer-large").state
    assert "sft-nightly" not in [job.name for job in world.waiting(POOL_A)]


def test_the_alaya_platform_is_down_for_eight_minutes() -> None:
    world = World.scripted()
    down = world.advance_to("alaya_down")
    outage = world.outage("alaya")
    assert outage is not None
    assert (timedelta(minutes=8), None) == (outage.end - down, world.outage("baidu"))
    world.advance_to("alaya_back")
    assert world.outage("alaya") is None


def test_a_beat_that_has_passed_moves_nothing() -> None:
    world = World.scripted()
    world.advance_to("goes_idle")
    now = world.now()
    world.advance_to("nccl_hang")
    assert now == world.now()
    with pytest.raises(KeyError):
        world.advance_to("moon_landing")


def test_a_world_without_a_story_raises_no_alarms() -> None:
    world = World.scripted(story=False)
    world.advance(timedelta(hours=6))
    assert [] == world.alarms()


# -- what people do


def test_stopping_takes_some_seconds_and_frees_the_gpus() -> None:
    world = World.scripted()
    job = world.job_named("vit-eval-h20")
    free = world.free(job.pods[0].node)
    assert JobState.STOPPING is world.stop_job(job.id).state
    with pytest.raises(Refused):
        world.stop_job(job.id)
    world.advance(timedelta(seconds=20))
    assert (JobState.STOPPED, free + 8) == (world.job(job.id).state, world.free(job.pods[0].node))


def test_stopping_a_waiting_job_ends_it_at_once() -> None:
    world = World.scripted()
    assert JobState.STOPPED is world.stop_job(world.job_named("sft-nightly").id).state


def test_a_job_nobody_knows_is_unknown() -> None:
    with pytest.raises(Unknown):
        World.scripted().stop_job("none")


def test_a_story_beat_survives_the_deletion_of_its_job() -> None:
    world = World.scripted()
    world.delete_job(world.job_named("llm-pretrain-70b").id)
    world.advance_to("node_repaired")
    assert 0 == kinds(world)["NCCL HANG"]


def test_tests_can_break_what_they_like() -> None:
    world = World.scripted(story=False)
    job = world.job_named("grpo-math-7b")
    (record,) = world.fail(job.id, "oom", pod=1, gpu=3)
    assert (job.id, "cuda OOM", (3,)) == (record.task, record.kind, record.gpus)
    world.advance(timedelta(seconds=31))
    assert (JobState.FAILED, "oom") == (world.job(job.id).state, world.job(job.id).failure)


# -- use and logs


def mean_use(world: World, name: str, gpu: int, *, ago: float = 0, minutes: int = 60) -> float:
    job = world.job_named(name)
    end = world.now() - timedelta(minutes=ago)
    values = [gpu_use(job, job.pods[0], gpu, end - timedelta(minutes=minute)) for minute in range(minutes)]
    known = [value for value in values if value is not None]
    assert len(known) >= 0.8 * minutes
    return sum(known) / len(known)


@pytest.mark.parametrize(
    ("name", "gpu", "low", "high"),
    [
        ("llm-pretrain-70b", 3, 0.8, 0.97),
        ("vit-eval", 0, 0.3, 0.8),
        ("chat-api-prod", 0, 0.2, 0.8),
        ("debug-fp8-kernels", 0, 0.1, 0.6),
        ("debug-fp8-kernels", 5, 0.0, 0.0),
        ("ablation-warm-start", 0, 0.02, 0.1),
        ("notebook-wangfang", 0, 0.0, 0.01),
    ],
)
def test_each_kind_of_job_uses_its_gpus_in_its_own_way(name: str, gpu: int, low: float, high: float) -> None:
    assert low <= mean_use(World.scripted(), name, gpu) <= high


def test_a_loading_job_starts_to_compute_after_forty_minutes() -> None:
    world = World.scripted()
    assert 0.0 == mean_use(world, "clip-zh-pretrain", 0, minutes=10)
    world.advance(timedelta(minutes=50))
    assert mean_use(world, "clip-zh-pretrain", 0, minutes=15) > 0.7


def test_an_idle_notebook_holds_its_memory() -> None:
    world = World.scripted()
    job = world.job_named("notebook-wangfang")
    assert 0.55 < (gpu_memory(job, job.pods[0], 0, world.now()) or 0) < 0.7


def test_inference_follows_the_day() -> None:
    world = World.scripted(start=datetime(2026, 11, 30, 13, tzinfo=UTC))  # 21:00 in Beijing
    evening = mean_use(world, "chat-api-prod", 0)
    morning = mean_use(world, "chat-api-prod", 0, ago=16 * 60)
    assert evening > morning + 0.3


def test_logs_of_one_span_are_the_same_whenever_they_are_read() -> None:
    world = World.scripted()
    job = world.job_named("moe-16x7b-ablation")
    start, end = world.now() - timedelta(minutes=5), world.now()
    first = world.log(job, job.pods[1], start, end)
    world.advance(timedelta(hours=1))
    assert first == world.log(world.job(job.id), job.pods[1], start, end)
    assert 29 <= len(first) <= 31
    assert all("loss" in line.text or "checkpoint" in line.text for line in first)


def test_logs_open_with_nccl_lines_and_a_token_that_must_not_leak() -> None:
    world = World.scripted()
    job = world.job_named("vit-eval")
    assert job.running_at is not None
    texts = [line.text for line in world.log(job, job.pods[0], job.created_at, job.running_at + timedelta(minutes=1))]
    assert any(text.startswith("export WANDB_API_KEY=") for text in texts)
    assert any("NCCL INFO" in text for text in texts)
    assert any("```" in text for text in texts)


def test_a_hanging_job_writes_only_what_its_watchdog_says() -> None:
    world = World.scripted()
    world.advance_to("nccl_hang")
    world.advance(timedelta(minutes=11))
    job = world.job_named("llm-pretrain-70b")
    lines = world.log(job, job.pods[2], world.story["nccl_hang"] + timedelta(seconds=1))
    assert ["Watchdog"] == [word for line in lines for word in line.text.split() if word == "Watchdog"]


@pytest.mark.parametrize("name", ["chat-api-prod", "codegen-15b-sft", "rlhf-ppo-trial", "vit-eval"])
def test_the_last_lines_are_the_end_of_all_lines(name: str) -> None:
    world = World.scripted()
    job = world.job_named(name)
    start = max(job.created_at, world.now() - timedelta(hours=8))
    assert world.log(job, job.pods[0], start)[-25:] == world.log(job, job.pods[0], start, last=25)
