"""Stopping a job: once, on behalf of a person who may, and not believed until the platform's own state shows it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.domain.errors import CloudError, NotAvailable, NotFound, Uncertain, Unreachable, Unreadable
from bot.domain.excuse import excuse
from bot.domain.incident import Incident, Stop
from bot.domain.job import Job, JobKey, JobState
from bot.domain.life import see_job
from bot.domain.ports import Can
from bot.domain.stopping import STOP_LOST_AFTER, ask_stop, fail_stop, failure_note, receipt
from bot.domain.wording import Sentence, mention, say
from bot.relay.act.desk import LOOK_WITHIN, Desk, Look
from bot.relay.act.outcome import Declined, Done, Failed, Outcome, StopQuestion, Underway
from bot.relay.deadline import in_time

LOOKS = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0)  # seconds before each look after the request
LATE_LOOKS = (30.0,) * 16
MOST_ATTEMPTS = 50
_ENDING = (JobState.STOPPING, JobState.UNKNOWN)  # neither over nor plainly running on


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One claimed stop. `claim` is the key to give back when it fails."""

    job: Job
    incident: Incident | None
    stop: Stop
    claim: str


class Stopping:
    """Prepares and makes stops."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def prepare(self, person: str, key: JobKey, started_at: datetime | None) -> StopQuestion | Declined:
        """What to ask before a stop, from a fresh look; nothing is changed on the platform."""
        look = await self._look(person, key, started_at)
        if isinstance(look, Declined):
            return look
        return StopQuestion(look.job, look.incident, self._desk.fleet.use(key))

    async def stop(self, person: str, key: JobKey, started_at: datetime | None, reason: str = "") -> Outcome:
        """Stop that run of the job. Of two who ask at once one asks the platform, the other hears who did."""
        look = await self._look(person, key, started_at)
        attempt = await self._claim(person, look, reason) if isinstance(look, Look) else look
        if isinstance(attempt, Declined):
            await self._desk.told("stop", person, f"declined: {attempt.sentence}", key)
            return attempt
        await self._desk.told("stop", person, "asked", Look(attempt.job, attempt.incident))
        outcome = await self._carry_out(attempt)
        told = self._desk.told("stop", person, str(outcome.sentence), Look(attempt.job, attempt.incident))
        await self._desk.kept(told)
        return outcome

    async def _look(self, person: str, key: JobKey, started_at: datetime | None) -> Look | Declined:
        look = await self._desk.look(person, key, started_at)
        if isinstance(look, Declined):
            return look
        cannot = self._cannot(look)
        return Declined(cannot, look.job) if cannot else look

    def _cannot(self, look: Look) -> Sentence | None:
        """Why a stop would be pointless."""
        job, stop = look.job, look.incident.stop if look.incident else None
        if job.state.is_over:
            return _over(job)
        if Can.STOP not in self._desk.fleet.cloud(job.cloud).abilities:
            return excuse(NotAvailable(job.cloud, "it cannot stop jobs, or that is switched off in the settings"))
        if job.state is JobState.STOPPING:
            return _already(job, stop.by, stop.at) if stop else say("{job} is being stopped already.", job=job.name)
        return None

    async def _claim(self, person: str, look: Look, reason: str) -> _Attempt | Declined:
        """The first claim of this run wins. A stale one is passed over by claiming the next attempt."""
        now, job = self._desk.clock(), look.job
        stop = Stop(person, now, reason, before=job.state)
        started = int(job.started_at.timestamp()) if job.started_at else 0
        for attempt in range(1, MOST_ATTEMPTS):
            claim = f"stop {job.key}@{started}#{attempt}"
            holder = await self._desk.claims.claim(claim, _signed(person, now), now)
            if holder is None:
                return _Attempt(job, await self._note_asked(look, stop), stop, claim)
            by, at = _signer(holder)
            if now - at < STOP_LOST_AFTER:
                return Declined(_already(job, by, at), job)
        return Declined(say("{job} was asked to stop too often. Stop it on the platform.", job=job.name), job)

    async def _note_asked(self, look: Look, stop: Stop) -> Incident | None:
        if look.incident is None:
            return None
        return await self._desk.incidents.change(
            look.incident.id,
            lambda one: ask_stop(one, look.job, stop.by, stop.reason, stop.at),
            stop.at,
            at_once=True,
        )

    async def _carry_out(self, attempt: _Attempt) -> Outcome:
        """Ask once. When the answer is lost the job is looked at; the request is never repeated."""
        key, doubt = attempt.job.key, None
        try:
            await self._desk.fleet.cloud(key.cloud).stop(key.id)
        except (Uncertain, Unreachable, Unreadable) as error:
            doubt = error
        except CloudError as error:
            return await self._refused(attempt, error)
        last = await self._watch(attempt)
        if last is not None and last.state.is_over:
            return await self._settle(attempt, last)
        if last is None or last.state in _ENDING:
            return Underway(_not_seen_yet(attempt.job, doubt), attempt.incident, last or attempt.job)
        failure = doubt.detail if doubt else f"the platform agreed, and {sum(LOOKS):g} s later the job still runs"
        return await self._fail(attempt, last, failure)

    async def _watch(self, attempt: _Attempt) -> Job | None:
        """Look until the job is over or time is up; the last reading, None if there was none.

        An incident's follower sees a late end; without an incident nobody else would, so the looks go on.
        """
        last = None
        for place, seconds in enumerate(LOOKS if attempt.incident else LOOKS + LATE_LOOKS):
            if place >= len(LOOKS) and last is not None and last.state not in _ENDING:
                break
            await self._desk.sleep(seconds)
            last = await self._reread(attempt.job) or last
            if last is not None and last.state.is_over:
                break
        return last

    async def _reread(self, job: Job) -> Job | None:
        """The job now; one that the platform knows no more, or runs anew, is not running as it was."""
        try:
            now = await in_time(job.cloud, LOOK_WITHIN, self._desk.fleet.job(job.key))
        except NotFound:
            return _ended(job, "not found")
        except CloudError:
            return None
        is_other = job.started_at is not None and now.started_at not in (None, job.started_at)
        return _ended(job, "runs anew") if is_other else now

    async def _refused(self, attempt: _Attempt, error: CloudError) -> Outcome:
        """The platform said no; perhaps because the job is over meanwhile."""
        last = await self._reread(attempt.job)
        if last is not None and last.state.is_over:
            return await self._settle(attempt, last)
        return await self._fail(attempt, last or attempt.job, error.detail)

    async def _settle(self, attempt: _Attempt, job: Job) -> Done:
        now, incident = self._desk.clock(), attempt.incident
        sentence = say("{job} is {state} now.", job=job.name, state=job.state.value)
        change = self._desk.incidents.change
        changed = incident and await self._desk.kept(
            change(incident.id, lambda one: see_job(one, job, now), now, at_once=True)
        )
        return Done(sentence, changed, job, None if changed else receipt(attempt.stop, job, now))

    async def _fail(self, attempt: _Attempt, job: Job, failure: str) -> Failed:
        """Say so, and let the next person try."""
        now, incident = self._desk.clock(), attempt.incident
        await self._desk.kept(self._desk.claims.release(attempt.claim))
        sentence = say("{job} was not stopped: {why}.", job=job.name, why=failure)
        change = self._desk.incidents.change
        changed = incident and await self._desk.kept(
            change(incident.id, lambda one: fail_stop(one, job, failure, now), now, at_once=True)
        )
        return Failed(sentence, changed, job, None if changed else failure_note(attempt.stop, job, failure, now))


def _ended(job: Job, platform_state: str) -> Job:
    return replace(job, state=JobState.STOPPED, platform_state=platform_state)


def _signed(person: str, at: datetime) -> str:
    return f"{person} {int(at.timestamp())}"


def _signer(holder: str) -> tuple[str, datetime]:
    by, _, at = holder.rpartition(" ")
    return by, datetime.fromtimestamp(int(at), UTC)


def _over(job: Job) -> Sentence:
    if job.finished_at is None:
        return say("{job} is over already: it is {state}.", job=job.name, state=job.state.value)
    return say("{job} is over already: {state} since {at}.", job=job.name, state=job.state.value, at=job.finished_at)


def _already(job: Job, by: str, at: datetime) -> Sentence:
    return say("{job} is already being stopped by {person} since {at}.", job=job.name, person=mention(by), at=at)


def _not_seen_yet(job: Job, doubt: CloudError | None) -> Sentence:
    if doubt is None:
        return say("{cloud} agreed to stop {job}; it is not over yet.", cloud=job.cloud, job=job.name)
    return say(
        "{cloud} was asked to stop {job}, but whether it will is not known yet: {why}.",
        cloud=job.cloud,
        job=job.name,
        why=doubt.detail,
    )
