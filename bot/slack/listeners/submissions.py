"""Dialogs sent in: the confirmed stop, the length of a mute. What is wrong in a field is said at the field."""

from datetime import timedelta
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.durations import DurationError, parse_duration
from bot.domain.errors import CommandError
from bot.domain.wording import say
from bot.relay.act import Declined
from bot.slack import payloads
from bot.slack.ids import Field, Modal, Target, moment
from bot.slack.listeners.dialogs import begin, conclude
from bot.slack.payloads import Place, Submitted
from bot.slack.reception import Reception

SHORTEST_MUTE = timedelta(minutes=1)
LONGEST_MUTE = timedelta(days=30)


def register(app: AsyncApp, reception: Reception) -> None:
    @app.view({"type": "view_submission", "callback_id": Modal.STOP})
    async def on_stop(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        await ack(response_action="update", view=views.stop_under_way())
        begin(reception, "stop", submitted, lambda: stop(reception, submitted))

    @app.view({"type": "view_submission", "callback_id": Modal.MUTE})
    async def on_mute(ack: AsyncAck, body: dict[str, Any]) -> None:
        submitted = payloads.submission(body)
        views = reception.views_at_hand(submitted.user)
        try:
            span = muted_for(submitted)
        except DurationError as error:
            await ack(response_action="errors", errors={Field.CUSTOM_SPAN: views.words(error.sentence)})
            return
        await ack()
        begin(reception, "mute", submitted, lambda: mute(reception, submitted, span))

    @app.view({"type": "view_submission", "callback_id": Modal.NOTICE})
    async def on_notice(ack: AsyncAck) -> None:
        await ack()


async def stop(reception: Reception, submitted: Submitted) -> None:
    """Carry out the confirmed stop, and say in the dialog what came of it. The card and its thread tell the rest."""
    target = Target.read(submitted.metadata)
    if target.job is None:
        raise CommandError(say("This dialog names no job."))
    reason = submitted.inputs.get(Field.REASON, "").strip()
    outcome = await reception.act.stop(submitted.user, target.job, moment(target.started_at), reason)
    await conclude(reception, submitted, outcome)


async def mute(reception: Reception, submitted: Submitted, span: timedelta) -> None:
    target = Target.read(submitted.metadata)
    reason = submitted.inputs.get(Field.REASON, "").strip()
    outcome = await reception.act.mute(submitted.user, target.incident or 0, span, reason)
    if isinstance(outcome, Declined):
        await reception.tell(submitted.user, Place(), outcome.sentence)


def muted_for(submitted: Submitted) -> timedelta:
    """The typed span, else the chosen one. Raises `DurationError`."""
    typed = submitted.inputs.get(Field.CUSTOM_SPAN, "").strip()
    return parse_duration(typed or submitted.inputs.get(Field.SPAN, ""), SHORTEST_MUTE, LONGEST_MUTE)
