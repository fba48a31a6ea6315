"""The bot as one async context: entered, it runs; left, it finishes what it began and lets go of everything.

What is entered later is left earlier: the web server and the schedule stop first, then the way in from Slack, then
deliveries, and the store last of all.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from aiohttp.web import Application

from bot import web
from bot.app.clouds import cloud_side
from bot.app.delivering import Bell, delivering
from bot.app.health import Health
from bot.app.listening import listening
from bot.app.pulse import Pulse
from bot.app.routines import Parts, ticking
from bot.app.slack import slack_side
from bot.app.standby import Heart
from bot.app.store import Store, open_store
from bot.config import Settings
from bot.domain.alarm import Alarm, Severity
from bot.domain.errors import StoreError
from bot.domain.ports import Clouds
from bot.domain.routing import Route, router
from bot.observe import Metrics
from bot.relay.deliver import Delivery
from bot.relay.fleet import Fleet
from bot.relay.unrecorded import SpokenIncidents
from bot.relay.watch import Watch
from bot.slack.connect import SlackRefused

Clock = Callable[[], datetime]
REAL = Pulse()

log = structlog.get_logger()


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Bot:
    """A running bot: what the program and tests look at. `ended` is set when it cannot go on by itself."""

    store: Store
    clouds: Clouds
    fleet: Fleet
    delivery: Delivery
    health: Health
    port: int
    ended: asyncio.Event


@asynccontextmanager
async def running(settings: Settings, clock: Clock = utc_now, pulse: Pulse = REAL) -> AsyncIterator[Bot]:
    """Run for the length of the block. Raises `StoreError` and `SlackRefused`, each with a sentence.

    A second process on the same database waits here until the first is gone.
    """
    ended, metrics, bell, route = asyncio.Event(), Metrics(), Bell(), _route(settings)
    async with (
        open_store(settings.store.path, route, bell.ring, clock()) as store,
        Heart(store.instance, ended).beating(),
        cloud_side(settings.clouds, clock) as (clouds, fleet),
        slack_side(settings, store, clock) as side,
        delivering(settings, store, side.chat, bell, clock, ended, pulse) as (delivery, operators),
    ):
        watch = Watch(store.incidents, operators)
        health = Health(clouds, store.incidents, store.outbox, watch, clock, clock(), metrics)
        told = SpokenIncidents(store.incidents, side.chat, route, settings.slack.operator_channel, operators.speak)
        parts = Parts(clouds, fleet, store, told, watch, health, clock())
        async with (
            listening(settings, parts, side, delivery, metrics, clock, pulse) as slack_events,
            ticking(settings, parts, metrics, clock, pulse),
            web.serve(_pages(ended, health, metrics, slack_events), settings.web.host, settings.web.port) as port,
        ):
            await operators.tell_of_damage(store.database.kept_aside, clock())
            log.info("running", team=side.identity.team, clouds=list(clouds), port=port)
            yield Bot(store, clouds, fleet, delivery, health, port, ended)


async def run_until_stopped(settings: Settings) -> int:
    """Run until SIGTERM, Ctrl-C or an end of its own; the exit code."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with running(settings) as bot:
            await bot.ended.wait()
            return 1
    except asyncio.CancelledError:
        log.info("stopped")
        return 0
    except SlackRefused as error:
        log.error("cannot start", reason=str(error.sentence))
    except (StoreError, OSError) as error:
        log.error("cannot start", reason=str(error))
    return 1


def _pages(ended: asyncio.Event, health: Health, metrics: Metrics, slack_events: web.Handler | None) -> Application:
    async def dead() -> list[str]:
        return ["the bot has ended"] if ended.is_set() else []

    return web.build(dead, health.unready, metrics.page, slack_events)


def _route(settings: Settings) -> Callable[[Alarm], str]:
    routes = [
        Route(one.channel, one.kind, one.cloud, one.queue, one.owner, Severity[one.severity.upper()])
        for one in settings.routes
    ]
    return router(routes, settings.slack.alert_channel, settings.slack.operator_channel)
