"""What the rest of the bot expects of any cloud, asked of each one over its simulator.

A new cloud is one `Stage` in `STAGES`. An expectation that needs an ability is skipped where the cloud does not claim
it.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from bot.clouds.alaya import Alaya
from bot.clouds.baidu import Baidu
from bot.clouds.http import Http, Limits
from bot.clouds.sysom import Sysom
from bot.domain.errors import CloudError, NotFound, Refused, Throttled, Uncertain, Unreachable, Unreadable
from bot.domain.job import Job, JobState
from bot.domain.monitors import NodeHealthCloud, TopologyCloud
from bot.domain.ports import AlarmCloud, Can, CapacityCloud, Cloud, JobCloud
from bot.domain.series import Metric, Window
from bot.simulator.clouds import Serving, serve_alaya, serve_baidu, serve_sysom
from bot.simulator.world import World

WRONG_SECRET = "wr0ng-s3cret-key"
QUICK = Limits(connect=0.5, read=0.3, deadline=1.0, patience=0.1, first_pause=30)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a stage's cloud is to be built: where it is, with which secret, and how patient."""

    endpoint: str
    secret: str
    http: Http
    clock: Callable[[], datetime]
    limits: Limits


@dataclass(frozen=True, slots=True)
class Stage:
    """One platform: how to simulate it and how to build its adapter. `secret` is the one that the simulator accepts."""

    name: str
    serve: Callable[[World], AbstractAsyncContextManager[Serving]]
    build: Callable[[Setting], Cloud]
    secret: str


def _baidu(setting: Setting) -> Cloud:
    return Baidu(
        "beijing",
        setting.endpoint,
        "ak-sim",
        setting.secret,
        http=setting.http,
        clock=setting.clock,
        limits=setting.limits,
    )


def _alaya(setting: Setting) -> Cloud:
    return Alaya(
        "alaya",
        setting.endpoint,
        http=setting.http,
        clock=setting.clock,
        path_prefix="/api/osm",
        auth="hmac",
        access_key="alaya-ak",
        secret_key=setting.secret,
        operations={"stop": {"enabled": True}},
        limits=setting.limits,
    )


def _sysom(setting: Setting) -> Cloud:
    return Sysom(
        "ack",
        setting.endpoint,
        "sysom-ak",
        setting.secret,
        http=setting.http,
        clock=setting.clock,
        limits=setting.limits,
    )


def _serve_sysom(world: World) -> AbstractAsyncContextManager[Serving]:
    return serve_sysom(world, oddities="clean")  # odd records are skipped, and tests of their own count them


STAGES = [
    Stage("baidu", serve_baidu, _baidu, "sk-sim"),
    Stage("alaya", serve_alaya, _alaya, "alaya-sk"),
    Stage("sysom", _serve_sysom, _sysom, "sysom-sk"),
]


@pytest.fixture
def world() -> World:
    return World.scripted()


@pytest.fixture(params=STAGES, ids=lambda stage: stage.name)
def stage(request: pytest.FixtureRequest) -> Stage:
    return cast("Stage", request.param)


@pytest.fixture
async def serving(stage: Stage, world: World) -> AsyncIterator[Serving]:
    async with stage.serve(world) as serving:
        yield serving


@pytest.fixture
def cloud(stage: Stage, world: World, serving: Serving, http: Http) -> Cloud:
    return stage.build(Setting(serving.url, stage.secret, http, world.now, QUICK))


@pytest.fixture
def job_cloud(cloud: Cloud) -> JobCloud:
    if Can.LIST_JOBS not in cloud.abilities:
        pytest.skip("runs no jobs")
    assert isinstance(cloud, JobCloud)
    return cloud


@pytest.fixture
async def running(job_cloud: JobCloud) -> Job:
    return max((job for job in await job_cloud.jobs() if job.state is JobState.RUNNING), key=lambda job: job.name)


def needs(cloud: Cloud, ability: Can) -> None:
    if ability not in cloud.abilities:
        pytest.skip(f"does not offer to {ability}")


# -- who it is


async def test_a_cloud_is_what_its_abilities_say(cloud: Cloud) -> None:
    assert isinstance(cloud, Cloud)
    assert isinstance(cloud, JobCloud) or Can.LIST_JOBS not in cloud.abilities
    assert isinstance(cloud, CapacityCloud) or Can.CAPACITY not in cloud.abilities
    assert isinstance(cloud, AlarmCloud) or Can.ALARMS not in cloud.abilities
    assert isinstance(cloud, TopologyCloud) or Can.TOPOLOGY not in cloud.abilities
    assert isinstance(cloud, NodeHealthCloud) or Can.NODE_HEALTH not in cloud.abilities


async def test_a_ping_says_in_a_few_words_what_answered(cloud: Cloud) -> None:
    said = await cloud.ping()
    assert 0 < len(said) < 100
    assert "\n" not in said


# -- jobs


