"""`@gpubot …` in channels and threads, where Slack knows no slash commands, and direct messages: answered in place.

What only one person may see (a stop to confirm, a terminal) is answered to that person alone.
"""

import re
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.domain.answers import StopOffer, SubmitOffer, TerminalOffer
from bot.domain.command import OpenTerminal, StopJob, SubmitJob, parse
from bot.slack import payloads
from bot.slack.payloads import Asked
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception, bot_user: str) -> None:
    mention = re.compile(rf"<@{bot_user}(\|[^>]*)?>|^\s*{re.escape(reception.command)}\b")

    @app.event("app_mention")
    async def on_mention(body: dict[str, Any]) -> None:
        _begin(reception, payloads.mention(body), mention)

    @app.event("message")
    async def on_message(event: dict[str, Any], body: dict[str, Any]) -> None:
        """Only direct messages that a person wrote: edits, deletions and bots carry a subtype or a bot id."""
        if event.get("channel_type") == "im" and not event.get("subtype") and not event.get("bot_id"):
            _begin(reception, payloads.mention(body), mention)


def _begin(reception: Reception, asked: Asked, mention: re.Pattern[str]) -> None:
    asked = replace(asked, text=mention.sub("", asked.text, count=1))
    reception.begin("mention", asked.key, asked.user, asked.place, lambda: answer(reception, asked))


async def answer(reception: Reception, asked: Asked) -> None:
    command = parse(asked.text)
    private = isinstance(command, StopJob | SubmitJob | OpenTerminal)
    found = await reception.ask.answer(command, asked.user)
    to_all = not private and not asked.place.is_direct
    message = await reception.render(asked.user, command, found, private=private, to_all=to_all)
    if private or isinstance(found, StopOffer | SubmitOffer | TerminalOffer):
        await reception.replies.privately(asked.user, asked.place, message)
    else:
        await reception.replies.openly(asked.place, message)
