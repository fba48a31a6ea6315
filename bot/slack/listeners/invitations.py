"""When a channel may take messages again: the bot was invited, or the channel was unarchived."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.domain.wording import Sentence
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception, bot_user: str) -> None:
    @app.event("member_joined_channel")
    async def on_joined(event: dict[str, Any], body: dict[str, Any]) -> None:
        if event.get("user") == bot_user:
            _wake(reception, event, body)

    @app.event("channel_unarchive")
    async def on_unarchived(event: dict[str, Any], body: dict[str, Any]) -> None:
        _wake(reception, event, body)


def _wake(reception: Reception, event: dict[str, Any], body: dict[str, Any]) -> None:
    channel = str(event.get("channel", ""))
    reception.answering.start("wake", f"event:{body.get('event_id')}", lambda: reception.wake(channel), _nobody)


async def _nobody(_: Sentence) -> None:
    """Nobody asked, so nobody is told; the log and the metrics know."""
