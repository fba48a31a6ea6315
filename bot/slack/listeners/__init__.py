"""What people do in Slack, each kind in its file. A listener reads the payload, acknowledges, and starts the work."""

from slack_bolt.app.async_app import AsyncApp

from bot.slack.listeners import (
    actions,
    commands,
    home,
    invitations,
    mentions,
    orders,
    queues,
    submissions,
    upkeep,
)
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception, bot_user: str) -> None:
    """Connect every listener. `bot_user` is the bot's own Slack id."""
    commands.register(app, reception)
    mentions.register(app, reception, bot_user)
    actions.register(app, reception)
    submissions.register(app, reception)
    queues.register(app, reception)
    orders.register(app, reception)
    upkeep.register(app, reception)
    home.register(app, reception)
    invitations.register(app, reception, bot_user)
