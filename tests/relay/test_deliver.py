"""Every alarm is visible once, whatever Slack answers in between."""

import itertools
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from bot.domain.alarm import Severity
from bot.domain.errors import (
    CredentialsRefused,
    DeliveryError,
    OutcomeUnknown,
    PayloadRefused,
    RateLimited,
    Unavailable,
)
from bot.domain.incident import Incident
from bot.domain.life import acknowledge
from tests.make import alarm
from tests.relay.post_office import Office, archived, opened

NCCL = "#nccl"
ALERTS = "#gpu-alerts"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path / "gpubot.db") as office:
        yield office


def hang(n: int = 1, task: str | None = None, **more: object) -> object:
    return alarm(f"hang-{n}", task=task or f"task-{n}", **more)  # type: ignore[arg-type]


def oom(n: int = 1) -> object:
    return alarm(f"oom-{n}", kind="CUDA OOM", task=f"oom-task-{n}")


async def report(office: Office, *alarms: object) -> None:
    await office.report(*alarms)  # type: ignore[arg-type]


async def test_an_alarm_becomes_one_card_with_its_evidence_in_the_thread(office: Office) -> None:
    await report(office, hang())
    await office.deliver(5)
    (card,) = office.chat.cards(NCCL)
    assert ["card", "note"] == [said.what for said in office.chat.messages[NCCL]]
    assert card.ts == office.chat.messages[NCCL][1].thread_ts


async def test_nothing_is_sent_when_nothing_changed(office: Office) -> None:
    """F99"""
    await report(office, hang())
    await office.deliver(5)
    before = list(office.chat.calls)
    for _ in range(5):
        await report(office, hang())
        await office.deliver(60)
    assert before == office.chat.calls


async def test_six_alarms_of_one_poll_leave_one_a_second(office: Office) -> None:
    """F29"""
    await report(office, *(hang(n) for n in range(6)))
    await office.deliver(30)
    times = [said.at for said in office.chat.messages[NCCL]]
    assert 12 == len(times)
    assert all(later - earlier >= 1.0 for earlier, later in itertools.pairwise(times))
    assert 6 == len([said for said in office.chat.cards(NCCL) if said.at < 10])


async def test_new_cards_leave_before_the_notes_of_earlier_ones(office: Office) -> None:
    await report(office, hang(1), hang(2))
    await office.deliver(10)
    assert ["card", "card", "note", "note"] == [said.what for said in office.chat.messages[NCCL]]


async def test_what_a_person_did_leaves_before_new_cards(office: Office) -> None:
    await report(office, hang(1))
    await office.deliver(5)
    await report(office, *(hang(n) for n in range(2, 6)))
    incident = (await office.incidents.open())[0]
    now = office.time.clock()
    await office.incidents.change(incident.id, lambda one: acknowledge(one, "U01CHEN", now), now, at_once=True)
    office.chat.calls.clear()
    await office.deliver()
    assert ("edit", NCCL) == office.chat.calls[0]
    assert office.chat.messages[NCCL][2].shown.startswith("acknowledged")


async def test_further_edits_wait_45_seconds_and_collapse_into_one(office: Office) -> None:
    await report(office, hang(1, "t"))
    await office.deliver(5)
    for n in range(2, 20):
        await report(office, hang(n, "t"))
        await office.deliver(5)
    edits = [call for call in office.chat.calls if call[0] == "edit"]
    assert 2 <= len(edits) <= 3  # the first soon, then one in 45 s
    await office.deliver(60)
    assert "count=19" in office.chat.cards(NCCL)[0].shown


async def test_a_limited_alarm_is_sent_after_the_wait_and_in_order(office: Office) -> None:
    """F28"""
    office.chat.fail(NCCL, RateLimited("ratelimited", 30))
    await report(office, hang(1), hang(2))
    await office.deliver(29)
    assert [] == office.chat.cards(NCCL)
    await office.deliver(5)
    assert ["hang-1", "hang-2"] == [_alarm_id(said.shown) for said in office.chat.cards(NCCL)]


async def test_a_limited_alarm_that_was_posted_all_the_same_is_not_posted_again(office: Office) -> None:
    """F19, F28"""
    office.chat.fail(NCCL, RateLimited("ratelimited", 30), arrived=True)
    await report(office, hang(1))
    await office.deliver(60)
    assert 1 == len(office.chat.cards(NCCL))


async def test_a_limited_channel_delays_no_other(office: Office) -> None:
    """F30"""
    office.chat.fail(NCCL, RateLimited("ratelimited", 60))
    await report(office, hang(1), oom(1))
    await office.deliver(2)
    assert [] == office.chat.cards(NCCL)
    assert 1 == len(office.chat.cards(ALERTS))
    await office.deliver(70)
    assert 1 == len(office.chat.cards(NCCL))


