"""Alarms that the store cannot take are said from memory, once, so that a full disk silences nobody.

It stands in front of the store and speaks only while the store fails. The cursor has not moved then, so the same
alarms become ordinary cards as soon as the store takes them.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import uuid4

import structlog

from bot.domain.alarm import Alarm
from bot.domain.errors import DeliveryError, StoreError
from bot.domain.incident import Incident
from bot.domain.job import JobKey
from bot.domain.life import Change
from bot.domain.ports import Chat, Incidents, Observation
from bot.domain.wording import Sentence, say

NAMED = 20  # alarms named in one message; the rest is counted
Address = tuple[str, str]  # source, id
Trouble = tuple[str, str, str]  # source, kind, subject
log = structlog.get_logger()


class SpokenIncidents:
    """`Incidents` that lets no alarm pass in silence. Raises what the store raises, after speaking."""

    def __init__(
        self,
        incidents: Incidents,
        chat: Chat,
        route: Callable[[Alarm], str],
        operator_channel: str,
        speak: Callable[[Sentence], str] = str,
    ) -> None:
        self._incidents = incidents
        self._chat = chat
        self._route = route
        self._operator_channel = operator_channel
        self._speak = speak
        self._cursors: dict[str, datetime | None] = {}
        self._recorded: dict[str, frozenset[Address]] = {}  # per source, its last recorded batch: polls overlap
        self._said: defaultdict[str, set[Trouble]] = defaultdict(set)  # per source that cannot be recorded
        self._operators_know = False

    async def observe(
        self,
        source: str,
        alarms: Sequence[Alarm],
        now: datetime,
        cursor: datetime | None = None,
        post: bool = True,
    ) -> Observation:
        try:
            observed = await self._incidents.observe(source, alarms, now, cursor, post)
        except StoreError as error:
            if post:
                await self._speak_of(source, alarms, error)
            raise
        if cursor is not None:
            self._recorded[source] = frozenset(map(_address, alarms))
        self._well_again(source)
        return observed

    async def cursor(self, source: str) -> datetime | None:
        """While the store cannot even be read, what it said last: a poll that knows no beginning would read nothing."""
        try:
            self._cursors[source] = await self._incidents.cursor(source)
        except StoreError:
            if source not in self._cursors:
                raise
        return self._cursors[source]

    async def get(self, incident_id: int) -> Incident | None:
        return await self._incidents.get(incident_id)

    async def open(self) -> Sequence[Incident]:
        return await self._incidents.open()

    async def recent(self, since: datetime) -> Sequence[Incident]:
        return await self._incidents.recent(since)

    async def about_job(self, job: JobKey) -> Incident | None:
        return await self._incidents.about_job(job)

    async def change(self, incident_id: int, change: Change, now: datetime, *, at_once: bool) -> Incident:
        return await self._incidents.change(incident_id, change, now, at_once=at_once)

    async def _speak_of(self, source: str, alarms: Sequence[Alarm], error: StoreError) -> None:
        await self._tell_operators(error)
        recorded, said = self._recorded.get(source, frozenset()), self._said[source]
        by_channel: defaultdict[str, dict[Trouble, Alarm]] = defaultdict(dict)
        for alarm in alarms:
            if _address(alarm) not in recorded and _trouble(alarm) not in said:
                by_channel[self._route(alarm)].setdefault(_trouble(alarm), alarm)
        for channel, unheard in by_channel.items():
            if await self._post(_list(list(unheard.values())), channel):
                said.update(unheard)

    def _well_again(self, source: str) -> None:
        """This source's alone: on a nearly full disk small writes of others pass all the time."""
        self._said.pop(source, None)
        self._operators_know = self._operators_know and bool(self._said)

    async def _tell_operators(self, error: StoreError) -> None:
        if not self._operators_know:
            self._operators_know = True  # before it is said: all sources fail at once
            sentence = say(
                "My store takes nothing: {reason}. Alarms are listed without cards until it does.", reason=str(error)
            )
            self._operators_know = await self._post(sentence, self._operator_channel)

    async def _post(self, sentence: Sentence, channel: str) -> bool:
        try:
            await self._chat.notify(self._speak(sentence), channel, uuid4().hex)
        except DeliveryError as error:
            log.error("not said and not recorded", sentence=str(sentence), channel=channel, reason=error.reason)
            return False
        return True


def _address(alarm: Alarm) -> Address:
    return alarm.source, alarm.id


def _trouble(alarm: Alarm) -> Trouble:
    """One job's hang has a record for each machine, and a rule finds the same idle job anew every minute."""
    return alarm.source, alarm.kind, alarm.incident_key


def _list(alarms: Sequence[Alarm]) -> Sentence:
    names = ", ".join(_name(alarm) for alarm in alarms[:NAMED])
    if len(alarms) > NAMED:
        return say("Alarms not recorded yet: {names}, and {more} more.", names=names, more=len(alarms) - NAMED)
    return say("Alarms not recorded yet: {names}.", names=names)


def _name(alarm: Alarm) -> str:
    about = alarm.job.name if alarm.job else alarm.subject.task or next(iter(alarm.subject.nodes), alarm.subject.cloud)
    return f"{alarm.kind} ({about})"
