"""The real store, delivery and chat over a simulated Slack, in time that moves only when told to, and killed at will.

A killed process gets no chance to settle anything: whatever it wanted to do next simply does not happen.
"""

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import aiohttp

from bot.domain.alarm import Alarm
from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.outbox import Storm
from bot.relay.deliver import Delivery
from bot.simulator.slack import SlackServer, Timing, Workspace
from bot.simulator.slack.records import Message
from bot.slack.channels import ChannelDirectory
from bot.slack.chat import SlackChat
from bot.slack.connect import build_client
from bot.slack.rendering import Rendered
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from bot.store.places import ChannelBook
from bot.store.storms import DEFAULT_STORM_RULE, StormRule
from tests.relay.post_office import Time, by_kind

ALERTS, NCCL, OPS = "#gpu-alerts", "#nccl", "#gpu-ops"


class Killed(BaseException):
    """kill -9: no handler of the program runs."""


@dataclass
class Fate:
    """How many calls of store and chat, counted before and after each, the process has left to live."""

    left: int | None = None
    dead: bool = False

    def step(self) -> None:
        if self.left is not None:
            self.left -= 1
            self.dead = self.dead or self.left < 0
        if self.dead:
            raise Killed


class Mortal:
    """Passes every call on, as long as the process lives."""

    def __init__(self, target: Any, fate: Fate) -> None:
        self._target = target
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def call(*values: Any, **named: Any) -> Any:
            self._fate.step()
            answer = await found(*values, **named)
            self._fate.step()
            return answer

        return call


class Telltale:
    """Renders all that an incident is, so that a message that is out of date cannot look up to date."""

    def card(self, incident: Incident, now: datetime) -> Rendered:
        troubles = " ".join(f"{c.kind}×{c.count}{'' if c.is_open else ' ended'}" for c in incident.conditions)
        return Rendered(f"card {incident.id} {incident.state(now)} {troubles} late={incident.late}")

    def note(self, incident: Incident, note: Note) -> Rendered:
        return Rendered(f"note {incident.id} {note.kind} {note.alarm.id if note.alarm else ''}")

    def notice(self, text: str) -> Rendered:
        return Rendered(f"notice {text}")

    def storm(self, storm: Storm, now: datetime) -> Rendered:
        return Rendered(f"storm {storm.id} {storm.total} {storm.ended} {sorted(storm.posted)}")


@dataclass
class PostRoom:
    """One process of the bot as far as delivery goes. `restart` is a kill and a new process on the same file."""

    path: Path
    slack: SlackServer
    session: aiohttp.ClientSession
    time: Time
    storm: StormRule = DEFAULT_STORM_RULE
    deadline: float = 0.25
    name: str = "process"
    processes: int = 0
    renderer: Telltale = field(default_factory=Telltale)
    fate: Fate = field(init=False)
    database: Database = field(init=False)
    outbox: OutboxStore = field(init=False)
    incidents: IncidentStore = field(init=False)
    chat: SlackChat = field(init=False)
    delivery: Delivery = field(init=False)

    async def start(self) -> None:
        self.processes += 1
        self.fate = Fate()
        self.database = Database(self.path)
        await self.database.open(self.time.clock())
        await self.database.run(lambda session: session.execute("PRAGMA synchronous=OFF"))  # no power cuts here
        client = build_client("xoxb-sim-bot", self.slack.api_url, self.session, patient=False)
        channels = ChannelDirectory(client, ChannelBook(self.database))
        self.chat = SlackChat(client, self.session, channels, self.renderer, self.deadline)
        self.outbox = OutboxStore(self.database, f"{self.name}-{self.processes}")
        self.delivery = self._delivery()
        self.incidents = IncidentStore(self.database, by_kind, self.delivery.nudge, self.storm)
        await self.delivery.begin()

    def _delivery(self) -> Delivery:
        outbox, chat = Mortal(self.outbox, self.fate), Mortal(self.chat, self.fate)
        return Delivery(
            outbox,
            chat,
            OPS,
            self.time.clock,
            sleep=self.time.sleep,
            monotonic=self.time.monotonic,
            jitter=lambda: 0.0,
        )

    async def stop(self) -> None:
        self.fate.dead = True
        await self.delivery.drain(0)
        await self.database.close()

    async def restart(self) -> None:
        await self.stop()
        self.time.seconds += 1.0  # no process starts faster
        await self.start()

    async def deliver(self, seconds: float = 0.0, step: float = 1.0) -> None:
        """Let the delivery work on what is due for so many seconds, looking every `step`; or until it is killed."""
        end = self.time.seconds + seconds
        while True:
            try:
                await self.delivery.sweep()
            except Killed:
                return
            await self.delivery.quiet()
            if self.time.seconds >= end or self.fate.dead:
                return
            self.time.seconds = min(self.time.seconds + step, end)

    async def deliver_until_killed(self, after: int) -> None:
        """Deliver, die after so many calls, and begin anew."""
        self.fate.left = after
        await self.deliver(5)
        await self.restart()

    async def report(self, *alarms: Alarm) -> None:
        await self.incidents.observe("ack", alarms, self.time.clock())

    async def act(self, incident_id: int, change: Callable[[Incident, datetime], Any]) -> None:
        now = self.time.clock()
        await self.incidents.change(incident_id, lambda one: change(one, now), now, at_once=True)

    # -- what stands in Slack

    def cards(self, channel: str) -> list[Message]:
        return [one for one in self.slack.messages(channel) if not one.is_reply and one.text.startswith("card ")]

    def card(self, incident_id: int, channel: str) -> Message:
        """The one card of the incident."""
        (found,) = [one for one in self.cards(channel) if one.text.startswith(f"card {incident_id} ")]
        return found

    def notices(self) -> list[str]:
        return [one.text for one in self.slack.messages(OPS) if one.text.startswith("notice ")]

    def notes(self, card: Message) -> list[str]:
        return [one.text for one in self.slack.thread(card.channel, card.ts)]


@asynccontextmanager
async def opened(path: Path, storm: StormRule = DEFAULT_STORM_RULE, deadline: float = 0.25) -> AsyncIterator[PostRoom]:
    time = Time()
    slack = SlackServer(Workspace.redwood(), clock=time.clock, seed=7, timing=Timing.quick(), monotonic=time.monotonic)
    async with slack.serve(), aiohttp.ClientSession(trust_env=False) as session:
        room = PostRoom(path, slack, session, time, storm, deadline)
        await room.start()
        try:
            yield room
        finally:
            await room.stop()
