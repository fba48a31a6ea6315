"""Following a cloud's jobs: ends, failures, disappearances, reminders."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from bot.domain.errors import Unreachable
from bot.domain.incident import Incident, IncidentState, Resolution
from bot.domain.job import JobState
from bot.relay.fleet import Fleet
from bot.relay.follow import Follow
from bot.relay.poll import Reach
from bot.relay.watch import Watch
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.cast import JobsCloud, Speaker

NOW = make.NOW
Ending = Callable[[], Awaitable[tuple[Resolution, bool] | None]]
MINUTE = timedelta(minutes=1)


@pytest.fixture
def cloud() -> JobsCloud:
    return JobsCloud([make.job()])


@pytest.fixture
def follow(cloud: JobsCloud, incidents: IncidentStore) -> Follow:
    fleet = Fleet({cloud.name: cloud})
    return Follow(cloud, fleet, incidents, Watch(incidents, Speaker()), Reach(), started_at=NOW - timedelta(hours=1))


@pytest.fixture
def ending(incidents: IncidentStore) -> Ending:
    async def read() -> tuple[Resolution, bool] | None:
        (incident,) = await incidents.recent(NOW - timedelta(days=1))
        return (incident.ending.why, incident.ending.late) if incident.ending else None

    return read


async def hang(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [make.alarm(job=make.job())], NOW)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (JobState.SUCCEEDED, Resolution.JOB_SUCCEEDED),
        (JobState.STOPPED, Resolution.JOB_STOPPED),
        (JobState.FAILED, Resolution.JOB_FAILED),
    ],
)
async def test_a_job_that_ended_ends_its_incident(
    follow: Follow, cloud: JobsCloud, incidents: IncidentStore, ending: Ending, state: JobState, why: Resolution
) -> None:
    await hang(incidents)
    cloud.running = [make.job(state=state, finished_at=NOW)]

    await follow.tick(NOW + MINUTE)

    assert (why, False) == await ending()


async def test_a_job_that_ended_while_the_bot_was_away_is_closed_as_such(
    follow: Follow, cloud: JobsCloud, incidents: IncidentStore, ending: Ending
) -> None:
    """F34."""
    await hang(incidents)
    cloud.running = [make.job(state=JobState.SUCCEEDED, finished_at=NOW - timedelta(hours=2))]

    await follow.tick(NOW + MINUTE)

    assert (Resolution.JOB_SUCCEEDED, True) == await ending()


async def test_a_job_that_is_gone_is_looked_up_once_more_before_its_incident_ends(
    follow: Follow, cloud: JobsCloud, incidents: IncidentStore, ending: Ending
) -> None:
    """F62."""
    await hang(incidents)
    cloud.running = []

    await follow.tick(NOW + MINUTE)

    assert f"job {make.job().id}" in cloud.asked
    assert (Resolution.JOB_GONE, False) == await ending()


async def test_a_cloud_that_fails_ends_nothing(follow: Follow, cloud: JobsCloud, incidents: IncidentStore) -> None:
    """F104."""
    await hang(incidents)
    cloud.error = Unreachable("beijing", "503")

    await follow.tick(NOW + MINUTE)

    assert [True] == [incident.is_open for incident in await incidents.open()]


async def test_an_unknown_state_ends_nothing(follow: Follow, cloud: JobsCloud, incidents: IncidentStore) -> None:
    await hang(incidents)
    cloud.running = [make.job(state=JobState.UNKNOWN)]

    await follow.tick(NOW + MINUTE)

    (incident,) = await incidents.open()
    assert JobState.RUNNING is getattr(incident.job, "state", None)


async def test_a_job_that_fails_is_an_alarm_whose_card_is_closed_at_once(
    follow: Follow, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    failed_at = NOW + MINUTE
    await follow.tick(NOW)
    cloud.running = [make.job(state=JobState.FAILED, finished_at=failed_at, reason="exit code 1")]

    for minute in range(2, 5):
        await follow.tick(NOW + minute * MINUTE)

    (incident,) = await incidents.recent(NOW - timedelta(days=1))
    assert ("JOB FAILED", 1) == (incident.kind, incident.count)
    assert IncidentState.RESOLVED is incident.state(NOW + 5 * MINUTE)


async def test_failures_from_before_the_first_start_are_not_posted(
    follow: Follow, cloud: JobsCloud, incidents: IncidentStore
) -> None:
    cloud.running = [make.job(state=JobState.FAILED, finished_at=NOW - timedelta(hours=5))]

    await follow.tick(NOW)

    assert [] == list(await incidents.recent(NOW - timedelta(days=1)))


async def test_an_incident_that_nobody_took_is_remembered_every_four_hours(
    follow: Follow, incidents: IncidentStore
) -> None:
    await hang(incidents)

    def reminded(incident: Incident) -> datetime | None:
        return incident.reminded_at

    await follow.tick(NOW + timedelta(hours=3))
    assert [None] == [reminded(one) for one in await incidents.open()]
    await follow.tick(NOW + timedelta(hours=4))
    await follow.tick(NOW + timedelta(hours=5))

    assert [NOW + timedelta(hours=4)] == [reminded(one) for one in await incidents.open()]
