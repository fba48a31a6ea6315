"""A monitor for tests of what people ask: graphs by cluster and task, machines with scores, and every call written
down."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.capacity import Node
from bot.domain.errors import CloudError, NotFound
from bot.domain.journal import Event
from bot.domain.ports import Can
from bot.domain.series import Window
from bot.domain.topology import Gpu, Link, Machine, Topology


@dataclass
class PlainMonitor:
    """`graphs` by (cluster, task), the task None for the whole cluster; what is not there is an empty graph."""

    name: str = "ack"
    kind: str = "sysom"
    abilities: frozenset[Can] = frozenset({Can.TOPOLOGY, Can.NODE_HEALTH})
    jobs_in: tuple[str, ...] = ("beijing",)
    next_try: datetime | None = None
    held_clusters: tuple[str, ...] = ("cluster-bj1", "cluster-bj2")
    graphs: dict[tuple[str, str | None], Topology] = field(default_factory=dict)
    scored: list[Node] = field(default_factory=list)
    noted: list[Event] = field(default_factory=list)
    gone: tuple[str, ...] = ()  # clusters that are listed and not there
    errors: dict[str, CloudError] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def _called(self, call: str) -> None:
        self.calls.append(call)
        error = self.errors.get(call.partition(" ")[0])
        if error is not None:
            raise error

    async def ping(self) -> str:
        return "ok"

    async def clusters(self) -> Sequence[str]:
        self._called("clusters")
        return self.held_clusters

    async def topology(self, cluster: str, task: str | None = None, at: datetime | None = None) -> Topology:
        self._called(f"topology {cluster} {task or '*'}")
        if cluster in self.gone:
            raise NotFound(self.name, f"no cluster {cluster}")
        return self.graphs.get((cluster, task), Topology())

    async def node_health(self, window: Window, cluster: str | None = None) -> Sequence[Node]:
        self._called("health")
        return self.scored

    async def abnormal_events(
        self, window: Window, cluster: str | None = None, node: str | None = None, pod: str | None = None
    ) -> Sequence[Event]:
        self._called("events")
        return self.noted


def graph(machines: int, faulty: Sequence[int] = (), gpus: int = 8) -> Topology:
    """Machines in a ring, GPU to GPU; the faulty ones hang on their GPU 3 and on the links from it."""
    return Topology(
        tuple(_machine(number, number in faulty, gpus) for number in range(machines)),
        tuple(
            Link("", "", source_id=f"{one}.{gpu}", target_id=f"{(one + 1) % machines}.{gpu}", exceptions=_faults(told))
            for one in range(machines)
            for gpu in range(gpus)
            for told in [one in faulty and gpu == 3]
        ),
    )


def _machine(number: int, is_faulty: bool, gpus: int) -> Machine:
    cards = (
        Gpu(f"{number}.{gpu}", f"GPU{gpu}", index=gpu, exceptions=_faults(is_faulty and gpu == 3))
        for gpu in range(gpus)
    )
    return Machine(str(number), f"i-{number}", gpus=tuple(cards), exceptions=("XID 79",) if is_faulty else ())


def _faults(is_faulty: bool) -> tuple[str, ...]:
    return ("NCCL HANG",) if is_faulty else ()
