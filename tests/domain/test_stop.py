"""The life of a stop within its incident."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.incident import Incident, Resolution
from bot.domain.job import JobState
from bot.domain.life import open_terminal, resolve, see_job
from bot.domain.note import NoteKind
from bot.domain.stopping import STOP_LOST_AFTER, ask_stop, fail_stop, is_stop_lost
from tests import make

JOB = make.job(command="train --token abcdefgh1")
LATER = make.NOW + timedelta(minutes=2)


@pytest.fixture
def asked() -> Incident:
    return ask_stop(make.incident(job=JOB), JOB, "U01CHEN", "idle", make.NOW)[0]


def test_asking_keeps_who_why_and_the_state_before() -> None:
    incident, notes = ask_stop(make.incident(job=JOB), JOB, "U01CHEN", "idle", make.NOW)
    assert incident.stop is not None
    assert ("U01CHEN", "idle", JobState.RUNNING) == (incident.stop.by, incident.stop.reason, incident.stop.before)
    assert incident.stop.is_under_way
    assert [(NoteKind.STOP_ASKED, "U01CHEN")] == [(note.kind, note.by) for note in notes]


def test_whoever_sees_the_end_first_writes_the_receipt_and_nobody_writes_a_second(asked: Incident) -> None:
    over = replace(JOB, state=JobState.STOPPED, platform_state="ManualTermination")
    ended, notes = see_job(asked, over, LATER)
    assert [NoteKind.STOPPED] == [note.kind for note in notes]
    figures = notes[0].figures
    assert ("running", "stopped", "ManualTermination", 8, 120.0) == tuple(
        figures[name] for name in ("before", "after", "answer", "gpus", "seconds")
    )
    assert "abcdefgh1" not in str(figures["again"])
    assert ended.ending is not None
    assert Resolution.JOB_STOPPED is ended.ending.why
    assert () == see_job(ended, over, LATER)[1]


def test_the_receipt_is_due_even_where_the_incident_was_resolved_by_hand_meanwhile(asked: Incident) -> None:
    resolved, _ = resolve(asked, Resolution.BY_HAND, make.NOW, "U01CHEN")
    _, notes = see_job(resolved, replace(JOB, state=JobState.STOPPED), LATER)
    assert [NoteKind.STOPPED] == [note.kind for note in notes]


def test_a_monitor_that_sees_the_end_first_does_not_take_the_credit_from_the_stop(asked: Incident) -> None:
    recovered, _ = resolve(asked, Resolution.TASK_RECOVERED, make.NOW)
    ended, _ = see_job(recovered, replace(JOB, state=JobState.STOPPED), LATER)
    assert ended.ending is not None
    assert Resolution.JOB_STOPPED is ended.ending.why


def test_a_failed_stop_leaves_the_incident_open_and_can_be_asked_for_again(asked: Incident) -> None:
    failed, notes = fail_stop(asked, JOB, "no permission", LATER)
    assert failed.is_open
    assert failed.stop is not None
    assert not failed.stop.is_under_way
    assert [(NoteKind.STOP_FAILED, "no permission")] == [(note.kind, note.figures["failure"]) for note in notes]
    assert (failed, ()) == fail_stop(failed, JOB, "again", LATER)
    again, _ = ask_stop(failed, JOB, "U05OMAR", "", LATER)
    assert again.stop is not None
    assert again.stop.is_under_way


@pytest.mark.parametrize(
    ("state", "minutes", "lost"),
    [
        (JobState.RUNNING, 10, True),
        (JobState.RUNNING, 9, False),
        (JobState.STOPPING, 60, False),
        (JobState.UNKNOWN, 60, False),
        (JobState.STOPPED, 60, False),
    ],
)
def test_a_stop_is_lost_when_the_job_runs_on_long_after(
    asked: Incident, state: JobState, minutes: int, lost: bool
) -> None:
    now = make.NOW + timedelta(minutes=minutes)
    assert lost is is_stop_lost(asked, replace(JOB, state=state), now)
    assert timedelta(minutes=10) == STOP_LOST_AFTER
    assert not is_stop_lost(make.incident(job=JOB), JOB, now)


def test_a_terminal_leaves_a_note_and_no_other_trace() -> None:
    incident = make.incident(job=JOB)
    after, notes = open_terminal(incident, "U02LIWEI", "worker-0", make.NOW)
    assert incident == after
    assert {"pod": "worker-0"} == notes[0].figures
