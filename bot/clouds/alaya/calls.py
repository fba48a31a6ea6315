"""One call to Alaya NeW: the operation's path, its switch, and what a missing operation looks like."""

import logging
from collections.abc import Mapping

from bot.clouds.alaya.envelope import WrongDoor
from bot.clouds.alaya.operations import Operation
from bot.clouds.http import Wire
from bot.clouds.scalars import read_list
from bot.clouds.signing import Query
from bot.domain.errors import NotAvailable, NotFound, Unreadable

_log = logging.getLogger(__name__)


class Calls:
    """The operations of one deployment; each returns the `data` of a successful envelope."""

    def __init__(self, wire: Wire, path_prefix: str, operations: Mapping[str, Operation]) -> None:
        self._wire = wire
        self._prefix = path_prefix
        self._operations = operations

    def offers(self, operation: str) -> bool:
        return self._operations[operation].enabled

    async def ask(self, name: str, query: Query | None = None, **places: str) -> object:
        """Make the call. Raises `NotAvailable` where it is switched off or this deployment does not know it."""
        operation = self._operations[name]
        if not operation.enabled:
            raise NotAvailable(self._wire.name, f"{name} is switched off (setting operations.{name}.enabled)")
        path = self._prefix + operation.fill(**self._checked(places))
        try:
            if operation.writes:
                answer = await self._wire.write(operation.method, path, query)
            else:
                answer = await self._wire.read(path, query, method=operation.method)
        except (NotFound, NotAvailable) as error:
            raise self._meaning(name, operation, error) from None
        return answer.get("data")

    async def ask_list(self, name: str, query: Query | None = None, **places: str) -> list[object]:
        """A call whose data is a list; the platform may send {} or null for an empty one (oddity 8)."""
        data = await self.ask(name, query, **places)
        if data and not isinstance(data, list):
            raise Unreadable(self._wire.name, f"{name}: a list was expected")
        if not isinstance(data, list):
            _log.warning("%s: %s came back without a list, taken as empty", self._wire.name, name)
        return read_list(data)

    def _checked(self, places: Mapping[str, str]) -> Mapping[str, str]:
        for value in places.values():
            if not value.strip("."):
                raise NotFound(self._wire.name, "an empty name cannot be looked up")
        return places

    def _meaning(
        self, name: str, operation: Operation, error: NotFound | NotAvailable
    ) -> Unreadable | NotFound | NotAvailable:
        """For an operation that no page confirms, a 404, a 405 or a web page says that it is not there."""
        if operation.assumed:
            return NotAvailable(error.cloud, f"{name} is not available at this deployment: {error.detail}")
        return Unreadable(error.cloud, error.detail) if isinstance(error, WrongDoor) else error
