"""Acts on behalf of people."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.access import Policy
from bot.domain.answers import TerminalHandout
from bot.domain.errors import CloudError, Refused, Rejected, StoreFull, Throttled, Uncertain, Unreachable
from bot.domain.incident import Incident, IncidentState, Resolution
from bot.domain.job import JobState
from bot.domain.note import NoteKind
from bot.domain.ports import Can
from bot.domain.series import UseLine
from bot.domain.stopping import ask_stop
from bot.relay.act import Act, Declined, Desk, Done, Failed, StopQuestion, Underway
from bot.relay.fleet import Fleet
from bot.relay.follow import Follow
from bot.relay.poll import Reach
from bot.relay.rights import Rights
from bot.relay.watch import Watch
from bot.store.audit import Audit
from bot.store.claims import ClaimStore
from bot.store.codec import unpack_note
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.cast import Speaker
from tests.relay.job_cloud import JOB_ABILITIES, PlainCloud
from tests.relay.people import ANNA, CHEN, GUEST, LIWEI, OMAR, POLICY, Directory

JOB = make.job("pytorchjob-a1b2", name="llama-70b", owner="li.wei", command="train --lr 3e-4")
STARTED = JOB.started_at


def full_after(monkeypatch: pytest.MonkeyPatch, part: Any, method: str, calls: int) -> None:
    """The disk is full once the part's method was called so often."""
    works, left = getattr(part, method), calls

    async def called(*args: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise StoreFull("no space left")
        return await works(*args, **named)

    monkeypatch.setattr(part, method, called)


class World:
    """A cloud with one job, a store, and a clock that sleeping moves."""

    def __init__(self, database: Database, incidents: IncidentStore, policy: Policy = POLICY) -> None:
        self.now = make.NOW
        self.incidents = incidents
        self.audit = Audit(database)
        self._database = database
        self._rights = Rights(Directory(), policy)
        self.use(PlainCloud("beijing").hold([], make.pod()))

    def use(self, cloud: PlainCloud) -> None:
        """Let the job run on this cloud."""
        self.cloud = cloud.hold([JOB])
        self.fleet = Fleet({"beijing": cloud})
        claims = ClaimStore(self._database)
        self.act = Act(
            Desk(self.fleet, self.incidents, claims, self._rights, self.audit, lambda: self.now, self._sleep)
        )

    async def _sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    async def open_incident(self) -> Incident:
        await self.incidents.observe("ack", [make.alarm(job=self.cloud.held[JOB.id])], self.now)
        return (await self.incidents.open())[0]

    async def notes(self) -> list[NoteKind]:
        """Kinds of the notes that wait for the thread, without the alarm's own."""
        rows = await self._database.run(
            lambda session: session.execute("SELECT body FROM outbox WHERE what = 'note' ORDER BY id").fetchall()
        )
        return [kind for (body,) in rows if (kind := unpack_note(body).kind) is not NoteKind.ALARM]

    async def outcomes(self) -> list[tuple[str, str, str]]:
        """Who did what with which outcome, oldest first."""
        return [(one.person, one.action, one.outcome) for one in reversed(await self.audit.actions())]

    @property
    def stops(self) -> Sequence[str]:
        return [call for call in self.cloud.calls if call.startswith("stop")]


@pytest.fixture
async def world(database: Database, incidents: IncidentStore) -> AsyncIterator[World]:
    world = World(database, incidents)
    yield world
    await world.fleet.close()


async def test_a_stop_is_done_once_the_platform_shows_it(world: World) -> None:
    incident = await world.open_incident()
    world.cloud.stops_after = 2
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED, "wrong data")
    assert isinstance(outcome, Done)
    assert "llama-70b is stopped now." == str(outcome.sentence)
    ended = await world.incidents.get(incident.id)
    assert ended is not None
    assert ended.stop is not None
    assert (True, None, "wrong data", LIWEI) == (
        ended.stop.verified,
        ended.stop.failure,
        ended.stop.reason,
        ended.stop.by,
    )
    assert ended.ending is not None
    assert Resolution.JOB_STOPPED is ended.ending.why
    assert [NoteKind.STOP_ASKED, NoteKind.STOPPED] == await world.notes()
    assert ["stop pytorchjob-a1b2"] == world.stops
    assert [(LIWEI, "stop", "asked"), (LIWEI, "stop", "llama-70b is stopped now.")] == await world.outcomes()


