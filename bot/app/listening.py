"""The way in from Slack as a part of the running bot: listeners with what they need, on a socket or behind HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from bot import web
from bot.app.pulse import Pulse
from bot.app.routines import Parts
from bot.app.slack import SlackSide
from bot.config import Settings
from bot.domain.access import Policy
from bot.observe import Metrics
from bot.relay.act import Act, Desk
from bot.relay.ask import Ask, Sources
from bot.relay.deliver import Delivery
from bot.relay.rights import Rights
from bot.slack.answering import Answering
from bot.slack.connect import Socket, build_app, http_endpoint
from bot.slack.files import Uploads
from bot.slack.listeners import register
from bot.slack.reception import Reception
from bot.slack.replies import Replies

GRACE = 3.0  # seconds that answers under way get at the end


@asynccontextmanager
async def listening(
    settings: Settings,
    parts: Parts,
    side: SlackSide,
    delivery: Delivery,
    metrics: Metrics,
    clock: Callable[[], datetime],
    pulse: Pulse,
) -> AsyncIterator[web.Handler | None]:
    """Listen during the block; gives the handler for Slack's requests in HTTP mode. Raises `SlackRefused`."""
    reception = _reception(settings, parts, side, delivery, metrics, clock, pulse)
    secret = settings.slack.signing_secret.get_secret_value() if settings.slack.signing_secret else ""
    app = build_app(side.client, side.identity, secret or None)
    register(app, reception, side.identity.user_id)
    token = settings.slack.app_token
    socket = Socket(app, token.get_secret_value()) if token else None
    try:
        if socket is not None:
            parts.health.socket = socket.state
            await socket.open()
        yield None if socket else http_endpoint(app, secret)
    finally:
        if socket is not None:
            await socket.close()
        await reception.answering.drain(GRACE)


def _reception(
    settings: Settings,
    parts: Parts,
    side: SlackSide,
    delivery: Delivery,
    metrics: Metrics,
    clock: Callable[[], datetime],
    pulse: Pulse,
) -> Reception:
    store, fleet = parts.store, parts.fleet
    uploads = Uploads(side.client, side.session)
    rights = Rights(side.people, Policy(frozenset(settings.access.operators), settings.access.owners_may_act))
    return Reception(
        ask=Ask(Sources(fleet, parts.clouds, store.incidents, rights, parts.health, clock, side.links)),
        act=Act(Desk(fleet, store.incidents, store.claims, rights, store.audit, clock, pulse.sleep), parts.clouds),
        incidents=store.incidents,
        people=side.people,
        replies=Replies(side.client, side.session, uploads),
        uploads=uploads,
        answering=Answering(store.claims, clock, metrics.answer),
        views=side.views,
        language=settings.language,
        command=settings.slack.command,
        clock=clock,
        wake=delivery.wake,
    )
