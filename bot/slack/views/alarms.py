"""Incidents as an answer: a list of them, or one as its card."""

from datetime import datetime

from bot.domain.answers import AlarmList, IncidentView
from bot.domain.command import ShowIncident
from bot.domain.incident import Incident
from bot.slack.ids import Action
from bot.slack.views import words
from bot.slack.views.card import card, since_words, state_words, subject_name, times_words
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import literal
from bot.slack.views.parts import Block, button, context, header, section
from bot.slack.views.voice import Voice, date, joined


def alarm_list(voice: Voice, answer: AlarmList, now: datetime) -> Draft:
    """Open incidents, or all that began within a span of time."""
    t, since = voice.t, answer.since
    count = len(answer.incidents)
    what = t.n("{n} open incident", "{n} open incidents", count)
    if since is not None:
        what = joined(t.n("{n} incident", "{n} incidents", count), t("since {when}", when=date(since)))
    empty = [] if count else [section(t("✅ Nothing is firing.") if since is None else t("Nothing happened."))]
    return Draft(
        head=[header(t("Alarms")), context(what), *empty],
        rows=[_row(voice, answer, incident, now) for incident in answer.incidents],
        more=lambda n: t("and {n} more", n=n) if since is None else t("and {n} older ones", n=n),
        origin=answer.origin,
    )


def _row(voice: Voice, answer: AlarmList, incident: Incident, now: datetime) -> Block:
    look = button(voice.t("Details"), Action.ASK, ShowIncident(incident=incident.id).text())
    return section(incident_lines(voice, incident, now, answer.links.get(incident.id)), look)


def incident_lines(voice: Voice, incident: Incident, now: datetime, link: str | None = None) -> str:
    """Two lines: what is wrong with what, and how it stands."""
    sign = words.sign(incident, incident.state(now))
    number = f"<{link}|#{incident.id}>" if link else f"#{incident.id}"
    kind, name = literal(voice.kind(incident.kind)), literal(subject_name(incident), 100)
    owner = voice.owner(incident.job.owner) if incident.job else None
    first = joined(f"{sign} *{kind}*", name, owner, number)
    second = joined(state_words(voice, incident, now), since_words(voice, incident), times_words(voice, incident))
    return f"{first}\n{second}"


def incident_view(voice: Voice, answer: IncidentView, now: datetime) -> Draft:
    """The card itself with its buttons, and the way to its thread."""
    thread = voice.t("Open the thread")
    link = [context(f"<{answer.link}|{thread}>")] if answer.link else []
    return Draft(head=[*(dict(block) for block in card(voice, answer.incident, now).blocks), *link])
