"""Bringing what people did to the app: commands and interactions once, events again and again until acknowledged (Slack
reference §1-§3). The way there is a transport: sockets, or signed HTTP posts."""

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from .journal import KEPT
from .records import Json
from .state import State

TIMED_OUT = "operation_timeout"
NOT_REACHED = "dispatch_failed"


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What came back. `payload` is the body of the ack; `error` why there was none; `reason` the same in the words of a
    retry; `is_final`: the app asked for no retry."""

    acknowledged: bool
    ms: int
    payload: Any = None
    error: str | None = None
    reason: str = ""
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """Which further attempt this is (0: the first delivery) and why it is made."""

    attempt: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One attempt to bring one payload to the app, as kept for tests."""

    kind: str
    payload: Json
    retry: Retry
    result: Acknowledgement


class Transport(Protocol):
    async def deliver(self, kind: str, payload: Json, retry: Retry) -> Acknowledgement: ...


class Deliveries:
    """Kinds are Socket Mode's: slash_commands, interactive, events_api."""

    def __init__(self, state: State, transport: Transport) -> None:
        self.records: deque[Delivery] = deque(maxlen=KEPT)
        self.transport = transport
        self._state = state
        self._tasks: set[asyncio.Task[None]] = set()

    async def once(self, kind: str, payload: Json) -> Acknowledgement:
        return await self._attempt(kind, payload, Retry())

    async def event(self, event: Json) -> Acknowledgement:
        """The first attempt's result; further attempts go on in the background."""
        payload = self._event_payload(event)
        first = await self._attempt("events_api", payload, Retry())
        if not first.acknowledged and not first.is_final:
            self._start(self._repeat(payload, first.reason))
        return first

    def announce(self, event: Json) -> None:
        """The same without waiting for a result."""
        self._start(self._announced(event))

    async def _announced(self, event: Json) -> None:
        await self.event(event)

    async def _attempt(self, kind: str, payload: Json, retry: Retry) -> Acknowledgement:
        result = await self.transport.deliver(kind, payload, retry)
        self.records.append(Delivery(kind, payload, retry, result))
        self._state.changed("delivery", kind)
        return result

    async def _repeat(self, payload: Json, reason: str) -> None:
        for attempt, pause in enumerate(self._state.timing.retries, start=1):
            await asyncio.sleep(pause)
            result = await self._attempt("events_api", payload, Retry(attempt, reason))
            if result.acknowledged or result.is_final:
                return
            reason = result.reason

    def _event_payload(self, event: Json) -> Json:
        state = self._state
        workspace = state.workspace
        grant = {"enterprise_id": None, "team_id": workspace.team_id, "user_id": state.app.user_id, "is_bot": True}
        return {
            "token": "verification-token",
            "team_id": workspace.team_id,
            "api_app_id": state.app.id,
            "event": event,
            "type": "event_callback",
            "event_id": state.new_id("Ev"),
            "event_time": int(state.seconds()),
            "authorizations": [grant | {"is_enterprise_install": False}],
            "is_ext_shared_channel": False,
            "event_context": state.new_id("EC"),
        }

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
