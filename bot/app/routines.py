"""What runs how often: one routine per source, so that a dead cloud delays nobody, and the bot's own housekeeping."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.app.health import Health
from bot.app.pulse import Pulse
from bot.app.store import Store
from bot.config import LowUseSettings, Settings
from bot.domain.low_use import Rule
from bot.domain.ports import AlarmCloud, Clouds, Incidents, JobCloud
from bot.observe import Metrics
from bot.relay.fleet import Fleet
from bot.relay.follow import Follow
from bot.relay.judge import Judge
from bot.relay.poll import Poll, Reach
from bot.relay.watch import Watch
from bot.schedule import Routine, Schedule, Tick
from bot.store.thinning import Retention, thin

SHORTEST_DEADLINE = timedelta(seconds=30)  # of a tick; a tick of many pages needs longer than one call
GRACE = timedelta(seconds=3)  # that ticks under way get at the end


@dataclass(frozen=True, slots=True)
class Parts:
    """What the routines and the listeners work with."""

    clouds: Clouds
    fleet: Fleet
    store: Store
    told: Incidents  # the store's, spoken aloud while it takes nothing
    watch: Watch
    health: Health
    started_at: datetime


@asynccontextmanager
async def ticking(
    settings: Settings, parts: Parts, metrics: Metrics, clock: Callable[[], datetime], pulse: Pulse
) -> AsyncIterator[None]:
    """Run all routines during the block."""
    schedule = Schedule(clock, metrics.tick)
    for routine in routines(settings, parts):
        schedule.add(replace(routine, every=routine.every / pulse.speed))
    schedule.start()
    try:
        yield
    finally:
        await schedule.close(GRACE)


def routines(settings: Settings, parts: Parts) -> Iterator[Routine]:
    """Every source's ticks, then the housekeeping."""
    every = settings.alarms.poll_every
    deadline = max(SHORTEST_DEADLINE, 2 * every)
    reach = Reach(settings.alarms.look_back, settings.alarms.overlap)
    rules = [_rule(section) for section in settings.low_use]
    incidents, watch = parts.told, parts.watch
    for cloud in parts.clouds.values():
        if isinstance(cloud, JobCloud):
            yield Routine(f"jobs:{cloud.name}", _follow(cloud, settings, parts, reach).tick, every, deadline)
            judge = Judge(cloud, rules, parts.fleet, incidents, watch)
            yield Routine(f"use:{cloud.name}", judge.tick, settings.usage.judge_every, 2 * deadline)
        if isinstance(cloud, AlarmCloud):
            poll = Poll(cloud, incidents, parts.fleet, watch, reach)
            yield Routine(f"alarms:{cloud.name}", poll.tick, every, deadline)
    yield Routine("gauges", parts.health.measure, timedelta(seconds=15), SHORTEST_DEADLINE)
    yield Routine("thinning", _thinning(settings, parts), timedelta(hours=1), timedelta(minutes=5), at_start=False)


def _follow(cloud: JobCloud, settings: Settings, parts: Parts, reach: Reach) -> Follow:
    return Follow(
        cloud,
        parts.fleet,
        parts.told,
        parts.watch,
        reach,
        started_at=parts.started_at,
        failed_jobs=settings.alarms.failed_jobs,
    )


def _rule(section: LowUseSettings) -> Rule:
    return Rule(section.name, section.clouds, section.gpu_below, section.window, section.grace, section.warn_again)


def _thinning(settings: Settings, parts: Parts) -> Tick:
    retention = Retention(days=max(settings.store.keep.days, 2))

    async def tick(now: datetime) -> None:
        await thin(parts.store.database, retention, now)

    return tick
