"""The Baidu adapter over the simulated platform, which checks signatures with its own code and has its own truth."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from bot.clouds.baidu import Baidu, logs
from bot.clouds.http import Http, Limits
from bot.domain.capacity import QueueDefinition
from bot.domain.errors import ClockSkew, NotFound, Refused, Rejected, Unreachable
from bot.domain.job import Job, JobDefinition, JobState, PodState
from bot.domain.series import Metric, Window
from bot.simulator.clouds import Serving, serve_baidu
from bot.simulator.world import World
from bot.simulator.world.roster import POOL_A, POOL_B


@pytest.fixture
def world() -> World:
    return World.scripted()


@asynccontextmanager
async def baidu_over(
    world: World, http: Http, pools: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[tuple[Baidu, Serving]]:
    async with serve_baidu(world, **options) as serving:
        limits = Limits(patience=0.1)
        baidu = Baidu(
            "beijing",
            serving.url,
            "ak-sim",
            "sk-sim",
            resource_pools=pools,
            http=http,
            clock=world.now,
            limits=limits,
        )
        yield baidu, serving


@pytest.fixture
async def baidu(world: World, http: Http) -> AsyncIterator[Baidu]:
    async with baidu_over(world, http) as (baidu, _):
        yield baidu


async def named(baidu: Baidu, name: str) -> Job:
    return next(job for job in await baidu.jobs() if job.name == name)


# -- jobs


async def test_jobs_of_all_pools_are_what_the_world_holds(world: World, baidu: Baidu) -> None:
    truth = {job.id: job for job in world.jobs("baidu")}
    jobs = {job.id: job for job in await baidu.jobs()}
    assert set(truth) == set(jobs)
    for job_id, job in jobs.items():
        true = truth[job_id]
        assert (true.name, true.owner, true.place, true.queue, true.gpus, len(true.pods)) == (
            job.name,
            job.owner,
            job.pool,
            job.queue,
            job.gpu_count,
            job.replicas,
        )


async def test_only_the_configured_pools_are_read(world: World, http: Http) -> None:
    async with baidu_over(world, http, (POOL_B,)) as (baidu, serving):
        assert {POOL_B} == {job.pool for job in await baidu.jobs()}
        assert {POOL_B} == {pool.id for pool in await baidu.pools()}
        assert {POOL_B} == {node.pool for node in await baidu.nodes()}
        assert not [seen for seen in serving.requests if seen.path == "/api/v1/resourcepools"]


async def test_a_configured_pool_that_does_not_exist_is_named_by_the_ping(world: World, http: Http) -> None:
    async with baidu_over(world, http, ("cce-none",)) as (baidu, _):
        with pytest.raises(NotFound, match="GetResourcePoolFailed"):
            await baidu.ping()


async def test_many_jobs_are_read_over_many_pages(world: World, http: Http) -> None:
    async with baidu_over(world, http, (POOL_A,)) as (baidu, serving):
        before = len(await baidu.jobs())
        definition = JobDefinition("n", "img:1", "run", 1, {"baidu.com/a800_80g_cgpu": 8})
        for number in range(90):
            await baidu.create_job(POOL_A, definition, token=f"t-{number}")
        serving.requests.clear()
        assert before + 90 == len(await baidu.jobs())
        assert 2 == len(serving.requests)


async def test_a_queued_job_knows_its_place_and_has_neither_start_nor_pods(baidu: Baidu) -> None:
    job = await named(baidu, "llm-pretrain-130b")
    assert (JobState.QUEUED, "Created", 1, None, 96) == (
        job.state,
        job.platform_state,
        job.queue_position,
        job.started_at,
        job.gpu_count,
    )
    assert [] == await baidu.pods(job.id)


async def test_a_failed_job_names_its_pods_reason(baidu: Baidu) -> None:
    job = await named(baidu, "mamba-3b")
    alone = await baidu.job(job.id)
    assert JobState.FAILED is alone.state
    assert alone.reason


async def test_pods_are_the_worlds_pods(world: World, baidu: Baidu) -> None:
    job = await named(baidu, "对话模型-sft-v3")
    pods = await baidu.pods(job.id)
    true = world.job(job.id).pods
    assert [(pod.name, pod.node, pod.role, pod.gpus) for pod in true] == [
        (pod.name, pod.node, pod.role, pod.gpu_count) for pod in pods
    ]
    assert all(pod.state is PodState.RUNNING and pod.has_terminal for pod in pods)


async def test_dirty_keys_of_the_platform_change_nothing(world: World, http: Http) -> None:
    async with baidu_over(world, http) as (clean, _), baidu_over(world, http, dirty_keys=True) as (dirty, _):
        assert await clean.nodes() == await dirty.nodes()
        assert await clean.pools() == await dirty.pools()
        assert await clean.jobs() == await dirty.jobs()


# -- use, logs, events, terminals


async def test_an_idle_job_shows_its_idleness_and_a_busy_one_its_work(world: World, baidu: Baidu) -> None:
    window = Window.last(timedelta(minutes=30), world.now())
    idle = await baidu.series(await named(baidu, "rlhf-ppo-trial"), Metric.GPU, window)
    busy = await baidu.series(await named(baidu, "llm-pretrain-70b"), Metric.GPU, window)
    assert all(series.peak is not None and series.peak < 0.1 for series in idle)
    assert all(series.mean is not None and series.mean > 0.5 for series in busy)


async def test_a_job_without_data_has_none_and_not_zero(world: World, baidu: Baidu) -> None:
    job = await named(baidu, "speech-tokenizer")
    series = await baidu.series(job, Metric.GPU, Window.last(timedelta(minutes=30), world.now()))
    assert [None] * len(series) == [one.mean for one in series]


@pytest.mark.parametrize("max_lines", ["last", "first"])
async def test_the_newest_lines_are_found_whatever_max_lines_means(world: World, http: Http, max_lines: str) -> None:
    async with baidu_over(world, http, max_lines=max_lines) as (baidu, _):
        job = await named(baidu, "embedding-bge-finetune")
        pod = (await baidu.pods(job.id))[0]
        true = world.job(job.id)
        lines = [line.text for line in world.log(true, true.pods[0], true.created_at)]
        log = await baidu.logs(job.id, pod.name, 20)
        assert (tuple(lines[-20:]), True) == (log.lines, log.cut)


async def test_the_newest_lines_of_a_log_of_days_are_found(
    world: World, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MOST_PAGES", 3)
    async with baidu_over(world, http, max_lines="first") as (baidu, serving):
        job = await named(baidu, "asr-conformer-large")
        serving.requests.clear()
        true = world.job(job.id)
        log = await baidu.logs(job.id, true.pods[0].name, 20)
        lines = [line.text for line in world.log(true, true.pods[0], world.now() - timedelta(hours=1))]
        assert (tuple(lines[-20:]), True) == (log.lines, log.cut)
        assert 5 == len(serving.requests)  # three pages in vain, when the log ends, the last five minutes


async def test_events_of_job_and_pod_are_the_worlds_events(world: World, baidu: Baidu) -> None:
    job = await named(baidu, "mamba-3b")
    events = world.events(job.id)
    pod = world.job(job.id).pods[0].name
    assert [event.reason for event in reversed(events) if not event.pod] == [e.reason for e in await baidu.events(job)]
    found = await baidu.events(job, pod)
    assert Counter(event.reason for event in events if event.pod == pod) == Counter(e.reason for e in found)
    assert {pod} == {event.pod for event in found}


async def test_a_terminal_of_a_job_that_is_over_is_rejected(world: World, baidu: Baidu) -> None:
    job = await named(baidu, "eval-suite-nightly")
    with pytest.raises(Rejected, match="not running"):
        await baidu.terminal(job.id, world.job(job.id).pods[0].name)


# -- writes


async def test_a_running_job_is_stopped_and_a_finished_one_is_not(world: World, baidu: Baidu) -> None:
    job = await named(baidu, "vit-eval")
    await baidu.stop(job.id)
    world.advance(timedelta(minutes=2))
    stopped = await baidu.job(job.id)
    assert (JobState.STOPPED, "ManualTermination") == (stopped.state, stopped.platform_state)
    with pytest.raises(Rejected, match="StopAIJobFailed"):
        await baidu.stop(job.id)


async def test_the_same_order_with_the_same_token_is_one_job(baidu: Baidu) -> None:
    definition = JobDefinition("sim-train-1", "img:1", "run", 100, {"baidu.com/a800_80g_cgpu": 8}, priority="low")
    first = await baidu.create_job(POOL_A, definition, token="t-1")
    assert first == await baidu.create_job(POOL_A, definition, token="t-1")
    job = await baidu.job(first.id)
    assert ("sim-train-1", "low", 800, "A800-80G") == (job.name, job.priority, job.gpu_count, job.gpu_model)


async def test_a_deleted_job_is_not_found_any_more(baidu: Baidu) -> None:
    job = await named(baidu, "lr-sweep-07")
    await baidu.delete_job(job.id)
    with pytest.raises(NotFound):
        await baidu.job(job.id)


async def test_a_queue_is_made_changed_and_removed_under_any_name(baidu: Baidu) -> None:
    name = "训练队列 a+b*~"
    definition = QueueDefinition(name, "试", deserved={"cpu": 64, "baidu.com/a800_80g_cgpu": 8}, oversell=False)
    await baidu.create_queue(POOL_A, definition)
    queue = await baidu.queue(POOL_A, name)
    assert ("试", 8.0, False) == (queue.description, queue.gpus_quota, queue.oversell)
    await baidu.update_queue(POOL_A, QueueDefinition(name, deserved={"baidu.com/a800_80g_cgpu": 16}))
    changed = await baidu.queue(POOL_A, name)
    assert ("试", 16.0) == (changed.description, changed.gpus_quota)
    await baidu.delete_queue(POOL_A, name)
    with pytest.raises(NotFound):
        await baidu.queue(POOL_A, name)


async def test_a_queue_in_use_is_not_removed(baidu: Baidu) -> None:
    with pytest.raises(Rejected, match="in use"):
        await baidu.delete_queue(POOL_A, "pretrain")


# -- capacity


async def test_the_root_queue_has_a_name_that_people_know(baidu: Baidu) -> None:
    queues = [queue for queue in await baidu.queues() if queue.pool == POOL_A]
    assert "root" in {queue.name for queue in queues}
    assert {"root"} == {queue.parent for queue in queues if queue.name == "pretrain"}


async def test_nodes_tell_which_machine_takes_no_work(world: World, baidu: Baidu) -> None:
    nodes = await baidu.nodes()
    assert len(world.nodes()) >= len(nodes) > 0
    assert [False] == [node.schedulable for node in nodes if node.pool == POOL_A and node.schedulable is False]


# -- when it goes wrong


async def test_a_skewed_clock_is_named_as_such(world: World, http: Http) -> None:
    async with serve_baidu(world) as serving:
        clock = lambda: world.now() + timedelta(minutes=16)  # noqa: E731
        baidu = Baidu("beijing", serving.url, "ak-sim", "sk-sim", http=http, clock=clock)
        with pytest.raises(ClockSkew, match="our clock says"):
            await baidu.jobs()


@pytest.mark.parametrize(("access_key", "secret_key"), [("ak-sim", "wrong"), ("ak-other", "sk-sim")])
async def test_wrong_keys_are_refused(world: World, http: Http, access_key: str, secret_key: str) -> None:
    async with serve_baidu(world) as serving:
        baidu = Baidu("beijing", serving.url, access_key, secret_key, http=http, clock=world.now)
        with pytest.raises(Refused):
            await baidu.jobs()


async def test_a_session_token_is_signed_along(world: World, http: Http) -> None:
    async with serve_baidu(world) as serving:
        baidu = Baidu("beijing", serving.url, "ak-sim", "sk-sim", "tok/en+1=", http=http, clock=world.now)
        assert await baidu.jobs()
        assert "tok/en" not in f"{vars(baidu)}"


async def test_an_outage_is_an_error_with_a_next_try_and_no_empty_list(world: World, http: Http) -> None:
    async with baidu_over(world, http) as (baidu, _):
        world.break_service("baidu", timedelta(minutes=10))
        for _ in range(3):
            with pytest.raises(Unreachable):
                await baidu.jobs()
        assert baidu.wire.next_try is not None
        world.advance(timedelta(minutes=11))
        assert await baidu.jobs()
        assert baidu.wire.next_try is None
