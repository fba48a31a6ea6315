"""What a platform wrote down: log lines and events."""

from datetime import datetime

from bot.domain.answers import EventList, LogView
from bot.domain.command import Logs
from bot.domain.journal import Event
from bot.slack.ids import Action, Target
from bot.slack.views.draft import Draft
from bot.slack.views.excerpt import LINES, excerpt
from bot.slack.views.mrkdwn import code, literal, prose
from bot.slack.views.parts import Block, button, context, header, section
from bot.slack.views.voice import Voice, date, joined

_PER_BLOCK = 5
_MORE_LINES = 400


def log_view(voice: Voice, answer: LogView, now: datetime) -> Draft:
    """The newest lines; where they are many, all that were fetched are in a file."""
    t, job, log = voice.t, answer.job, answer.log
    if not any(text.strip() for text in log.lines):
        return Draft(
            head=[header(t("Logs")), section(t("The log of {pod} is empty.", pod=code(log.pod)))], origin=answer.origin
        )
    text = "\n".join(log.lines)
    shown = excerpt(voice, text, (f"{_file_name(log.pod)}.log", log.pod), LINES, answer.hidden)
    about = joined(code(job.name or job.id), code(log.pod), _choice(voice, answer))
    return Draft(
        head=[header(t("Logs")), context(about)],
        rows=[section(shown.fenced), context(joined(shown.remark, t("earlier lines exist") if log.cut else None))],
        buttons=[_more_lines(voice, answer), button(t("Usage"), Action.USAGE, Target.of_job(job).value())],
        origin=answer.origin,
        file=shown.file,
    )


def _choice(voice: Voice, answer: LogView) -> str | None:
    """Nobody named a pod: which of how many this is."""
    pods = answer.chosen_from
    return voice.t("one of {n} pods", n=pods) if pods and pods > 1 else None


def _more_lines(voice: Voice, answer: LogView) -> Block | None:
    if not answer.log.cut or answer.asked >= _MORE_LINES:
        return None
    ask = Logs(job=str(answer.job.key), pod=answer.log.pod, lines=_MORE_LINES)
    return button(voice.t("{n} lines", n=_MORE_LINES), Action.ASK, ask.text())


def _file_name(pod: str) -> str:
    return "".join(char if char.isalnum() or char in "-." else "-" for char in pod[:100]) or "pod"


def event_list(voice: Voice, answer: EventList, now: datetime) -> Draft:
    """Newest first, in the platform's own words."""
    t = voice.t
    lines = [event_lines(voice, event) for event in answer.events]
    rows = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
    about = joined(code(answer.job.name or answer.job.id), code(answer.pod) if answer.pod else None)
    empty = [] if lines else [section(t("The platform noted nothing."))]
    return Draft(
        head=[header(t("Events")), context(joined(about, t.n("{n} event", "{n} events", len(lines)))), *empty],
        rows=rows,
        more=lambda n: t("and {n} older events", n=len(lines) - (len(rows) - n) * _PER_BLOCK),
        origin=answer.origin,
    )


def event_lines(voice: Voice, event: Event) -> str:
    sign = "⚠️" if event.warning else "▫️"
    at = event.last_at or event.first_at
    times = f"×{event.count}" if event.count > 1 else None
    pod = literal(event.pod, 80) if event.pod else None
    first = joined(f"{sign} *{literal(event.reason, 80)}*", times, date(at) if at else None, pod)
    return f"{first}\n{prose(event.message, 400)}" if event.message.strip() else first
