"""Many new incidents in one channel within a minute: a storm card speaks first, every member gets its card later."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.domain.incident import Resolution
from bot.domain.life import acknowledge, resolve
from tests.make import alarm
from tests.relay.post_office import Office, opened

NCCL = "#nccl"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path / "gpubot.db") as office:
        yield office


async def report(office: Office, first: int, last: int) -> None:
    await office.report(*(alarm(f"a-{n}", task=f"t-{n}") for n in range(first, last)))


def storms(office: Office) -> list[str]:
    return [said.shown for said in office.chat.messages[NCCL] if said.what == "storm"]


async def test_the_eleventh_new_incident_of_a_minute_goes_into_a_storm_card(office: Office) -> None:
    """F96"""
    await report(office, 0, 40)
    await office.deliver(60)
    assert 10 == len(office.chat.cards(NCCL))
    assert ["30 incidents, 0 ended, 0 posted"] == storms(office)


async def test_a_growing_storm_edits_its_one_card(office: Office) -> None:
    await report(office, 0, 20)
    await office.deliver(20)
    await report(office, 20, 30)
    await office.deliver(60)
    assert ["20 incidents, 0 ended, 0 posted"] == storms(office)


async def test_every_member_of_a_storm_gets_its_own_card_at_a_calm_pace(office: Office) -> None:
    await report(office, 0, 16)
    await office.deliver(299)
    assert 10 == len(office.chat.cards(NCCL))
    await office.deliver(240)
    assert list(range(1, 17)) == sorted(said.incident or 0 for said in office.chat.cards(NCCL))
    late = [said.at for said in office.chat.cards(NCCL)[10:]]
    assert all(after - before >= 25 for before, after in itertools.pairwise(late))
    await office.deliver(60)
    assert ["6 incidents, 0 ended, 6 posted"] == storms(office)


async def test_a_storm_that_is_told_leaves_nothing_overdue_and_its_members_are_not_late(office: Office) -> None:
    await report(office, 0, 40)
    await office.deliver(40)
    assert 0 == (await office.outbox.health(office.time.clock())).due
    await office.deliver(1200, step=10)
    assert 40 == len(office.chat.cards(NCCL))
    assert not any("late=True" in said.shown for said in office.chat.cards(NCCL))


async def test_a_further_alarm_does_not_bring_a_member_forward(office: Office) -> None:
    await report(office, 0, 12)
    await office.deliver(20)
    await office.report(alarm("again", task="t-11"))
    await office.deliver(60)
    assert 10 == len(office.chat.cards(NCCL))


async def test_a_member_that_a_person_acts_on_gets_its_card_at_once(office: Office) -> None:
    await report(office, 0, 15)
    await office.deliver(30)
    member = (await office.incidents.open())[-1]
    now = office.time.clock()
    await office.incidents.change(member.id, lambda one: acknowledge(one, "U01CHEN", now), now, at_once=True)
    await office.deliver(5)
    card = office.chat.cards(NCCL)[-1]
    assert (11, member.id) == (len(office.chat.cards(NCCL)), card.incident)
    assert ["alarm", "acknowledged"] == [said.shown.split()[0] for said in office.chat.thread(NCCL, card.ts)]


async def test_the_storm_card_tells_which_members_ended(office: Office) -> None:
    await report(office, 0, 12)
    await office.deliver(30)
    member = (await office.incidents.open())[-1]
    now = office.time.clock()
    await office.incidents.change(
        member.id, lambda one: resolve(one, Resolution.JOB_SUCCEEDED, now), now, at_once=False
    )
    await office.deliver(60)
    assert ["2 incidents, 1 ended, 0 posted"] == storms(office)


async def test_after_the_storm_new_incidents_get_cards_of_their_own_again(office: Office) -> None:
    await report(office, 0, 12)
    await office.deliver(70)
    await report(office, 20, 21)
    await office.deliver(2)
    assert 11 == len(office.chat.cards(NCCL))


async def test_a_restart_in_a_storm_posts_no_second_storm_card(office: Office) -> None:
    """F22, F96"""
    await report(office, 0, 30)
    await office.deliver(5)
    await office.restart()
    await office.deliver(60)
    assert 1 == len(storms(office))
    assert 10 == len(office.chat.cards(NCCL))
