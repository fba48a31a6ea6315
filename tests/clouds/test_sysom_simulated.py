"""The whole of SysOM against its simulator, in every manner of oddness that it has."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from bot.clouds.http import Http, Limits
from bot.clouds.sysom import Sysom
from bot.domain.errors import ClockSkew, NotFound, Refused, Throttled, Unreachable
from bot.domain.ports import AlarmCloud, Can
from bot.domain.series import Window
from bot.simulator.clouds import Serving, serve_sysom
from bot.simulator.world import World

QUICK = Limits(connect=0.5, read=0.5, deadline=1.0, patience=0.1)
MANNERS = ("clean", "mixed", "json", "text")


@pytest.fixture
def world() -> World:
    world = World.scripted()
    world.advance(timedelta(hours=2))
    return world


@pytest.fixture
async def serving(world: World) -> AsyncIterator[Serving]:
    async with serve_sysom(world) as serving:
        yield serving


def built(serving: Serving, http: Http, **settings: Any) -> Sysom:
    clock = settings.pop("clock", serving.world.now)
    return Sysom("ack", serving.url, "sysom-ak", "sysom-sk", http=http, clock=clock, limits=QUICK, **settings)


@pytest.fixture
def sysom(serving: Serving, http: Http) -> Sysom:
    return built(serving, http, jobs_in=["beijing", "alaya"])


@pytest.fixture
def window(world: World) -> Window:
    return Window.last(timedelta(hours=3), world.now())


async def test_a_ping_asks_for_alarms_in_the_way_that_polls_do(sysom: Sysom, serving: Serving) -> None:
    cloud: AlarmCloud = sysom
    assert {Can.ALARMS, Can.TOPOLOGY, Can.NODE_HEALTH} == cloud.abilities
    assert "alarm records in the last hour" in await cloud.ping()
    assert ["/api/v1/aiTopology/topology/listAlarmRecord"] == [seen.path for seen in serving.requests]
    assert ("beijing", "alaya") == tuple(cloud.jobs_in)


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("total_as", ["text", "number"])
async def test_every_alarm_of_the_world_is_read_in_every_manner(
    world: World, http: Http, window: Window, manner: Any, total_as: Any
) -> None:
    async with serve_sysom(world, oddities=manner, total_as=total_as) as serving:
        batch = await built(serving, http).alarms(window)
    real = {alarm.id: alarm for alarm in world.alarms() if window.holds(alarm.at)}
    assert real
    assert real.keys() == {alarm.id for alarm in batch.alarms}
    assert (manner == "mixed") == bool(batch.skipped)
    for alarm in batch.alarms:
        told = real[alarm.id]
        assert (told.at.replace(microsecond=0), told.kind, told.log) == (alarm.at, alarm.kind, alarm.log)
        assert (told.cluster, told.task or None) == (alarm.subject.cluster, alarm.subject.task)
        assert told.status == alarm.platform_state


@pytest.mark.parametrize("manner", ["clean", "json"])
async def test_the_subject_names_machine_gpus_and_pod(world: World, http: Http, window: Window, manner: Any) -> None:
    async with serve_sysom(world, oddities=manner) as serving:
        batch = await built(serving, http).alarms(window)
    real = {alarm.id: alarm for alarm in world.alarms()}
    for alarm in batch.alarms:
        told = real[alarm.id]
        assert told.instance in alarm.subject.nodes
        assert {(told.instance, gpu) for gpu in told.gpus} <= set(alarm.subject.gpus)
        assert (told.pod or None) in (*alarm.subject.pods, None)


async def test_snapshots_show_the_same_graph_in_every_form(world: World, http: Http, window: Window) -> None:
    found = []
    for manner in ("clean", "json", "text"):
        async with serve_sysom(world, oddities=manner) as serving:
            batch = await built(serving, http).alarms(window)
            found.append({alarm.id: alarm.topology for alarm in batch.alarms})
    assert found[0] == found[1] == found[2]
    assert any(topology and topology.faulty_machines for topology in found[0].values())


async def test_only_the_configured_clusters_are_asked_for(serving: Serving, http: Http, window: Window) -> None:
    batch = await built(serving, http, clusters=["cluster-alaya1"]).alarms(window)
    assert {"cluster-alaya1"} >= {alarm.subject.cluster for alarm in batch.alarms}
    assert ("cluster-alaya1",) == tuple(await built(serving, http, clusters=["cluster-alaya1"]).clusters())


async def test_without_configured_clusters_all_are_listed(sysom: Sysom, world: World) -> None:
    assert sorted({pool.cluster for pool in world.pools()}) == sorted(await sysom.clusters())


async def test_alarms_of_one_task_can_be_asked_for(sysom: Sysom, world: World, window: Window) -> None:
    task = next(alarm.task for alarm in world.alarms() if alarm.task)
    batch = await sysom.alarms(window, [task])
    assert batch.alarms
    assert {task} == {alarm.subject.task for alarm in batch.alarms}


async def test_the_topology_of_a_task_holds_its_machines(sysom: Sysom, world: World) -> None:
    clusters = {pool.id: pool.cluster for pool in world.pools()}
    job = max((job for job in world.jobs() if job.holds), key=lambda job: len(job.pods))
    topology = await sysom.topology(clusters[job.place], job.id)
    assert {node.instance for node in world.picture(job).nodes} == {machine.name for machine in topology.machines}
    with pytest.raises(NotFound):
        await sysom.topology("no-such-cluster")


async def test_health_and_abnormal_events_are_those_of_the_world(sysom: Sysom, world: World, window: Window) -> None:
    nodes = await sysom.node_health(window)
    assert {node.instance for node in world.nodes()} == {node.name for node in nodes}
    assert all(node.health is not None and 0 <= node.health <= 100 for node in nodes)
    events = await sysom.abnormal_events(window)
    assert sum(window.holds(alarm.at) for alarm in world.alarms()) == len(events)


@pytest.mark.parametrize("style", ["gateway", "service"])
async def test_throttling_is_told_with_its_wait_in_both_styles(world: World, http: Http, style: Any) -> None:
    async with serve_sysom(world, error_style=style) as serving:
        serving.faults.add("throttle", times=None, retry_after=30)
        with pytest.raises(Throttled) as caught:
            await built(serving, http).ping()
    assert 30 == caught.value.retry_after


async def test_a_denied_key_is_refused(world: World, http: Http) -> None:
    async with serve_sysom(world, denied=frozenset({"sysom-ak"})) as serving:
        with pytest.raises(Refused, match="sysom:GetGpuClusterListAlarmRecord"):
            await built(serving, http).ping()


async def test_sixteen_minutes_off_is_a_matter_of_the_clock(serving: Serving, http: Http, world: World) -> None:
    """F90."""
    sysom = built(serving, http, clock=lambda: world.now() + timedelta(minutes=16))
    with pytest.raises(ClockSkew):
        await sysom.alarms(Window.last(timedelta(hours=1), world.now()))


async def test_a_business_failure_is_not_an_empty_list(sysom: Sysom, serving: Serving, window: Window) -> None:
    serving.faults.add("business", times=None)
    with pytest.raises(Unreachable):
        await sysom.alarms(window)


async def test_temporary_credentials_open_every_operation_with_their_token(
    world: World, http: Http, window: Window
) -> None:
    async with serve_sysom(world, tokens={"sysom-ak": "sts-token-1"}) as serving:
        sysom = built(serving, http, security_token="sts-token-1")
        await sysom.ping()
        assert await sysom.clusters()
        assert await sysom.node_health(window)
        await sysom.abnormal_events(window)
        await sysom.topology("cluster-bj1")
        assert {200} == {seen.status for seen in serving.requests}


@pytest.mark.parametrize("token", [None, "sts-token-0"])
async def test_a_token_that_is_old_or_missing_is_a_matter_of_credentials_and_not_shown(
    world: World, http: Http, token: str | None
) -> None:
    async with serve_sysom(world, tokens={"sysom-ak": "sts-token-1"}) as serving:
        with pytest.raises(Refused, match="InvalidSecurityToken") as caught:
            await built(serving, http, security_token=token).ping()
    assert "sts-token" not in str(caught.value)
