"""The whole of Alaya NeW against its simulator, under both prefixes and with every way to be let in."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from bot.clouds.alaya import Alaya
from bot.clouds.http import Http, Limits
from bot.domain.errors import NotAvailable, NotFound, Refused, Unreachable, Unreadable
from bot.domain.job import Job, JobState, PodState
from bot.domain.ports import Can, JobCloud
from bot.domain.series import Metric, Window
from bot.simulator.clouds import Serving, serve_alaya
from bot.simulator.world import World
from bot.simulator.world.job import JobState as WorldState

QUICK = Limits(connect=0.5, read=0.5, deadline=1.0, patience=0.1)


@pytest.fixture
def world() -> World:
    return World.scripted()


@pytest.fixture
async def serving(world: World) -> AsyncIterator[Serving]:
    async with serve_alaya(world) as serving:
        yield serving


def built(serving: Serving, http: Http, **settings: Any) -> Alaya:
    credentials = {"auth": "hmac", "access_key": "alaya-ak", "secret_key": "alaya-sk", "path_prefix": "/api/osm"}
    return Alaya(
        "alaya", serving.url, http=http, clock=serving.world.now, limits=QUICK, **({**credentials, **settings})
    )


@pytest.fixture
def alaya(serving: Serving, http: Http) -> Alaya:
    return built(serving, http, operations={"stop": {"enabled": True}, "delete": {"enabled": True}})


@pytest.fixture
async def running(alaya: Alaya) -> Job:
    return max((job for job in await alaya.jobs() if job.state is JobState.RUNNING), key=lambda job: job.gpu_count or 0)


@pytest.mark.parametrize("prefix", ["", "/api/osm"])
@pytest.mark.parametrize(
    "door",
    [{"auth": "bearer", "api_key": "alaya-sim-key"}, {"auth": "hmac"}],
    ids=["bearer", "hmac"],
)
async def test_every_door_and_prefix_leads_in(serving: Serving, http: Http, prefix: str, door: dict[str, Any]) -> None:
    alaya: JobCloud = built(serving, http, path_prefix=prefix, **door)
    assert "training is enabled" == await alaya.ping()
    assert await alaya.jobs()


async def test_listed_jobs_say_what_the_world_knows(alaya: Alaya, world: World) -> None:
    jobs = {job.id: job for job in await alaya.jobs()}
    for real in world.jobs("alaya"):
        job = jobs[real.id]
        assert (real.name, real.gpus, real.owner, len(real.pods)) == (job.name, job.gpu_count, job.owner, job.replicas)
        assert (real.created_at.replace(microsecond=0), real.place) == (job.created_at, job.pool)
        assert real.running_at is None or real.running_at.replace(microsecond=0) == job.started_at


async def test_pods_run_on_the_nodes_of_the_world(alaya: Alaya, running: Job, world: World) -> None:
    real = {pod.name: (pod.node, pod.ip) for pod in world.job(running.id).pods}
    pods = await alaya.pods(running.id)
    assert real == {pod.name: (pod.node, pod.ip) for pod in pods}
    assert {PodState.RUNNING} == {pod.state for pod in pods}


@pytest.mark.parametrize("metric", [Metric.GPU, Metric.VRAM])
async def test_each_card_of_the_job_has_a_series_of_its_own(
    alaya: Alaya, running: Job, world: World, metric: Metric
) -> None:
    found = await alaya.series(running, metric, Window.last(timedelta(hours=1), world.now()))
    cards = {(pod.name, gpu) for pod in world.job(running.id).pods for gpu in range(pod.gpus)}
    assert cards == {(series.pod, series.gpu) for series in found}
    assert {timedelta(minutes=1)} == {series.step for series in found}
    assert {59, 60, 61} >= {len(series.samples) + series.dropped for series in found}


async def test_a_custom_window_gives_the_same_samples_as_the_period_that_covers_it(
    alaya: Alaya, running: Job, world: World
) -> None:
    hour = await alaya.series(running, Metric.GPU, Window.last(timedelta(hours=1), world.now()))
    part = Window(world.now() - timedelta(minutes=40), world.now() - timedelta(minutes=20))
    custom = await alaya.series(running, Metric.GPU, part)
    assert [series.within(part).samples for series in hour] == [series.samples for series in custom]


async def test_one_failing_pod_leaves_the_others_readable(alaya: Alaya, running: Job, serving: Serving) -> None:
    first, *others = [pod.name for pod in await alaya.pods(running.id)]
    serving.faults.add("status", path=f"{first}/gpu-metrics", times=None)
    window = Window.last(timedelta(hours=1), serving.world.now())
    found = await alaya.series(running, Metric.GPU, window)
    assert {first} == {series.pod for series in found if not series.samples}
    assert set(others) == {series.pod for series in found if series.samples}
    assert others


async def test_a_pods_detail_joins_list_and_basics(alaya: Alaya, running: Job, world: World) -> None:
    pod = world.job(running.id).pods[0]
    detail = await alaya.pod(running.id, pod.name)
    assert (pod.node, pod.restarts, running.owner) == (detail.pod.node, detail.pod.restarts, detail.created_by)
    assert "Guaranteed" == detail.qos_class
    assert detail.pod.has_terminal


async def test_a_terminal_opens_and_is_read_at_each_asking(alaya: Alaya, running: Job, serving: Serving) -> None:
    pod = (await alaya.pods(running.id))[0].name
    before = len(serving.requests)
    link = await alaya.terminal(running.id, pod)
    assert 1 == len(serving.requests) - before
    async with httpx.AsyncClient(trust_env=False) as browser:
        assert pod in (await browser.get(link.url)).text


async def test_a_stop_is_carried_out_and_seen_in_the_state(alaya: Alaya, running: Job, world: World) -> None:
    await alaya.stop(running.id)
    world.advance(timedelta(minutes=5))
    assert WorldState.STOPPED is world.job(running.id).state
    assert JobState.STOPPED is (await alaya.job(running.id)).state


async def test_a_deleted_job_is_gone(alaya: Alaya, running: Job, world: World) -> None:
    await alaya.stop(running.id)
    world.advance(timedelta(minutes=5))
    await alaya.delete_job(running.id)
    with pytest.raises(NotFound):
        await alaya.job(running.id)


async def test_logs_and_events_are_those_of_the_world(alaya: Alaya, running: Job, world: World) -> None:
    job = world.job(running.id)
    log = await alaya.logs(running.id, job.pods[0].name, 5)
    assert [line.text for line in world.log(job, job.pods[0], job.created_at)[-5:]] == list(log.lines)
    assert {event.reason for event in world.events(job.id)} == {event.reason for event in await alaya.events(running)}


async def test_the_wrong_prefix_is_named_where_the_web_application_answers(world: World, http: Http) -> None:
    async with serve_alaya(world, html_for_docs_prefix=True) as serving:
        alaya = built(serving, http, path_prefix="")
        for ask in (alaya.ping, alaya.jobs):
            with pytest.raises(Unreadable, match="path_prefix"):
                await ask()


@pytest.mark.parametrize("as_html", [False, True], ids=["404", "page"])
async def test_a_deployment_with_only_the_documented_calls_still_shows_watched_jobs(
    world: World, http: Http, running: Job, as_html: bool
) -> None:
    async with serve_alaya(world, job_list=False, proposed=(), unknown_as_html=as_html) as serving:
        alaya = built(serving, http, jobs=[running.id], operations={"stop": {"enabled": True}})
        [job] = await alaya.jobs()
        assert (running.id, JobState.RUNNING, running.replicas) == (job.id, job.state, job.replicas)
        assert job == await alaya.job(running.id)
        assert await alaya.series(job, Metric.GPU, Window.last(timedelta(hours=1), world.now()))
        for missing in (alaya.stop(job.id), alaya.logs(job.id, "p", 5), alaya.events(job)):
            with pytest.raises(NotAvailable, match="not available at this deployment"):
                await missing
    assert Can.LIST_JOBS in alaya.abilities


@pytest.mark.parametrize("scheme", ["bearer", "hmac"])
async def test_the_wrong_scheme_is_refused(world: World, http: Http, scheme: Any) -> None:
    other = {"bearer": {"auth": "hmac"}, "hmac": {"auth": "bearer", "api_key": "alaya-sim-key"}}[scheme]
    async with serve_alaya(world, only_scheme=scheme) as serving:
        with pytest.raises(Refused):
            await built(serving, http, **other).ping()


async def test_an_outage_is_no_empty_list(alaya: Alaya, serving: Serving) -> None:
    serving.faults.add("status", times=None)
    with pytest.raises(Unreachable):
        await alaya.jobs()
