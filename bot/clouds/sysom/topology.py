"""From SysOM's graph of machines, GPUs and links to ours (SysOM reference §5). Colours and line widths are dropped,
except for the one red that marks a fault."""

import re
from collections.abc import Iterator, Mapping
from typing import TypedDict

from bot.clouds.scalars import read_list, read_record, read_text, read_whole
from bot.clouds.sysom.embedded import found_object, unpacked
from bot.domain.topology import Fact, Gpu, Link, Machine, Topology

_FAULTY_RED = "#e94242"
_WITH_UNIT = re.compile(r"(?P<key>.+?)\s*[(（](?P<unit>[^()（）]+)[)）]")
_NUMBERED = re.compile(r"gpu\s*(\d{1,4})", re.IGNORECASE | re.ASCII)

Object = Mapping[object, object]


class _Common(TypedDict):
    id: str
    name: str
    basic: tuple[Fact, ...]
    metrics: tuple[Fact, ...]
    exceptions: tuple[str, ...]
    marked: bool


def to_topology(value: object, gpu_numbers_from: int = 0) -> Topology | None:
    """The graph in an object, in JSON text or in text that contains JSON; None where none can be found.

    `gpu_numbers_from` is the number that the monitor gives to device 0.
    """
    graph = found_object(value)
    if graph is not None and "nodes" not in graph and "edges" not in graph:
        graph = found_object(graph.get("alarmTopology", graph.get("data")))
    if graph is None or ("nodes" not in graph and "edges" not in graph):
        return None
    return Topology(
        machines=tuple(_machine(node, gpu_numbers_from) for node in _objects(graph.get("nodes"))),
        links=tuple(_link(edge) for edge in _objects(graph.get("edges"))),
    )


def _objects(value: object) -> Iterator[Object]:
    return (item for item in read_list(unpacked(value)) if isinstance(item, Mapping))


def _machine(node: Object, gpu_numbers_from: int) -> Machine:
    common = _common(node)
    common["name"] = common["name"] or _value(common["basic"], "instance") or common["id"]
    return Machine(**common, gpus=tuple(_gpu(gpu, gpu_numbers_from) for gpu in _objects(node.get("gpu_list"))))


def _gpu(gpu: Object, gpu_numbers_from: int) -> Gpu:
    common = _common(gpu)
    return Gpu(**common, index=_index(common["basic"], common["name"], gpu_numbers_from))


def _link(edge: Object) -> Link:
    return Link(
        **_common(edge),
        source_id=read_text(edge.get("src_id")) or "",
        target_id=read_text(edge.get("dst_id")) or "",
        kind=read_text(edge.get("type")) or "",
    )


def _common(element: Object) -> _Common:
    values = {read_text(key): value for key, value in read_record(unpacked(element.get("values"))).items()}
    return _Common(
        id=read_text(element.get("id")) or "",
        name=read_text(element.get("name")) or "",
        basic=tuple(_facts(values.get("Basic"))),
        metrics=tuple(_facts(values.get("Metric"))),
        exceptions=tuple(fact.value for fact in _facts(values.get("Exception"))),
        marked=_is_marked(read_record(unpacked(element.get("style")))),
    )


def _facts(value: object) -> Iterator[Fact]:
    """Key and value stripped (oddity 1); a unit in the key is split off (oddity 3); a pair without value is none."""
    for pair in _objects(value):
        key, text = read_text(pair.get("key")), read_text(pair.get("value"))
        if key is not None and text is not None:
            match = _WITH_UNIT.fullmatch(key)
            yield Fact(match["key"], text, match["unit"].strip()) if match else Fact(key, text)


def _is_marked(style: Object) -> bool:
    colours = (read_text(style.get(name)) or "" for name in ("fill", "stroke"))
    return any(colour.casefold() == _FAULTY_RED for colour in colours)


def _value(facts: tuple[Fact, ...], key: str) -> str | None:
    return next((fact.value for fact in facts if fact.key.casefold() == key), None)


def _index(basic: tuple[Fact, ...], name: str, gpu_numbers_from: int) -> int | None:
    number = read_whole(_value(basic, "gpu number"))
    if number is None and (match := _NUMBERED.fullmatch(name)):
        number = int(match[1])
    return number - gpu_numbers_from if number is not None and number >= gpu_numbers_from else None


def faulty_parts(topology: Topology | None) -> tuple[list[str], list[tuple[str, int]]]:
    """Names of the machines that carry a fault, and (machine, device index) of the faulty GPUs."""
    machines = topology.faulty_machines if topology else ()
    gpus = [
        (machine.name, gpu.index)
        for machine in machines
        for gpu in machine.gpus
        if gpu.is_faulty and gpu.index is not None
    ]
    return [machine.name for machine in machines if machine.name], gpus