async def test_without_an_incident_the_receipt_is_given_back(world: World) -> None:
    world.cloud.stops_after = 1
    outcome = await world.act.stop(OMAR, JOB.key, STARTED, "")
    assert isinstance(outcome, Done)
    assert outcome.receipt is not None
    assert (NoteKind.STOPPED, OMAR) == (outcome.receipt.kind, outcome.receipt.by)
    assert {
        "before": "running",
        "after": "stopped",
        "answer": "Stopped",
        "gpus": 8,
        "seconds": 1.5,
        "reason": "",
        "again": "train --lr 3e-4",
    } == outcome.receipt.figures


async def test_two_people_at_once_make_one_call_and_the_second_hears_who_was_first(world: World) -> None:
    outcomes = await asyncio.gather(world.act.stop(LIWEI, JOB.key, STARTED), world.act.stop(CHEN, JOB.key, STARTED))
    assert ["stop pytorchjob-a1b2"] == world.stops
    done = next(one for one in outcomes if isinstance(one, Done))
    second = next(one for one in outcomes if isinstance(one, Declined))
    assert done.receipt is not None
    assert f"llama-70b is already being stopped by @{done.receipt.by} since " in str(second.sentence)


@pytest.mark.parametrize("refusal", [None, Rejected("beijing", "it is protected")])
async def test_a_store_that_fills_up_after_the_request_hides_nothing_of_what_came_of_it(
    world: World, monkeypatch: pytest.MonkeyPatch, refusal: CloudError | None
) -> None:
    await world.open_incident()
    world.cloud.errors = {"stop": refusal} if refusal else {}
    for part, method in ((world.incidents, "change"), (world.audit, "note"), (ClaimStore, "release")):
        full_after(monkeypatch, part, method, calls=0 if part is ClaimStore else 1)
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Failed if refusal else Done)
    assert outcome.receipt is not None
    assert 1 == len(world.stops)


async def test_a_store_that_is_full_before_the_request_stops_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.open_incident()
    full_after(monkeypatch, world.incidents, "change", calls=0)
    with pytest.raises(StoreFull):
        await world.act.stop(LIWEI, JOB.key, STARTED)
    assert [] == world.stops


async def test_a_second_click_after_the_stop_hears_that_it_is_over(world: World) -> None:
    await world.act.stop(LIWEI, JOB.key, STARTED)
    again = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(again, Declined)
    assert "llama-70b is over already: it is stopped." == str(again.sentence)
    assert 1 == len(world.stops)


@pytest.mark.parametrize("person", [ANNA, GUEST])
async def test_who_may_not_stop_is_told_who_may_and_nothing_is_asked(world: World, person: str) -> None:
    outcome = await world.act.stop(person, JOB.key, STARTED)
    assert isinstance(outcome, Declined)
    assert "Only the job's owner @U02LIWEI and operators" in str(outcome.sentence)
    assert [] == world.stops
    assert [(person, "stop")] == [(who, what) for who, what, _ in await world.outcomes()]


async def test_nobody_may_stop_until_operators_are_named(database: Database, incidents: IncidentStore) -> None:
    world = World(database, incidents, Policy())
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Declined)
    assert "`access.operators`" in str(outcome.sentence)
    assert [] == world.stops


async def test_a_button_of_an_earlier_run_stops_nothing(world: World) -> None:
    assert STARTED is not None
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED - timedelta(days=1))
    assert isinstance(outcome, Declined)
    assert "the present run began" in str(outcome.sentence)
    waiting = replace(JOB, state=JobState.QUEUED, started_at=None)
    world.cloud.hold([waiting])
    queued = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert "it is queued" in str(queued.sentence)
    assert [] == world.stops


async def test_a_queued_job_can_be_stopped(world: World) -> None:
    world.cloud.hold([replace(JOB, state=JobState.QUEUED, started_at=None)])
    assert isinstance(await world.act.stop(LIWEI, JOB.key, None), Done)


async def test_a_fraction_of_a_second_does_not_make_another_run(world: World) -> None:
    assert STARTED is not None
    world.cloud.hold([replace(JOB, started_at=STARTED + timedelta(milliseconds=400))])
    assert isinstance(await world.act.prepare_stop(LIWEI, JOB.key, STARTED), StopQuestion)


