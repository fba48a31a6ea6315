"""What else is done to a job: its place in the queue, its removal, its restart. Each after a fresh look, and once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.errors import CloudError, NotAvailable, NotFound, Uncertain, Unreachable, Unreadable
from bot.domain.excuse import excuse
from bot.domain.incident import Incident
from bot.domain.job import Job, JobKey, JobState
from bot.domain.life import tell
from bot.domain.note import Note, NoteKind
from bot.domain.ports import Can
from bot.domain.wording import Sentence, say
from bot.domain.writers import JobWriter
from bot.relay.act.desk import LOOK_WITHIN, Desk, Look
from bot.relay.act.outcome import Declined, Done, Failed, Outcome, Underway
from bot.relay.act.turn import turn
from bot.relay.deadline import in_time

PRIORITIES = ("high", "normal", "low")
LOOKS = (0.5, 1.0, 2.0, 4.0)  # seconds before each look after the request


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """What may be done to the job, as it was read just now."""

    job: Job
    incident: Incident | None = None


@dataclass(frozen=True, slots=True)
class _Deed:
    """One write: the ability it needs, the request, how its success shows, and the note of it."""

    action: str
    needs: Can
    write: Callable[[JobWriter, Job], Awaitable[None]]
    is_done: Callable[[Job, Job | None], bool]
    done: Callable[[Job], Sentence]
    note: Callable[[Job, Job | None], Note]


class Upkeep:
    """`started_at` names the run that the person saw, as for a stop."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def prepare(self, person: str, key: JobKey, started_at: datetime | None, deed: Can) -> JobQuestion | Declined:
        """The job before its priority is changed, before it is deleted or restarted (`deed`), or why it cannot be."""
        look = await self._allowed(person, key, started_at, deed)
        return look if isinstance(look, Declined) else JobQuestion(look.job, look.incident)

    async def set_priority(self, person: str, key: JobKey, started_at: datetime | None, priority: str) -> Outcome:
        """Ask for the priority; whether the platform heeds it is read, not believed."""

        def note(before: Job, after: Job | None) -> Note:
            waits = before.state is JobState.QUEUED
            figures = {"job": before.name, "before": before.priority, "after": priority, "heeded": waits}
            return Note(NoteKind.PRIORITY_CHANGED, self._desk.clock(), person, figures)

        deed = _Deed(
            "priority",
            Can.PRIORITY,
            lambda cloud, job: cloud.set_priority(job.id, priority),
            lambda before, after: after is not None and after.priority == priority,
            lambda job: say("{job} has the priority {priority} now.", job=job.name, priority=priority),
            note,
        )
        return await self._do(person, key, started_at, deed)

    async def delete(self, person: str, key: JobKey, started_at: datetime | None) -> Outcome:
        """Remove a job that is over, with its logs and records."""
        deed = _Deed(
            "delete",
            Can.DELETE,
            lambda cloud, job: cloud.delete_job(job.id),
            lambda before, after: after is None,
            lambda job: say("{job} was deleted.", job=job.name),
            lambda before, after: Note(
                NoteKind.DELETED, self._desk.clock(), person, {"job": before.name, "key": str(before.key)}
            ),
        )
        return await self._do(person, key, started_at, deed)

    async def restart(self, person: str, key: JobKey, started_at: datetime | None) -> Outcome:
        """Run a job that is over once more under its own id."""
        deed = _Deed(
            "restart",
            Can.RESTART,
            lambda cloud, job: cloud.restart_job(job.id),
            lambda before, after: after is not None and not after.state.is_over,
            lambda job: say("{job} is started again.", job=job.name),
            lambda before, after: Note(NoteKind.RESTARTED, self._desk.clock(), person, {"job": before.name}),
        )
        return await self._do(person, key, started_at, deed)

    async def _do(self, person: str, key: JobKey, started_at: datetime | None, deed: _Deed) -> Outcome:
        """Fresh look, turn, request; every outcome leaves a line in the audit."""
        look = await self._allowed(person, key, started_at, deed.needs)
        if isinstance(look, Declined):
            await self._desk.told(deed.action, person, f"declined: {look.sentence}", key)
            return look
        async with turn(self._desk, f"{deed.action} {key}", person) as held:
            outcome = held or await self._carry_out(look, deed)
        await self._desk.kept(self._desk.told(deed.action, person, str(outcome.sentence), look))
        return outcome

    async def _allowed(self, person: str, key: JobKey, started_at: datetime | None, needs: Can) -> Look | Declined:
        """A fresh look at a job whose cloud can do it, and whose state allows it."""
        look = await self._desk.look(person, key, started_at)
        if isinstance(look, Declined):
            return look
        if needs not in self._desk.fleet.cloud(key.cloud).abilities:
            detail = f"it cannot {needs.value}, or that is switched off in the settings"
            return Declined(excuse(NotAvailable(key.cloud, detail)), look.job)
        refusal = _FORBIDS[needs](look.job)
        return Declined(refusal, look.job) if refusal else look

    async def _carry_out(self, look: Look, deed: _Deed) -> Outcome:
        """Ask once. When the answer is lost the job is looked at; the request is never repeated."""
        job, doubt = look.job, None
        try:
            await deed.write(self._writer(job.cloud), job)
        except (Uncertain, Unreachable, Unreadable) as error:
            doubt = error
        except CloudError as error:
            return Failed(excuse(error), look.incident, job)
        for seconds in LOOKS:
            await self._desk.sleep(seconds)
            try:
                after = await self._reread(job)
            except CloudError:
                continue
            if deed.is_done(job, after):
                return await self._settle(look, after, deed)
            if doubt is None and deed.needs is Can.PRIORITY:
                break
        return Underway(_not_seen(job, doubt), look.incident, job)

    async def _settle(self, look: Look, after: Job | None, deed: _Deed) -> Done:
        """The note goes into the incident's thread, or back to the person where there is none."""
        note, job = deed.note(look.job, after), after or look.job
        now, change = self._desk.clock(), self._desk.incidents.change
        changed = look.incident and await self._desk.kept(
            change(look.incident.id, lambda one: tell(one, note), now, at_once=True)
        )
        return Done(deed.done(job), changed, job, None if changed else note)

    async def _reread(self, job: Job) -> Job | None:
        """The job now; None where its platform says that there is none."""
        try:
            return await in_time(job.cloud, LOOK_WITHIN, self._desk.fleet.job(job.key))
        except NotFound:
            return None

    def _writer(self, name: str) -> JobWriter:
        cloud = self._desk.fleet.cloud(name)
        if not isinstance(cloud, JobWriter):
            raise NotAvailable(name, "it does not let jobs be changed")
        return cloud


def _not_over(job: Job) -> Sentence | None:
    if job.state.is_over:
        return None
    return say("{job} is not over: it is {state}. Stop it first.", job=job.name, state=job.state.value)


def _over(job: Job) -> Sentence | None:
    if not job.state.is_over:
        return None
    return say("{job} is over already: it is {state}.", job=job.name, state=job.state.value)


def _not_seen(job: Job, doubt: CloudError | None) -> Sentence:
    if doubt is None:
        return say("{cloud} agreed, but {job} does not show it yet. Look again.", cloud=job.cloud, job=job.name)
    return say(
        "{cloud} did not answer, and it is not known whether it did it: {why}. Look at {job} again first.",
        cloud=job.cloud,
        job=job.name,
        why=doubt.detail,
    )


_FORBIDS = {Can.PRIORITY: _over, Can.DELETE: _not_over, Can.RESTART: _not_over}
