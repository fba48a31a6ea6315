"""The storm card: more new incidents than a channel can take, listed and counted in one message."""

from datetime import datetime

from bot.domain.outbox import Storm
from bot.slack.rendering import Rendered
from bot.slack.views import words
from bot.slack.views.card import subject_name
from bot.slack.views.mrkdwn import literal
from bot.slack.views.parts import assemble, context, header, message, section
from bot.slack.views.voice import Voice, date, joined

_PER_BLOCK = 10
_LISTED = 60


def storm(voice: Voice, told: Storm, now: datetime) -> Rendered:
    """The message in its present state; each member keeps its own life, and gets its card when there is room."""
    t = voice.t
    is_over = told.ended >= told.total
    title = t.n("{n} new incident at once", "{n} new incidents at once", told.total)
    counts = t(
        "since {when} · {open} open, {ended} ended",
        when=date(told.opened_at),
        open=told.total - told.ended,
        ended=told.ended,
    )
    lines = [_line(voice, told, place, now) for place in range(min(len(told.incidents), _LISTED))]
    rows = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
    unlisted = told.total - len(lines)
    foot = [context(joined(_unlisted(voice, unlisted), _how(voice)))]
    head = [header(f"{'🟢' if is_over else '🌩️'} {title}"), section(counts)]
    return message(assemble(head, rows, foot, lambda n: t("and {n} more", n=len(lines) - (len(rows) - n) * _PER_BLOCK)))


def _line(voice: Voice, told: Storm, place: int, now: datetime) -> str:
    incident = told.incidents[place]
    state = incident.state(now)
    own = voice.t("has a card of its own") if incident.id in told.posted else None
    kind, name = literal(voice.kind(incident.kind, 40)), literal(subject_name(incident), 60)
    return joined(f"{words.sign(incident, state)} *{kind}* {name}", f"#{incident.id}", own)


def _unlisted(voice: Voice, n: int) -> str | None:
    return voice.t("and {n} more", n=n) if n > 0 else None


def _how(voice: Voice) -> str:
    return voice.t("`{command} alarms` lists all open incidents", command=voice.command)