@pytest.mark.parametrize(
    "lost", [Uncertain("beijing", "answer lost"), Unreachable("beijing", "time-out")], ids=["uncertain", "unreachable"]
)
async def test_a_lost_answer_is_looked_after_and_never_asked_again(world: World, lost: CloudError) -> None:
    class Losing(PlainCloud):
        async def stop(self, job_id: str) -> None:
            await super().stop(job_id)
            raise lost

    world.use(Losing("beijing"))
    assert isinstance(await world.act.stop(LIWEI, JOB.key, STARTED), Done)
    assert 1 == len(world.stops)


async def test_a_lost_request_is_a_failure_that_can_be_tried_again(world: World) -> None:
    incident = await world.open_incident()
    world.cloud.errors["stop"] = Uncertain("beijing", "connection reset")
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Failed)
    assert "llama-70b was not stopped: connection reset." == str(outcome.sentence)
    failed = await world.incidents.get(incident.id)
    assert failed is not None
    assert failed.stop is not None
    assert "connection reset" == failed.stop.failure
    assert failed.is_open
    assert [NoteKind.STOP_ASKED, NoteKind.STOP_FAILED] == await world.notes()
    world.cloud.errors.clear()
    assert isinstance(await world.act.stop(CHEN, JOB.key, STARTED), Done)


@pytest.mark.parametrize(
    "error",
    [Rejected("beijing", "not allowed"), Refused("beijing", "no permission"), Throttled("beijing", "slow down")],
    ids=["rejected", "refused", "throttled"],
)
async def test_a_platform_that_says_no_is_quoted(world: World, error: CloudError) -> None:
    world.cloud.errors["stop"] = error
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Failed)
    assert outcome.receipt is not None
    assert (NoteKind.STOP_FAILED, error.detail) == (outcome.receipt.kind, outcome.receipt.figures["failure"])


async def test_a_job_that_ended_by_itself_meanwhile_is_no_failure(world: World) -> None:
    class Ended(PlainCloud):
        async def stop(self, job_id: str) -> None:
            self.held[job_id] = replace(JOB, state=JobState.SUCCEEDED)
            raise Rejected("beijing", "job is not running")

    world.use(Ended("beijing"))
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Done)
    assert "llama-70b is succeeded now." == str(outcome.sentence)


async def test_a_job_that_the_platform_forgets_has_stopped(world: World) -> None:
    class Forgetting(PlainCloud):
        async def stop(self, job_id: str) -> None:
            del self.held[job_id]

    world.use(Forgetting("beijing"))
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Done)
    assert outcome.receipt is not None
    assert "not found" == outcome.receipt.figures["answer"]


async def test_a_stop_that_takes_long_is_under_way_and_its_receipt_comes_when_it_is_seen(world: World) -> None:
    incident = await world.open_incident()
    world.cloud.stops_after = 100
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Underway)
    assert "beijing agreed to stop llama-70b; it is not over yet." == str(outcome.sentence)
    again = await world.act.stop(CHEN, JOB.key, STARTED)
    assert f"already being stopped by @{LIWEI}" in str(again.sentence)
    world.cloud.stops_after = 0
    await world.act.prepare_stop(CHEN, JOB.key, STARTED)
    ended = await world.incidents.get(incident.id)
    assert ended is not None
    assert ended.stop is not None
    assert ended.stop.verified
    assert [NoteKind.STOP_ASKED, NoteKind.STOPPED] == await world.notes()


async def test_a_stop_without_an_incident_is_watched_until_its_receipt_can_be_given(world: World) -> None:
    world.cloud.stops_after = 20
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Done)
    assert outcome.receipt is not None
    assert 82.5 < float(outcome.receipt.figures["seconds"] or 0) < 600


async def test_a_platform_that_agrees_and_does_nothing_failed(world: World) -> None:
    class Idle(PlainCloud):
        async def stop(self, job_id: str) -> None:
            return

    world.use(Idle("beijing"))
    outcome = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert isinstance(outcome, Failed)
    assert "the job still runs" in str(outcome.sentence)


