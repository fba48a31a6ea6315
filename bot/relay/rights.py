"""Whether a Slack person may act on a job: the policy applied to who owns the job and who is in which group."""

from bot.domain.access import Person, Policy, may, may_operate, may_submit
from bot.domain.job import Job
from bot.domain.ports import People
from bot.domain.wording import Sentence, say


class Rights:
    """Asked at every look and at every act: somebody's rights may end between the two."""

    def __init__(self, people: People, policy: Policy) -> None:
        self._people = people
        self._policy = policy

    async def refusal(self, person: str | None, job: Job | None) -> Sentence | None:
        """Why the Slack user may not act on the job (None: on what is not about a job); None where they may."""
        if person is None:
            return say("Only a person in Slack can do this.")
        known = Person(person, await self._groups(person))
        if job is None:
            return may_operate(known, self._policy)
        owner = await self._people.slack_id(job.owner) if job.owner else None
        return may(known, owner, self._policy)

    async def refusal_to_submit(self, person: str | None) -> Sentence | None:
        """Why the Slack user may not submit jobs; operators may, and people who are known as a cloud's users."""
        if person is None:
            return say("Only a person in Slack can do this.")
        known = Person(person, await self._groups(person))
        return may_submit(known, bool(self._people.owners_of(person)), self._policy)

    def name_of(self, person: str) -> str | None:
        """The cloud user that this Slack person is; the first by name where several are."""
        return min(self._people.owners_of(person), default=None)

    async def owners(self, person: str, owners: frozenset[str]) -> frozenset[str]:
        """Those of the cloud users that are this Slack person."""
        return frozenset([owner for owner in sorted(owners) if await self._people.slack_id(owner) == person])

    async def _groups(self, person: str) -> frozenset[str]:
        groups = sorted(self._policy.groups)
        return frozenset([group for group in groups if await self._people.is_in_any(person, frozenset({group}))])
