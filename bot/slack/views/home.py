"""The Home tab of one person: what is open, their own jobs, whether the sources are still there, how to begin."""

from datetime import datetime
from typing import Any

from bot.domain.answers import AlarmList, HealthView, JobList
from bot.domain.command import ShowIncident, ShowJob
from bot.slack.ids import HOME, Action
from bot.slack.views.alarms import incident_lines
from bot.slack.views.gaps import origin_words
from bot.slack.views.health import source_line
from bot.slack.views.jobs import job_lines, use_words
from bot.slack.views.parts import Block, actions, button, context, divider, header, section
from bot.slack.views.voice import Voice, date

_INCIDENTS = 15
_JOBS = 20
_SOURCES = 20


def home(voice: Voice, alarms: AlarmList, jobs: JobList, health: HealthView, now: datetime) -> dict[str, Any]:
    """The tab as Slack publishes it; `jobs` are the person's own, running or waiting."""
    blocks = [
        *_incidents(voice, alarms, now),
        divider(),
        *_jobs(voice, jobs, now),
        divider(),
        *_sources(voice, health, now),
        divider(),
        *_beginning(voice),
    ]
    return {"type": "home", "callback_id": HOME, "blocks": blocks}


def _incidents(voice: Voice, alarms: AlarmList, now: datetime) -> list[Block]:
    t, shown = voice.t, alarms.incidents[:_INCIDENTS]
    rows = [
        section(
            incident_lines(voice, incident, now, alarms.links.get(incident.id)),
            button(t("Details"), Action.ASK, ShowIncident(incident=incident.id).text()),
        )
        for incident in shown
    ]
    rest = len(alarms.incidents) - len(shown)
    return [
        header(t("Open incidents")),
        *(rows or [section(t("✅ Nothing is firing."))]),
        *([context(t("and {n} more", n=rest))] if rest else []),
    ]


def _jobs(voice: Voice, jobs: JobList, now: datetime) -> list[Block]:
    t, shown = voice.t, jobs.jobs[:_JOBS]
    rows = [
        section(
            job_lines(voice, job, now, use_words(voice, jobs, job)),
            button(t("Details"), Action.ASK, ShowJob(job=str(job.key)).text()),
        )
        for job in shown
    ]
    none = t("You have no running job, or no cloud user is yours yet: an operator can say who you are.")
    rest = jobs.total - len(shown)
    sources = origin_words(voice, jobs.origin, now)
    return [
        header(t("My jobs")),
        *(rows or [section(none)]),
        *([context(t("and {n} more", n=rest))] if rest > 0 else []),
        *([context(sources)] if sources else []),
    ]


def _sources(voice: Voice, health: HealthView, now: datetime) -> list[Block]:
    t = voice.t
    lines = [source_line(voice, source, now) for source in health.sources[:_SOURCES]]
    return [
        header(t("Still here")),
        section("\n".join(lines) or t("No source has been read yet.")),
        context(t("Read {when}", when=date(now))),
    ]


def _beginning(voice: Voice) -> list[Block]:
    t = voice.t
    how = t(
        "Write `{command} help` in any channel, `{command} jobs --mine` for your jobs, or mention the bot in a thread.",
        command=voice.command,
    )
    return [
        header(t("How to begin")),
        section(how),
        *actions([button(t("My jobs"), Action.ASK, "jobs --mine")]),
    ]