async def test_an_outage_of_45_minutes_loses_nothing_and_the_card_says_that_it_is_late(office: Office) -> None:
    """F37, F38"""
    office.chat.closed[NCCL] = Unavailable("503")
    await report(office, hang(1), hang(2))
    await office.deliver(45 * 60, step=30)
    health = await office.outbox.health(office.time.clock())
    assert 2 == health.due  # the cards; their notes wait for them
    assert health.oldest_due is not None
    assert health.oldest_due <= office.time.clock()
    del office.chat.closed[NCCL]
    await office.deliver(120)
    cards = office.chat.cards(NCCL)
    assert 2 == len(cards)
    assert all("late=True" in card.shown for card in cards)
    assert "'late': 27" in office.chat.thread(NCCL, cards[0].ts)[0].shown  # 2,700 seconds and a little


async def test_a_post_whose_answer_was_lost_is_found_by_its_mark(office: Office) -> None:
    """F19"""
    office.chat.fail(NCCL, OutcomeUnknown("time-out"), arrived=True)
    await report(office, hang(1))
    await office.deliver(30)
    assert 1 == len(office.chat.cards(NCCL))
    assert 1 == len(office.chat.thread(NCCL, office.chat.cards(NCCL)[0].ts))


async def test_a_post_that_did_not_arrive_is_sent_again_after_a_look(office: Office) -> None:
    """F19"""
    office.chat.fail(NCCL, OutcomeUnknown("time-out"))
    await report(office, hang(1))
    await office.deliver(30)
    assert 1 == len(office.chat.cards(NCCL))
    assert ("find", NCCL) in office.chat.calls


async def test_a_note_whose_answer_was_lost_is_not_repeated(office: Office) -> None:
    """F19"""
    await report(office, hang(1))
    await office.deliver()
    office.chat.messages[NCCL] = office.chat.cards(NCCL)
    await report(office, alarm("worse", kind="NCCL HANG", task="task-1", severity=Severity.CRITICAL))
    office.chat.fail(NCCL, *([OutcomeUnknown("time-out")] * 3), arrived=True)
    await office.deliver(60)
    marks = [said.mark for said in office.chat.messages[NCCL]]
    assert len(marks) == len(set(marks))


async def test_without_the_right_to_read_the_history_there_is_at_most_one_extra_copy(office: Office) -> None:
    """F19"""
    office.chat.find_error = CredentialsRefused("missing_scope (channels:history)")
    office.chat.fail(NCCL, *([OutcomeUnknown("time-out")] * 20), arrived=True)
    await report(office, hang(1))
    await office.deliver(600, step=10)
    assert 2 == len(office.chat.cards(NCCL))
    assert 1 == len([text for text in office.chat.notices() if "history" in text])


async def test_without_the_right_to_read_the_history_an_outage_still_loses_nothing(office: Office) -> None:
    """F37"""
    office.chat.find_error = CredentialsRefused("missing_scope (channels:history)")
    office.chat.fail(NCCL, *([Unavailable("503")] * 9), OutcomeUnknown("time-out"))
    await report(office, hang(1))
    await office.deliver(900, step=10)
    assert 1 == len(office.chat.cards(NCCL))


async def test_an_archived_channel_keeps_its_messages_and_the_operators_hear_of_it_once(office: Office) -> None:
    """F42"""
    office.chat.closed[NCCL] = archived()
    await report(office, hang(1), oom(1))
    await office.deliver(1200, step=20)
    await report(office, hang(2))
    await office.deliver(1200, step=20)
    assert 1 == len(office.chat.cards(ALERTS))
    (told,) = office.chat.notices()
    assert "is_archived" in told
    assert {(NCCL, "is_archived")} == {row[:2] for row in (await office.outbox.health(office.time.clock())).parked}
    assert len([call for call in office.chat.calls if call == ("post", NCCL)]) <= 15  # a probe each few minutes


async def test_a_channel_that_opens_again_gets_everything(office: Office) -> None:
    """F42"""
    office.chat.closed[NCCL] = archived()
    await report(office, hang(1), hang(2))
    await office.deliver(60)
    del office.chat.closed[NCCL]
    await office.delivery.wake(NCCL)
    await office.deliver(10)
    assert [2, 2] == [len([s for s in office.chat.messages[NCCL] if s.what == what]) for what in ("card", "note")]
    office.chat.closed[NCCL] = archived()
    await report(office, hang(3))
    await office.deliver(5)
    assert 2 == len(office.chat.notices())


async def test_a_closed_operator_channel_does_not_talk_about_itself(office: Office) -> None:
    """F42"""
    office.chat.closed["#gpu-ops"] = archived()
    office.chat.closed[NCCL] = archived()
    await report(office, hang(1), oom(1))
    await office.deliver(600, step=10)
    assert 1 == len(office.chat.cards(ALERTS))
    assert 1 == len([row for row in await office.outbox.parked() if row.channel == "#gpu-ops"])


async def test_a_refused_card_is_parked_and_the_five_behind_it_leave(office: Office) -> None:
    """F05, F06"""
    office.chat.fail(NCCL, PayloadRefused("msg_too_long"))
    await report(office, *(hang(n) for n in range(6)))
    await office.deliver(60)
    assert 5 == len(office.chat.cards(NCCL))
    (parked,) = await office.outbox.parked()
    assert ("PayloadRefused", "msg_too_long") == (parked.trouble, parked.reason)
    assert "msg_too_long" in office.chat.notices()[0]


