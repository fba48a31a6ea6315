"""Clicks on cards, answers, the Home tab and menus. One function per action; the table says which."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.command import Logs, Usage
from bot.domain.errors import CommandError
from bot.domain.incident import Incident
from bot.domain.job import JobKey
from bot.domain.wording import say
from bot.relay.act import Declined, Done, StopQuestion
from bot.slack import payloads
from bot.slack.ids import Action, Target, moment
from bot.slack.listeners import orders, queues, upkeep
from bot.slack.payloads import Clicked
from bot.slack.reception import Reception

EVERY = re.compile("")  # the library matches nothing where only the type is given
Handler = Callable[[Reception, Clicked], Awaitable[None]]


def register(app: AsyncApp, reception: Reception) -> None:
    @app.action(EVERY)
    async def on_click(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        clicked = payloads.click(body)
        if clicked.action != Action.OPEN_LINK:
            handler = HANDLERS.get(clicked.action, unknown)
            reception.begin(
                f"click {clicked.action}" if handler is not unknown else "click unknown",
                clicked.key,
                clicked.user,
                clicked.place,
                lambda: handler(reception, clicked),
            )


async def stop(reception: Reception, clicked: Clicked) -> None:
    """Open the dialog at once, then read the job and put the question or the refusal into it."""
    views = await reception.views_soon(clicked.user)
    view_id = await reception.replies.open_dialog(clicked.trigger_id or "", views.stop_waiting())
    target = Target.read(clicked.value)
    look = await reception.act.prepare_stop(clicked.user, await _job(reception, target), moment(target.started_at))
    now = reception.clock()
    if isinstance(look, StopQuestion):
        view = views.stop_question(look.job, look.incident, look.use, now)
    else:
        view = views.stop_refused(look.job, look.sentence, now)
    await reception.replies.fill_dialog(view_id, view)


async def terminal(reception: Reception, clicked: Clicked) -> None:
    """Fetch the link now and show it to this person alone."""
    target = Target.read(clicked.value)
    key = await _job(reception, target)
    handed = await reception.act.terminal(clicked.user, key, moment(target.started_at), target.pod)
    if isinstance(handed, Declined):
        await reception.tell(clicked.user, clicked.place, handed.sentence)
        return
    views = await reception.views_for(clicked.user)
    message = views.answer(handed, reception.clock(), f"terminal {key}")
    await reception.replies.privately(clicked.user, clicked.place, message)


async def acknowledge(reception: Reception, clicked: Clicked) -> None:
    incident = _incident_id(clicked)
    await _tell_unless_done(reception, clicked, await reception.act.acknowledge(clicked.user, incident))


async def unmute(reception: Reception, clicked: Clicked) -> None:
    await _tell_unless_done(reception, clicked, await reception.act.unmute(clicked.user, _incident_id(clicked)))


async def resolve(reception: Reception, clicked: Clicked) -> None:
    await _tell_unless_done(reception, clicked, await reception.act.resolve(clicked.user, _incident_id(clicked)))


async def mute(reception: Reception, clicked: Clicked) -> None:
    incident = await _incident(reception, _incident_id(clicked))
    views = await reception.views_soon(clicked.user)
    await reception.replies.open_dialog(clicked.trigger_id or "", views.mute_question(incident))


async def usage(reception: Reception, clicked: Clicked) -> None:
    target = Target.read(clicked.value)
    command = Usage(job=str(await _job(reception, target)), pod=target.pod)
    await _ask(reception, clicked, command.text())


async def logs(reception: Reception, clicked: Clicked) -> None:
    target = Target.read(clicked.value)
    command = Logs(job=str(await _job(reception, target)), pod=target.pod)
    await _ask(reception, clicked, command.text())


async def more(reception: Reception, clicked: Clicked) -> None:
    """An entry of a card's menu: `<action> <target>`."""
    action, _, value = (clicked.value or "").partition(" ")
    await HANDLERS.get(action, unknown)(reception, replace(clicked, action=action, value=value))


async def ask(reception: Reception, clicked: Clicked) -> None:
    await _ask(reception, clicked, clicked.value or "")


async def page(reception: Reception, clicked: Clicked) -> None:
    """The next page in the place of this one; on a message for everybody the page is shown privately."""
    _, message = await reception.answer(clicked.user, clicked.value or "")
    await reception.replies.privately(clicked.user, clicked.place, message, replace=clicked.private)


async def show_to_channel(reception: Reception, clicked: Clicked) -> None:
    """Ask again and show what is true now to everybody."""
    _, message = await reception.answer(clicked.user, clicked.value or "", private=False)
    views = reception.views[reception.language]
    await reception.replies.openly(clicked.place, views.shown_by(message, clicked.user))


async def unknown(reception: Reception, clicked: Clicked) -> None:
    """A button of an older or newer version."""
    sentence = say(
        "This button is from another version of the bot and cannot be used any more. Ask again for a fresh one."
    )
    await reception.tell(clicked.user, clicked.place, sentence)


async def _ask(reception: Reception, clicked: Clicked, text: str) -> None:
    _, message = await reception.answer(clicked.user, text)
    await reception.replies.privately(clicked.user, clicked.place, message)


async def _tell_unless_done(reception: Reception, clicked: Clicked, outcome: Done | Declined) -> None:
    """What was done shows on the card; what was not is told to the person."""
    if isinstance(outcome, Declined):
        await reception.tell(clicked.user, clicked.place, outcome.sentence)


async def _job(reception: Reception, target: Target) -> JobKey:
    """The job of the target, looked up through its incident where the button only named that."""
    if target.job is not None:
        return target.job
    incident = await _incident(reception, target.incident or 0)
    if incident.subject.job is None:
        raise CommandError(say("No job is known for this incident: its task was found in no cloud."))
    return incident.subject.job


async def _incident(reception: Reception, incident_id: int) -> Incident:
    incident = await reception.incidents.get(incident_id)
    if incident is None:
        raise CommandError(say("There is no incident {number}.", number=incident_id))
    return incident


def _incident_id(clicked: Clicked) -> int:
    return Target.read(clicked.value).incident or 0


HANDLERS: dict[str, Handler] = {
    Action.STOP: stop,
    Action.TERMINAL: terminal,
    Action.ACKNOWLEDGE: acknowledge,
    Action.MUTE: mute,
    Action.UNMUTE: unmute,
    Action.RESOLVE: resolve,
    Action.USAGE: usage,
    Action.LOGS: logs,
    Action.MORE: more,
    Action.ASK: ask,
    Action.PAGE_BACK: page,
    Action.PAGE_ON: page,
    Action.SHOW: show_to_channel,
    **queues.CLICKS,
    **orders.CLICKS,
    **upkeep.CLICKS,
}
