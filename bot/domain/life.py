"""The life of an incident: the only ways in which it may change.

Every function is pure: it takes an incident and what happened, and returns the changed incident with the notes that
belong into its thread.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from bot.domain.alarm import Alarm, TaskState
from bot.domain.incident import (
    Condition,
    Ending,
    Incident,
    IncidentState,
    Mute,
    Resolution,
    Stamp,
)
from bot.domain.job import Job, JobState
from bot.domain.note import Note, NoteKind
from bot.domain.stopping import confirm_stop

Changed = tuple[Incident, tuple[Note, ...]]
Change = Callable[[Incident], Changed]

BACK_WITHIN = timedelta(minutes=15)  # a job that restarts every few minutes is one incident, not one for each restart

_ENDED_BY = {
    JobState.SUCCEEDED: Resolution.JOB_SUCCEEDED,
    JobState.FAILED: Resolution.JOB_FAILED,
    JobState.STOPPED: Resolution.JOB_STOPPED,
}


class Verdict(StrEnum):
    """What an alarm meant for its incident."""

    NEW = "new"
    WORSE = "worse"  # a kind that was not there before, or a higher severity
    BACK = "back"  # a kind that had ended within this incident
    REPEAT = "repeat"


def open_incident(alarm: Alarm, channel: str, now: datetime) -> Changed:
    """The first alarm about a subject."""
    at = alarm.at or now
    incident = Incident(
        id=0,
        key=alarm.incident_key,
        subject=alarm.subject,
        opened_at=at,
        last_at=at,
        channel=channel,
        conditions=(_first_condition(alarm, at),),
        job=alarm.job,
        use=alarm.use,
        time_unknown=alarm.at is None,
    )
    return incident, (_alarm_note(alarm, Verdict.NEW, now),)


def fold(incident: Incident, alarm: Alarm, now: datetime) -> tuple[Incident, Verdict, tuple[Note, ...]]:
    """A further alarm about an open incident's subject: count it, and say in the thread only what is new."""
    at = alarm.at or now
    known = next(
        (c for c in incident.conditions if (c.source, c.kind) == (alarm.source, alarm.kind)),
        None,
    )
    verdict = _judge(known, alarm)
    conditions = _with_condition(incident.conditions, known, alarm, at)
    folded = replace(
        incident,
        conditions=conditions,
        last_at=max(incident.last_at, at),
        opened_at=min(incident.opened_at, at),
        subject=incident.subject.widened(alarm.subject),
        job=alarm.job or incident.job,
        use=alarm.use or incident.use,
    )
    notes = () if verdict is Verdict.REPEAT else (_alarm_note(alarm, verdict, now),)
    return folded, verdict, notes


def comes_back(incident: Incident, alarm: Alarm, now: datetime) -> bool:
    """Whether the alarm is the trouble of an ended incident again, so soon that it is one story.

    What a person ended is over: the next alarm after that is news.
    """
    ending, stop = incident.ending, incident.stop
    by_person = ending is not None and (ending.why is Resolution.BY_HAND or (stop is not None and stop.verified))
    if ending is None or by_person or now - ending.at > BACK_WITHIN:
        return False
    is_bad = alarm.task_state is TaskState.UNKNOWN or alarm.task_state.is_bad
    return is_bad and any((c.source, c.kind) == (alarm.source, alarm.kind) for c in incident.conditions)


def reopen(incident: Incident) -> Incident:
    """It goes on with its card, its thread, its counter and whoever took it; what is back is folded in next."""
    return replace(incident, ending=None)


def acknowledge(incident: Incident, by: str, now: datetime) -> Changed:
    """A person takes the incident; a second acknowledgement changes nothing."""
    if not incident.is_open or incident.acknowledged:
        return incident, ()
    return replace(incident, acknowledged=Stamp(by, now)), (Note(NoteKind.ACKNOWLEDGED, now, by),)


def mute(incident: Incident, by: str, until: datetime, reason: str, now: datetime) -> Changed:
    """No reminders and no notes about repeats until then; a new kind of trouble still speaks."""
    if not incident.is_open:
        return incident, ()
    note = Note(NoteKind.MUTED, now, by, {"until": until.timestamp(), "reason": reason})
    return replace(incident, mute=Mute(by, now, until, reason)), (note,)


def unmute(incident: Incident, by: str, now: datetime) -> Changed:
    if not incident.is_open or incident.mute is None:
        return incident, ()
    return replace(incident, mute=None), (Note(NoteKind.UNMUTED, now, by),)


