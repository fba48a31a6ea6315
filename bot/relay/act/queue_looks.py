"""Queues read anew before anything is done to them, and why one of them must stay as it is."""

import hashlib
from dataclasses import dataclass

from bot.domain.capacity import Queue, QueueKey, Spot
from bot.domain.errors import CloudError, NotAvailable, NotFound
from bot.domain.excuse import excuse
from bot.domain.job import Job
from bot.domain.ports import Can, CapacityCloud, Clouds
from bot.domain.quota import write_amounts
from bot.domain.wording import Sentence, say
from bot.domain.writers import QueueCloud
from bot.relay.act.desk import LOOK_WITHIN, Desk
from bot.relay.act.outcome import Declined
from bot.relay.deadline import in_time

KEPT = frozenset({"default", "root"})  # the platform needs them
_LISTED = 5


@dataclass(frozen=True, slots=True)
class QueueQuestion:
    """A queue as read just now; `seen` names this state, so that a change in between is noticed."""

    queue: Queue
    seen: str


class QueueLooks:
    """Looks at queues for people who may change them."""

    def __init__(self, desk: Desk, clouds: Clouds) -> None:
        self._desk = desk
        self._clouds = clouds

    async def spots(self, person: str) -> tuple[Spot, ...] | Declined:
        """Where this person may make a queue."""
        refusal = await self._desk.rights.refusal(person, None)
        if refusal is not None:
            return Declined(refusal)
        try:
            found = [
                Spot(pool.cloud, pool.id, pool.name)
                for cloud in self._clouds.values()
                if isinstance(cloud, CapacityCloud) and Can.QUEUES in cloud.abilities
                for pool in await in_time(cloud.name, LOOK_WITHIN, cloud.pools())
            ]
        except CloudError as error:
            return Declined(excuse(error))
        return tuple(found) or Declined(say("None of the configured clouds lets queues be changed."))

    async def prepare(self, person: str, key: QueueKey, *, delete: bool = False) -> QueueQuestion | Declined:
        """The queue as it is now, for the dialog that changes or deletes it, or why that cannot be."""
        refusal = await self._desk.rights.refusal(person, None)
        if refusal is not None:
            return Declined(refusal)
        try:
            queue = await self.read(key)
            return (await self.in_use(queue) if delete else None) or QueueQuestion(queue, seen(queue))
        except CloudError as error:
            return Declined(excuse(error))

    async def in_use(self, queue: Queue) -> Declined | None:
        """Why the queue must stay: the platform needs it, jobs live in it, or queues hang below it."""
        if queue.name in KEPT:
            return Declined(say("{name} belongs to the platform and cannot be deleted.", name=queue.name))
        jobs = await in_time(queue.cloud, LOOK_WITHIN, self._desk.fleet.cloud(queue.cloud).jobs())
        living = [job for job in jobs if (job.pool, job.queue) == (queue.pool, queue.name) and not job.state.is_over]
        if living:
            return Declined(_lived_in(queue, living))
        cloud = self.cloud(queue.cloud)
        below = await in_time(queue.cloud, LOOK_WITHIN, cloud.queues()) if isinstance(cloud, CapacityCloud) else ()
        children = [one.name for one in below if (one.pool, one.parent) == (queue.pool, queue.name)]
        if children:
            return Declined(say("{name} has queues below it: {queues}.", name=queue.name, queues=_some(children)))
        return None

    async def read(self, key: QueueKey) -> Queue:
        return await in_time(key.cloud, LOOK_WITHIN, self.cloud(key.cloud).queue(key.pool, key.name))

    async def read_or_none(self, key: QueueKey) -> Queue | None:
        """None where the platform says that there is no such queue."""
        try:
            return await self.read(key)
        except NotFound:
            return None

    def cloud(self, name: str) -> QueueCloud:
        """Raises `NotAvailable` for a cloud whose queues cannot be changed."""
        cloud = self._clouds.get(name)
        if not isinstance(cloud, QueueCloud) or Can.QUEUES not in cloud.abilities:
            raise NotAvailable(name, "it does not let queues be changed")
        return cloud


def seen(queue: Queue) -> str:
    """Names the state of all that can be changed."""
    maps = [write_amounts(one) for one in (queue.deserved, queue.guarantee, queue.capability)]
    facets = [queue.description, queue.oversell, queue.reclaimable, queue.strategy, *maps]
    return hashlib.sha256(repr(facets).encode()).hexdigest()[:16]


def _lived_in(queue: Queue, jobs: list[Job]) -> Sentence:
    names = _some([job.name for job in jobs])
    return say("Jobs live in {name}: {jobs}. Let them end or stop them first.", name=queue.name, jobs=names)


def _some(names: list[str]) -> str:
    more = f" +{len(names) - _LISTED}" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
