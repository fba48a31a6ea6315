"""What people do with an incident: take it, mute it, unmute it, resolve it. What somebody else did first is said."""

from datetime import timedelta

from bot.domain.incident import Incident, Resolution
from bot.domain.life import Change, Changed, acknowledge, mute, resolve, unmute
from bot.domain.wording import Sentence, mention, say
from bot.relay.act.desk import Desk
from bot.relay.act.outcome import Declined, Done

LONGEST_MUTE = timedelta(days=30)


class Handling:
    """Changes incidents on behalf of people who may: operators, and the owner of the job that it is about."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def acknowledge(self, person: str, incident_id: int) -> Done | Declined:
        now = self._desk.clock()
        incident = await self._allowed("acknowledge", person, incident_id)
        if isinstance(incident, Declined):
            return incident
        return await self._change(
            "acknowledge", person, incident, lambda one: acknowledge(one, person, now), say("You took this incident.")
        )

    async def mute(self, person: str, incident_id: int, span: timedelta, reason: str = "") -> Done | Declined:
        """Quiet for the span, at most 30 days; a new kind of trouble still speaks."""
        now = self._desk.clock()
        until = now + min(span, LONGEST_MUTE)
        incident = await self._allowed("mute", person, incident_id)
        if isinstance(incident, Declined):
            return incident
        return await self._change(
            "mute",
            person,
            incident,
            lambda one: mute(one, person, until, reason, now),
            say("Muted until {at}.", at=until),
        )

    async def unmute(self, person: str, incident_id: int) -> Done | Declined:
        now = self._desk.clock()
        incident = await self._allowed("unmute", person, incident_id)
        if isinstance(incident, Declined):
            return incident
        return await self._change("unmute", person, incident, lambda one: unmute(one, person, now), say("Unmuted."))

    async def resolve(self, person: str, incident_id: int) -> Done | Declined:
        now = self._desk.clock()
        incident = await self._allowed("resolve", person, incident_id)
        if isinstance(incident, Declined):
            return incident
        return await self._change(
            "resolve",
            person,
            incident,
            lambda one: resolve(one, Resolution.BY_HAND, now, person),
            say("Resolved. A new alarm about the same opens a new incident."),
        )

    async def _allowed(self, action: str, person: str, incident_id: int) -> Incident | Declined:
        incident = await self._desk.incidents.get(incident_id)
        if incident is None:
            return Declined(say("There is no incident {number}.", number=incident_id))
        refusal = await self._desk.rights.refusal(person, incident.job)
        if refusal is None:
            return incident
        await self._desk.told(action, person, f"declined: {refusal}", incident)
        return Declined(refusal, incident.job)

    async def _change(
        self, action: str, person: str, before: Incident, change: Change, done: Sentence
    ) -> Done | Declined:
        """One transaction decides who was first; whoever changed nothing hears what is true."""
        changes: list[bool] = []

        def watched(one: Incident) -> Changed:
            after = change(one)
            changes.append(after[0] != one)
            return after

        now = self._desk.clock()
        after = await self._desk.incidents.change(before.id, watched, now, at_once=True)
        outcome = Done(done, after, after.job) if changes[-1] else Declined(_as_it_is(action, after), after.job)
        await self._desk.told(action, person, "done" if changes[-1] else f"declined: {outcome.sentence}", after)
        return outcome


def _as_it_is(action: str, incident: Incident) -> Sentence:
    """Why nothing changed."""
    ending, taken = incident.ending, incident.acknowledged
    if ending is not None and ending.by is not None:
        return say("This incident was resolved by {person} {at}.", person=mention(ending.by), at=ending.at)
    if ending is not None:
        return say("This incident is over since {at}.", at=ending.at)
    if action == "acknowledge" and taken is not None:
        return say("{person} took this incident {at}.", person=mention(taken.by), at=taken.at)
    return say("This incident is not muted.")
