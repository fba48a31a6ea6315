"""What is told of a job that failed: the reasons and the end of the log, asked for once."""

from dataclasses import replace
from datetime import timedelta

from bot.domain.errors import Unreachable
from bot.domain.job import JobState, PodState
from bot.domain.ports import Can
from bot.relay.fleet import Fleet
from bot.relay.follow import Follow
from bot.relay.last_words import LINES, last_words
from bot.relay.poll import Reach
from bot.relay.watch import Watch
from bot.store.database import Database
from tests import make
from tests.make import NOW
from tests.relay.cast import Heard, Speaker
from tests.relay.job_cloud import PlainCloud

FAILED = make.job(state=JobState.FAILED, finished_at=NOW)


def crashed() -> PlainCloud:
    calm = make.pod("worker-0", of=FAILED.key)
    broken = replace(make.pod("worker-1", of=FAILED.key, state=PodState.FAILED), reason="exit code 139")
    cloud = PlainCloud(log=[f"step {number}" for number in range(50)]).hold([FAILED], calm, broken)
    return cloud


async def test_the_reason_comes_first_and_the_failed_pods_log_last() -> None:
    said = (await last_words(crashed(), replace(FAILED, reason="Error"))).splitlines()
    assert ["Error", "exit code 139", "step 30"] == said[:3]
    assert "step 49" == said[-1]
    assert LINES + 2 == len(said)


async def test_a_cloud_that_does_not_tell_costs_only_its_part() -> None:
    cloud = crashed()
    cloud.errors["logs"] = Unreachable("beijing", "time-out")
    assert "exit code 139" == await last_words(cloud, FAILED)
    cloud.errors["pods"] = Unreachable("beijing", "time-out")
    assert "Error" == await last_words(cloud, replace(FAILED, reason="Error"))


async def test_a_cloud_without_logs_is_not_asked_for_any() -> None:
    cloud = crashed()
    cloud.abilities -= {Can.LOGS}
    assert "exit code 139" == await last_words(cloud, FAILED)
    assert [f"pods {FAILED.id}"] == cloud.calls


async def test_a_failure_is_told_with_the_last_words_and_they_are_asked_for_once(database: Database) -> None:
    cloud, incidents = crashed(), Heard(database)
    fleet = Fleet({cloud.name: cloud})
    started = NOW - timedelta(hours=1)
    follow = Follow(cloud, fleet, incidents, Watch(incidents, Speaker()), Reach(), started_at=started)
    for minute in range(3):
        await follow.tick(NOW + timedelta(minutes=minute))
    assert incidents.logs[0].startswith("exit code 139\nstep 30")
    assert 1 == len([call for call in cloud.calls if call.startswith("logs")])
    assert 1 == len(await incidents.recent(NOW - timedelta(days=1)))
