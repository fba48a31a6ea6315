"""`gpubot ask`: a command of Slack's answered in a terminal, by the clouds themselves and what the store remembers.

Nobody in a terminal is known to Slack, so nothing can be done from here; and answers prove to need no Slack.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from bot import __version__
from bot.app.bot import Clock, utc_now
from bot.app.clouds import Platform, Platforms, cloud_side
from bot.config import Settings
from bot.domain.access import Policy
from bot.domain.alarm import Alarm
from bot.domain.answers import Answer, HealthView, Said, SourceHealth
from bot.domain.command import Alarms, Command, OpenTerminal, ShowIncident, StopJob, SubmitJob, parse
from bot.domain.errors import CloudError, CommandError, StoreError
from bot.domain.wording import say
from bot.messages import texts
from bot.relay.ask import Ask, NoLinks, Sources
from bot.relay.rights import Rights
from bot.slack.views import Views
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from bot.terminal import written

Tell = Callable[[str], object]
OK, NOT_FOUND, NOT_UNDERSTOOD = 0, 1, 2


async def answer_in_terminal(
    settings: Settings, question: str, tell: Tell, clock: Clock = utc_now, zone: tzinfo | None = None
) -> int:
    """Tell the answer, times in `zone` (None: this machine's); the exit code."""
    views, zone = Views(texts(settings.language), "gpubot ask"), zone or _zone_here()
    try:
        command = parse(question)
    except CommandError as error:
        tell(written(views.sentence(error.sentence).blocks, zone))
        return NOT_UNDERSTOOD
    try:
        answer = await _answer(settings, command, clock)
    except StoreError as error:
        tell(str(error))
        return NOT_FOUND
    shown = views.answer(answer, clock(), "")
    tell(written(shown.blocks, zone, shown.file.content if shown.file else None))
    return NOT_FOUND if isinstance(answer, Said) and not answer.ok else OK


async def _answer(settings: Settings, command: Command, clock: Clock) -> Answer:
    if isinstance(command, StopJob | SubmitJob | OpenTerminal):
        slack_command = f"{settings.slack.command} {command.text()}"
        return Said(say("This needs a person whom Slack knows: type `{command}` there.", command=slack_command), False)
    path = settings.store.path
    async with _remembered(path, clock()) as database, cloud_side(settings.clouds, clock) as (clouds, fleet):
        if isinstance(command, Alarms | ShowIncident) and database.path != Path(path):
            return Said(say("No bot has run here yet: there is no database {path}.", path=path), False)
        incidents = IncidentStore(database, _nowhere)
        rights = Rights(Acquaintances(settings.access.people), Policy())
        health = TerminalHealth(clouds, incidents, OutboxStore(database, "terminal"), clock)
        return await Ask(Sources(fleet, clouds, incidents, rights, health, clock, NoLinks())).answer(command, None)


@asynccontextmanager
async def _remembered(path: str, now: datetime) -> AsyncIterator[Database]:
    """The bot's database as it is, opened to be read; an empty one in its stead where there is none."""
    with tempfile.TemporaryDirectory(prefix="gpubot-ask-") as folder:
        is_there = os.path.exists(path)  # noqa: ASYNC240 - one look at a local file
        database = Database(path if is_there else Path(folder) / "empty.db")
        try:
            await (database.open_to_read() if is_there else database.open(now))
            yield database
        finally:
            await database.close()


def _nowhere(_: Alarm) -> str:
    return ""


def _zone_here() -> tzinfo:
    return datetime.now(UTC).astimezone().tzinfo or UTC


@dataclass(frozen=True, slots=True)
class Acquaintances:
    """Who is who as far as the settings say it without Slack: owners that are mapped to ids."""

    people: Mapping[str, str]

    async def slack_id(self, owner: str) -> str | None:
        return self.people.get(owner)

    def owners_of(self, user: str) -> frozenset[str]:
        return frozenset(owner for owner, who in self.people.items() if who == user)

    async def is_in_any(self, user: str, groups: frozenset[str]) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class TerminalHealth:
    """How the clouds are just now, and what the store says of the running bot."""

    clouds: Platforms
    incidents: IncidentStore
    outbox: OutboxStore
    clock: Clock

    async def health(self) -> HealthView:
        now = self.clock()
        sources = await asyncio.gather(*(_tried(cloud, now) for cloud in self.clouds.values()))
        return HealthView(
            version=__version__,
            started_at=now,
            sources=tuple(sources),
            outbox=await self.outbox.health(now),
            socket=say("The clouds were tried just now from this terminal; /readyz says how the running bot is."),
            open_incidents=len(await self.incidents.open()),
        )


async def _tried(cloud: Platform, now: datetime) -> SourceHealth:
    try:
        return SourceHealth(cloud.name, now, note=await cloud.ping())
    except CloudError as error:
        return SourceHealth(cloud.name, None, error.detail, failing_since=now)
