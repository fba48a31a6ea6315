"""Trouble that ends and comes back: one incident with a counter, unless a person ended it."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.domain.alarm import JOB_FAILED, TaskState
from bot.domain.incident import Incident, Resolution
from bot.domain.job import JobState
from bot.domain.life import Change, Changed, acknowledge, resolve
from bot.relay.follow import failure_of
from bot.store.incidents import IncidentStore
from tests.make import NOW, alarm, job
from tests.relay.post_office import opened

MINUTE = timedelta(minutes=1)


async def test_a_job_that_restarts_every_four_minutes_is_one_incident_with_a_counter(tmp_path: Path) -> None:
    """F97: two hours of restarts are one card, edited in place."""
    async with opened(tmp_path / "gpubot.db") as office:
        for n in range(30):
            now = office.time.clock()
            await office.report(alarm(f"crash-{n}", kind="CUDA OOM", at=now, task_state=TaskState.RESTART))
            await office.deliver(60, step=5)
            await office.report(alarm(f"crash-{n}", kind="CUDA OOM", at=now, task_state=TaskState.RUNNING))
            await office.deliver(180, step=15)
        (card,) = office.chat.cards("#gpu-alerts")
        assert "count=30" in card.shown
        assert "resolved" in card.shown


async def test_a_job_that_fails_at_each_run_is_one_incident(incidents: IncidentStore) -> None:
    """F97"""
    for n in range(30):
        now = NOW + 4 * n * MINUTE
        run = job(state=JobState.FAILED, started_at=now - 3 * MINUTE, finished_at=now)
        await incidents.observe("beijing", [failure_of(run)], now)
        (incident,) = await incidents.open()
        await incidents.change(incident.id, _ended_at(now), now, at_once=False)
    (incident,) = await incidents.recent(NOW)
    assert (30, JOB_FAILED) == (incident.count, incident.kind)


@pytest.mark.parametrize(
    ("why", "minutes", "kind"),
    [
        (Resolution.BY_HAND, 1, "NCCL HANG"),
        (Resolution.TASK_RECOVERED, 16, "NCCL HANG"),
        (Resolution.TASK_RECOVERED, 1, "CUDA OOM"),
    ],
    ids=["a person ended it", "it is long ago", "it is another trouble"],
)
async def test_what_is_no_return_is_a_new_incident(
    incidents: IncidentStore, why: Resolution, minutes: int, kind: str
) -> None:
    await incidents.observe("ack", [alarm("1")], NOW)
    await incidents.change(1, lambda one: resolve(one, why, NOW), NOW, at_once=True)
    await incidents.observe("ack", [alarm("2", kind=kind)], NOW + minutes * MINUTE)
    assert [2] == [incident.id for incident in await incidents.open()]


async def test_whoever_took_it_has_it_still_when_it_comes_back(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm("1")], NOW)
    await incidents.change(1, lambda one: acknowledge(one, "U01CHEN", NOW), NOW, at_once=True)
    await incidents.observe("ack", [alarm("1", task_state=TaskState.RUNNING)], NOW + MINUTE)
    await incidents.observe("ack", [alarm("2")], NOW + 2 * MINUTE)
    (incident,) = await incidents.open()
    assert incident.acknowledged is not None
    assert 2 == incident.count


def _ended_at(now: datetime) -> Change:
    def change(incident: Incident) -> Changed:
        return resolve(incident, Resolution.JOB_FAILED, now)

    return change
