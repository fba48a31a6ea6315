"""The seams for what monitors see beside their alarms: the graph of a cluster, and the health of machines."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from bot.domain.capacity import Node
from bot.domain.journal import Event
from bot.domain.ports import Cloud
from bot.domain.series import Window
from bot.domain.topology import Topology


@runtime_checkable
class TopologyCloud(Cloud, Protocol):
    """A monitor that sees what talks to what in its clusters (`Can.TOPOLOGY`)."""

    @property
    def jobs_in(self) -> Sequence[str]: ...

    async def clusters(self) -> Sequence[str]: ...
    async def topology(self, cluster: str, task: str | None = None, at: datetime | None = None) -> Topology:
        """The graph of a cluster or of one of its tasks, now or at a moment; an empty one where nothing runs there."""
        ...


@runtime_checkable
class NodeHealthCloud(Cloud, Protocol):
    """A monitor that scores machines and notes what is abnormal about them (`Can.NODE_HEALTH`)."""

    async def node_health(self, window: Window, cluster: str | None = None) -> Sequence[Node]: ...
    async def abnormal_events(
        self, window: Window, cluster: str | None = None, node: str | None = None, pod: str | None = None
    ) -> Sequence[Event]:
        """Newest first."""
        ...
