"""One tick of the low-use rules: who is mentioned, how often, and when it is over."""

from datetime import datetime, timedelta

import pytest

from bot.domain.errors import Unreachable
from bot.domain.incident import IncidentState, Resolution
from bot.domain.life import resolve
from bot.domain.low_use import Rule
from bot.domain.series import Series
from bot.relay.fleet import Fleet
from bot.relay.judge import Judge
from bot.relay.watch import Watch
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.cast import JobsCloud, Speaker

NOW = make.NOW
MINUTE = timedelta(minutes=1)


def idle_until(now: datetime) -> list[Series]:
    return [make.series(*([0.0] * 90), until=now, gpu=gpu) for gpu in range(2)]


@pytest.fixture
def cloud() -> JobsCloud:
    return JobsCloud([make.job(gpus=2)])


@pytest.fixture
async def fleet(cloud: JobsCloud) -> Fleet:
    fleet = Fleet({cloud.name: cloud})
    await fleet.refresh(cloud.name, NOW)
    return fleet


@pytest.fixture
def judge(cloud: JobsCloud, fleet: Fleet, incidents: IncidentStore) -> Judge:
    return Judge(cloud, [Rule("idle")], fleet, incidents, Watch(incidents, Speaker()))


async def tick_idle(judge: Judge, cloud: JobsCloud, now: datetime) -> None:
    cloud.series_of = {make.job().id: idle_until(now)}
    await judge.tick(now)


async def test_an_idle_job_becomes_an_incident_at_the_first_look(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    await tick_idle(judge, cloud, NOW)

    (incident,) = await incidents.open()
    assert "LOW USE" == incident.kind
    assert make.job().key == incident.subject.job


async def test_idling_on_is_mentioned_once_more_after_warn_again_and_then_left_to_reminders(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    for minute in range(0, 130, 5):
        await tick_idle(judge, cloud, NOW + minute * MINUTE)

    assert [2] == [incident.count for incident in await incidents.open()]


async def test_a_job_that_works_again_resolves_its_incident(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    await tick_idle(judge, cloud, NOW)
    later = NOW + 30 * MINUTE
    cloud.series_of = {make.job().id: [make.series(*([0.9] * 30), until=later, gpu=gpu) for gpu in range(2)]}

    await judge.tick(later)

    (incident,) = await incidents.recent(NOW)
    assert IncidentState.RESOLVED is incident.state(later)
    assert Resolution.USE_RECOVERED is getattr(incident.ending, "why", None)


async def test_no_data_neither_raises_nor_ends_an_incident(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    """F106."""
    await judge.tick(NOW)
    assert [] == list(await incidents.open())
    await tick_idle(judge, cloud, NOW + MINUTE)
    cloud.series_of = {}

    await judge.tick(NOW + 2 * MINUTE)

    assert 1 == len(await incidents.open())
    assert 1 == judge.tally.no_data


async def test_a_cloud_that_fails_judges_nobody_and_is_noted(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    cloud.series_error = Unreachable("beijing", "time-out")

    for minute in range(7):
        await judge.tick(NOW + minute * MINUTE)

    assert ["SOURCE BLIND"] == [incident.kind for incident in await incidents.open()]


async def test_a_resolve_by_hand_is_respected_while_the_job_idles_on(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    await tick_idle(judge, cloud, NOW)
    (incident,) = await incidents.open()
    await incidents.change(incident.id, lambda one: resolve(one, Resolution.BY_HAND, NOW, by="U1"), NOW, at_once=True)

    await tick_idle(judge, cloud, NOW + 10 * MINUTE)
    assert [] == list(await incidents.open())

    await tick_idle(judge, cloud, NOW + timedelta(hours=4, minutes=1))
    assert 1 == len(await incidents.open())


async def test_a_restart_needs_no_warm_up_and_posts_nothing_again(
    judge: Judge, cloud: JobsCloud, fleet: Fleet, incidents: IncidentStore
) -> None:
    await tick_idle(judge, cloud, NOW)
    after_restart = Judge(cloud, [Rule("idle")], fleet, incidents, Watch(incidents, Speaker()))

    await tick_idle(after_restart, cloud, NOW + MINUTE)

    assert [1] == [incident.count for incident in await incidents.open()]


async def test_a_hang_at_full_use_is_not_ended_by_the_use(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    """F113."""
    await incidents.observe("ack", [make.alarm(job=make.job())], NOW)
    cloud.series_of = {make.job().id: [make.series(*([1.0] * 90))]}

    await judge.tick(NOW)

    assert ["NCCL HANG"] == [incident.kind for incident in await incidents.open()]


async def test_the_measured_use_is_left_for_cards_and_answers(judge: Judge, cloud: JobsCloud, fleet: Fleet) -> None:
    await tick_idle(judge, cloud, NOW)

    line = fleet.use(make.job().key)
    assert line is not None
    assert (0.0, 0.0) == line.gpus


async def test_a_cloud_that_gives_samples_of_no_job_is_told_after_minutes(
    judge: Judge, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    """F80: judging nobody for a week must not look like nobody being idle."""
    cloud.series_of = {}

    for minute in range(7):
        await judge.tick(NOW + minute * MINUTE)

    assert ["SOURCE BLIND"] == [incident.kind for incident in await incidents.open()]
    await tick_idle(judge, cloud, NOW + 8 * MINUTE)
    assert ["LOW USE"] == [incident.kind for incident in await incidents.open()]
