"""The door to all acts, as listeners see it."""

from datetime import datetime, timedelta

from bot.domain.answers import TerminalHandout
from bot.domain.job import JobKey
from bot.domain.ports import Clouds
from bot.relay.act.desk import Desk
from bot.relay.act.handle import Handling
from bot.relay.act.orders import Orders
from bot.relay.act.outcome import Declined, Done, Outcome, StopQuestion
from bot.relay.act.queues import QueueActs
from bot.relay.act.stop import Stopping
from bot.relay.act.terminal import Terminals
from bot.relay.act.upkeep import Upkeep


class Act:
    """`person` is always a Slack user id; `started_at` names the run that the person saw.

    What is not about incidents, stops and terminals stands apart: `queues`, `orders` of new jobs, `upkeep` of old ones.
    """

    def __init__(self, desk: Desk, clouds: Clouds | None = None) -> None:
        self.queues = QueueActs(desk, clouds or {})
        self.orders = Orders(desk)
        self.upkeep = Upkeep(desk)
        self._handling = Handling(desk)
        self._stopping = Stopping(desk)
        self._terminals = Terminals(desk)

    async def acknowledge(self, person: str, incident_id: int) -> Done | Declined:
        return await self._handling.acknowledge(person, incident_id)

    async def mute(self, person: str, incident_id: int, span: timedelta, reason: str = "") -> Done | Declined:
        return await self._handling.mute(person, incident_id, span, reason)

    async def unmute(self, person: str, incident_id: int) -> Done | Declined:
        return await self._handling.unmute(person, incident_id)

    async def resolve(self, person: str, incident_id: int) -> Done | Declined:
        return await self._handling.resolve(person, incident_id)

    async def prepare_stop(self, person: str, key: JobKey, started_at: datetime | None) -> StopQuestion | Declined:
        """A fresh look before the question; see `stop` for the act."""
        return await self._stopping.prepare(person, key, started_at)

    async def stop(self, person: str, key: JobKey, started_at: datetime | None, reason: str = "") -> Outcome:
        """Ask the platform once and watch, for minutes if need be: run it in a task of its own."""
        return await self._stopping.stop(person, key, started_at, reason)

    async def terminal(
        self, person: str, key: JobKey, started_at: datetime | None, pod: str | None = None
    ) -> TerminalHandout | Declined:
        return await self._terminals.open(person, key, started_at, pod)
