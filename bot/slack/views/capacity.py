"""Queues, nodes and pools: what there is to run on and how much of it is free. A missing figure is "–"."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.domain.answers import NodeList, Origin, PoolList, QueueList
from bot.domain.capacity import Node, Pool, Queue
from bot.domain.command import ShowPool, ShowQueue
from bot.slack.ids import Action
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import line, literal
from bot.slack.views.parts import Block, button, context, header, section
from bot.slack.views.voice import Voice, joined

_PER_BLOCK = 5
_BAR = 10


def queue_list(voice: Voice, answer: QueueList, now: datetime) -> Draft:
    """Each with the button that looks at it closely."""
    t = voice.t
    rows = [section(queue_line(voice, queue), look_at_queue(voice, queue)) for queue in answer.queues]
    counted = t.n("{n} queue", "{n} queues", len(rows))
    new = button(t("New queue…"), Action.NEW_QUEUE, "new") if answer.can_change else None
    return _rows(voice, t("Queues"), rows, counted, answer.origin, new)


def node_list(voice: Voice, answer: NodeList, now: datetime) -> Draft:
    t = voice.t
    total, used = _sum(n.gpus_total for n in answer.nodes), _sum(n.gpus_used for n in answer.nodes)
    counted = joined(t.n("{n} node", "{n} nodes", len(answer.nodes)), _free(voice, total, used))
    lines = [node_line(voice, node) for node in answer.nodes]
    return _listed(voice, t("Nodes"), lines, counted, answer.origin)


def pool_list(voice: Voice, answer: PoolList, now: datetime) -> Draft:
    t = voice.t
    rows = [section(_pool(voice, pool), _look_at_pool(voice, pool)) for pool in answer.pools]
    return _rows(voice, t("Pools"), rows, t.n("{n} pool", "{n} pools", len(rows)), answer.origin)


def _rows(voice: Voice, title: str, rows: list[Block], counted: str, origin: Origin, *buttons: Block | None) -> Draft:
    empty = [] if rows else [section(voice.t("Nothing was found."))]
    return Draft(
        head=[header(title), context(counted), *empty],
        rows=rows,
        buttons=list(buttons),
        more=lambda n: voice.t("and {n} more", n=n),
        origin=origin,
    )


def look_at_queue(voice: Voice, queue: Queue) -> Block | None:
    return button(voice.t("Details"), Action.ASK, ShowQueue(queue.name, queue.pool, queue.cloud).text())


def _look_at_pool(voice: Voice, pool: Pool) -> Block | None:
    return button(voice.t("Details"), Action.ASK, ShowPool(pool.id, pool.cloud).text())


def _listed(voice: Voice, title: str, lines: Sequence[str], counted: str, origin: Origin) -> Draft:
    rows = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
    empty = [] if lines else [section(voice.t("Nothing was found."))]
    return Draft(
        head=[header(title), context(counted), *empty],
        rows=rows,
        more=lambda n: voice.t("and {n} more", n=len(lines) - (len(rows) - n) * _PER_BLOCK),
        origin=origin,
    )


def queue_line(voice: Voice, queue: Queue) -> str:
    t = voice.t
    first = joined(f"*{literal(queue.name, 80)}*", fill(queue.gpus_used, queue.gpus_quota), literal(queue.pool, 60))
    second = joined(
        t("{n} running", n=queue.running) if queue.running is not None else None,
        t("{n} waiting", n=queue.pending) if queue.pending is not None else None,
        literal(queue.platform_state, 40) if queue.platform_state else None,
        literal(queue.cloud, 40),
        line(queue.description, 120) if queue.description else None,
    )
    return f"{first}\n{second}"


def node_line(voice: Voice, node: Node) -> str:
    t = voice.t
    sign = {True: "🟢", False: "🚧", None: "▫️"}[node.schedulable]
    first = joined(f"{sign} *{literal(node.name, 80)}*", fill(node.gpus_used, node.gpus_total), _model(node))
    second = joined(
        t("takes no new pods") if node.schedulable is False else None,
        literal(node.platform_state, 40) if node.platform_state else None,
        literal(node.pool, 60) if node.pool else None,
        literal(node.cloud, 40),
        health_words(voice, node),
    )
    return f"{first}\n{second}"


def health_words(voice: Voice, node: Node) -> str | None:
    """A monitor's score and how much was abnormal; None where no monitor knows the machine."""
    t = voice.t
    score = t("health {n}", n=f"{node.health:.0f}") if node.health is not None else None
    abnormal = t.n("{n} abnormal event", "{n} abnormal events", node.abnormal) if node.abnormal else None
    return joined(score, abnormal) or None


def _model(node: Node) -> str | None:
    return literal(node.gpu_model, 40) if node.gpu_model else None


def _pool(voice: Voice, pool: Pool) -> str:
    t = voice.t
    nodes = None
    if pool.nodes_total is not None:
        used = "–" if pool.nodes_used is None else str(pool.nodes_used)
        nodes = t("{used} of {total} nodes used", used=used, total=pool.nodes_total)
    models = ", ".join(f"{literal(model, 40)} {total - used}/{total}" for model, total, used in pool.gpu_models[:6])
    first = joined(f"*{literal(pool.name or pool.id, 80)}*", fill(pool.gpus_used, pool.gpus_total))
    second = joined(
        t("free: {models}", models=models) if models else None,
        nodes,
        literal(pool.id, 60),
        literal(pool.platform_state, 40) if pool.platform_state else None,
        literal(pool.cloud, 40),
    )
    return f"{first}\n{second}"


def fill(used: float | None, total: float | None) -> str:
    """`▰▰▰▱▱ 6/10 GPUs`; without both figures there is no bar."""
    if used is None or total is None:
        known = "–" if total is None else f"{total:g}"
        return f"{'–' if used is None else f'{used:g}'}/{known} GPUs"
    filled = round(min(max(used / total, 0.0), 1.0) * _BAR) if total else 0
    return f"{'▰' * filled}{'▱' * (_BAR - filled)} {used:g}/{total:g} GPUs"


def _free(voice: Voice, total: int | None, used: int | None) -> str | None:
    if total is None or used is None:
        return None
    return voice.t("{free} of {total} GPUs free", free=max(total - used, 0), total=total)


def _sum(figures: Iterable[int | None]) -> int | None:
    """The sum, or None where a figure is missing: a part is not the whole."""
    listed = list(figures)
    known = [figure for figure in listed if figure is not None]
    return sum(known) if known and len(known) == len(listed) else None
