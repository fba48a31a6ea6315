"""Submitting jobs: one order makes at most one job, whatever happens to the answer.

The order's token goes to the platform, which may honour it; it is never relied on. When an answer is lost, the job is
looked for among those that were not there before, and nothing is sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.domain.definition import DefinitionError, revealed
from bot.domain.errors import CloudError, NotAvailable, Uncertain, Unreachable, Unreadable
from bot.domain.excuse import excuse
from bot.domain.job import OWNER_LABEL, Job, JobDefinition, JobKey
from bot.domain.life import tell
from bot.domain.note import Note, NoteKind
from bot.domain.ports import Can
from bot.domain.wording import say
from bot.domain.writers import JobWriter
from bot.relay.act.desk import LOOK_WITHIN, Desk
from bot.relay.act.outcome import Declined, Done, Failed, Outcome, Underway
from bot.relay.act.turn import take
from bot.relay.deadline import in_time

LOOKS = (1.0, 2.0, 4.0, 8.0)  # seconds before each look for a job whose submission got no answer
LIST_WITHIN = 20.0  # seconds; all pages of a large account


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What is to be run where. `token` is the dialog's own; `source` is the job that is run again."""

    cloud: str
    pool: str
    definition: JobDefinition
    token: str
    source: JobKey | None = None


class Orders:
    """Submits jobs for operators, and for people who are known as a cloud's users."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def keys(self, cloud: str) -> frozenset[str]:
        """What a definition for this cloud may hold besides our own keys; nothing where it takes no jobs."""
        try:
            return self._writer(cloud).definition_keys
        except CloudError:
            return frozenset()

    async def submit(self, person: str, order: JobOrder) -> Outcome:
        """Submit it once, and look at what came of it. A declined or failed order may be sent in again."""
        outcome = await self._submit(person, order)
        told = f"{order.definition.name} in {order.cloud}/{order.pool}: {outcome.sentence}"
        made = outcome.job.key if isinstance(outcome, Done) and outcome.job else None
        await self._desk.kept(self._desk.audit.note(person, "submit", told, self._desk.clock(), job=made))
        return outcome

    async def _submit(self, person: str, order: JobOrder) -> Outcome:
        try:
            ready = await self._ready(person, order)
            if isinstance(ready, Declined):
                return ready
            known = await self._listed(order.cloud)
        except CloudError as error:
            return Declined(excuse(error))
        except DefinitionError as error:
            return Declined(error.sentences[0])
        twin = next((job for job in known if _is_twin(job, ready)), None)
        if twin is not None:
            return Declined(say("A job {job} is there already: {state}.", job=twin.name, state=twin.state.value), twin)
        claim = await take(self._desk, f"submit {order.token}", person)
        if isinstance(claim, Declined):
            return claim
        return await self._send(person, ready, claim, frozenset(job.id for job in known))

    async def _ready(self, person: str, order: JobOrder) -> JobOrder | Declined:
        """The order with its hidden values put back and its owner on it, if this person may."""
        refusal = await self._desk.rights.refusal_to_submit(person)
        if refusal is not None:
            return Declined(refusal)
        writer, source, original = self._writer(order.cloud), None, None
        if order.source is not None:
            source = await in_time(order.source.cloud, LOOK_WITHIN, self._desk.fleet.job(order.source))
            refusal = await self._desk.rights.refusal(person, source)
            if refusal is not None:
                return Declined(refusal, source)
            original = await in_time(source.cloud, LOOK_WITHIN, self._writer(source.cloud).definition(source.id))
        strange = order.definition.more.keys() - writer.definition_keys
        if strange:
            return Declined(say("{cloud} does not know `{key}`.", cloud=order.cloud, key=min(strange)))
        whole = revealed(order.definition, original)
        return replace(order, definition=_owned(whole, source.owner if source else self._desk.rights.name_of(person)))

    async def _send(self, person: str, order: JobOrder, claim: str, before: frozenset[str]) -> Outcome:
        writer, doubt, key = self._writer(order.cloud), None, None
        try:
            key = await writer.create_job(order.pool, order.definition, order.token)
        except (Uncertain, Unreachable, Unreadable) as error:
            doubt = error
        except CloudError as error:
            await self._desk.kept(self._desk.claims.release(claim))
            return Failed(excuse(error))
        made = await self._made(key) if key else await self._search(order, before)
        if made is not None:
            return await self._settle(person, order, made)
        if doubt is None:
            return Underway(
                say("{cloud} took {job}; it is not listed yet.", cloud=order.cloud, job=order.definition.name)
            )
        return Underway(
            say(
                "It is not known whether {cloud} took {job}: {why}. It is not there so far. "
                "Look for it with `jobs --name {job}` before you submit it again.",
                cloud=order.cloud,
                job=order.definition.name,
                why=doubt.detail,
            )
        )

    async def _settle(self, person: str, order: JobOrder, made: Job) -> Done:
        """The receipt goes into the thread of the incident about the job that was run again, or to the person."""
        figures = {
            "job": made.name,
            "key": str(made.key),
            "queue": made.queue,
            "pool": made.pool or order.pool,
            "replicas": made.replicas or order.definition.replicas,
            "gpus": made.gpu_count,
            "model": made.gpu_model,
            "of": str(order.source) if order.source else None,
        }
        now = self._desk.clock()
        note = Note(NoteKind.SUBMITTED, now, person, figures)
        sentence = say("{job} was submitted to {cloud}.", job=made.name, cloud=made.cloud)
        incident = await self._desk.incidents.about_job(order.source) if order.source else None
        if incident is None:
            return Done(sentence, None, made, note)
        change = self._desk.incidents.change
        changed = await self._desk.kept(change(incident.id, lambda one: tell(one, note), now, at_once=True))
        return Done(sentence, changed, made, note)

    async def _made(self, key: JobKey) -> Job | None:
        """The job as the platform shows it; None while it does not."""
        for seconds in (0.0, *LOOKS[:2]):
            await self._desk.sleep(seconds)
            try:
                return await in_time(key.cloud, LOOK_WITHIN, self._desk.fleet.job(key))
            except CloudError:
                continue
        return None

    async def _search(self, order: JobOrder, before: frozenset[str]) -> Job | None:
        """A job of this name that was not there before the request: it is ours."""
        for seconds in LOOKS:
            await self._desk.sleep(seconds)
            try:
                listed = await self._listed(order.cloud)
            except CloudError:
                continue
            found = [job for job in listed if job.id not in before and _is_named(job, order)]
            if found:
                return found[0]
        return None

    async def _listed(self, cloud: str) -> Sequence[Job]:
        return await in_time(cloud, LIST_WITHIN, self._desk.fleet.cloud(cloud).jobs())

    def _writer(self, name: str) -> JobWriter:
        cloud = self._desk.fleet.cloud(name)
        if not isinstance(cloud, JobWriter) or Can.SUBMIT not in cloud.abilities:
            raise NotAvailable(name, "it takes no jobs")
        return cloud


def _owned(definition: JobDefinition, owner: str | None) -> JobDefinition:
    """Whose job it is stands on it, for the platform knows only the bot's key; a name written there does not count."""
    labels = {key: value for key, value in definition.labels.items() if key != OWNER_LABEL}
    return replace(definition, labels=labels | ({OWNER_LABEL: owner} if owner else {}))


def _is_named(job: Job, order: JobOrder) -> bool:
    return job.name == order.definition.name and job.pool in (None, order.pool)


def _is_twin(job: Job, order: JobOrder) -> bool:
    return _is_named(job, order) and not job.state.is_over
