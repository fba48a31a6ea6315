"""The picture of a job's machines at one moment: which GPUs talk to which, which of them are at fault.
Facts only; the monitor's graph vocabulary is a matter of its server."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class GpuView:
    id: str
    number: int
    use: float
    fault: str = ""


@dataclass(frozen=True, slots=True)
class NodeView:
    id: str
    instance: str
    pod: str
    gpus: tuple[GpuView, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A ring edge between two GPUs (by id); `received` counts messages."""

    source: str
    target: str
    received: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    at: datetime
    nodes: tuple[NodeView, ...]
    links: tuple[Link, ...]
