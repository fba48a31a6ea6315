"""The jobs of all clouds as last read."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from time import perf_counter

import pytest

from bot.domain.answers import Gap
from bot.domain.errors import NotFound, Throttled, Unreachable
from bot.domain.job import Job, JobKey, JobState
from bot.domain.ports import Can, JobCloud
from bot.domain.series import UseLine
from bot.relay.fleet import Fleet
from tests import make
from tests.relay.job_cloud import JOB_ABILITIES, PlainCloud

NOW = make.NOW
LATER = NOW + timedelta(minutes=1)
DOWN = Unreachable("alaya", "connection refused")


@pytest.fixture
def beijing() -> PlainCloud:
    return PlainCloud("beijing").hold([make.job("pytorchjob-a1b2")])


@pytest.fixture
def alaya() -> PlainCloud:
    return PlainCloud("alaya", "alaya").hold([make.job("ca78", cloud="alaya")])


@pytest.fixture
async def fleet(beijing: PlainCloud, alaya: PlainCloud) -> AsyncIterator[Fleet]:
    fleet = Fleet({"beijing": beijing, "alaya": alaya}, answer_within=0.05)
    yield fleet
    await fleet.close()


def test_the_cloud_of_these_tests_is_a_job_cloud() -> None:
    cloud: JobCloud = PlainCloud()
    assert isinstance(cloud, JobCloud)


async def test_jobs_of_all_clouds_come_with_where_and_when_they_were_read(fleet: Fleet) -> None:
    answer = await fleet.jobs(NOW)
    assert ["pytorchjob-a1b2", "ca78"] == [job.id for job in answer.jobs]
    assert (("beijing", NOW), ("alaya", NOW)) == answer.origin.read
    assert () == answer.origin.gaps


async def test_a_young_listing_is_used_and_an_old_one_is_read_again(fleet: Fleet, beijing: PlainCloud) -> None:
    await fleet.refresh("beijing", NOW)
    await fleet.jobs(NOW + timedelta(seconds=15), only=["beijing"])
    assert ["jobs"] == beijing.calls
    answer = await fleet.jobs(NOW + timedelta(seconds=16), only=["beijing"])
    assert ["jobs", "jobs"] == beijing.calls
    assert (("beijing", NOW + timedelta(seconds=16)),) == answer.origin.read


async def test_a_cloud_that_fails_answers_with_what_it_said_before_and_its_age(fleet: Fleet, alaya: PlainCloud) -> None:
    await fleet.jobs(NOW)
    alaya.error = DOWN
    answer = await fleet.jobs(LATER)
    assert ["pytorchjob-a1b2", "ca78"] == [job.id for job in answer.jobs]
    assert (("beijing", LATER), ("alaya", NOW)) == answer.origin.read
    gap = Gap("alaya", "Unreachable", "connection refused", LATER, NOW, LATER + timedelta(seconds=5))
    assert (gap,) == answer.origin.gaps


async def test_a_gap_says_when_the_cloud_will_really_be_asked_again(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error, alaya.next_try = DOWN, LATER + timedelta(minutes=4)
    answer = await fleet.jobs(LATER)
    assert [alaya.next_try] == [gap.next_try for gap in answer.origin.gaps]


async def test_a_cloud_that_never_answered_is_named_and_the_others_are_shown(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error = DOWN
    answer = await fleet.jobs(NOW)
    assert ["pytorchjob-a1b2"] == [job.id for job in answer.jobs]
    assert [("alaya", None)] == [(gap.cloud, gap.as_of) for gap in answer.origin.gaps]


async def test_a_slow_cloud_holds_nobody_up_and_its_late_answer_serves_the_next_question(
    fleet: Fleet, alaya: PlainCloud
) -> None:
    alaya.gate = asyncio.Event()
    answer = await fleet.jobs(NOW)
    assert [("alaya", "no answer within 0.05 s")] == [(gap.cloud, gap.detail) for gap in answer.origin.gaps]
    alaya.gate.set()
    await fleet.refresh("alaya", NOW)
    assert ["jobs"] == alaya.calls
    assert () == (await fleet.jobs(NOW)).origin.gaps


async def test_two_questions_at_once_read_a_cloud_once(fleet: Fleet, beijing: PlainCloud) -> None:
    await asyncio.gather(fleet.jobs(NOW), fleet.jobs(NOW), fleet.refresh("beijing", NOW))
    assert ["jobs"] == beijing.calls


async def test_a_cloud_that_just_failed_is_left_alone_for_a_moment(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error = DOWN
    for seconds in (0, 1, 4):
        await fleet.jobs(NOW + timedelta(seconds=seconds))
    assert ["jobs"] == alaya.calls
    await fleet.jobs(NOW + timedelta(seconds=5))
    assert ["jobs", "jobs"] == alaya.calls


async def test_a_cloud_that_asks_to_wait_is_not_asked_even_on_schedule(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error = Throttled("alaya", "too many requests", 90.0)
    await fleet.refresh("alaya", NOW)
    assert isinstance(await fleet.refresh("alaya", LATER), Throttled)
    assert ["jobs"] == alaya.calls
    alaya.error = None
    assert await fleet.refresh("alaya", NOW + timedelta(seconds=90)) is None


async def test_a_refresh_raises_nothing_and_counts_failures_until_one_succeeds(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error = DOWN
    first, second = await fleet.refresh("alaya", NOW), await fleet.refresh("alaya", LATER)
    assert (DOWN, DOWN) == (first, second)
    trouble = fleet.trouble("alaya")
    assert trouble is not None
    assert (NOW, 2, DOWN) == (trouble.since, trouble.count, trouble.error)
    assert fleet.listed("alaya") is None
    alaya.error = None
    assert await fleet.refresh("alaya", LATER) is None
    assert fleet.trouble("alaya") is None


async def test_a_job_listed_twice_is_one_job(beijing: PlainCloud) -> None:
    class Shifting(PlainCloud):
        async def jobs(self) -> list[Job]:
            return [*self.held.values(), *self.held.values()]

    fleet = Fleet({"beijing": Shifting("beijing", held=beijing.held)})
    assert 1 == len((await fleet.jobs(NOW)).jobs)


async def test_a_cloud_without_a_list_call_is_a_gap_and_no_trouble() -> None:
    cloud = PlainCloud("alaya", abilities=JOB_ABILITIES - {Can.LIST_JOBS})
    fleet = Fleet({"alaya": cloud})
    assert await fleet.refresh("alaya", NOW) is None
    assert ["NotAvailable"] == [gap.kind for gap in (await fleet.jobs(NOW)).origin.gaps]
    assert [] == cloud.calls


async def test_a_task_is_located_in_a_listing_without_a_call(fleet: Fleet, alaya: PlainCloud) -> None:
    await fleet.jobs(NOW)
    alaya.calls.clear()
    found = await fleet.locate("ca78", ["beijing", "alaya", "elsewhere"], NOW)
    assert JobKey("alaya", "ca78") == (found.key if found else None)
    assert [] == alaya.calls


async def test_an_unlisted_task_is_looked_up_in_the_named_clouds_only(
    fleet: Fleet, alaya: PlainCloud, beijing: PlainCloud
) -> None:
    found = await fleet.locate("ca78", ["alaya"], NOW)
    assert "ca78" == (found.id if found else None)
    assert [] == beijing.calls


async def test_a_task_that_no_cloud_knows_is_not_looked_up_at_every_poll(fleet: Fleet, beijing: PlainCloud) -> None:
    for seconds in (0, 30, 60):
        assert await fleet.locate("strange", ["beijing"], NOW + timedelta(seconds=seconds)) is None
    assert ["job strange"] == beijing.calls
    await fleet.locate("strange", ["beijing"], NOW + timedelta(minutes=5))
    assert 2 == len(beijing.calls)


async def test_a_look_up_that_failed_is_tried_again_soon(fleet: Fleet, alaya: PlainCloud) -> None:
    alaya.error = DOWN
    assert await fleet.locate("ca78", ["alaya"], NOW) is None
    alaya.error = None
    assert await fleet.locate("ca78", ["alaya"], NOW + timedelta(seconds=5)) is not None


async def test_a_fresh_reading_of_one_job_changes_the_listing(fleet: Fleet, beijing: PlainCloud) -> None:
    await fleet.jobs(NOW)
    beijing.hold([make.job("pytorchjob-a1b2", state=JobState.STOPPED)])
    assert JobState.STOPPED is (await fleet.job(JobKey("beijing", "pytorchjob-a1b2"))).state
    assert [JobState.STOPPED] == [job.state for job in fleet.listed("beijing") or ()]


async def test_a_job_of_an_unknown_cloud_is_not_found(fleet: Fleet) -> None:
    with pytest.raises(NotFound, match="no cloud of this name"):
        await fleet.job(JobKey("mars", "x"))


async def test_the_last_use_of_a_job_is_kept_until_the_job_is_gone(fleet: Fleet, beijing: PlainCloud) -> None:
    key = JobKey("beijing", "pytorchjob-a1b2")
    unmeasured = make.job("pytorchjob-0000")
    fleet.note_use(key, UseLine(NOW, (0.5, None, 0.25)))
    assert {key: 0.375} == fleet.mean_use([make.job("pytorchjob-a1b2"), unmeasured])
    beijing.held.clear()
    await fleet.refresh("beijing", NOW)
    assert fleet.use(key) is None


async def test_all_failed_gpus_without_data_are_no_use_at_all(fleet: Fleet) -> None:
    job = make.job()
    fleet.note_use(job.key, UseLine(NOW, (None, None)))
    assert {} == fleet.mean_use([job])


async def test_five_thousand_jobs_are_taken_in_at_once(beijing: PlainCloud, fleet: Fleet) -> None:
    beijing.hold(make.job(f"pytorchjob-{n}") for n in range(5000))
    began = perf_counter()
    answer = await fleet.jobs(NOW)
    assert 5002 == len(answer.jobs)
    assert perf_counter() - began < 0.5