async def test_every_job_of_the_world_is_listed_once(job_cloud: JobCloud, world: World) -> None:
    keys = [job.key for job in await job_cloud.jobs()]
    assert sorted({(job_cloud.name, job.id) for job in world.jobs() if job.platform == job_cloud.kind}) == sorted(
        (key.cloud, key.id) for key in keys
    )


async def test_a_listed_job_is_the_same_when_looked_at_alone(job_cloud: JobCloud) -> None:
    for job in list(await job_cloud.jobs())[:5]:
        alone = await job_cloud.job(job.id)
        assert (job.key, job.name, job.state, job.started_at, job.owner) == (
            alone.key,
            alone.name,
            alone.state,
            alone.started_at,
            alone.owner,
        )


async def test_two_readings_of_an_unchanged_world_are_equal(job_cloud: JobCloud) -> None:
    assert list(await job_cloud.jobs()) == list(await job_cloud.jobs())


async def test_times_are_aware_utc_and_in_order(job_cloud: JobCloud) -> None:
    for job in await job_cloud.jobs():
        times = [at for at in (job.created_at, job.started_at, job.finished_at) if at is not None]
        assert all(at.tzinfo is UTC for at in times)
        assert sorted(times) == times


async def test_a_job_that_has_not_begun_has_no_start_and_one_that_runs_has_no_end(job_cloud: JobCloud) -> None:
    for job in await job_cloud.jobs():
        assert job.started_at is None or job.state is not JobState.QUEUED
        assert job.finished_at is None or job.state.is_over


async def test_an_unknown_job_is_not_found(job_cloud: JobCloud) -> None:
    with pytest.raises(NotFound):
        await job_cloud.job("00000000-0000-4000-8000-000000000000")


async def test_pods_belong_to_their_job_and_have_names_of_their_own(job_cloud: JobCloud, running: Job) -> None:
    pods = await job_cloud.pods(running.id)
    assert {running.key} == {pod.job for pod in pods}
    assert len(pods) == len({pod.name for pod in pods}) == running.replicas


async def test_a_pod_can_be_looked_at_and_an_unknown_one_is_not_found(job_cloud: JobCloud, running: Job) -> None:
    needs(job_cloud, Can.POD_DETAIL)
    pod = (await job_cloud.pods(running.id))[0]
    assert pod.name == (await job_cloud.pod(running.id, pod.name)).pod.name
    with pytest.raises(NotFound):
        await job_cloud.pod(running.id, "no-such-pod")


@pytest.mark.parametrize("metric", list(Metric))
async def test_use_is_a_ratio_within_the_window_oldest_first(
    job_cloud: JobCloud, running: Job, metric: Metric, world: World
) -> None:
    needs(job_cloud, Can.METRICS)
    window = Window.last(timedelta(hours=1), world.now())
    found = await job_cloud.series(running, metric, window)
    assert found
    for series in found:
        times = [sample.at for sample in series.samples]
        assert times
        assert sorted(set(times)) == times
        assert all(window.holds(at) and at.tzinfo is UTC for at in times)
        assert all(0 <= sample.value <= 1 for sample in series.samples)
        assert series.step > timedelta()


async def test_use_of_one_pod_is_only_that_pods(job_cloud: JobCloud, running: Job, world: World) -> None:
    needs(job_cloud, Can.METRICS)
    pod = (await job_cloud.pods(running.id))[0].name
    found = await job_cloud.series(running, Metric.GPU, Window.last(timedelta(hours=1), world.now()), pod)
    assert {pod} == {series.pod for series in found}


async def test_a_job_that_never_ran_has_no_use_rather_than_none_at_all(job_cloud: JobCloud, world: World) -> None:
    needs(job_cloud, Can.METRICS)
    queued = next(job for job in await job_cloud.jobs() if job.state is JobState.QUEUED)
    found = await job_cloud.series(queued, Metric.GPU, Window.last(timedelta(hours=1), world.now()))
    assert [] == [sample for series in found for sample in series.samples]


@pytest.mark.parametrize("lines", [1, 7, 50])
async def test_logs_are_the_newest_lines_oldest_first(job_cloud: JobCloud, running: Job, lines: int) -> None:
    needs(job_cloud, Can.LOGS)
    pod = (await job_cloud.pods(running.id))[0].name
    few, many = await job_cloud.logs(running.id, pod, lines), await job_cloud.logs(running.id, pod, 60)
    assert many.lines[-lines:] == few.lines
    assert (pod, lines, True) == (few.pod, len(few.lines), few.cut)


async def test_events_come_newest_first(job_cloud: JobCloud, running: Job) -> None:
    needs(job_cloud, Can.EVENTS)
    times = [event.last_at for event in await job_cloud.events(running) if event.last_at]
    assert times
    assert sorted(times, reverse=True) == times


async def test_a_stopped_job_does_not_run_any_more(job_cloud: JobCloud, running: Job, world: World) -> None:
    needs(job_cloud, Can.STOP)
    await job_cloud.stop(running.id)
    world.advance(timedelta(minutes=5))
    assert JobState.STOPPED is (await job_cloud.job(running.id)).state