async def test_a_claim_of_a_process_that_ended_does_not_last_for_ever(world: World, database: Database) -> None:
    assert STARTED is not None
    key = f"stop {JOB.key}@{int(STARTED.timestamp())}#1"
    await ClaimStore(database).claim(key, f"{CHEN} {int(world.now.timestamp())}", world.now)
    held = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert f"already being stopped by @{CHEN}" in str(held.sentence)
    world.now += timedelta(minutes=11)
    assert isinstance(await world.act.stop(LIWEI, JOB.key, STARTED), Done)


async def test_a_stop_that_a_crash_cut_off_is_given_up_and_can_be_asked_for_again(world: World) -> None:
    incident = await world.open_incident()
    asked = world.now
    await world.incidents.change(incident.id, lambda one: ask_stop(one, JOB, CHEN, "", asked), asked, at_once=True)
    watch = Watch(world.incidents, Speaker())
    follow = Follow(world.cloud, world.fleet, world.incidents, watch, Reach(), started_at=world.now)
    world.now += timedelta(minutes=10)
    await follow.tick(world.now)
    given_up = await world.incidents.get(incident.id)
    assert given_up is not None
    assert given_up.stop is not None
    assert "restarted" in (given_up.stop.failure or "")
    assert [NoteKind.STOP_ASKED, NoteKind.STOP_FAILED] == await world.notes()
    assert isinstance(await world.act.stop(CHEN, JOB.key, STARTED), Done)


async def test_before_a_stop_the_job_is_read_anew_and_shown_with_its_use(world: World) -> None:
    incident = await world.open_incident()
    world.fleet.note_use(JOB.key, UseLine(make.NOW, (0.93,)))
    question = await world.act.prepare_stop(LIWEI, JOB.key, STARTED)
    assert isinstance(question, StopQuestion)
    assert question.incident is not None
    assert (JOB, incident.id, (0.93,)) == (question.job, question.incident.id, question.use.gpus if question.use else 0)
    assert [] == world.stops


async def test_a_job_that_ended_is_not_asked_about_and_its_incident_learns_of_it(world: World) -> None:
    incident = await world.open_incident()
    world.cloud.hold([replace(JOB, state=JobState.FAILED, finished_at=make.NOW)])
    declined = await world.act.prepare_stop(LIWEI, JOB.key, STARTED)
    assert isinstance(declined, Declined)
    assert str(declined.sentence).startswith("llama-70b is over already: failed since 2026-11-30 06:00")
    ended = await world.incidents.get(incident.id)
    assert ended is not None
    assert IncidentState.RESOLVED is ended.state(make.NOW)


async def test_a_cloud_that_cannot_stop_or_does_not_answer_says_so(world: World) -> None:
    world.cloud.abilities = JOB_ABILITIES - {Can.STOP}
    assert "it cannot stop jobs" in str((await world.act.stop(LIWEI, JOB.key, STARTED)).sentence)
    world.cloud.error = Unreachable("beijing", "no route")
    declined = await world.act.prepare_stop(LIWEI, JOB.key, STARTED)
    assert isinstance(declined, Declined)
    assert "beijing did not answer: no route." in str(declined.sentence)
    assert [] == world.stops


async def test_a_job_that_is_stopping_from_elsewhere_is_left_alone(world: World) -> None:
    world.cloud.hold([replace(JOB, state=JobState.STOPPING)]).stops_after = 9
    declined = await world.act.stop(LIWEI, JOB.key, STARTED)
    assert "llama-70b is being stopped already." == str(declined.sentence)
    assert [] == world.stops


async def test_a_terminal_is_handed_to_one_person_and_the_thread_hears_only_that(
    world: World, database: Database
) -> None:
    await world.open_incident()
    handed = await world.act.terminal(LIWEI, JOB.key, STARTED)
    assert isinstance(handed, TerminalHandout)
    assert ("pytorchjob-a1b2-master-0", "https://terminal.example.com/?token=t0p-s3cret") == (
        handed.pod,
        handed.link.url,
    )
    assert [NoteKind.TERMINAL_OPENED] == await world.notes()
    assert [(LIWEI, "terminal", "opened in pytorchjob-a1b2-master-0")] == await world.outcomes()
    dump = await database.run(lambda session: "\n".join(session.iterdump()))
    assert "s3cret" not in dump
    assert "s3cret" not in repr(handed)


