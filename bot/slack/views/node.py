"""One machine, closely: what is free on it, how healthy its monitor thinks it is, and what was abnormal about it."""

from datetime import datetime

from bot.domain.answers import NodeView
from bot.domain.capacity import Node
from bot.slack.views.capacity import fill, health_words
from bot.slack.views.draft import Draft
from bot.slack.views.journal import event_lines
from bot.slack.views.mrkdwn import code, literal
from bot.slack.views.parts import fields, header, section
from bot.slack.views.voice import Voice, date, joined

_PER_BLOCK = 5


def node_view(voice: Voice, answer: NodeView, now: datetime) -> Draft:
    t, node = voice.t, answer.node
    lines = [event_lines(voice, event) for event in answer.events]
    rows = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
    span = voice.age(answer.window.length)
    nothing = section(t("Nothing abnormal was noted over the last {age}.", age=span))
    return Draft(
        head=[
            header(node.name),
            section(joined(fill(node.gpus_used, node.gpus_total), health_words(voice, node))),
            *fields(_facts(voice, node)),
        ],
        rows=rows or [nothing] * (node.abnormal is not None),
        more=lambda n: t("and {n} older events", n=len(lines) - (len(rows) - n) * _PER_BLOCK),
        origin=answer.origin,
    )


def _facts(voice: Voice, node: Node) -> list[tuple[str, str | None]]:
    t = voice.t
    return [
        (t("Name"), code(node.name)),
        (t("Instance"), code(node.id) if node.id and node.id != node.name else None),
        (t("Cloud"), joined(literal(node.cloud), literal(node.pool) if node.pool else None)),
        (t("Platform's state"), literal(node.platform_state) if node.platform_state else None),
        (t("New pods"), t("takes no new pods") if node.schedulable is False else None),
        (t("GPU model"), literal(node.gpu_model, 80) if node.gpu_model else None),
        (t("CPUs"), _part(node.cpus_used, node.cpus_total)),
        (t("Memory, GB"), _part(node.memory_used_gb, node.memory_total_gb)),
        (t("Zone"), literal(node.zone, 80) if node.zone else None),
        (t("Created"), date(node.created_at) if node.created_at else None),
    ]


def _part(used: float | None, total: float | None) -> str | None:
    if total is None:
        return None
    return f"{'–' if used is None else f'{used:g}'}/{total:g}"
