"""What happened, as messages of an incident's thread. One function for each kind of note."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from bot.domain.incident import Incident, Resolution
from bot.domain.life import Verdict
from bot.domain.note import Note, NoteKind
from bot.domain.wording import say
from bot.slack.rendering import Rendered
from bot.slack.views import words
from bot.slack.views.evidence import evidence
from bot.slack.views.mrkdwn import code, literal, prose
from bot.slack.views.parts import context, message, section
from bot.slack.views.receipt import stop_failed, stopped, submitted
from bot.slack.views.voice import Voice, date, person

_VERDICTS = {
    str(Verdict.WORSE): say("new in this incident"),
    str(Verdict.BACK): say("back again"),
}


def note(voice: Voice, incident: Incident | None, told: Note) -> Rendered:
    """A note as a message; what comes late says how late. A receipt may belong to no incident."""
    late = late_words(voice, told)
    if told.kind is NoteKind.ALARM and told.alarm is not None:
        return evidence(voice, told.alarm, _verdict(voice, told), late)
    blocks = [section(_SENTENCES[told.kind](voice, incident, told))]
    return message([*blocks, *([context(late)] if late else [])])


def late_words(voice: Voice, told: Note) -> str | None:
    """How late the note comes; the resolution's own `late` says that it happened while the bot was away."""
    late = told.figures.get("late")
    if isinstance(late, bool) or late is None:
        return voice.t("it ended while the bot was away") if late else None
    return voice.t("⏳ told {age} late", age=voice.age(float(late)))


def _verdict(voice: Voice, told: Note) -> str | None:
    worded = _VERDICTS.get(str(told.figures.get("verdict")))
    return voice.t.sentence(worded) if worded else None


def _task_changed(voice: Voice, incident: Incident | None, told: Note) -> str:
    kind, before, after = (str(told.figures.get(name, "")) for name in ("kind", "from", "to"))
    return voice.t(
        "{kind}: the monitor now calls the task *{after}* (before: {before}).",
        kind=literal(voice.kind(kind)),
        before=_task(voice, before),
        after=_task(voice, after),
    )


def _task(voice: Voice, state: str) -> str:
    known = next((sentence for key, sentence in words.TASK.items() if key.value == state), None)
    return voice.t.sentence(known) if known else code(state)


def _eased(voice: Voice, incident: Incident | None, told: Note) -> str:
    kind, why = literal(voice.kind(str(told.figures.get("kind", "")))), _why(voice, told)
    return voice.t("✅ {kind} ended: {why}. The rest is still open.", kind=kind, why=why)


def _acknowledged(voice: Voice, incident: Incident | None, told: Note) -> str:
    return voice.t("🟡 {who} acknowledged this.", who=person(told.by))


def _muted(voice: Voice, incident: Incident | None, told: Note) -> str:
    reason = prose(str(told.figures.get("reason") or ""), 500)
    said = voice.t("🔕 {who} muted this until {until}.", who=person(told.by), until=_moment(told.figures.get("until")))
    return f"{said}\n{voice.t('Reason: {reason}', reason=reason)}" if reason else said


def _unmuted(voice: Voice, incident: Incident | None, told: Note) -> str:
    return voice.t("🔔 {who} unmuted this.", who=person(told.by))


def _stop_asked(voice: Voice, incident: Incident | None, told: Note) -> str:
    reason = prose(str(told.figures.get("reason") or ""), 500)
    said = voice.t("🛑 {who} asked to stop the job.", who=person(told.by))
    return f"{said}\n{voice.t('Reason: {reason}', reason=reason)}" if reason else said


def _terminal_opened(voice: Voice, incident: Incident | None, told: Note) -> str:
    pod = told.figures.get("pod")
    if not pod:
        return voice.t("🖥️ {who} opened a terminal.", who=person(told.by))
    return voice.t("🖥️ {who} opened a terminal in {pod}.", who=person(told.by), pod=code(str(pod)))


def _priority_changed(voice: Voice, incident: Incident | None, told: Note) -> str:
    before, after = (code(str(told.figures.get(name) or "–")) for name in ("before", "after"))
    job = code(str(told.figures.get("job") or ""))
    said = voice.t(
        "↕️ {who} changed the priority of {job}: {before} → {after}.",
        who=person(told.by),
        job=job,
        before=before,
        after=after,
    )
    if told.figures.get("heeded"):
        return said
    unheeded = voice.t("The job does not wait any more, so the platform may not heed it.")
    return f"{said}\n{unheeded}"


def _deleted(voice: Voice, incident: Incident | None, told: Note) -> str:
    job, key = code(str(told.figures.get("job") or "")), code(str(told.figures.get("key") or ""))
    return voice.t("🗑️ {who} deleted the job {job} ({key}).", who=person(told.by), job=job, key=key)


def _restarted(voice: Voice, incident: Incident | None, told: Note) -> str:
    job = code(str(told.figures.get("job") or ""))
    return voice.t("🔁 {who} started the job {job} again.", who=person(told.by), job=job)


def _reminder(voice: Voice, incident: Incident | None, told: Note) -> str:
    age = voice.age(float(told.figures.get("open_seconds") or 0))
    return voice.t("🔁 Still firing after {age}, and nobody has acknowledged it.", age=age)


def _resolved(voice: Voice, incident: Incident | None, told: Note) -> str:
    if told.figures.get("why") == Resolution.BY_HAND and told.by:
        return voice.t("🟢 {who} resolved this.", who=person(told.by))
    if told.figures.get("why") in words.JOB_IS_OVER:
        return voice.t("⚫ Over: {why}.", why=_why(voice, told))
    return voice.t("🟢 Resolved: {why}.", why=_why(voice, told))


def _why(voice: Voice, told: Note) -> str:
    known = next((sentence for key, sentence in words.WHY.items() if key.value == told.figures.get("why")), None)
    return voice.t.sentence(known) if known else "–"


def _moment(unix: str | float | None) -> str:
    return date(datetime.fromtimestamp(float(unix), UTC)) if unix is not None else "–"


def _bare_alarm(voice: Voice, incident: Incident | None, told: Note) -> str:
    """An alarm whose evidence is no longer kept."""
    kind = told.figures.get("kind") or (incident.kind if incident else "")
    return f"*{literal(voice.kind(str(kind)))}*"


_SENTENCES: Mapping[NoteKind, Callable[[Voice, Incident | None, Note], str]] = {
    NoteKind.ALARM: _bare_alarm,
    NoteKind.TASK_CHANGED: _task_changed,
    NoteKind.EASED: _eased,
    NoteKind.ACKNOWLEDGED: _acknowledged,
    NoteKind.MUTED: _muted,
    NoteKind.UNMUTED: _unmuted,
    NoteKind.STOP_ASKED: _stop_asked,
    NoteKind.STOPPED: stopped,
    NoteKind.STOP_FAILED: stop_failed,
    NoteKind.TERMINAL_OPENED: _terminal_opened,
    NoteKind.PRIORITY_CHANGED: _priority_changed,
    NoteKind.DELETED: _deleted,
    NoteKind.RESTARTED: _restarted,
    NoteKind.SUBMITTED: submitted,
    NoteKind.REMINDER: _reminder,
    NoteKind.RESOLVED: _resolved,
}
