"""The receipt of a stop: who asked, when, what changed, what the platform answered, and how to run it again."""

from collections.abc import Mapping

from bot.domain.command import ShowJob
from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.redact import redact
from bot.slack.views import words
from bot.slack.views.mrkdwn import code, fence, line, prose
from bot.slack.views.voice import Voice, date, joined, person

Figures = Mapping[str, str | int | float | bool | None]


def stopped(voice: Voice, incident: Incident | None, told: Note) -> str:
    """The job is seen to have stopped."""
    head = voice.t(
        "🛑 *The job was stopped*, asked for by {who}, seen {when}.", who=_asker(incident, told), when=date(told.at)
    )
    facts = joined(_before_after(voice, told.figures), _given_back(voice, told.figures), _took(voice, told.figures))
    return "\n".join([head, *([facts] if facts else []), *_lines(voice, told.figures), *_again(voice, incident, told)])


def stop_failed(voice: Voice, incident: Incident | None, told: Note) -> str:
    """The platform did not stop it, or it is not known whether it did."""
    head = voice.t(
        "⚠️ *The job was not stopped*, asked for by {who}, {when}.", who=_asker(incident, told), when=date(told.at)
    )
    facts = _before_after(voice, told.figures)
    return "\n".join([head, *([facts] if facts else []), *_lines(voice, told.figures)])


def submitted(voice: Voice, incident: Incident | None, told: Note) -> str:
    """A job was submitted: under which name, where, how much of it."""
    t, figures = voice.t, told.figures
    job = code(str(figures.get("job") or ""))
    key = str(figures.get("key") or "")
    if figures.get("of"):
        words = {"who": person(told.by), "of": code(str(figures["of"])), "job": job, "when": date(told.at)}
        head = t("🚀 {who} ran {of} again as {job}, {when}.", **words)
    else:
        head = t("🚀 {who} submitted {job}, {when}.", who=person(told.by), job=job, when=date(told.at))
    place = [(t("Queue"), figures.get("queue")), (t("Pool"), figures.get("pool")), (t("GPUs"), _size(voice, figures))]
    facts = joined(*(f"{label}: {line(str(value))}" for label, value in place if value))
    ask = t("{command} shows more", command=code(f"{voice.command} {ShowJob(job=key).text()}"))
    return "\n".join([head, facts, ask])


def _size(voice: Voice, figures: Figures) -> str | None:
    """`2 replicas × 8 = 16 × H800`; without the GPUs where nobody told them."""
    replicas, gpus = figures.get("replicas"), figures.get("gpus")
    if not replicas:
        return None
    counted = voice.t.n("{n} replica", "{n} replicas", int(replicas))
    if gpus is None:
        return counted
    model = f" {figures['model']}" if figures.get("model") else ""
    return f"{counted} × {int(gpus) // int(replicas)}{model}"


def _asker(incident: Incident | None, told: Note) -> str:
    return person(told.by or (incident.stop.by if incident and incident.stop else None))


def _before_after(voice: Voice, figures: Figures) -> str | None:
    before, after = figures.get("before"), figures.get("after")
    if not before and not after:
        return None
    return voice.t("before: {before}, now: {after}", before=_state(voice, before), after=_state(voice, after))


def _state(voice: Voice, state: str | float | None) -> str:
    known = words.job_state(state)
    return voice.t.sentence(known) if known else code(str(state or ""))


def _given_back(voice: Voice, figures: Figures) -> str | None:
    gpus = figures.get("gpus")
    return voice.t.n("{n} GPU given back", "{n} GPUs given back", int(gpus)) if gpus else None


def _took(voice: Voice, figures: Figures) -> str | None:
    seconds = figures.get("seconds")
    return voice.t("took {age}", age=voice.age(float(seconds))) if seconds else None


def _lines(voice: Voice, figures: Figures) -> list[str]:
    lines = []
    if answer := figures.get("answer"):
        lines.append(voice.t("The platform says: {answer}", answer=prose(str(answer), 500)))
    if failure := figures.get("failure"):
        lines.append(voice.t("Why: {why}", why=prose(str(failure), 500)))
    if reason := figures.get("reason"):
        lines.append(voice.t("Reason: {reason}", reason=prose(str(reason), 500)))
    return lines


def _again(voice: Voice, incident: Incident | None, told: Note) -> list[str]:
    command = told.figures.get("again") or (incident.job.command if incident and incident.job else None)
    if not command:
        return []
    return [voice.t("It ran this, for running it again:"), fence(redact(str(command)).text, 1_000)]
