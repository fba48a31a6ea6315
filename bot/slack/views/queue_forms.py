"""Dialogs about queues: a new one, a change, a deletion that is confirmed by typing the queue's name."""

from collections.abc import Mapping, Sequence

from bot.domain.capacity import Queue, Spot
from bot.domain.quota import LONGEST_QUEUE, write_amounts
from bot.domain.wording import Sentence
from bot.slack.ids import Field, Modal
from bot.slack.targets import QueueTarget
from bot.slack.views.capacity import fill
from bot.slack.views.forms import LONGEST_TEXT, View, choice, modal, text_input
from bot.slack.views.mrkdwn import code, literal
from bot.slack.views.parts import Block, context, fields, section
from bot.slack.views.voice import Voice

STRATEGIES = ("BestEffortFIFO", "StrictFIFO")
YES, NO = "yes", "no"

Typed = Mapping[str, str]


def queue_new(voice: Voice, spots: Sequence[Spot], typed: Typed, problem: Sentence | None = None) -> View:
    """`typed` is what stood in the fields when the platform said no."""
    t = voice.t
    choices = [(f"{spot.name} · {spot.cloud}", f"{spot.cloud}/{spot.pool}") for spot in spots]
    name = text_input(
        Field.NAME, t("Name"), t("for instance team-a"), LONGEST_QUEUE, initial=typed.get(Field.NAME, ""), needed=True
    )
    parent = text_input(
        Field.PARENT,
        t("Below the queue"),
        t("root, if nothing is said"),
        LONGEST_QUEUE,
        initial=typed.get(Field.PARENT, ""),
    )
    blocks = [
        *_problem(voice, problem),
        choice(Field.SPOT, t("Pool"), choices, typed.get(Field.SPOT) or choices[0][1]),
        name,
        parent,
        *_facets(voice, typed),
    ]
    return modal(voice, Modal.NEW_QUEUE, t("New queue"), blocks, submit=t("Make queue"))


def queue_edit(voice: Voice, queue: Queue, seen: str) -> View:
    """The queue as read just now. What is left as it stands is not touched."""
    t = voice.t
    told = context(t("What you leave as it is stays as it is. A quota that you change is replaced as a whole."))
    blocks = [*_about(voice, queue), told, *_facets(voice, _values(queue))]
    return modal(
        voice, Modal.EDIT_QUEUE, t("Edit queue"), blocks, submit=t("Save"), metadata=QueueTarget.of(queue, seen)
    )


def queue_delete(voice: Voice, queue: Queue, seen: str) -> View:
    t = voice.t
    asked = t("*Delete this queue?* No job lives in it now. This cannot be undone.")
    blocks = [
        section(asked),
        *_about(voice, queue),
        text_input(Field.NAME, t("Type the queue's name to confirm"), queue.name, LONGEST_QUEUE, needed=True),
    ]
    return modal(
        voice,
        Modal.DELETE_QUEUE,
        t("Delete queue"),
        blocks,
        submit=t("Delete queue"),
        metadata=QueueTarget.of(queue, seen),
    )


def _about(voice: Voice, queue: Queue) -> list[Block]:
    t = voice.t
    return fields(
        [
            (t("Queue"), code(queue.name)),
            (t("Pool"), f"{literal(queue.pool)} · {literal(queue.cloud)}"),
            (t("GPUs"), fill(queue.gpus_used, queue.gpus_quota)),
            (t("Jobs"), _jobs(voice, queue)),
        ]
    )


def _jobs(voice: Voice, queue: Queue) -> str | None:
    if queue.running is None:
        return None
    return voice.t("{n} running", n=queue.running) + (
        " · " + voice.t("{n} waiting", n=queue.pending) if queue.pending is not None else ""
    )


def _values(queue: Queue) -> dict[str, str]:
    """The queue as its form shows it."""
    flags = {Field.OVERSELL: queue.oversell, Field.RECLAIMABLE: queue.reclaimable}
    maps = {
        Field.DESERVED: queue.deserved,
        Field.GUARANTEE: queue.guarantee,
        Field.CAPABILITY: queue.capability,
    }
    return {
        Field.DESCRIPTION: queue.description or "",
        Field.STRATEGY: queue.strategy or "",
        **{field: write_amounts(amounts) for field, amounts in maps.items()},
        **{field: YES if flag else NO for field, flag in flags.items() if flag is not None},
    }


def _facets(voice: Voice, values: Typed) -> list[Block]:
    """What a new queue and a changed one have in common."""
    t = voice.t
    flags = [(t("yes"), YES), (t("no"), NO)]
    strategies = [(word, word) for word in dict.fromkeys([*STRATEGIES, values.get(Field.STRATEGY) or STRATEGIES[0]])]
    hint = t("name = number, one a line")
    amounts = [
        (Field.DESERVED, t("Quota: what it deserves")),
        (Field.GUARANTEE, t("Guaranteed: what nobody takes from it")),
        (Field.CAPABILITY, t("Limit: what it may take at most")),
    ]
    shown = [(field, label, values.get(field, "")) for field, label in amounts]
    return [
        *(
            text_input(field, label, hint, initial=text, lines=True)
            for field, label, text in shown
            if len(text) <= LONGEST_TEXT
        ),
        choice(Field.OVERSELL, t("May take what others leave free"), flags, values.get(Field.OVERSELL), needed=False),
        choice(Field.RECLAIMABLE, t("Its jobs may be preempted"), flags, values.get(Field.RECLAIMABLE), needed=False),
        choice(Field.STRATEGY, t("Order of its jobs"), strategies, values.get(Field.STRATEGY), needed=False),
        text_input(Field.DESCRIPTION, t("Description"), most=200, initial=values.get(Field.DESCRIPTION, "")),
    ]


def _problem(voice: Voice, problem: Sentence | None) -> list[Block]:
    return [section(f"🚫 {voice.sentence(problem)}")] if problem else []
