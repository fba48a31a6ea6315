"""The life of a stop within its incident: asked for by a person, then confirmed or failed by what the platform shows.

Pure, as `life` is; `life.see_job` confirms a stop where it sees the job's end.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.incident import Incident, Stop
from bot.domain.job import Job, JobState
from bot.domain.note import Note, NoteKind
from bot.domain.redact import redact

STOP_LOST_AFTER = timedelta(minutes=10)  # no stop is watched for so long: whoever asked for it is gone


def ask_stop(incident: Incident, job: Job, by: str, reason: str, now: datetime) -> tuple[Incident, tuple[Note, ...]]:
    """A person asks to stop the job, which was read just now."""
    note = Note(NoteKind.STOP_ASKED, now, by, {"reason": reason})
    return replace(incident, job=job, stop=Stop(by, now, reason, before=job.state)), (note,)


def fail_stop(incident: Incident, job: Job, failure: str, now: datetime) -> tuple[Incident, tuple[Note, ...]]:
    """The stop that is under way did not happen; `job` is what was read after it."""
    stop = incident.stop
    if stop is None or not stop.is_under_way:
        return incident, ()
    failed = replace(incident, job=job, stop=replace(stop, failure=failure))
    return failed, (failure_note(stop, job, failure, now),)


def confirm_stop(incident: Incident, job: Job, now: datetime) -> tuple[Incident, tuple[Note, ...]]:
    stop = incident.stop
    if stop is None or not stop.is_under_way:
        return incident, ()
    return replace(incident, stop=replace(stop, verified=True)), (receipt(stop, job, now),)


def is_stop_lost(incident: Incident, job: Job, now: datetime) -> bool:
    """Whether a stop came to nothing unseen, because the bot ended between asking and looking."""
    stop = incident.stop
    return stop is not None and stop.is_under_way and not _is_ending(job) and now - stop.at >= STOP_LOST_AFTER


def failure_note(stop: Stop, job: Job, failure: str, now: datetime) -> Note:
    figures = {"before": stop.before, "after": job.state.value, "failure": failure, "reason": stop.reason}
    return Note(NoteKind.STOP_FAILED, now, stop.by, figures)


def receipt(stop: Stop, job: Job, now: datetime) -> Note:
    """What a stop did: states before and after, how long it took, what is free again and how to run it once more."""
    figures = {
        "before": stop.before,
        "after": job.state.value,
        "answer": job.platform_state,
        "gpus": job.gpu_count or 0,
        "seconds": (now - stop.at).total_seconds(),
        "reason": stop.reason,
        "again": redact(job.command).text if job.command else None,
    }
    return Note(NoteKind.STOPPED, now, stop.by, figures)


def _is_ending(job: Job) -> bool:
    return job.state.is_over or job.state in (JobState.STOPPING, JobState.UNKNOWN)
