"""All parts at once, told in a fixed order, each with its own deadline."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from bot.app.bot import Clock, utc_now
from bot.app.check.clouds import cloud_parts
from bot.app.check.line import Line, Verdict, fail
from bot.app.check.machine import machine_parts
from bot.app.check.part import Part
from bot.app.check.slack import slack_parts
from bot.config import Settings

Say = Callable[[str], object]


async def check_all(settings: Settings, say: Say, clock: Clock = utc_now) -> bool:
    """Say a line for each part in turn, as soon as it is known; True if none failed."""
    failed = False
    async with _parts(settings, clock) as parts:
        tries = [asyncio.create_task(_tried(part), name=part.name) for part in parts]
        for lines in tries:
            for line in await lines:
                failed = failed or line.verdict is Verdict.FAIL
                say(str(line))
    return not failed


@asynccontextmanager
async def _parts(settings: Settings, clock: Clock) -> AsyncIterator[Sequence[Part]]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(slack_parts(settings, clock))
        clouds = await stack.enter_async_context(cloud_parts(settings.clouds, clock))
        yield [*slack, *clouds, *machine_parts(settings)]


async def _tried(part: Part) -> Sequence[Line]:
    try:
        async with asyncio.timeout(part.seconds):
            return await part.look()
    except TimeoutError:
        return [fail(f"{part.name}: no answer within {part.seconds:g} s. Is the way there open (firewall, proxy)?")]
