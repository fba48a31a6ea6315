"""Observing and changing: what is new, what is known, what is queued; each in one transaction."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.alarm import TaskState
from bot.domain.errors import StoreError
from bot.domain.incident import Incident, Resolution
from bot.domain.job import JobKey
from bot.domain.life import Changed, acknowledge, resolve
from bot.domain.note import NoteKind
from bot.domain.outbox import Parcel, What
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests.make import NOW, alarm, job

MINUTE = timedelta(minutes=1)


async def queued(database: Database) -> list[tuple[str, str]]:
    return await database.run(
        lambda session: session.execute("SELECT what, channel FROM outbox WHERE state = 'due' ORDER BY id").fetchall()
    )


async def test_a_new_alarm_opens_an_incident_and_queues_its_card_and_note(
    incidents: IncidentStore, database: Database
) -> None:
    observed = await incidents.observe("ack", [alarm()], NOW, cursor=NOW)
    (incident,) = await incidents.open()
    assert (1, 0, 0) == (observed.new, observed.repeated, observed.known)
    assert (1, "task:ack/pytorchjob-a1b2", "#nccl") == (incident.id, incident.key, incident.channel)
    assert [("card", "#nccl"), ("note", "#nccl")] == await queued(database)
    assert NOW == await incidents.cursor("ack")


async def test_an_incident_comes_back_as_it_was_written(incidents: IncidentStore) -> None:
    about = job()
    await incidents.observe("ack", [alarm(job=about, details={"指标": "显存不足"}, log="错误 <b>&")], NOW)
    (incident,) = await incidents.open()
    assert about == incident.job
    assert incident == await incidents.get(incident.id)
    assert incident == await incidents.about_job(about.key)


async def test_the_same_record_in_the_next_poll_changes_nothing(incidents: IncidentStore, database: Database) -> None:
    """F99"""
    await incidents.observe("ack", [alarm()], NOW)
    before = await queued(database)
    observed = await incidents.observe("ack", [alarm()], NOW + MINUTE)
    assert (0, 0, 1) == (observed.new, observed.repeated, observed.known)
    assert before == await queued(database)


async def test_a_record_whose_log_grows_is_still_the_same(incidents: IncidentStore) -> None:
    """F27"""
    await incidents.observe("ack", [alarm(log="step 1")], NOW)
    observed = await incidents.observe("ack", [alarm(log="step 2")], NOW)
    assert 1 == observed.known


async def test_a_record_twice_in_one_batch_counts_once(incidents: IncidentStore) -> None:
    observed = await incidents.observe("ack", [alarm(), alarm()], NOW)
    assert (1, 0, 1) == (observed.new, observed.repeated, observed.known)
    assert 1 == (await incidents.open())[0].count


async def test_the_same_id_from_two_monitors_is_two_alarms(incidents: IncidentStore) -> None:
    """F123"""
    await incidents.observe("ack", [alarm("1", task="a")], NOW)
    observed = await incidents.observe("other", [alarm("1", source="other", task="a")], NOW)
    assert (1, 2) == (observed.new, len(await incidents.open()))


async def test_the_same_trouble_on_two_jobs_is_two_incidents(incidents: IncidentStore) -> None:
    """F120"""
    await incidents.observe("ack", [alarm("1", job=job("a")), alarm("2", job=job("b"))], NOW)
    assert 2 == len(await incidents.open())


async def test_sixty_four_nodes_of_one_job_are_one_incident(incidents: IncidentStore, database: Database) -> None:
    """F96"""
    about = job()
    batch = [alarm(str(n), job=about) for n in range(64)]
    await incidents.observe("ack", [*batch, alarm("drop", kind="GPU DROP", job=about)], NOW)
    (incident,) = await incidents.open()
    assert (65, {"NCCL HANG", "GPU DROP"}) == (incident.count, {c.kind for c in incident.conditions})
    assert ["card", "note", "note"] == [what for what, _ in await queued(database)]


async def test_a_first_start_remembers_and_says_nothing(incidents: IncidentStore, database: Database) -> None:
    """F24"""
    observed = await incidents.observe("ack", [alarm(str(n)) for n in range(412)], NOW, post=False)
    assert (0, 412, []) == (observed.new, observed.known, await queued(database))
    assert 412 == (await incidents.observe("ack", [alarm(str(n)) for n in range(412)], NOW)).known


async def test_more_alarms_than_any_memory_are_known_after_a_restart(incidents: IncidentStore) -> None:
    """F23"""
    batch = [alarm(str(n), task=f"t{n % 7}") for n in range(1500)]
    await incidents.observe("ack", batch, NOW)
    assert 1500 == (await incidents.observe("ack", batch, NOW)).known


async def test_the_cursor_never_goes_back(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [], NOW, cursor=NOW)
    await incidents.observe("ack", [], NOW, cursor=NOW - MINUTE)
    assert NOW == await incidents.cursor("ack")


async def test_a_known_alarm_whose_task_runs_again_ends_the_incident(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    await incidents.observe("ack", [alarm(task_state=TaskState.RUNNING)], NOW + MINUTE)
    found = await incidents.get(1)
    assert found is not None
    assert found.ending is not None
    assert Resolution.TASK_RECOVERED == found.ending.why


async def test_a_new_alarm_of_a_task_that_runs_again_ends_the_incident_too(incidents: IncidentStore) -> None:
    """The old record and a newer one arrive together, both saying that the task runs."""
    await incidents.observe("ack", [alarm("1")], NOW)
    both = [alarm("1", task_state=TaskState.RUNNING), alarm("2", task_state=TaskState.RUNNING)]
    await incidents.observe("ack", both, NOW + MINUTE)
    assert [] == list(await incidents.open())
    assert 2 == (await incidents.recent(NOW))[0].count


async def test_an_unknown_task_state_ends_nothing(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    await incidents.observe("ack", [alarm(task_state=TaskState.UNKNOWN)], NOW + MINUTE)
    assert 1 == len(await incidents.open())


async def test_an_alarm_after_the_end_opens_a_new_incident(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm("1")], NOW)
    await incidents.change(1, lambda one: resolve(one, Resolution.BY_HAND, NOW), NOW, at_once=True)
    await incidents.observe("ack", [alarm("2")], NOW + MINUTE)
    assert [2] == [incident.id for incident in await incidents.open()]


async def test_an_incident_whose_job_was_found_later_stays_one(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm("1", task="t")], NOW)
    await incidents.observe("ack", [alarm("2", task="t", job=job("t"))], NOW)
    await incidents.observe("ack", [alarm("3", task="t")], NOW)
    (incident,) = await incidents.open()
    assert ("job:beijing/t", 3) == (incident.key, incident.count)
    assert incident == await incidents.about_job(JobKey("beijing", "t"))


async def test_an_old_alarm_is_shown_as_late(incidents: IncidentStore) -> None:
    """F35"""
    await incidents.observe("ack", [alarm("1", at=NOW - timedelta(minutes=40)), alarm("2", task="t2")], NOW)
    assert [True, False] == [incident.late for incident in await incidents.open()]


async def test_an_alarm_without_a_time_is_recorded(incidents: IncidentStore) -> None:
    """F33"""
    await incidents.observe("ack", [alarm(at=None)], NOW)
    assert (await incidents.open())[0].time_unknown
    assert [None] == [record.at for record in await incidents.alarms_of(1)]


async def test_a_change_queues_its_card_at_once(incidents: IncidentStore, outbox: OutboxStore) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    await _post_all(outbox, "#nccl")
    changed = await incidents.change(1, lambda one: acknowledge(one, "U01CHEN", NOW), NOW, at_once=True)
    assert changed.acknowledged is not None
    parcels = await _post_all(outbox, "#nccl")
    assert [What.CARD, What.NOTE] == [parcel.what for parcel in parcels]
    assert parcels[1].note is not None
    assert NoteKind.ACKNOWLEDGED == parcels[1].note.kind


async def test_a_change_that_changes_nothing_says_nothing(incidents: IncidentStore, database: Database) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    await incidents.change(1, lambda one: acknowledge(one, "U01CHEN", NOW), NOW, at_once=True)
    before = await queued(database)
    await incidents.change(1, lambda one: acknowledge(one, "U05OMAR", NOW), NOW, at_once=True)
    assert before == await queued(database)


async def test_a_change_that_raises_changes_nothing(incidents: IncidentStore, database: Database) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    before = await queued(database)

    def fail(one: Incident) -> Changed:
        raise LookupError

    with pytest.raises(LookupError):
        await incidents.change(1, fail, NOW, at_once=True)
    assert before == await queued(database)


async def test_changing_an_incident_that_is_not_there_is_an_error_with_its_number(incidents: IncidentStore) -> None:
    with pytest.raises(StoreError, match="no incident 7"):
        await incidents.change(7, lambda one: (one, ()), NOW, at_once=True)


async def test_recent_holds_what_ended_lately_although_it_began_long_ago(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm(at=NOW - timedelta(days=3))], NOW)
    later = NOW + MINUTE
    await incidents.change(1, lambda one: resolve(one, Resolution.BY_HAND, later), later, at_once=True)
    assert [1] == [incident.id for incident in await incidents.recent(NOW)]
    assert [] == list(await incidents.recent(NOW + 2 * MINUTE))


async def test_a_widened_subject_names_every_pod(incidents: IncidentStore) -> None:
    first, second = alarm("1"), alarm("2")
    pods = [replace(one, subject=replace(one.subject, pods=(name,))) for one, name in ((first, "a"), (second, "b"))]
    await incidents.observe("ack", pods, NOW)
    assert ("a", "b") == (await incidents.open())[0].subject.pods


async def _post_all(outbox: OutboxStore, channel: str) -> list[Parcel]:
    parcels = []
    while parcel := await outbox.claim(channel, NOW):
        parcels.append(parcel)
        if parcel.what is What.CARD and parcel.card is None:
            await outbox.posted(parcel, f"{parcel.id}.0", "shown", NOW)
        else:
            await outbox.sent(parcel, NOW)
    return parcels
