"""One queue or one pool looked at closely: who shares it, who is in it, what is free."""

from collections.abc import Sequence

from bot.domain.answers import Candidates, Origin, PoolView, QueueView, Said
from bot.domain.capacity import Pool, Queue
from bot.domain.command import ShowPool, ShowQueue
from bot.domain.command.spec import nearest
from bot.domain.command.words import fold, quote
from bot.domain.job import Job
from bot.domain.ports import Can, CapacityCloud
from bot.domain.wording import say
from bot.domain.writers import QueueCloud
from bot.relay.ask.capacity import able_clouds, from_all
from bot.relay.ask.look import part_of, with_gaps
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import CHOICE


async def show_queue(sources: Sources, command: ShowQueue) -> QueueView | Candidates | Said:
    """The queue as it is now, with the queues below it and the jobs that live in it."""
    clouds = able_clouds(sources, command.cloud)
    if isinstance(clouds, Said):
        return clouds
    queues, origin = await from_all(sources, clouds, lambda cloud: cloud.queues())
    fitting = [queue for queue in queues if _is_meant(queue, command)]
    if len(fitting) != 1:
        return _which_queue(command, fitting, queues, origin)
    listed = fitting[0]
    cloud = next(cloud for cloud in clouds if cloud.name == listed.cloud)
    queue = await _anew(sources, cloud, listed)
    jobs = await sources.fleet.jobs(sources.clock(), only=[listed.cloud])
    return QueueView(
        queue if isinstance(queue, Queue) else listed,
        tuple(one for one in queues if one.key != listed.key and _is_below(one, listed)),
        jobs_in(listed, jobs.jobs),
        Can.QUEUES in cloud.abilities,
        with_gaps(origin, queue, *jobs.origin.gaps),
    )


async def show_pool(sources: Sources, command: ShowPool) -> PoolView | Candidates | Said:
    """The pool with its machines and its queues."""
    clouds = able_clouds(sources, command.cloud)
    if isinstance(clouds, Said):
        return clouds
    pools, origin = await from_all(sources, clouds, lambda cloud: cloud.pools())
    wanted = fold(command.pool)
    fitting = [pool for pool in pools if wanted in (fold(pool.id), fold(pool.name))]
    if len(fitting) != 1:
        return _which_pool(command, fitting, pools, origin)
    pool = fitting[0]
    cloud = [one for one in clouds if one.name == pool.cloud]
    nodes, nodes_origin = await from_all(sources, cloud, lambda one: one.nodes())
    queues, queues_origin = await from_all(sources, cloud, lambda one: one.queues())
    return PoolView(
        pool,
        tuple(node for node in nodes if node.pool in (pool.id, pool.name)),
        tuple(queue for queue in queues if queue.pool in (pool.id, pool.name)),
        with_gaps(origin, *nodes_origin.gaps, *queues_origin.gaps),
    )


def jobs_in(queue: Queue, jobs: Sequence[Job]) -> tuple[Job, ...]:
    """The jobs that run or wait in the queue."""
    return tuple(job for job in jobs if (job.pool, job.queue) == (queue.pool, queue.name) and not job.state.is_over)


async def _anew(sources: Sources, cloud: CapacityCloud, listed: Queue) -> object:
    """The queue read again where its platform tells about one, or the gap that this leaves."""
    if not isinstance(cloud, QueueCloud) or Can.QUEUES not in cloud.abilities:
        return listed
    return await part_of(sources, listed.cloud, cloud.queue(listed.pool, listed.name))


def _is_meant(queue: Queue, command: ShowQueue) -> bool:
    is_there = command.pool is None or fold(queue.pool) == fold(command.pool)
    return is_there and fold(queue.name) == fold(command.queue)


def _is_below(queue: Queue, parent: Queue) -> bool:
    return (queue.cloud, queue.pool, queue.parent) == (parent.cloud, parent.pool, parent.name)


def _which_queue(
    command: ShowQueue, fitting: Sequence[Queue], queues: Sequence[Queue], origin: Origin
) -> Candidates | Said:
    """Several queues of that name, each in its pool; or one that is called alike; or none."""
    if fitting:
        choices = tuple((quote(queue.pool), f"{queue.cloud} · {queue.name}") for queue in fitting)
        return Candidates(command.queue, "queue", choices, f"queue {quote(command.queue)} --pool {CHOICE}")
    names = {fold(queue.name): queue for queue in queues}
    alike = nearest(fold(command.queue), tuple(names))
    if alike is not None:
        found = names[alike]
        choices = ((quote(found.name), f"{found.cloud} · {found.pool}"),)
        return Candidates(command.queue, "queue", choices, f"queue {CHOICE}", exact=False)
    return _none("queue", command.queue, origin)


def _which_pool(command: ShowPool, fitting: Sequence[Pool], pools: Sequence[Pool], origin: Origin) -> Candidates | Said:
    shown = fitting or pools[:10]
    if not shown:
        return _none("pool", command.pool, origin)
    choices = tuple((quote(pool.id), f"{pool.cloud} · {pool.name}") for pool in shown)
    return Candidates(command.pool, "pool", choices, f"pool {CHOICE}", exact=bool(fitting))


def _none(what: str, wanted: str, origin: Origin) -> Said:
    missing = ", ".join(gap.cloud for gap in origin.gaps)
    if missing:
        sentence = say(
            "Nothing is called `{wanted}`, but not every cloud answered: {clouds}.", wanted=wanted, clouds=missing
        )
        return Said(sentence, ok=False)
    if what == "pool":
        return Said(say("There is no pool `{wanted}`.", wanted=wanted), ok=False)
    return Said(say("There is no queue `{wanted}`.", wanted=wanted), ok=False)
