"""The seams for what clouds write beside a stop: queues, and jobs. `Can` says which of it a configured cloud offers."""

from typing import Protocol, runtime_checkable

from bot.domain.capacity import Queue, QueueDefinition
from bot.domain.job import JobDefinition, JobKey
from bot.domain.ports import Cloud


@runtime_checkable
class QueueCloud(Cloud, Protocol):
    """A platform whose queues can be changed (`Can.QUEUES`). A write is sent once and may raise `Uncertain`.

    Which version of the platform's API carries a write is the adapter's business: an action-style v2 is one more
    client beneath the same adapter, and nothing here changes.
    """

    async def queue(self, pool: str, queue: str) -> Queue: ...
    async def create_queue(self, pool: str, definition: QueueDefinition) -> None: ...
    async def update_queue(self, pool: str, definition: QueueDefinition) -> None:
        """Change what the definition names; a given map replaces the whole map."""
        ...

    async def delete_queue(self, pool: str, queue: str) -> None: ...


@runtime_checkable
class JobWriter(Cloud, Protocol):
    """A platform that takes jobs and changes them. What it lacks of this is not among its abilities.

    Writes are sent once: each may raise `Uncertain`, and `NotAvailable` where the platform does not have it.
    """

    @property
    def definition_keys(self) -> frozenset[str]:
        """The keys of its own that `JobDefinition.more` may hold."""
        ...

    async def definition(self, job_id: str) -> JobDefinition:
        """How the job was defined, without what the platform added by itself."""
        ...

    async def create_job(self, pool: str, definition: JobDefinition, token: str | None = None) -> JobKey:
        """Submit; `token` (ASCII, at most 64 characters) marks a repetition of the same order."""
        ...

    async def set_priority(self, job_id: str, priority: str) -> None: ...
    async def delete_job(self, job_id: str) -> None: ...
    async def restart_job(self, job_id: str) -> None: ...
