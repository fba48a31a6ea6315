"""Claims, the audit, channels, cards, the active instance, and forgetting."""

from datetime import timedelta
from pathlib import Path

from bot.domain.alarm import TaskState
from bot.domain.incident import Resolution
from bot.domain.job import JobKey
from bot.domain.life import resolve
from bot.store.audit import Action, Audit
from bot.store.claims import ClaimStore
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.instance import Instance
from bot.store.outbox import OutboxStore
from bot.store.places import CardBook, ChannelBook
from bot.store.thinning import Retention, thin
from tests.make import NOW, alarm

LATER = NOW + timedelta(days=100)


async def test_a_claim_is_given_once_and_names_its_holder(database: Database) -> None:
    """F49, F65"""
    claims = ClaimStore(database)
    assert await claims.claim("stop:beijing/a", "U01CHEN", NOW) is None
    assert "U01CHEN" == await claims.claim("stop:beijing/a", "U05OMAR", NOW)
    await claims.release("stop:beijing/a")
    assert await claims.claim("stop:beijing/a", "U05OMAR", NOW) is None


async def test_two_processes_on_one_file_get_one_claim(database: Database, path: Path) -> None:
    """F25, F71"""
    other = Database(path)
    await other.open(NOW)
    assert await ClaimStore(database).claim("k", "first", NOW) is None
    assert "first" == await ClaimStore(other).claim("k", "second", NOW)
    await other.close()


async def test_two_processes_on_one_file_never_send_the_same_parcel(
    database: Database, path: Path, incidents: IncidentStore, outbox: OutboxStore
) -> None:
    """F25"""
    await incidents.observe("ack", [alarm()], NOW)
    other = Database(path)
    await other.open(NOW)
    first = await outbox.claim("#nccl", NOW)
    assert first is not None
    assert await OutboxStore(other, "process-2").claim("#nccl", NOW) is None
    await other.close()


async def test_a_claimed_parcel_is_doubtful_after_its_lease(incidents: IncidentStore, outbox: OutboxStore) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    first = await outbox.claim("#nccl", NOW)
    assert await outbox.claim("#nccl", NOW + timedelta(seconds=299)) is None
    again = await outbox.claim("#nccl", NOW + timedelta(seconds=300))
    assert first is not None
    assert again is not None
    assert (first.mark, True, 2) == (again.mark, again.doubtful, again.tries)


async def test_the_audit_lists_actions_newest_first(database: Database) -> None:
    audit = Audit(database)
    await audit.note("U01CHEN", "stop", "asked", NOW, incident_id=3, job=JobKey("beijing", "a"))
    await audit.note("U05OMAR", "mute", "until 18:00", NOW + timedelta(minutes=1))
    newest, oldest = await audit.actions()
    assert "U05OMAR" == newest.person
    assert Action(NOW, "U01CHEN", "stop", "asked", 3, "beijing/a") == oldest
    assert [oldest] == list(await audit.actions(incident_id=3))


async def test_a_channels_id_is_kept_until_it_is_forgotten(database: Database) -> None:
    channels = ChannelBook(database)
    assert await channels.channel_id("#a") is None
    await channels.keep("#a", "C1")
    assert "C1" == await channels.channel_id("#a")
    await channels.forget("#a")
    assert await channels.channel_id("#a") is None


async def test_a_card_is_found_by_its_incident(
    database: Database, incidents: IncidentStore, outbox: OutboxStore
) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    parcel = await outbox.claim("#nccl", NOW)
    assert parcel is not None
    cards = CardBook(database)
    assert await cards.card_of(1) is None
    await outbox.posted(parcel, "17.5", "shown", NOW)
    assert ("#nccl", "17.5") == await cards.card_of(1)


async def test_one_process_is_active_and_another_takes_over_within_30_seconds(database: Database) -> None:
    """F26"""
    first, second = Instance(database, "a"), Instance(database, "b")
    assert (True, False) == (await first.hold(NOW), await second.hold(NOW))
    assert (True, False) == (
        await first.hold(NOW + timedelta(seconds=20)),
        await second.hold(NOW + timedelta(seconds=40)),
    )
    assert await second.hold(NOW + timedelta(seconds=50))
    assert not await first.hold(NOW + timedelta(seconds=51))


async def test_a_process_that_ends_cleanly_hands_over_at_once(database: Database) -> None:
    first, second = Instance(database, "a"), Instance(database, "b")
    await first.hold(NOW)
    await first.let_go()
    assert await second.hold(NOW)


async def test_a_notice_that_is_said_once_is_said_again_only_when_allowed(outbox: OutboxStore) -> None:
    assert await outbox.notice("closed", "#gpu-ops", NOW, "closed:#a:is_archived")
    assert not await outbox.notice("closed", "#gpu-ops", NOW, "closed:#a:is_archived")
    await outbox.may_say_again("closed:#a:")
    assert await outbox.notice("closed", "#gpu-ops", NOW, "closed:#a:is_archived")


async def test_forgetting_keeps_what_is_open_or_unsent(
    database: Database, incidents: IncidentStore, outbox: OutboxStore
) -> None:
    await incidents.observe("ack", [alarm("1", task="a"), alarm("2", task="b"), alarm("3", task="c")], NOW)
    while parcel := await outbox.claim("#nccl", NOW):
        if parcel.incident is not None and parcel.incident.id == 1:
            await outbox.posted(parcel, f"{parcel.id}", "x", NOW) if parcel.card is None else await outbox.sent(
                parcel, NOW
            )
    await _end(incidents, 1)
    await _end(incidents, 2)
    await _send_notes_of(database, 1)
    await thin(database, Retention(), LATER)
    assert [None, 2, 3] == [one.id if (one := await incidents.get(n)) else None for n in (1, 2, 3)]
    assert ([], ["3"]) == ([a.id for a in await incidents.alarms_of(1)], [a.id for a in await incidents.alarms_of(3)])


async def test_forgetting_nothing_young(database: Database, incidents: IncidentStore) -> None:
    await incidents.observe("ack", [alarm()], NOW)
    await _end(incidents, 1)
    assert 0 == await thin(database, Retention(), NOW + timedelta(days=89))


async def test_an_alarm_set_apart_as_old_is_known_and_followed(database: Database, incidents: IncidentStore) -> None:
    old = [alarm(f"{n}") for n in range(2_500)]
    await incidents.observe("ack", old, NOW)
    assert 0 == await thin(database, Retention(), NOW + timedelta(hours=2))
    assert [(2_500,)] == await rows(database, "SELECT count(*) FROM alarms WHERE is_old = 1")
    observed = await incidents.observe("ack", [*old, alarm("young")], NOW + timedelta(hours=2))
    assert (2_500, 1) == (observed.known, observed.repeated)
    await incidents.observe("ack", [alarm("7", task_state=TaskState.RUNNING)], NOW + timedelta(hours=3))
    assert [("7",)] == await rows(database, "SELECT id FROM alarms WHERE task_state = 'running'")
    assert [TaskState.RUNNING] == [c.task_state for one in await incidents.recent(NOW) for c in one.conditions]


async def rows(database: Database, query: str) -> list[tuple[object, ...]]:
    return await database.run(lambda session: session.execute(query).fetchall())


async def _end(incidents: IncidentStore, incident_id: int) -> None:
    await incidents.change(incident_id, lambda one: resolve(one, Resolution.BY_HAND, NOW), NOW, at_once=True)


async def _send_notes_of(database: Database, incident_id: int) -> None:
    await database.run(
        lambda session: session.execute(
            "UPDATE outbox SET state = 'sent', sent_at = 0 WHERE incident_id = ?", (incident_id,)
        )
    )
