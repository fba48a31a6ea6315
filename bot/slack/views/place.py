"""One queue and one pool, closely."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.answers import PoolView, QueueView
from bot.domain.capacity import Node, Pool, Queue
from bot.domain.command import Jobs, Nodes
from bot.slack.ids import Action
from bot.slack.targets import QueueTarget
from bot.slack.views.capacity import fill, look_at_queue, node_line, queue_line
from bot.slack.views.draft import Draft
from bot.slack.views.jobs import job_lines
from bot.slack.views.mrkdwn import code, line, literal
from bot.slack.views.parts import Block, button, fields, header, section
from bot.slack.views.voice import Voice, date, joined

_RESOURCES = 12
_PER_ROW = 8
_PER_BLOCK = 5
_BYTES = 10**9  # no queue has so many GB of memory


def queue_view(voice: Voice, answer: QueueView, now: datetime) -> Draft:
    """Quota and use of each resource, how its jobs are ordered, what hangs below it and who is in it."""
    queue, t = answer.queue, voice.t
    children = [queue_line(voice, one) for one in answer.children]
    title = t("Queues below it")
    below = [section(f"*{title}*\n" + "\n".join(children[:_PER_BLOCK]))] if children else []
    return Draft(
        head=[
            header(queue.name),
            section(fill(queue.gpus_used, queue.gpus_quota)),
            *fields(_facts(voice, queue)),
            *_resources(voice, queue),
            *below,
        ],
        rows=[section(job_lines(voice, job, now)) for job in answer.jobs],
        buttons=_buttons(voice, answer),
        more=lambda n: t("and {n} more jobs", n=n),
        origin=answer.origin,
    )


def pool_view(voice: Voice, answer: PoolView, now: datetime) -> Draft:
    """What the pool has, its queues, and its machines."""
    pool, t = answer.pool, voice.t
    machines = [_machine(voice, node) for node in answer.nodes]
    rows = [section("\n".join(machines[place : place + _PER_ROW])) for place in range(0, len(machines), _PER_ROW)]
    return Draft(
        head=[
            header(pool.name or pool.id),
            section(fill(pool.gpus_used, pool.gpus_total)),
            *fields(_pool_facts(voice, pool)),
            *[section(queue_line(voice, queue), look_at_queue(voice, queue)) for queue in answer.queues[:10]],
        ],
        rows=rows,
        buttons=[button(t("Nodes"), Action.ASK, Nodes(pool=pool.id).text())],
        more=lambda n: t("and {n} more", n=len(machines) - (len(rows) - n) * _PER_ROW),
        origin=answer.origin,
    )


def _machine(voice: Voice, node: Node) -> str:
    """One line, for its pool stands above; what is unusual about it is said."""
    first, _, second = node_line(voice, node).partition("\n")
    is_usual = node.schedulable is not False and node.platform_state.lower() in ("running", "")
    return first if is_usual else f"{first} · {second}"


def _buttons(voice: Voice, answer: QueueView) -> list[Block | None]:
    """What can be done with the queue; the acts are for the asker's eyes only, and refused to who may not."""
    queue, t, can = answer.queue, voice.t, answer.can_change
    value = QueueTarget.of(queue).value()
    return [
        button(t("Jobs"), Action.ASK, Jobs(queue=queue.name, cloud=queue.cloud).text()),
        button(t("Edit queue…"), Action.EDIT_QUEUE, value) if can else None,
        button(t("Delete queue…"), Action.DELETE_QUEUE, value, "danger") if can and queue.name != "root" else None,
        button(t("New queue…"), Action.NEW_QUEUE, "new") if can else None,
    ]


def _facts(voice: Voice, queue: Queue) -> list[tuple[str, str | None]]:
    t = voice.t
    waiting = t("{n} waiting", n=queue.pending) if queue.pending is not None else None
    running = t("{n} running", n=queue.running) if queue.running is not None else None
    return [
        (t("Pool"), joined(literal(queue.pool, 60), literal(queue.cloud, 40))),
        (t("Jobs"), joined(running, waiting)),
        (t("State"), literal(queue.platform_state, 40) if queue.platform_state else None),
        (t("Kind"), literal(queue.kind, 40) if queue.kind else None),
        (t("Below the queue"), code(queue.parent, 80) if queue.parent else None),
        (t("Order of its jobs"), literal(queue.strategy, 40) if queue.strategy else None),
        (t("May take what others leave free"), _flag(voice, queue.oversell)),
        (t("Its jobs may be preempted"), _flag(voice, queue.reclaimable)),
        (t("May preempt others"), _flag(voice, queue.preemptable)),
        (t("Created"), date(queue.created_at) if queue.created_at else None),
        (t("Description"), line(queue.description, 300) if queue.description else None),
    ]


def _resources(voice: Voice, queue: Queue) -> list[Block]:
    """Each resource: used of quota, and guarantee and limit where they are set."""
    names = list(dict.fromkeys([*queue.deserved, *queue.guarantee, *queue.quota, *queue.used]))
    lines = [_resource(voice, queue, name) for name in names[:_RESOURCES]]
    if len(names) > _RESOURCES:
        lines.append(voice.t("and {n} more", n=len(names) - _RESOURCES))
    title = voice.t("Used of quota")
    return [section(f"*{title}*\n" + "\n".join(lines))] if lines else []


def _resource(voice: Voice, queue: Queue, name: str) -> str:
    t = voice.t
    limit = _amount(queue.capability, name) if queue.deserved and name in queue.capability else None
    return joined(
        f"{code(name, 60)} {_amount(queue.used, name)} / {_amount(queue.quota, name)}",
        t("guaranteed {amount}", amount=_amount(queue.guarantee, name)) if name in queue.guarantee else None,
        t("limit {amount}", amount=limit) if limit else None,
    )


def _amount(amounts: Mapping[str, str], name: str) -> str:
    """Memory that counts in bytes, as that of the root does, is told in GiB (AIHC v1 reference §6)."""
    text = amounts.get(name)
    if name == "memory" and text and text.isascii() and text.isdecimal() and int(text) >= _BYTES:
        return f"{int(text) / 2**30:g} GiB"
    return literal(text, 40) if text else "–"


def _flag(voice: Voice, flag: bool | None) -> str | None:
    if flag is None:
        return None
    return voice.t("yes") if flag else voice.t("no")


def _pool_facts(voice: Voice, pool: Pool) -> list[tuple[str, str | None]]:
    t = voice.t
    models = "\n".join(f"{literal(model, 40)} {total - used}/{total}" for model, total, used in pool.gpu_models[:8])
    nodes = None
    if pool.nodes_total is not None:
        used = "–" if pool.nodes_used is None else str(pool.nodes_used)
        nodes = t("{used} of {total} nodes used", used=used, total=pool.nodes_total)
    return [
        (t("Pool"), code(pool.id, 80)),
        (t("Cloud"), joined(literal(pool.cloud, 40), literal(pool.region, 40) if pool.region else None)),
        (t("State"), literal(pool.platform_state, 40) if pool.platform_state else None),
        (t("Nodes"), nodes),
        (t("Free GPUs"), models or None),
        (t("Created"), date(pool.created_at) if pool.created_at else None),
    ]