async def test_a_parked_card_is_tried_again_when_its_incident_changes(office: Office) -> None:
    office.chat.fail(NCCL, PayloadRefused("invalid_blocks"))
    await report(office, hang(1, "t"))
    await office.deliver(10)
    await report(office, hang(2, "t"))
    await office.deliver(10)
    assert 1 == len(office.chat.cards(NCCL))
    assert () == (await office.outbox.health(office.time.clock())).parked


async def test_a_deleted_card_is_posted_once_more_and_the_thread_goes_on_there(office: Office) -> None:
    """F39, F40"""
    await report(office, hang(1))
    await office.deliver(5)
    office.chat.delete(NCCL, office.chat.cards(NCCL)[0].ts)
    incident = (await office.incidents.open())[0]
    now = office.time.clock()
    await office.incidents.change(incident.id, lambda one: acknowledge(one, "U01CHEN", now), now, at_once=True)
    await office.deliver(10)
    (card,) = office.chat.cards(NCCL)
    assert ["acknowledged"] == [said.shown.split()[0] for said in office.chat.thread(NCCL, card.ts)]


async def test_a_card_that_is_deleted_again_and_again_is_given_up_and_told(office: Office) -> None:
    """F40"""
    for n in range(1, 12):
        await report(office, hang(n, "t"))
        await office.deliver(60)
        for card in office.chat.cards(NCCL):
            office.chat.delete(NCCL, card.ts)
    posted = [said.what for said in office.chat.messages[NCCL]]
    assert 4 == len([call for call in office.chat.calls if call == ("post", NCCL)]) - len(posted)
    assert 1 == len([text for text in office.chat.notices() if "message_not_found" in text])


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("ts")])
async def test_an_error_nobody_expected_ends_no_delivery(office: Office, error: Exception) -> None:
    """F38, F45"""
    office.chat.fail(NCCL, error)  # type: ignore[arg-type]
    await report(office, hang(1), hang(2))
    await office.deliver(60)
    assert 2 == len(office.chat.cards(NCCL))


async def test_a_card_that_cannot_be_rendered_is_parked_and_the_others_leave(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F05, F38"""
    fingerprint = office.chat.fingerprint

    def odd(incident: Incident, now: datetime) -> str:
        if incident.id == 1:
            raise ValueError("a name nobody thought of")
        return fingerprint(incident, now)

    monkeypatch.setattr(office.chat, "fingerprint", odd)
    await report(office, *(hang(n) for n in range(4)))
    await office.deliver(120)
    assert {2, 3, 4} == {said.incident for said in office.chat.cards(NCCL)}
    assert "unexpected ValueError" in office.chat.notices()[0]
    assert "nobody thought of" not in office.chat.notices()[0]


async def test_revoked_credentials_park_everything_with_the_reason(office: Office) -> None:
    refused: DeliveryError = CredentialsRefused("token_revoked")
    office.chat.closed = {NCCL: refused, ALERTS: refused, "#gpu-ops": refused}
    await report(office, hang(1), oom(1))
    await office.deliver(10)
    reasons = {row[1] for row in (await office.outbox.health(office.time.clock())).parked}
    assert {"token_revoked"} == reasons
    office.chat.closed = {}
    await office.deliver(400)
    assert [1, 1] == [len(office.chat.cards(NCCL)), len(office.chat.cards(ALERTS))]


async def test_what_left_at_the_end_of_a_process_waits_for_the_next(office: Office) -> None:
    await report(office, *(hang(n) for n in range(4)))
    await office.delivery.sweep()
    await office.delivery.drain(5)
    assert len(office.chat.messages[NCCL]) <= 1
    await office.restart()
    await office.deliver(30)
    assert 4 == len(office.chat.cards(NCCL))


async def test_a_restart_with_open_incidents_posts_nothing(office: Office) -> None:
    """F22"""
    await report(office, *(hang(n) for n in range(5)))
    await office.deliver(60)
    before = list(office.chat.messages[NCCL])
    await office.restart()
    await report(office, *(hang(n) for n in range(5)))
    await office.deliver(60)
    assert before == office.chat.messages[NCCL]


async def test_a_process_killed_between_post_and_writing_down_leaves_one_card(office: Office) -> None:
    """F19, F22, F46"""
    await report(office, hang(1))
    parcel = await office.outbox.claim(NCCL, office.time.clock())
    assert parcel is not None
    assert parcel.incident is not None
    await office.chat.announce(parcel.incident, NCCL, parcel.mark, office.time.clock())
    await office.restart()
    await office.deliver(10)
    (card,) = office.chat.cards(NCCL)
    assert 1 == len(office.chat.thread(NCCL, card.ts))


async def test_a_process_killed_before_its_post_loses_nothing(office: Office) -> None:
    await report(office, hang(1))
    assert await office.outbox.claim(NCCL, office.time.clock()) is not None
    await office.restart()
    await office.deliver(10)
    assert 1 == len(office.chat.cards(NCCL))


def _alarm_id(shown: str) -> str:
    return "hang-" + shown.split("task='task-")[1].split("'")[0]
