"""Each fault that lies between an app and Slack, alone: what was reported stands in Slack once, and in order."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.domain.incident import Resolution
from bot.domain.life import acknowledge, resolve
from bot.simulator.slack import Fault
from tests.faults.post_room import ALERTS, NCCL, PostRoom, opened
from tests.make import alarm

LIMITED_YET_POSTED = Fault("rate_limited", after_commit=True, retry_after=5, status=429, error="rate_limited")
PASSING = {
    "limited": Fault.rate_limited(5),
    "limited, yet posted": LIMITED_YET_POSTED,
    "500": Fault.server_error(500),
    "500 after the work": Fault.server_error(500, after_commit=True),
    "503": Fault.server_error(503),
    "503 after the work": Fault.server_error(503, after_commit=True),
    "500 as a page": Fault.html_error(500),
    "500 as a page after the work": Fault.html_error(500, after_commit=True),
    "503 as a page": Fault.html_error(503),
    "503 as a page after the work": Fault.html_error(503, after_commit=True),
    "dropped": Fault.dropped(),
    "dropped after the work": Fault.dropped(after_commit=True),
    "slow": Fault.slow(0.1),
    "too slow after the work": Fault.slow(0.9, after_commit=True),
    "truncated": Fault.truncated(after_commit=False),
    "truncated after the work": Fault.truncated(),
    "internal_error": Fault.refused("internal_error"),
    "internal_error after the work": Fault.refused("internal_error", after_commit=True),
    "fatal_error after the work": Fault.refused("fatal_error", after_commit=True),
    "service_unavailable": Fault.refused("service_unavailable"),
    "request_timeout": Fault.refused("request_timeout"),
}
CLOSED: dict[str, dict[str, Any]] = {
    "is_inactive": {"is_archived": True},  # so says Slack to the edit, which comes first here
    "not_in_channel": {"bot_is_member": False},
    "restricted_action_read_only_channel": {"posting": "read_only"},
}
OPEN: dict[str, Any] = {"is_archived": False, "bot_is_member": True, "posting": "open"}


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[PostRoom]:
    async with opened(tmp_path / "gpubot.db", deadline=0.6) as room:
        yield room


async def report(room: PostRoom, *tasks: str) -> None:
    await room.report(*(alarm(f"{task}/{int(room.time.seconds)}", task=task, at=room.time.clock()) for task in tasks))


async def acknowledged(room: PostRoom, incident_id: int = 1) -> None:
    await room.act(incident_id, lambda one, now: acknowledge(one, "U01CHEN", now))


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_a_card_whose_posting_suffers_stands_once_with_its_note(room: PostRoom, fault: Fault) -> None:
    """F19, F28, F37"""
    room.slack.faults.add("chat.postMessage", fault)
    await report(room, "t1", "t2")
    await room.deliver(30)
    assert ["card 1", "card 2"] == [one.text[:6] for one in room.cards(NCCL)]
    assert [1, 1] == [len(room.notes(card)) for card in room.cards(NCCL)]
    assert [] == room.slack.duplicates()


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_a_note_whose_posting_suffers_stands_once_in_its_place(room: PostRoom, fault: Fault) -> None:
    """F19, F28"""
    room.slack.faults.add("chat.postMessage", fault, skip=1)
    await report(room, "t1")
    await room.deliver(2)
    await acknowledged(room)
    await room.deliver(60)
    assert ["note 1 alarm t1/0", "note 1 acknowledged "] == room.notes(room.card(1, NCCL))


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_an_edit_that_suffers_is_shown_in_the_end(room: PostRoom, fault: Fault) -> None:
    """F28, F46, F60"""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.faults.add("chat.update", fault)
    await room.act(1, lambda one, now: resolve(one, Resolution.BY_HAND, now))
    await room.deliver(60)
    assert room.card(1, NCCL).text.startswith("card 1 resolved")
    assert 1 == len(room.cards(NCCL))


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_a_look_for_a_lost_answer_that_suffers_is_made_again(room: PostRoom, fault: Fault) -> None:
    """F19"""
    room.slack.faults.add("chat.postMessage", Fault.dropped(after_commit=True))
    room.slack.faults.add("conversations.history", fault, times=2)
    await report(room, "t1")
    await room.deliver(90)
    assert 1 == len(room.cards(NCCL))


@pytest.mark.parametrize(("reason", "change"), CLOSED.items(), ids=CLOSED)
async def test_a_channel_that_closes_keeps_cards_and_edits_until_it_opens(
    room: PostRoom, reason: str, change: dict[str, Any]
) -> None:
    """F42"""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.change_channel("C03NCCL", **change)
    await acknowledged(room)
    await report(room, "t2")
    await room.report(alarm("oom", kind="CUDA OOM", task="t3"))
    await room.deliver(600, step=10)
    assert 1 == len(room.cards(ALERTS))
    assert 1 == len(room.notices())
    assert reason in room.notices()[0]

    room.slack.change_channel("C03NCCL", **OPEN)
    await room.delivery.wake("C03NCCL")
    await room.deliver(30)
    assert ["card 1 acknowledged", "card 2 firing"] == [" ".join(c.text.split()[:3]) for c in room.cards(NCCL)]
    assert [2, 1] == [len(room.notes(card)) for card in room.cards(NCCL)]


async def test_an_edit_in_an_archived_channel_is_no_second_card_when_it_opens_again(room: PostRoom) -> None:
    """F42, F46: Slack calls the message of an archived channel inactive, which is not gone."""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.change_channel("C03NCCL", is_archived=True)
    await room.report(alarm("more", task="t1", at=room.time.clock()))
    await room.deliver(120)
    room.slack.change_channel("C03NCCL", is_archived=False)
    await room.deliver(400, step=10)
    assert ["card 1 firing NCCL HANG×2 late=False"] == [one.text for one in room.cards(NCCL)]


async def test_a_renamed_channel_goes_on_getting_its_messages(room: PostRoom) -> None:
    """F43"""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.change_channel("C03NCCL", name="collectives")
    await room.restart()
    await report(room, "t2")
    await acknowledged(room)
    await room.deliver(10)
    assert ["card 1 acknowledged", "card 2 firing"] == [" ".join(c.text.split()[:3]) for c in room.cards("C03NCCL")]
    assert [] == room.notices()


async def test_a_deleted_parent_gets_a_successor_and_no_reply_strays_into_the_channel(room: PostRoom) -> None:
    """F39, F40"""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.state.keep(replace(room.card(1, NCCL), is_deleted=True))
    await room.report(alarm("w", kind="GPU DROP", task="t1", at=room.time.clock()))
    await acknowledged(room)
    await room.deliver(60)
    assert "card 1 acknowledged" in room.card(1, "C03NCCL" if room.cards("C03NCCL") else ALERTS).text
    parents = [one for one in room.slack.messages("C03NCCL") if not one.is_reply]
    assert ["card"] == [one.text.split()[0] for one in parents]


async def test_when_the_edit_window_has_closed_a_new_card_tells_the_state(room: PostRoom) -> None:
    """F46"""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.state.edit_window_seconds = 60
    room.time.seconds += 3600
    await room.act(1, lambda one, now: resolve(one, Resolution.BY_HAND, now))
    await room.deliver(30)
    assert ["firing", "resolved"] == [one.text.split()[2] for one in room.cards(NCCL)]
    assert ["note 1 resolved "] == room.notes(room.cards(NCCL)[1])


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_too_long", "metadata_too_large", "invalid_arguments"])
async def test_a_card_that_slack_will_not_take_is_parked_and_told_and_those_behind_it_leave(
    room: PostRoom, error: str
) -> None:
    """F05, F06, F45"""
    room.slack.faults.add("chat.postMessage", Fault.refused(error))
    await report(room, *(f"t{n}" for n in range(6)))
    await room.deliver(60)
    assert 5 == len(room.cards(NCCL))
    assert [error] == [row.reason for row in await room.outbox.parked() if row.what == "card"]
    assert error in room.notices()[0]


@pytest.mark.parametrize("error", ["token_revoked", "invalid_auth", "account_inactive", "missing_scope"])
async def test_refused_credentials_hold_everything_until_they_are_good_again(room: PostRoom, error: str) -> None:
    """F38, F42"""
    room.slack.faults.add("chat.postMessage", Fault.refused(error), times=None)
    await report(room, "t1", "t2")
    await room.deliver(400, step=10)
    assert [] == room.cards(NCCL)
    health = await room.outbox.health(room.time.clock())
    assert error in {reason for _, reason, _ in health.parked}
    room.slack.faults.clear()
    await room.deliver(400, step=10)
    assert 2 == len(room.cards(NCCL))


async def test_an_outage_of_45_minutes_is_made_up_for_in_order_and_said(room: PostRoom) -> None:
    """F28, F37"""
    room.slack.faults.add("*", Fault.html_error(503), times=None)
    await report(room, "t1")
    await room.deliver(20 * 60, step=20)
    await report(room, "t2")
    await room.deliver(25 * 60, step=20)
    room.slack.faults.clear()
    await room.deliver(90)
    assert ["card 1", "card 2"] == [one.text[:6] for one in room.cards(NCCL)]
    assert all("late=True" in one.text for one in room.cards(NCCL))


async def test_a_limited_channel_delays_no_other(room: PostRoom) -> None:
    """F30"""
    room.slack.faults.add("chat.postMessage", Fault.rate_limited(60), channel="nccl")
    await report(room, "t1")
    await room.report(alarm("oom", kind="CUDA OOM", task="t2"))
    await room.deliver(3)
    assert [0, 1] == [len(room.cards(NCCL)), len(room.cards(ALERTS))]
    await room.deliver(62)
    assert 1 == len(room.cards(NCCL))


async def test_a_burst_leaves_within_slacks_pace(room: PostRoom) -> None:
    """F29"""
    room.slack.pace.enforced = True
    begun = room.time.seconds
    await report(room, *(f"t{n}" for n in range(6)))
    await room.deliver(10)
    assert 6 == len(room.cards(NCCL))
    assert [] == room.slack.pace_violations
    assert timedelta(seconds=room.time.seconds - begun) <= timedelta(seconds=12)


@pytest.mark.parametrize("after", range(0, 26, 2))
async def test_a_process_that_dies_after_any_call_leaves_nothing_double_and_nothing_undone(
    room: PostRoom, after: int
) -> None:
    """F19, F22, F46"""
    await report(room, "t1", "t2")
    await room.deliver_until_killed(after)
    await acknowledged(room)
    await room.deliver_until_killed(after)
    await room.deliver(30)
    assert [1, 2] == [int(one.text.split()[1]) for one in room.cards(NCCL)]
    assert "acknowledged" in room.card(1, NCCL).text
    assert [2, 1] == [len(room.notes(card)) for card in room.cards(NCCL)]


async def test_a_locked_thread_gets_no_second_card_and_the_card_goes_on_being_edited(room: PostRoom) -> None:
    """F46: whoever locks a thread wants quiet there; what could not be said is parked and told."""
    await report(room, "t1")
    await room.deliver(5)
    room.slack.change_channel("C03NCCL", locked_threads=frozenset({room.card(1, NCCL).ts}))
    await acknowledged(room)
    await room.deliver(30)
    assert ["acknowledged"] == [one.text.split()[2] for one in room.cards(NCCL)]
    assert "restricted_action_thread_locked" in room.notices()[0]
