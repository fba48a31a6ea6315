"""`/gpu …`: answered privately. What needs a form opens it while the command's permission for one lasts."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.command import SubmitJob, parse
from bot.slack import payloads
from bot.slack.listeners.orders import open_form
from bot.slack.payloads import Asked
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception) -> None:
    @app.command(reception.command)
    async def on_command(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        asked = payloads.command(body)
        reception.begin("command", asked.key, asked.user, asked.place, lambda: answer(reception, asked))


async def answer(reception: Reception, asked: Asked) -> None:
    command = parse(asked.text)
    if isinstance(command, SubmitJob) and asked.trigger_id:
        await open_form(reception, asked.user, asked.trigger_id, command)
        return
    _, message = await reception.answer(asked.user, asked.text)
    await reception.replies.privately(asked.user, asked.place, message)
