"""What there is to run on: queues and pools of all clouds at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bot.domain.answers import Gap, Origin, PoolList, QueueList, Said
from bot.domain.command import Pools, Queues
from bot.domain.errors import CloudError
from bot.domain.ports import Can, CapacityCloud
from bot.domain.wording import say
from bot.relay.ask.listing import named_clouds
from bot.relay.ask.sources import Sources
from bot.relay.deadline import in_time

T = TypeVar("T")


async def list_queues(sources: Sources, command: Queues) -> QueueList | Said:
    clouds = able_clouds(sources, command.cloud)
    if isinstance(clouds, Said):
        return clouds
    queues, origin = await from_all(sources, clouds, lambda cloud: cloud.queues())
    return QueueList(tuple(queues), origin, any(Can.QUEUES in cloud.abilities for cloud in clouds))


async def list_pools(sources: Sources, _command: Pools) -> PoolList | Said:
    clouds = able_clouds(sources, None)
    if isinstance(clouds, Said):
        return clouds
    pools, origin = await from_all(sources, clouds, lambda cloud: cloud.pools())
    return PoolList(tuple(pools), origin)


def able_clouds(sources: Sources, wanted: str | None) -> list[CapacityCloud] | Said:
    """The clouds that tell what there is to run on, or the one that is named."""
    able = [
        cloud
        for cloud in sources.clouds.values()
        if isinstance(cloud, CapacityCloud) and Can.CAPACITY in cloud.abilities
    ]
    names = named_clouds(wanted, [cloud.name for cloud in able])
    if isinstance(names, Said):
        return names
    if not names:
        return Said(say("None of the configured clouds tells about pools, queues and nodes."), ok=False)
    return [cloud for cloud in able if cloud.name in names]


async def from_all(
    sources: Sources, clouds: Sequence[CapacityCloud], read: Callable[[CapacityCloud], Awaitable[Sequence[T]]]
) -> tuple[list[T], Origin]:
    """What all clouds give; one that fails leaves a gap."""
    now = sources.clock()

    async def one(cloud: CapacityCloud) -> Sequence[T] | Gap:
        try:
            return await in_time(cloud.name, sources.read, read(cloud))
        except CloudError as error:
            return Gap(cloud.name, type(error).__name__, error.detail, since=now)

    parts = await asyncio.gather(*(one(cloud) for cloud in clouds))
    answered = [(cloud.name, part) for cloud, part in zip(clouds, parts, strict=True) if not isinstance(part, Gap)]
    gaps = tuple(part for part in parts if isinstance(part, Gap))
    return [item for _, part in answered for item in part], Origin(tuple((name, now) for name, _ in answered), gaps)