async def test_a_stop_without_an_answer_is_uncertain_and_asked_for_once(
    job_cloud: JobCloud, running: Job, serving: Serving
) -> None:
    needs(job_cloud, Can.STOP)
    serving.faults.add("hang", method="POST", times=None, seconds=3)
    before = sum(seen.method == "POST" for seen in serving.requests)
    with pytest.raises(Uncertain):
        await job_cloud.stop(running.id)
    await asyncio.sleep(0)
    assert sum(seen.method == "POST" for seen in serving.requests) - before <= 1


async def test_a_terminals_address_is_shown_by_no_repr(job_cloud: JobCloud, running: Job) -> None:
    needs(job_cloud, Can.TERMINAL)
    pod = (await job_cloud.pods(running.id))[0].name
    link = await job_cloud.terminal(running.id, pod)
    assert link.url.partition("://")[0] in ("http", "https", "ws", "wss")
    assert link.url not in repr(link)


# -- capacity


async def test_capacity_fits_together(cloud: Cloud) -> None:
    needs(cloud, Can.CAPACITY)
    assert isinstance(cloud, CapacityCloud)
    pools = {pool.id for pool in await cloud.pools()}
    nodes, queues = await cloud.nodes(), await cloud.queues()
    assert {node.pool for node in nodes} <= pools
    assert {queue.pool for queue in queues} <= pools
    assert {cloud.name} == {node.cloud for node in nodes} | {queue.cloud for queue in queues}
    assert all(0 <= (node.gpus_used or 0) <= (node.gpus_total or 0) for node in nodes)


# -- alarms


async def test_alarms_come_oldest_first_and_each_once(cloud: Cloud, world: World) -> None:
    needs(cloud, Can.ALARMS)
    assert isinstance(cloud, AlarmCloud)
    world.advance(timedelta(minutes=30))
    batch = await cloud.alarms(Window.last(timedelta(hours=2), world.now()))
    times = [alarm.at for alarm in batch.alarms if alarm.at]
    assert times
    assert sorted(times) == times
    assert len(batch.alarms) == len({alarm.id for alarm in batch.alarms})
    assert (0, True) == (batch.skipped, batch.complete)


# -- when it goes wrong


async def test_a_wrong_secret_is_refused_and_not_shown(
    stage: Stage, serving: Serving, world: World, http: Http
) -> None:
    cloud = stage.build(Setting(serving.url, WRONG_SECRET, http, world.now, QUICK))
    with pytest.raises(Refused) as caught:
        await cloud.ping()
    assert WRONG_SECRET not in f"{caught.value} {caught.value!r} {vars(cloud)}"


async def test_a_clock_that_is_off_by_hours_is_refused(
    stage: Stage, serving: Serving, world: World, http: Http
) -> None:
    clock = lambda: world.now() - timedelta(hours=3)  # noqa: E731
    cloud = stage.build(Setting(serving.url, stage.secret, http, clock, QUICK))
    with pytest.raises(Refused):
        await cloud.ping()


async def test_a_cloud_that_is_not_there_is_unreachable_and_then_costs_nothing(
    stage: Stage, world: World, http: Http
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    cloud = stage.build(Setting(f"http://127.0.0.1:{port}", stage.secret, http, world.now, QUICK))
    with pytest.raises(Unreachable):
        await cloud.ping()
    async with asyncio.timeout(0.1):
        with pytest.raises(Unreachable, match="no connection") as again:
            await cloud.ping()
        assert again.value.retry_after


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("html", Unreadable),
        ("empty", Unreadable),
        ("truncate", Unreadable),
        ("charset", Unreadable),
        ("drop", Unreachable),
        ("status", Unreachable),
        ("throttle", Throttled),
        ("hang", Unreachable),
    ],
)
async def test_odd_answers_are_errors_by_their_remedy(
    cloud: Cloud, serving: Serving, fault: str, kind: type[CloudError]
) -> None:
    serving.faults.add(fault, times=None, seconds=3)  # type: ignore[arg-type]
    with pytest.raises(CloudError) as caught:
        await cloud.ping()
    assert kind is type(caught.value)
    assert cloud.name == caught.value.cloud


async def test_a_business_failure_next_to_http_200_is_an_error(cloud: Cloud, serving: Serving) -> None:
    serving.faults.add("business", times=None)
    with pytest.raises(CloudError):
        await cloud.ping()


async def test_one_odd_answer_is_asked_again(cloud: Cloud, serving: Serving) -> None:
    serving.faults.add("status", times=1, status=503)
    assert await cloud.ping()


async def test_a_service_that_breaks_is_unreachable_and_comes_back(
    job_cloud: JobCloud, serving: Serving, world: World
) -> None:
    serving.faults.add("status", times=None, status=503)
    with pytest.raises(Unreachable):
        await job_cloud.jobs()
    serving.faults.clear()
    world.advance(timedelta(minutes=10))
    assert await job_cloud.jobs()
