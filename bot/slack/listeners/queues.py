"""New, changed and deleted queues: the dialog at once, a fresh look in it, errors at the field, the receipt at last."""

from collections.abc import Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.capacity import Amounts, QueueDefinition
from bot.domain.quota import QuotaError, queue_name_fault, read_amounts
from bot.domain.wording import Sentence, say
from bot.relay.act import Declined, Failed, QueueReceipt
from bot.slack import payloads
from bot.slack.ids import Action, Field, Modal
from bot.slack.listeners.dialogs import Handler, begin, open_at_once
from bot.slack.payloads import Clicked, Submitted
from bot.slack.reception import Reception
from bot.slack.targets import QueueTarget
from bot.slack.views import View, Views
from bot.slack.views.queue_forms import YES

NEW, EDIT, DELETE = say("New queue"), say("Edit queue"), say("Delete queue")
LOOKING = say("One moment, looking at the queue…")
UNDER_WAY = say("The platform was asked. Looking at what comes of it; you may close this.")


class FieldFault(Exception):
    """What is wrong in one field of a form."""

    def __init__(self, field: Field, sentence: Sentence) -> None:
        super().__init__(f"{field}: {sentence}")
        self.field = field
        self.sentence = sentence


def register(app: AsyncApp, reception: Reception) -> None:
    @app.view({"type": "view_submission", "callback_id": Modal.NEW_QUEUE})
    async def on_new(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        try:
            wanted = new_definition(submitted)
        except FieldFault as fault:
            await _refuse(ack, views, fault)
            return
        await ack(response_action="update", view=views.waiting(NEW, UNDER_WAY))
        begin(reception, "new queue", submitted, lambda: create(reception, submitted, wanted))

    @app.view({"type": "view_submission", "callback_id": Modal.EDIT_QUEUE})
    async def on_edit(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        try:
            wanted = changed_definition(submitted)
        except FieldFault as fault:
            await _refuse(ack, views, fault)
            return
        await ack(response_action="update", view=views.waiting(EDIT, UNDER_WAY))
        begin(reception, "edit queue", submitted, lambda: update(reception, submitted, wanted))

    @app.view({"type": "view_submission", "callback_id": Modal.DELETE_QUEUE})
    async def on_delete(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        name = QueueTarget.read(submitted.metadata).key.name
        if submitted.inputs.get(Field.NAME, "").strip() != name:
            fault = FieldFault(Field.NAME, say("That is not its name: type `{name}` to delete it.", name=name))
            await _refuse(ack, views, fault)
            return
        await ack(response_action="update", view=views.waiting(DELETE, UNDER_WAY))
        begin(reception, "delete queue", submitted, lambda: delete(reception, submitted))


async def ask_new(reception: Reception, clicked: Clicked) -> None:
    async def look(views: Views) -> View:
        spots = await reception.act.queues.spots(clicked.user)
        return views.refused(NEW, spots.sentence) if isinstance(spots, Declined) else views.queue_new(spots, {})

    await open_at_once(reception, clicked.user, clicked.trigger_id, NEW, LOOKING, look)


async def ask_edit(reception: Reception, clicked: Clicked) -> None:
    async def look(views: Views) -> View:
        found = await reception.act.queues.prepare(clicked.user, QueueTarget.read(clicked.value).key)
        if isinstance(found, Declined):
            return views.refused(EDIT, found.sentence)
        return views.queue_edit(found.queue, found.seen)

    await open_at_once(reception, clicked.user, clicked.trigger_id, EDIT, LOOKING, look)


async def ask_delete(reception: Reception, clicked: Clicked) -> None:
    async def look(views: Views) -> View:
        found = await reception.act.queues.prepare(clicked.user, QueueTarget.read(clicked.value).key, delete=True)
        if isinstance(found, Declined):
            return views.refused(DELETE, found.sentence)
        return views.queue_delete(found.queue, found.seen)

    await open_at_once(reception, clicked.user, clicked.trigger_id, DELETE, LOOKING, look)


async def create(reception: Reception, submitted: Submitted, wanted: QueueDefinition) -> None:
    """Make it; where the platform says no, the form comes back as it was filled in."""
    cloud, _, pool = submitted.inputs.get(Field.SPOT, "").partition("/")
    outcome = await reception.act.queues.create(submitted.user, cloud, pool, wanted)
    if isinstance(outcome, QueueReceipt):
        await _conclude(reception, submitted, outcome)
        return
    spots = await reception.act.queues.spots(submitted.user)
    if isinstance(spots, Declined):
        await _conclude(reception, submitted, outcome)
        return
    views = await reception.views_for(submitted.user)
    await reception.replies.fill_dialog(submitted.view_id, views.queue_new(spots, submitted.inputs, outcome.sentence))


async def update(reception: Reception, submitted: Submitted, wanted: QueueDefinition) -> None:
    target = QueueTarget.read(submitted.metadata)
    await _conclude(
        reception, submitted, await reception.act.queues.update(submitted.user, target.key, target.seen, wanted)
    )


async def delete(reception: Reception, submitted: Submitted) -> None:
    target = QueueTarget.read(submitted.metadata)
    await _conclude(reception, submitted, await reception.act.queues.delete(submitted.user, target.key))


def new_definition(submitted: Submitted) -> QueueDefinition:
    """The new queue as the form describes it. Raises `FieldFault`."""
    name = submitted.inputs.get(Field.NAME, "").strip()
    fault = queue_name_fault(name)
    if fault is not None:
        raise FieldFault(Field.NAME, fault)
    parent = submitted.inputs.get(Field.PARENT, "").strip() or None
    return _definition(name, submitted.inputs, {}, parent)


def changed_definition(submitted: Submitted) -> QueueDefinition:
    """Only what differs from what the form showed. Raises `FieldFault`, also when nothing does."""
    shown = submitted.shown
    changed = {block: text for block, text in submitted.inputs.items() if text.strip() != shown.get(block, "").strip()}
    emptied = dict.fromkeys(shown.keys() - submitted.inputs.keys(), "")
    name = QueueTarget.read(submitted.metadata).key.name
    wanted = _definition(name, changed | emptied, shown)
    if wanted == QueueDefinition(name):
        raise FieldFault(Field.DESCRIPTION, say("Nothing was changed."))
    return wanted


def _definition(
    name: str, inputs: Mapping[str, str], shown: Mapping[str, str], parent: str | None = None
) -> QueueDefinition:
    return QueueDefinition(
        name=name,
        description=inputs.get(Field.DESCRIPTION),
        parent=parent,
        deserved=_amounts(Field.DESERVED, inputs, shown),
        guarantee=_amounts(Field.GUARANTEE, inputs, shown),
        capability=_amounts(Field.CAPABILITY, inputs, shown),
        oversell=_flag(Field.OVERSELL, inputs),
        reclaimable=_flag(Field.RECLAIMABLE, inputs),
        strategy=inputs.get(Field.STRATEGY) or None,
    )


def _amounts(field: Field, inputs: Mapping[str, str], shown: Mapping[str, str]) -> Amounts | None:
    if field not in inputs:
        return None
    try:
        return read_amounts(inputs[field], shown.get(field, ""))
    except QuotaError as error:
        raise FieldFault(field, error.sentence) from error


def _flag(field: Field, inputs: Mapping[str, str]) -> bool | None:
    return inputs[field] == YES if inputs.get(field) else None


async def _refuse(ack: AsyncAck, views: Views, fault: FieldFault) -> None:
    await ack(response_action="errors", errors={fault.field: views.words(fault.sentence)})


async def _conclude(reception: Reception, submitted: Submitted, outcome: QueueReceipt | Declined | Failed) -> None:
    """Say in the dialog what came of it; the receipt is the person's own."""
    views = await reception.views_for(submitted.user)
    if not isinstance(outcome, QueueReceipt):
        await reception.replies.fill_dialog(submitted.view_id, views.notice_dialog(outcome.sentence))
        return
    done = say("The receipt is in your direct messages as well.")
    receipt = views.queue_receipt(outcome)
    await reception.replies.fill_dialog(submitted.view_id, views.concluded(done, True, receipt))
    await reception.replies.directly(submitted.user, receipt)


CLICKS: dict[str, Handler] = {
    Action.NEW_QUEUE: ask_new,
    Action.EDIT_QUEUE: ask_edit,
    Action.DELETE_QUEUE: ask_delete,
}