async def test_no_link_is_fetched_for_who_may_not_or_for_a_job_that_is_over(world: World) -> None:
    assert isinstance(await world.act.terminal(ANNA, JOB.key, STARTED), Declined)
    world.cloud.hold([replace(JOB, state=JobState.STOPPED)])
    over = await world.act.terminal(LIWEI, JOB.key, STARTED)
    assert isinstance(over, Declined)
    assert "llama-70b is over" in str(over.sentence)
    assert [] == [call for call in world.cloud.calls if call.startswith("terminal")]


async def test_a_terminal_that_is_not_offered_is_declined(world: World) -> None:
    world.cloud.held_pods[JOB.id] = [make.pod(terminal=False)]
    declined = await world.act.terminal(LIWEI, JOB.key, STARTED)
    assert isinstance(declined, Declined)
    assert "No pod of llama-70b offers a terminal" in str(declined.sentence)
    world.cloud.abilities = JOB_ABILITIES - {Can.TERMINAL}
    off = await world.act.terminal(LIWEI, JOB.key, STARTED, "pytorchjob-a1b2-master-0")
    assert isinstance(off, Declined)
    assert "it cannot open terminals" in str(off.sentence)


async def test_the_first_acknowledgement_counts_and_the_second_hears_whose_it_was(world: World) -> None:
    incident = await world.open_incident()
    first = await world.act.acknowledge(CHEN, incident.id)
    second = await world.act.acknowledge(OMAR, incident.id)
    assert isinstance(first, Done)
    assert isinstance(second, Declined)
    assert f"@{CHEN} took this incident" in str(second.sentence)
    assert [NoteKind.ACKNOWLEDGED] == await world.notes()


async def test_a_mute_lasts_as_long_as_asked_and_ends_by_hand(world: World) -> None:
    incident = await world.open_incident()
    muted = await world.act.mute(LIWEI, incident.id, timedelta(hours=2), "loading data")
    assert isinstance(muted, Done)
    assert muted.incident is not None
    assert muted.incident.mute is not None
    assert make.NOW + timedelta(hours=2) == muted.incident.mute.until
    assert isinstance(await world.act.unmute(OMAR, incident.id), Done)
    again = await world.act.unmute(OMAR, incident.id)
    assert "This incident is not muted." == str(again.sentence)
    assert [NoteKind.MUTED, NoteKind.UNMUTED] == await world.notes()


async def test_a_mute_is_never_longer_than_thirty_days(world: World) -> None:
    incident = await world.open_incident()
    muted = await world.act.mute(OMAR, incident.id, timedelta(days=400))
    assert isinstance(muted, Done)
    assert muted.incident is not None
    assert muted.incident.mute is not None
    assert make.NOW + timedelta(days=30) == muted.incident.mute.until


async def test_an_incident_is_resolved_by_hand_once(world: World) -> None:
    incident = await world.open_incident()
    assert isinstance(await world.act.resolve(LIWEI, incident.id), Done)
    for late in (
        await world.act.resolve(OMAR, incident.id),
        await world.act.acknowledge(OMAR, incident.id),
        await world.act.mute(OMAR, incident.id, timedelta(hours=1)),
    ):
        assert isinstance(late, Declined)
        assert f"This incident was resolved by @{LIWEI}" in str(late.sentence)


async def test_an_incident_is_handled_only_by_who_may(world: World) -> None:
    incident = await world.open_incident()
    for outcome in (
        await world.act.acknowledge(ANNA, incident.id),
        await world.act.mute(GUEST, incident.id, timedelta(hours=1)),
        await world.act.unmute(ANNA, incident.id),
        await world.act.resolve(GUEST, incident.id),
    ):
        assert isinstance(outcome, Declined)
    assert incident == await world.incidents.get(incident.id)
    assert 4 == len(await world.outcomes())


async def test_an_incident_without_a_job_is_for_operators(world: World) -> None:
    await world.incidents.observe("ack", [make.alarm(task="unknown-task")], world.now)
    incident = (await world.incidents.open())[0]
    assert isinstance(await world.act.acknowledge(LIWEI, incident.id), Declined)
    assert isinstance(await world.act.acknowledge(CHEN, incident.id), Done)


async def test_an_unknown_incident_is_said_to_be_unknown(world: World) -> None:
    declined = await world.act.resolve(OMAR, 99)
    assert "There is no incident 99." == str(declined.sentence)
