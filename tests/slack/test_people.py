"""Who is who, read from Slack and kept for a while; what cannot be read costs nobody an answer."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.simulator.slack import Fault, SlackServer
from bot.slack.people import SlackPeople
from tests.slack.workspace import Clock, redwood

PEOPLE = {"li.wei": "li.wei@example.com", "zhang.min": "U04ZHANG", "gone": "gone@example.com"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def workspace(clock: Clock) -> AsyncIterator[tuple[SlackServer, SlackPeople]]:
    async with redwood(clock) as (slack, client, _session):
        yield slack, SlackPeople(client, PEOPLE, clock)


Found = tuple[SlackServer, SlackPeople]


async def test_an_owner_is_found_by_e_mail_once_and_by_id_without_asking(workspace: Found) -> None:
    slack, people = workspace

    assert "U02LIWEI" == await people.slack_id("li.wei")
    assert "U02LIWEI" == await people.slack_id("li.wei")
    assert "U04ZHANG" == await people.slack_id("zhang.min")
    assert 1 == len(slack.journal.of("users.lookupByEmail"))


async def test_an_owner_whom_the_settings_or_slack_do_not_know_is_nobody(workspace: Found) -> None:
    _, people = workspace

    assert await people.slack_id("stranger") is None
    assert await people.slack_id("gone") is None


async def test_warming_up_makes_owners_known_at_hand(workspace: Found) -> None:
    _, people = workspace
    assert people.known_id("li.wei") is None

    await people.warm()

    assert "U02LIWEI" == people.known_id("li.wei")


async def test_members_of_a_group_are_kept_for_some_minutes(workspace: Found, clock: Clock) -> None:
    slack, people = workspace
    oncall = frozenset({"S01ONCALL"})

    assert await people.is_in_any("U01CHEN", oncall)
    assert not await people.is_in_any("U02LIWEI", oncall)
    assert 1 == len(slack.journal.of("usergroups.users.list"))

    clock.advance(timedelta(minutes=6))
    assert await people.is_in_any("U01CHEN", oncall)
    assert 2 == len(slack.journal.of("usergroups.users.list"))


async def test_a_group_that_cannot_be_read_contains_nobody(workspace: Found) -> None:
    slack, people = workspace
    slack.faults.add("usergroups.users.list", Fault.server_error())

    assert not await people.is_in_any("U01CHEN", frozenset({"S01ONCALL"}))


async def test_a_profile_tells_language_zone_and_guests(workspace: Found) -> None:
    _, people = workspace

    chen, guest = await people.profile("U01CHEN"), await people.profile("U06GUEST")

    assert ("zh-CN", "Asia/Shanghai", False) == (chen.locale, chen.tz, chen.is_guest)
    assert guest.is_guest


@pytest.mark.parametrize("fault", [Fault.server_error(), Fault.dropped()])
async def test_a_profile_that_cannot_be_read_is_empty_or_the_last_one(
    workspace: Found, clock: Clock, fault: Fault
) -> None:
    slack, people = workspace
    slack.faults.add("users.info", fault, times=None)
    assert (await people.profile("U01CHEN")).locale is None

    slack.faults.clear()
    await people.profile("U01CHEN")
    clock.advance(timedelta(minutes=6))
    slack.faults.add("users.info", fault, times=None)

    assert "zh-CN" == (await people.profile("U01CHEN")).locale
