"""The form for a job: opened at once from a command or a button, checked at the field, sent to the platform once."""

import uuid
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.answers import Answer, Candidates, Said, SubmitOffer
from bot.domain.command import SubmitJob, parse
from bot.domain.definition import DefinitionError, read_definition
from bot.domain.errors import CommandError
from bot.domain.job import JobDefinition
from bot.domain.redact import HIDDEN
from bot.domain.wording import Sentence, say
from bot.relay.act import Declined, Failed, JobOrder
from bot.slack import payloads
from bot.slack.definitions import read_text, write_definition
from bot.slack.ids import Action, Field, Modal
from bot.slack.listeners.dialogs import Handler, Look, begin, conclude, fill, open_at_once
from bot.slack.payloads import Clicked, Submitted
from bot.slack.reception import Reception
from bot.slack.targets import OrderTarget
from bot.slack.views import View, Views
from bot.slack.views.job_forms import TEMPLATE, fits

TITLE = say("Submit job")
LOOKING = say("One moment, looking at what there is to run on…")
UNDER_WAY = say("Submitting, and looking for the job on the platform. You may close this.")
_MOST_FAULTS = 6


def register(app: AsyncApp, reception: Reception) -> None:
    @app.view({"type": "view_submission", "callback_id": Modal.SUBMIT})
    async def on_submit(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        block, text = _definition(submitted)
        cloud, _, pool = submitted.inputs.get(Field.SPOT, "").partition("/")
        try:
            definition = read_definition(read_text(text), reception.act.orders.keys(cloud))
            target = OrderTarget.read(submitted.metadata)
        except DefinitionError as error:
            words = [views.words(sentence) for sentence in error.sentences[:_MOST_FAULTS]]
            await ack(response_action="errors", errors={block: " ".join(words)})
            return
        await ack(response_action="update", view=views.waiting(TITLE, UNDER_WAY))
        order = JobOrder(cloud, pool, definition, target.token, target.source)
        begin(reception, "job", submitted, lambda: submit(reception, submitted, order))


async def open_form(reception: Reception, user: str, trigger_id: str | None, command: SubmitJob) -> None:
    """Open the form, begun from nothing or from the job that the command names."""
    await open_at_once(reception, user, trigger_id, TITLE, LOOKING, _look(reception, user, command))


async def ask_again(reception: Reception, clicked: Clicked) -> None:
    """*Run again…* and *Open the form…*: the button's value is the command."""
    command = parse(clicked.value or "")
    if not isinstance(command, SubmitJob):
        raise CommandError(say("This button names nothing to submit."))
    await open_form(reception, clicked.user, clicked.trigger_id, command)


async def start_from(reception: Reception, clicked: Clicked) -> None:
    """An earlier job chosen in the open form."""
    if clicked.view_id and clicked.value:
        look = _look(reception, clicked.user, SubmitJob(job=clicked.value))
        await fill(reception, clicked.user, clicked.view_id, TITLE, look)


async def submit(reception: Reception, submitted: Submitted, order: JobOrder) -> None:
    """Submit it; where nothing was made, the form comes back with what was written."""
    outcome = await reception.act.orders.submit(submitted.user, order)
    if not isinstance(outcome, Declined | Failed):
        await conclude(reception, submitted, outcome)
        return
    command = SubmitJob(job=str(order.source) if order.source else None)
    offer = await reception.ask.answer(command, submitted.user)
    if not isinstance(offer, SubmitOffer) or offer.refusal is not None:
        await conclude(reception, submitted, outcome)
        return
    views = await reception.views_for(submitted.user)
    _, text = _definition(submitted)
    spot = submitted.inputs.get(Field.SPOT)
    form = views.submit_form(offer, uuid.uuid4().hex, text, spot, outcome.sentence)
    await reception.replies.fill_dialog(submitted.view_id, form)


def _look(reception: Reception, user: str, command: SubmitJob) -> Look:
    async def look(views: Views) -> View:
        return _form(views, await reception.ask.answer(command, user))

    return look


def _form(views: Views, answer: Answer) -> View:
    """The form, or why there is none. Raises `CommandError` for a definition that no dialog holds."""
    match answer:
        case SubmitOffer(refusal=Sentence() as refusal):
            return views.refused(TITLE, refusal)
        case SubmitOffer():
            return views.submit_form(answer, uuid.uuid4().hex, _text(answer.definition))
        case Candidates():
            return views.refused(TITLE, _several(answer))
        case Said():
            return views.refused(TITLE, answer.sentence)
        case _:
            return views.refused(TITLE, say("There is nothing to submit."))


def _text(definition: JobDefinition | None) -> str:
    """What stands in the form. A command too long for it is hidden, and taken from the job as it was."""
    if definition is None:
        return TEMPLATE
    text = write_definition(definition)
    if not fits(text):
        text = write_definition(_without_command(definition))
    if not fits(text):
        raise CommandError(say("The definition of {job} is too long for a Slack dialog.", job=definition.name))
    return text


def _without_command(definition: JobDefinition) -> JobDefinition:
    return replace(definition, command=HIDDEN)


def _several(answer: Candidates) -> Sentence:
    names = ", ".join(typed for typed, _ in answer.choices[:5])
    if answer.exact:
        return say("{wanted} fits more than one job: {names}. Name one of them.", wanted=answer.wanted, names=names)
    return say("No job fits {wanted}. Perhaps one of these: {names}.", wanted=answer.wanted, names=names)


def _definition(submitted: Submitted) -> tuple[str, str]:
    """The block of the definition, whose id names the source, and what was written into it."""
    blocks = ((block, text) for block, text in submitted.inputs.items() if block.startswith(Field.DEFINITION))
    return next(blocks, (str(Field.DEFINITION), ""))


CLICKS: dict[str, Handler] = {Action.SUBMIT: ask_again, Action.START_FROM: start_from}
