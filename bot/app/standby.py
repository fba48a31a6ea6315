"""One active process per database: the others wait for its heart to stop, and a process that lost its place ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import structlog

from bot.app.process import is_gone
from bot.domain.errors import StoreError
from bot.store.instance import Instance

BEAT_EVERY = 5.0  # seconds
LAST_WORDS = 3.0  # seconds in which a message that a killed process had under way may still arrive at Slack
log = structlog.get_logger()


class Heart:
    """Holds the place of the active process. It lives by real time, whatever clock the bot was given."""

    def __init__(self, instance: Instance, lost: asyncio.Event) -> None:
        self._instance = instance
        self._lost = lost

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Wait for the place, keep it during the block, give it back at the end."""
        await self._wait_for_place()
        task = asyncio.create_task(self._beat(), name="heart")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self._let_go()

    async def _let_go(self) -> None:
        try:
            await self._instance.let_go()
        except StoreError as error:  # a standby then waits for our silence; nothing else depends on it
            log.warning("the place of the active process could not be given back", reason=str(error))

    async def _wait_for_place(self) -> None:
        waiting = False
        while not await self._instance.hold(datetime.now(UTC)):
            if not waiting:
                log.warning("another process is active on this database; standing by to take over")
                waiting = True
            await self._evict_the_dead()
            await asyncio.sleep(1)

    async def _evict_the_dead(self) -> None:
        """A process that crashed on this machine need not be waited for as long as its silence would take."""
        rival = await self._instance.rival()
        if rival is not None and is_gone(rival):
            log.warning("the process that was active is gone", process=rival)
            await asyncio.sleep(LAST_WORDS)
            await self._instance.evict(rival)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            try:
                if not await self._instance.hold(datetime.now(UTC)):
                    log.error("another process took over this database; this one ends")
                    self._lost.set()
                    return
            except StoreError as error:
                log.error("the heartbeat could not be written", reason=str(error))
