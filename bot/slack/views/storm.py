"""The storm card: more new incidents than a channel can take in one message, by name as far as it holds them."""

from datetime import datetime

from bot.domain.incident import Incident
from bot.domain.outbox import Storm
from bot.slack.rendering import Rendered
from bot.slack.views import words
from bot.slack.views.card import subject_name
from bot.slack.views.mrkdwn import literal
from bot.slack.views.parts import assemble, context, header, message, section
from bot.slack.views.voice import Voice, date, joined

_PER_BLOCK = 10


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
    members = sorted(told.incidents, key=lambda one: one.id in told.posted)  # the others can be read nowhere else
    lines = [_line(voice, told, member, now) for member in members]
    rows = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]

    def left_out(n: int) -> str:
        return t("and {n} more", n=told.total - min((len(rows) - n) * _PER_BLOCK, len(lines)))

    if told.total > len(lines):
        rows.append(context(left_out(0)))
    head = [header(f"{'🟢' if is_over else '🌩️'} {title}"), section(counts)]
    return message(assemble(head, rows, [context(_how(voice))], left_out))


def _line(voice: Voice, told: Storm, incident: Incident, now: datetime) -> str:
    state = incident.state(now)
    own = voice.t("has a card of its own") if incident.id in told.posted else None
    kind, name = literal(voice.kind(incident.kind, 40)), literal(subject_name(incident), 60)
    return joined(f"{words.sign(incident, state)} *{kind}* {name}", f"#{incident.id}", own)


def _how(voice: Voice) -> str:
    return voice.t("`{command} alarms` lists all open incidents", command=voice.command)
