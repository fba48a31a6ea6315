"""How long a person's question waits for one cloud. A slow cloud is one that did not answer, never a hung answer."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from bot.domain.errors import Unreachable

T = TypeVar("T")


async def in_time(cloud: str, seconds: float, work: Awaitable[T]) -> T:
    """What `work` gives within the seconds; raises `Unreachable` after them."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise Unreachable(cloud, f"no answer within {seconds:g} s") from None
