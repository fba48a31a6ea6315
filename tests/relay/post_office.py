"""A delivery with a real store, a Slack that fails on demand, and time that moves only when told to."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from bot.domain.alarm import Alarm
from bot.domain.errors import ChannelClosed, DeliveryError, MessageGone, PayloadRefused
from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.outbox import Storm
from bot.relay.deliver import Delivery
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from bot.store.storms import DEFAULT_STORM_RULE, StormRule
from tests.make import NOW


@dataclass(slots=True)
class Time:
    """Seconds since NOW; whoever sleeps moves it."""

    seconds: float = 0.0

    def clock(self) -> datetime:
        return NOW + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        wake = self.seconds + seconds
        await asyncio.sleep(0)
        self.seconds = max(self.seconds, wake)


@dataclass(frozen=True, slots=True)
class Said:
    """A message that stands in the channel. `what` is card, note, notice or storm; `shown` is all that it shows."""

    ts: str
    what: str
    mark: str
    shown: str
    at: float
    thread_ts: str | None = None
    incident: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """What the next call about a channel answers, and whether the message stands all the same."""

    error: DeliveryError
    arrived: bool = False


@dataclass
class FakeChat:
    """Keeps messages by channel, and the calls that were made."""

    time: Time
    messages: dict[str, list[Said]] = field(default_factory=lambda: defaultdict(list))
    faults: dict[str, deque[Fault]] = field(default_factory=lambda: defaultdict(deque))
    closed: dict[str, DeliveryError] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)  # incidents whose card Slack calls invalid
    find_error: DeliveryError | None = None
    calls: list[tuple[str, str]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def fail(self, channel: str, *errors: DeliveryError, arrived: bool = False) -> None:
        self.faults[channel].extend(Fault(error, arrived) for error in errors)

    def delete(self, channel: str, ts: str) -> None:
        self.messages[channel] = [said for said in self.messages[channel] if said.ts != ts]

    def cards(self, channel: str) -> list[Said]:
        return [said for said in self.messages[channel] if said.what == "card"]

    def thread(self, channel: str, ts: str) -> list[Said]:
        return [said for said in self.messages[channel] if said.thread_ts == ts]

    def notices(self) -> list[str]:
        return [said.shown for said in self.messages["#gpu-ops"] if said.what == "notice"]

    async def announce(self, incident: Incident, channel: str, mark: str, now: datetime) -> str:
        return self._post("card", channel, mark, self.fingerprint(incident, now), incident=incident.id)

    async def amend(self, incident: Incident, channel: str, ts: str, now: datetime) -> None:
        self._edit(channel, ts, self.fingerprint(incident, now))

    async def reply(self, incident: Incident, note: Note, channel: str, thread_ts: str, mark: str) -> str:
        if not any(said.ts == thread_ts for said in self.messages[channel]):
            raise MessageGone("the thread's first message was deleted")
        shown = f"{note.kind} {dict(note.figures)} {note.alarm.id if note.alarm else ''}"
        return self._post("note", channel, mark, shown, thread_ts, incident.id)

    async def notify(self, text: str, channel: str, mark: str) -> str:
        return self._post("notice", channel, mark, text)

    async def announce_storm(self, storm: Storm, channel: str, mark: str, now: datetime) -> str:
        return self._post("storm", channel, mark, self.fingerprint_storm(storm, now))

    async def amend_storm(self, storm: Storm, channel: str, ts: str, now: datetime) -> None:
        self._edit(channel, ts, self.fingerprint_storm(storm, now))

    async def find(self, channel: str, mark: str, since: datetime, thread_ts: str | None = None) -> str | None:
        self.calls.append(("find", channel))
        if self.find_error is not None:
            raise self.find_error
        return next((said.ts for said in self.messages[channel] if said.mark == mark), None)

    def fingerprint(self, incident: Incident, now: datetime) -> str:
        return f"{incident.state(now)} {incident!r}"

    def fingerprint_storm(self, storm: Storm, now: datetime) -> str:
        return f"{storm.total} incidents, {storm.ended} ended, {len(storm.posted)} posted"

    def _post(
        self, what: str, channel: str, mark: str, shown: str, thread_ts: str | None = None, incident: int | None = None
    ) -> str:
        self._begin("post", channel)
        if incident in self.refused and what == "card":
            raise PayloadRefused("invalid_blocks")
        said = Said(f"{next(self._numbers)}.0", what, mark, shown, self.time.seconds, thread_ts, incident)
        fault = self.faults[channel].popleft() if self.faults[channel] else None
        if fault is None or fault.arrived:
            self.messages[channel].append(said)
        if fault is not None:
            raise fault.error
        return said.ts

    def _edit(self, channel: str, ts: str, shown: str) -> None:
        self._begin("edit", channel)
        place = next((i for i, said in enumerate(self.messages[channel]) if said.ts == ts), None)
        if place is None:
            raise MessageGone("message_not_found")
        fault = self.faults[channel].popleft() if self.faults[channel] else None
        if fault is None or fault.arrived:
            self.messages[channel][place] = replace(self.messages[channel][place], shown=shown)
        if fault is not None:
            raise fault.error

    def _begin(self, call: str, channel: str) -> None:
        self.calls.append((call, channel))
        if channel in self.closed:
            raise self.closed[channel]


def by_kind(alarm: Alarm) -> str:
    return "#nccl" if alarm.kind == "NCCL HANG" else "#gpu-alerts"


@dataclass
class Office:
    """One process of the bot as far as delivery goes; `restart` is a kill and a new process on the same file."""

    path: Path
    time: Time
    chat: FakeChat
    storm: StormRule = DEFAULT_STORM_RULE
    name: str = "process"
    processes: int = 0
    database: Database = field(init=False)
    incidents: IncidentStore = field(init=False)
    outbox: OutboxStore = field(init=False)
    delivery: Delivery = field(init=False)

    async def start(self) -> None:
        self.processes += 1
        self.database = Database(self.path)
        await self.database.open(self.time.clock())
        self.outbox = OutboxStore(self.database, f"{self.name}-{self.processes}")
        self.delivery = Delivery(
            self.outbox,
            self.chat,
            "#gpu-ops",
            self.time.clock,
            sleep=self.time.sleep,
            monotonic=self.time.monotonic,
            jitter=lambda: 0.0,
        )
        self.incidents = IncidentStore(self.database, by_kind, self.delivery.nudge, self.storm)
        await self.delivery.begin()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def stop(self) -> None:
        await self.delivery.drain(0)
        await self.database.close()

    async def deliver(self, seconds: float = 0.0, step: float = 1.0) -> None:
        """Let the delivery work on what is due for so many seconds, looking every `step`."""
        end = self.time.seconds + seconds
        while True:
            await self.delivery.sweep()
            await self.delivery.quiet()
            if self.time.seconds >= end:
                return
            self.time.seconds = min(self.time.seconds + step, end)

    async def report(self, *alarms: Alarm) -> None:
        await self.incidents.observe("ack", alarms, self.time.clock())


@asynccontextmanager
async def opened(path: Path, storm: StormRule | None = None) -> AsyncIterator[Office]:
    time = Time()
    office = Office(path, time, FakeChat(time), storm or DEFAULT_STORM_RULE)
    await office.start()
    try:
        yield office
    finally:
        await office.stop()


def archived() -> ChannelClosed:
    return ChannelClosed("is_archived")
