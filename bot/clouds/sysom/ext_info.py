"""What stands in an alarm's `alarmExtInfo`: which pods, machines and GPUs are meant. Names of its fields are known,
their types are not (SysOM reference §4), so every shape that can be meant is read and everything else left alone."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.clouds.scalars import read_text, read_whole
from bot.clouds.sysom.embedded import unpacked

_BETWEEN_NAMES = re.compile(r"[\s,，、;；]+")
_NODE_AND_GPU = re.compile(r"(?P<node>.+?)[:：/#]\s*(?:gpu)?(?P<gpu>\d{1,4})", re.IGNORECASE | re.ASCII)
_GPU = re.compile(r"(?:gpu\s*)?(\d{1,4})", re.IGNORECASE | re.ASCII)
_LINE = re.compile(
    r"^\s*(?P<name>error_node_gpu|error_pod|task_pod_list|error_type|kernel)[ \t]*[:：][ \t]*"
    r"(?P<value>[^\s,，].*?)[\s,，]*$",
    re.MULTILINE,
)
_NODE_KEYS = ("node", "instance", "instance_id", "host", "name")
_GPU_KEYS = ("gpu", "gpus", "gpu_list", "index")


@dataclass(frozen=True, slots=True)
class ExtInfo:
    """`gpus` are (machine, the monitor's own GPU number). `raw` is set where the text is of no known form."""

    pods: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    gpus: tuple[tuple[str, int], ...] = ()
    task_pods: tuple[str, ...] = ()
    error_type: str | None = None
    kernel: str | None = None
    raw: str | None = None


def read_ext_info(value: object) -> ExtInfo:
    """From an object, from JSON text, from lines of `name: value`, or none: kept raw (oddity 5)."""
    value = unpacked(value)
    text = read_text(value)
    if text is not None and (lines := {match["name"]: match["value"] for match in _LINE.finditer(text)}):
        value = lines
    if not isinstance(value, Mapping):
        return ExtInfo(raw=text)
    fields = {read_text(key): unpacked(field) for key, field in value.items()}
    parts = list(_nodes_and_gpus(fields.get("error_node_gpu")))
    return ExtInfo(
        pods=_once(_names(fields.get("error_pod"))),
        nodes=_once(node for node, _ in parts),
        gpus=tuple(dict.fromkeys((node, number) for node, numbers in parts for number in numbers)),
        task_pods=_once(_names(fields.get("task_pod_list"))),
        error_type=read_text(fields.get("error_type")),
        kernel=read_text(fields.get("kernel")),
    )


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _names(value: object) -> Iterator[str]:
    """Names in a text with separators, in a list, or as the keys of an object."""
    if isinstance(value, list | Mapping):
        for item in value:
            yield from _names(item)
    elif (text := read_text(value)) is not None:
        yield from filter(None, _BETWEEN_NAMES.split(text))


def _nodes_and_gpus(value: object) -> Iterator[tuple[str, list[int]]]:
    """`{"i-1": [3]}`, `[{"node": "i-1", "gpu": 3}]`, `"i-1:3, i-2"` and mixtures of them."""
    if isinstance(value, Mapping):
        yield from _from_object(value)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes_and_gpus(item)
    else:
        for name in _names(value):
            match = _NODE_AND_GPU.fullmatch(name)
            yield (match["node"], [int(match["gpu"])]) if match else (name, [])


def _from_object(value: Mapping[object, object]) -> Iterator[tuple[str, list[int]]]:
    named = next((read_text(value[key]) for key in _NODE_KEYS if key in value), None)
    if named is not None:
        yield named, [number for key in _GPU_KEYS for number in _numbers(value.get(key))]
        return
    for key, gpus in value.items():
        if (node := read_text(key)) is not None:
            yield node, list(_numbers(gpus))


def _numbers(value: object) -> Iterator[int]:
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, str):
        for name in _names(value):
            if match := _GPU.fullmatch(name):
                yield int(match[1])
    elif (number := read_whole(value)) is not None and 0 <= number < 10_000:
        yield number
