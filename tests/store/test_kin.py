"""The trouble of a machine and that of the jobs on it name each other."""

from datetime import timedelta

from bot.domain.alarm import Alarm, Subject
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests.make import NOW, alarm

MINUTE = timedelta(minutes=1)


def on_machine(id: str, node: str = "node-1") -> Alarm:
    return alarm(id, kind="GPU DROP", subject=Subject(cloud="ack", cluster="c1", nodes=(node,), gpus=((node, 3),)))


def of_job(task: str, *nodes: str, minutes: int = 0) -> Alarm:
    subject = Subject(cloud="ack", cluster="c1", task=task, nodes=nodes)
    return alarm(f"{task}/{minutes}", subject=subject, at=NOW + minutes * MINUTE)


async def kin(incidents: IncidentStore) -> dict[int, tuple[int, ...]]:
    return {one.id: one.kin for one in await incidents.open()}


async def test_a_machine_that_explains_several_jobs_is_linked_to_them_and_they_to_it(incidents: IncidentStore) -> None:
    """F96"""
    await incidents.observe("ack", [of_job("a", "node-1", "node-2"), of_job("b", "node-1"), of_job("c", "node-9")], NOW)
    await incidents.observe("ack", [on_machine("drop")], NOW + MINUTE)
    assert {1: (4,), 2: (4,), 3: (), 4: (1, 2)} == await kin(incidents)


async def test_a_job_that_fails_on_a_machine_with_trouble_names_it(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [on_machine("drop")], NOW)
    await incidents.observe("ack", [of_job("a", "node-1", minutes=5)], NOW + 5 * MINUTE)
    assert {1: (2,), 2: (1,)} == await kin(incidents)


async def test_what_began_long_after_has_another_cause(incidents: IncidentStore) -> None:
    await incidents.observe("ack", [on_machine("drop")], NOW)
    await incidents.observe("ack", [of_job("a", "node-1", minutes=20)], NOW + 20 * MINUTE)
    assert {1: (), 2: ()} == await kin(incidents)


async def test_a_card_that_stands_is_edited_when_its_cause_is_known(
    incidents: IncidentStore, outbox: OutboxStore
) -> None:
    await incidents.observe("ack", [of_job("a", "node-1")], NOW)
    card = await outbox.claim("#gpu-alerts", NOW) or await outbox.claim("#nccl", NOW)
    assert card is not None
    await outbox.posted(card, "1.0", "shown", NOW)
    note = await outbox.claim(card.channel, NOW)
    assert note is not None
    await outbox.sent(note, NOW)
    await incidents.observe("ack", [on_machine("drop")], NOW + MINUTE)
    await incidents.observe("ack", [on_machine("drop")], NOW + MINUTE)
    waiting = [await outbox.claim(card.channel, NOW + 2 * MINUTE) for _ in range(5)]
    edits = [one for one in waiting if one and one.card and one.incident and one.incident.id == 1]
    assert [(2,)] == [one.incident.kin for one in edits if one.incident]
