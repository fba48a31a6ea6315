"""Making, changing and deleting queues, for operators: once, and not believed until the queue is read again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.capacity import Queue, QueueDefinition, QueueKey, Spot
from bot.domain.errors import CloudError, Uncertain, Unreachable, Unreadable
from bot.domain.excuse import excuse
from bot.domain.ports import Clouds
from bot.domain.quota import Change, changes
from bot.domain.wording import Sentence, say
from bot.domain.writers import QueueCloud
from bot.relay.act.desk import Desk
from bot.relay.act.outcome import Declined, Failed
from bot.relay.act.queue_looks import QueueLooks, QueueQuestion, seen
from bot.relay.act.turn import turn


@dataclass(frozen=True, slots=True)
class QueueReceipt:
    """A queue was made (`before` None), changed, or deleted (`after` None). `confirmed`: it was read afterwards."""

    key: QueueKey
    by: str
    at: datetime
    before: Queue | None
    after: Queue | None
    confirmed: bool = True

    @property
    def changes(self) -> tuple[Change, ...]:
        return changes(self.before, self.after)


Came = QueueReceipt | Declined | Failed


@dataclass(frozen=True, slots=True)
class _Order:
    """One write: what must be true before it, the request, and how its success shows."""

    action: str
    person: str
    key: QueueKey
    check: Callable[[], Awaitable[Queue | Declined | None]]
    write: Callable[[QueueCloud], Awaitable[None]]
    is_done: Callable[[Queue | None], bool]


class QueueActs:
    """Prepares and makes changes of queues."""

    def __init__(self, desk: Desk, clouds: Clouds) -> None:
        self._desk = desk
        self._looks = QueueLooks(desk, clouds)

    async def spots(self, person: str) -> tuple[Spot, ...] | Declined:
        """Where this person may make a queue."""
        return await self._looks.spots(person)

    async def prepare(self, person: str, key: QueueKey, *, delete: bool = False) -> QueueQuestion | Declined:
        """The queue as it is now, for the dialog that changes or deletes it, or why that cannot be."""
        return await self._looks.prepare(person, key, delete=delete)

    async def create(self, person: str, cloud: str, pool: str, wanted: QueueDefinition) -> Came:
        key = QueueKey(cloud, pool, wanted.name)

        async def check() -> Declined | None:
            if await self._looks.read_or_none(key) is None:
                return None
            return Declined(say("There is a queue {name} in {pool} already.", name=key.name, pool=pool))

        return await self._do(
            _Order(
                "create queue",
                person,
                key,
                check,
                lambda one: one.create_queue(pool, wanted),
                lambda now: now is not None,
            )
        )

    async def update(self, person: str, key: QueueKey, was: str, wanted: QueueDefinition) -> Came:
        """Change what `wanted` names, if the queue is still as it was `seen`."""

        async def check() -> Queue | Declined:
            queue = await self._looks.read(key)
            if seen(queue) == was:
                return queue
            return Declined(
                say("{name} was changed by somebody else meanwhile. Look at it again first.", name=key.name)
            )

        def is_done(now: Queue | None) -> bool:
            return now is not None and seen(now) != was

        return await self._do(
            _Order("change queue", person, key, check, lambda one: one.update_queue(key.pool, wanted), is_done)
        )

    async def delete(self, person: str, key: QueueKey) -> Came:
        async def check() -> Queue | Declined:
            queue = await self._looks.read(key)
            return await self._looks.in_use(queue) or queue

        return await self._do(
            _Order(
                "delete queue",
                person,
                key,
                check,
                lambda one: one.delete_queue(key.pool, key.name),
                lambda now: now is None,
            )
        )

    async def _do(self, order: _Order) -> Came:
        outcome = await self._in_turn(order)
        told = f"{order.key}: {_in_words(outcome)}"
        await self._desk.kept(self._desk.audit.note(order.person, order.action, told, self._desk.clock()))
        return outcome

    async def _in_turn(self, order: _Order) -> Came:
        """Rights, turn, fresh look, request."""
        refusal = await self._desk.rights.refusal(order.person, None)
        if refusal is not None:
            return Declined(refusal)
        async with turn(self._desk, f"queue {order.key}", order.person) as held:
            if held is not None:
                return held
            try:
                before = await order.check()
            except CloudError as error:
                return Declined(excuse(error))
            return before if isinstance(before, Declined) else await self._carry_out(order, before)

    async def _carry_out(self, order: _Order, before: Queue | None) -> QueueReceipt | Failed:
        """Ask once. When the answer is lost, what can be read decides; nothing is repeated."""
        key, doubt = order.key, None
        try:
            await order.write(self._looks.cloud(key.cloud))
        except (Uncertain, Unreachable, Unreadable) as error:
            doubt = error
        except CloudError as error:
            return Failed(
                say("{cloud} did not change {name}: {why}.", cloud=key.cloud, name=key.name, why=error.detail)
            )
        now = self._desk.clock()
        try:
            after = await self._looks.read_or_none(key)
        except CloudError as error:
            if doubt is not None:
                return Failed(_unknown(key, error))
            return QueueReceipt(key, order.person, now, before, None, confirmed=False)
        if order.is_done(after):
            return QueueReceipt(key, order.person, now, before, after)
        return Failed(_not_seen(key, doubt))


def _in_words(outcome: Came) -> str:
    """For the audit."""
    if not isinstance(outcome, QueueReceipt):
        return f"{'declined' if isinstance(outcome, Declined) else 'failed'}: {outcome.sentence}"
    told = (f"{one.facet} {one.resource or ''} {one.before} → {one.after}" for one in outcome.changes)
    return "; ".join(["done", *(" ".join(text.split()) for text in told)])


def _unknown(key: QueueKey, error: CloudError) -> Sentence:
    return say(
        "Whether {cloud} changed {name} is not known: it cannot be read now ({why}). Look before doing it again.",
        cloud=key.cloud,
        name=key.name,
        why=error.detail,
    )


def _not_seen(key: QueueKey, doubt: CloudError | None) -> Sentence:
    if doubt is None:
        return say("{cloud} agreed, but {name} does not show it yet. Look again.", cloud=key.cloud, name=key.name)
    return say(
        "{cloud} did not answer, and {name} is as it was: {why}.", cloud=key.cloud, name=key.name, why=doubt.detail
    )