def resolve(
    incident: Incident,
    why: Resolution,
    now: datetime,
    by: str | None = None,
    late: bool = False,
) -> Changed:
    """The incident is over; what was still open in it ends with it. Resolving twice changes nothing, and the receipt
    of a stop has told already that the job is stopped."""
    if not incident.is_open:
        return incident, ()
    conditions = tuple(c if c.ended_at else replace(c, ended_at=now) for c in incident.conditions)
    ended = replace(incident, conditions=conditions, ending=Ending(now, why, by, late))
    if why is Resolution.JOB_STOPPED and incident.stop is not None and incident.stop.verified:
        return ended, ()
    return ended, (Note(NoteKind.RESOLVED, now, by, {"why": why.value, "late": late}),)


def end_condition(incident: Incident, source: str, kind: str, why: Resolution, now: datetime) -> Changed:
    """One kind of trouble is over; with the last one the incident is over too."""
    if not incident.is_open or not any(_matches(c, source, kind) for c in incident.conditions):
        return incident, ()
    conditions = tuple(replace(c, ended_at=now) if _matches(c, source, kind) else c for c in incident.conditions)
    eased = replace(incident, conditions=conditions)
    if not any(c.is_open for c in conditions):
        return resolve(eased, why, now)
    return eased, (Note(NoteKind.EASED, now, None, {"kind": kind, "why": why.value}),)


def see_task(incident: Incident, source: str, kind: str, state: TaskState, now: datetime) -> Changed:
    """The monitor now says something else of the task behind a known alarm. Unknown resolves nothing."""
    known = next((c for c in incident.conditions if _matches(c, source, kind)), None)
    if known is None or state in (TaskState.UNKNOWN, known.task_state):
        return incident, ()
    conditions = tuple(replace(c, task_state=state) if c is known else c for c in incident.conditions)
    seen = replace(incident, conditions=conditions)
    if known.task_state.is_bad and not state.is_bad:
        return end_condition(seen, source, kind, Resolution.TASK_RECOVERED, now)
    figures = {"from": known.task_state.value, "to": state.value, "kind": kind}
    return seen, (Note(NoteKind.TASK_CHANGED, now, None, figures),)


def see_job(incident: Incident, job: Job, now: datetime, late: bool = False) -> Changed:
    """The job behind the incident was read again; its end is the incident's end, and a stop's receipt is due."""
    why = _ENDED_BY.get(job.state)
    seen = replace(incident, job=job)
    if why is None:
        return seen, ()
    stopped, receipts = confirm_stop(seen, job, now)
    if receipts and stopped.ending is not None and stopped.ending.by is None:
        # the monitor saw the task leave its bad state before we saw the job stopped; what ended it was the stop
        stopped = replace(stopped, ending=replace(stopped.ending, why=why))
    ended, notes = resolve(stopped, why, now, late=late)
    return ended, (*receipts, *notes)


def remind(incident: Incident, every: timedelta, now: datetime) -> Changed:
    """An incident that nobody took is mentioned again in its thread each time `every` has passed."""
    last = incident.reminded_at or max(c.first_at for c in incident.conditions)
    if incident.state(now) is not IncidentState.FIRING or now - last < every:
        return incident, ()
    figures = {"open_seconds": (now - incident.opened_at).total_seconds()}
    return replace(incident, reminded_at=now), (Note(NoteKind.REMINDER, now, None, figures),)


def open_terminal(incident: Incident, by: str, pod: str, now: datetime) -> Changed:
    """Nothing changes but what is known: somebody was given a terminal. Its address is told to nobody."""
    return incident, (Note(NoteKind.TERMINAL_OPENED, now, by, {"pod": pod}),)


def tell(incident: Incident, note: Note) -> Changed:
    """Nothing changes but what is known: something was done to the job, or with its definition."""
    return incident, (note,)


def _matches(condition: Condition, source: str, kind: str) -> bool:
    return condition.is_open and (condition.source, condition.kind) == (source, kind)


def _judge(known: Condition | None, alarm: Alarm) -> Verdict:
    if known is None or alarm.severity > known.severity:
        return Verdict.WORSE
    return Verdict.REPEAT if known.is_open else Verdict.BACK


def _first_condition(alarm: Alarm, at: datetime) -> Condition:
    return Condition(alarm.source, alarm.kind, alarm.severity, 1, at, at, alarm.task_state)


def _with_condition(
    conditions: Sequence[Condition], known: Condition | None, alarm: Alarm, at: datetime
) -> tuple[Condition, ...]:
    if known is None:
        return (*conditions, _first_condition(alarm, at))
    grown = replace(
        known,
        count=known.count + 1,
        severity=max(known.severity, alarm.severity),
        first_at=min(known.first_at, at),
        last_at=max(known.last_at, at),
        task_state=alarm.task_state if alarm.task_state is not TaskState.UNKNOWN else known.task_state,
        ended_at=None,
    )
    return tuple(grown if c is known else c for c in conditions)


def _alarm_note(alarm: Alarm, verdict: Verdict, now: datetime) -> Note:
    return Note(
        NoteKind.ALARM,
        alarm.at or now,
        None,
        {"verdict": verdict.value, "kind": alarm.kind},
        alarm,
    )
