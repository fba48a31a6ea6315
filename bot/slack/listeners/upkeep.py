"""Priority, deletion and restart of a job: the dialog at once, a fresh look in it, the act when it is sent in."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.errors import CommandError
from bot.domain.job import Job, JobKey
from bot.domain.ports import Can
from bot.domain.wording import say
from bot.relay.act import Declined, Outcome
from bot.slack import payloads
from bot.slack.ids import Action, Field, Modal, Target, moment
from bot.slack.listeners.dialogs import Handler, begin, conclude, open_at_once
from bot.slack.payloads import Clicked, Submitted
from bot.slack.reception import Reception
from bot.slack.views import View, Views

TITLES = {Can.PRIORITY: say("Priority"), Can.DELETE: say("Delete job"), Can.RESTART: say("Restart job")}
LOOKING = say("One moment, looking at the job…")
UNDER_WAY = say("The platform was asked. Looking at what comes of it; you may close this.")
Question = Callable[[Views, Job, int | None, datetime], View]


def register(app: AsyncApp, reception: Reception) -> None:
    def on(callback: Modal, deed: Can, work: Callable[[Reception, Submitted], Awaitable[Outcome]]) -> None:
        @app.view({"type": "view_submission", "callback_id": callback})
        async def on_submission(ack: AsyncAck, body: dict[str, Any]) -> None:
            submitted = payloads.submission(body)
            views = reception.views_at_hand(submitted.user)
            await ack(response_action="update", view=views.waiting(TITLES[deed], UNDER_WAY))

            async def act() -> None:
                await conclude(reception, submitted, await work(reception, submitted))

            begin(reception, str(callback), submitted, act)

    on(Modal.PRIORITY, Can.PRIORITY, set_priority)
    on(Modal.DELETE_JOB, Can.DELETE, delete)
    on(Modal.RESTART_JOB, Can.RESTART, restart)


async def ask_priority(reception: Reception, clicked: Clicked) -> None:
    await _ask(reception, clicked, Can.PRIORITY, Views.priority_question)


async def ask_delete(reception: Reception, clicked: Clicked) -> None:
    await _ask(reception, clicked, Can.DELETE, Views.delete_question)


async def ask_restart(reception: Reception, clicked: Clicked) -> None:
    await _ask(reception, clicked, Can.RESTART, Views.restart_question)


async def set_priority(reception: Reception, submitted: Submitted) -> Outcome:
    target, key = _target(submitted.metadata)
    wanted = submitted.inputs.get(Field.PRIORITY, "")
    return await reception.act.upkeep.set_priority(submitted.user, key, moment(target.started_at), wanted)


async def delete(reception: Reception, submitted: Submitted) -> Outcome:
    target, key = _target(submitted.metadata)
    return await reception.act.upkeep.delete(submitted.user, key, moment(target.started_at))


async def restart(reception: Reception, submitted: Submitted) -> Outcome:
    target, key = _target(submitted.metadata)
    return await reception.act.upkeep.restart(submitted.user, key, moment(target.started_at))


async def _ask(reception: Reception, clicked: Clicked, deed: Can, question: Question) -> None:
    title = TITLES[deed]

    async def look(views: Views) -> View:
        target, key = _target(clicked.value)
        found = await reception.act.upkeep.prepare(clicked.user, key, moment(target.started_at), deed)
        if isinstance(found, Declined):
            return views.refused(title, found.sentence)
        return question(views, found.job, found.incident.id if found.incident else None, reception.clock())

    await open_at_once(reception, clicked.user, clicked.trigger_id, title, LOOKING, look)


def _target(value: str | None) -> tuple[Target, JobKey]:
    target = Target.read(value)
    if target.job is None:
        raise CommandError(say("This dialog names no job."))
    return target, target.job


CLICKS: dict[str, Handler] = {
    Action.PRIORITY: ask_priority,
    Action.DELETE_JOB: ask_delete,
    Action.RESTART_JOB: ask_restart,
}
