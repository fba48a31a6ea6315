"""The only place that knows how to answer Slack: acknowledge first, work afterwards, raise never.

The library loses the acknowledgement when a listener raises shortly after it, and shows the person a failure when it
comes late. So each listener only acknowledges and starts a task of ours; the task turns every error into a sentence
for the person, runs once however often Slack delivers, and is waited for when the bot stops.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

import structlog

from bot.domain.errors import CloudError, CommandError, StoreError
from bot.domain.excuse import excuse
from bot.domain.ports import Claims
from bot.domain.wording import Sentence, say

Body = Mapping[str, Any]
Work = Callable[[], Awaitable[None]]
Tell = Callable[[Sentence], Awaitable[None]]
Outcome = Callable[[str, str], None]

log = structlog.get_logger()


class Answering:
    """Runs what listeners start."""

    def __init__(self, claims: Claims, clock: Callable[[], datetime], outcome: Outcome) -> None:
        self._claims = claims
        self._clock = clock
        self._outcome = outcome
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, what: str, key: str, work: Work, tell: Tell) -> None:
        """Begin the work of one delivery; `key` is equal for its redeliveries, `tell` reaches the person."""
        task = asyncio.create_task(self._run(what, key, work, tell), name=what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self, seconds: float) -> None:
        """Wait for what is under way; cancel what takes longer."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()

    async def _run(self, what: str, key: str, work: Work, tell: Tell) -> None:
        try:
            if await self._is_redelivered(what, key):
                self._outcome(what, "redelivered")
                return
            await work()
        except CommandError as error:
            self._outcome(what, "refused")
            await self._say(tell, error.sentence)
        except CloudError as error:
            self._outcome(what, "cloud")
            await self._say(tell, excuse(error))
        except StoreError as error:
            self._outcome(what, "store")
            await self._say(
                tell, say("This was not done, because my store takes nothing: {reason}.", reason=str(error))
            )
        except Exception:  # noqa: BLE001 - the listener's edge: the person must hear of it, the process must go on
            await self._fail(what, tell)
        else:
            self._outcome(what, "ok")

    async def _is_redelivered(self, what: str, key: str) -> bool:
        """A store that takes no claim must not keep people from looking; whoever acts needs the store again anyway."""
        try:
            return await self._claims.claim(key, what, self._clock()) is not None
        except StoreError as error:
            log.warning("answering without a claim", what=what, reason=str(error))
            return False

    async def _fail(self, what: str, tell: Tell) -> None:
        error_id = uuid.uuid4().hex[:8]
        log.exception("answer failed", what=what, error_id=error_id)
        self._outcome(what, "error")
        sentence = say(
            "Something went wrong inside the bot. Look before you repeat it, and tell its operators the number {id}.",
            id=error_id,
        )
        await self._say(tell, sentence)

    async def _say(self, tell: Tell, sentence: Sentence) -> None:
        try:
            await tell(sentence)
        except Exception:
            log.exception("person could not be told")
