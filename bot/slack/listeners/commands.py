"""`/gpu …`: answered privately."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import payloads
from bot.slack.payloads import Asked
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception) -> None:
    @app.command(reception.command)
    async def on_command(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        asked = payloads.command(body)
        reception.begin("command", asked.key, asked.user, asked.place, lambda: answer(reception, asked))


async def answer(reception: Reception, asked: Asked) -> None:
    _, message = await reception.answer(asked.user, asked.text)
    await reception.replies.privately(asked.user, asked.place, message)
