"""The communication graph of a cluster or job: machines, their GPUs, the links between, and what is wrong with each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One key and value as the monitor wrote them, stripped; values stay text because not all are numbers."""

    key: str
    value: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """What every part of the graph has: an id, a name, facts, and the exceptions that mark it as faulty."""

    id: str
    name: str
    basic: tuple[Fact, ...] = ()
    metrics: tuple[Fact, ...] = ()
    exceptions: tuple[str, ...] = ()
    marked: bool = False  # drawn in the monitor's red, even where no exception is written

    @property
    def is_faulty(self) -> bool:
        return bool(self.exceptions) or self.marked


@dataclass(frozen=True, slots=True)
class Gpu(Element):
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Machine(Element):
    gpus: tuple[Gpu, ...] = ()


@dataclass(frozen=True, slots=True)
class Link(Element):
    """A connection. Its ends are ids that may match nothing: the monitor does not promise integrity."""

    source_id: str = ""
    target_id: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Topology:
    machines: tuple[Machine, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.machines and not self.links

    @property
    def gpu_count(self) -> int:
        return sum(len(machine.gpus) for machine in self.machines)

    @property
    def places(self) -> dict[str, str]:
        """What each id stands for: a machine's name, or `name GPU 3`. Ends of links that are not here match nothing."""
        machines = {machine.id: machine.name for machine in self.machines}
        gpus = {
            gpu.id: f"{machine.name} {gpu.name if gpu.index is None else f'GPU {gpu.index}'}"
            for machine in self.machines
            for gpu in machine.gpus
        }
        return {id_: name for id_, name in (machines | gpus).items() if id_}

    @property
    def faulty_machines(self) -> tuple[Machine, ...]:
        """Machines that carry a fault themselves or on one of their GPUs."""
        return tuple(m for m in self.machines if m.is_faulty or any(gpu.is_faulty for gpu in m.gpus))

    @property
    def faulty_links(self) -> tuple[Link, ...]:
        return tuple(link for link in self.links if link.is_faulty)
