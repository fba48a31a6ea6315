"""The ways in which an incident may change."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.alarm import Severity, TaskState
from bot.domain.incident import Incident, IncidentState, Resolution
from bot.domain.job import JobState
from bot.domain.life import (
    Verdict,
    acknowledge,
    end_condition,
    fold,
    mute,
    open_incident,
    remind,
    resolve,
    see_job,
    see_task,
    unmute,
)
from bot.domain.note import NoteKind
from tests import make

NOW = make.NOW


def opened(**about: object) -> Incident:
    return open_incident(make.alarm(**about), "#gpu-alerts", NOW)[0]  # type: ignore[arg-type]


def test_the_first_alarm_opens_a_firing_incident_and_goes_to_its_thread() -> None:
    incident, notes = open_incident(make.alarm(), "#gpu-alerts", NOW)

    assert IncidentState.FIRING is incident.state(NOW)
    assert 1 == incident.count
    assert [NoteKind.ALARM] == [note.kind for note in notes]


def test_a_repeat_counts_up_and_says_nothing() -> None:
    later = NOW + timedelta(minutes=3)

    incident, verdict, notes = fold(opened(), make.alarm("alarm-2", at=later), later)

    assert Verdict.REPEAT is verdict
    assert () == notes
    assert (2, later) == (incident.count, incident.last_at)


def test_another_kind_of_trouble_is_worse_and_names_the_card_by_severity() -> None:
    first = opened(kind="cuda OOM", severity=Severity.WARNING)

    incident, verdict, notes = fold(first, make.alarm("alarm-2", kind="NCCL HANG"), NOW)

    assert Verdict.WORSE is verdict
    assert "NCCL HANG" == incident.kind
    assert 1 == len(notes)


def test_a_kind_that_had_ended_comes_back_into_the_same_incident() -> None:
    two = fold(opened(), make.alarm("alarm-2", kind="cuda OOM"), NOW)[0]
    eased, _ = end_condition(two, "ack", "cuda OOM", Resolution.TASK_RECOVERED, NOW)

    incident, verdict, _ = fold(eased, make.alarm("alarm-3", kind="cuda OOM"), NOW)

    assert Verdict.BACK is verdict
    assert all(condition.is_open for condition in incident.conditions)


def test_an_incident_names_every_pod_node_and_gpu_that_any_alarm_named() -> None:
    first = make.alarm()
    second = make.alarm("alarm-2")
    first = replace(first, subject=replace(first.subject, nodes=("n1",), gpus=(("n1", 3),)))
    second = replace(second, subject=replace(second.subject, nodes=("n1", "n2"), gpus=(("n2", 0),)))

    incident = fold(open_incident(first, "#a", NOW)[0], second, NOW)[0]

    assert ("n1", "n2") == incident.subject.nodes
    assert (("n1", 3), ("n2", 0)) == incident.subject.gpus


def test_the_last_condition_to_end_resolves_the_incident() -> None:
    ended, notes = end_condition(opened(), "ack", "NCCL HANG", Resolution.TASK_RECOVERED, NOW)

    assert IncidentState.RESOLVED is ended.state(NOW)
    assert [NoteKind.RESOLVED] == [note.kind for note in notes]


def test_one_of_two_conditions_that_ends_leaves_the_incident_open() -> None:
    two = fold(opened(), make.alarm("alarm-2", kind="cuda OOM"), NOW)[0]

    eased, notes = end_condition(two, "ack", "cuda OOM", Resolution.TASK_RECOVERED, NOW)

    assert eased.is_open
    assert [NoteKind.EASED] == [note.kind for note in notes]


def test_a_task_that_leaves_its_bad_state_resolves() -> None:
    ended, _ = see_task(opened(task_state=TaskState.BLOCKING), "ack", "NCCL HANG", TaskState.RUNNING, NOW)

    assert ended.ending is not None
    assert Resolution.TASK_RECOVERED is ended.ending.why


def test_an_unknown_task_state_resolves_nothing() -> None:
    incident = opened(task_state=TaskState.BLOCKING)

    assert (incident, ()) == see_task(incident, "ack", "NCCL HANG", TaskState.UNKNOWN, NOW)


def test_a_task_that_never_was_in_a_bad_state_does_not_recover_from_it() -> None:
    seen, notes = see_task(opened(task_state=TaskState.RUNNING), "ack", "NCCL HANG", TaskState.BLOCKING, NOW)

    assert seen.is_open
    assert [NoteKind.TASK_CHANGED] == [note.kind for note in notes]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (JobState.SUCCEEDED, Resolution.JOB_SUCCEEDED),
        (JobState.FAILED, Resolution.JOB_FAILED),
        (JobState.STOPPED, Resolution.JOB_STOPPED),
    ],
)
def test_the_end_of_the_job_is_the_end_of_the_incident(state: JobState, why: Resolution) -> None:
    ended, _ = see_job(opened(), make.job(state=state), NOW)

    assert ended.ending is not None
    assert why is ended.ending.why


@pytest.mark.parametrize("state", [JobState.UNKNOWN, JobState.STOPPING, JobState.RUNNING, JobState.QUEUED])
def test_no_other_state_of_the_job_ends_it(state: JobState) -> None:
    assert see_job(opened(), make.job(state=state), NOW)[0].is_open


def test_acknowledging_twice_changes_nothing_the_second_time() -> None:
    taken, first = acknowledge(opened(), "U1", NOW)

    assert (taken, ()) == acknowledge(taken, "U2", NOW)
    assert "U1" == first[0].by


def test_a_mute_ends_by_itself() -> None:
    until = NOW + timedelta(hours=2)
    muted, _ = mute(opened(), "U1", until, "loading data", NOW)

    assert IncidentState.MUTED is muted.state(until - timedelta(seconds=1))
    assert IncidentState.FIRING is muted.state(until)


def test_a_mute_can_be_taken_back() -> None:
    muted, _ = mute(opened(), "U1", NOW + timedelta(hours=2), "", NOW)

    assert IncidentState.FIRING is unmute(muted, "U2", NOW)[0].state(NOW)


def test_nothing_changes_a_resolved_incident() -> None:
    over, _ = resolve(opened(), Resolution.BY_HAND, NOW, by="U1")

    assert (over, ()) == acknowledge(over, "U2", NOW)
    assert (over, ()) == mute(over, "U2", NOW + timedelta(hours=1), "", NOW)
    assert (over, ()) == resolve(over, Resolution.JOB_GONE, NOW)


def test_a_reminder_comes_once_per_period_and_only_while_nobody_took_it() -> None:
    four = timedelta(hours=4)
    reminded, notes = remind(opened(), four, NOW + four)

    assert [NoteKind.REMINDER] == [note.kind for note in notes]
    assert (reminded, ()) == remind(reminded, four, NOW + four + timedelta(hours=3))
    assert () == remind(acknowledge(opened(), "U1", NOW)[0], four, NOW + four)[1]


def test_a_mute_by_a_clock_that_is_ahead_of_ours_holds_at_once() -> None:
    """F94."""
    ahead = NOW + timedelta(seconds=30)
    muted, _ = mute(opened(), "U01CHEN", ahead + timedelta(hours=1), "", ahead)
    assert IncidentState.MUTED is muted.state(NOW)
