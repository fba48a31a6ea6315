"""An alarm's communication graph in words: which machines and GPUs carry which faults, and how many links do."""

from collections import Counter
from collections.abc import Iterable

from bot.domain.topology import Element, Gpu, Machine, Topology
from bot.slack.views.mrkdwn import line, literal
from bot.slack.views.voice import Voice

_MACHINES = 10
_GPUS = 8


def topology_words(voice: Voice, topology: Topology) -> str | None:
    """A line for each faulty machine and one for the links; None where there is nothing to tell."""
    faulty = topology.faulty_machines
    lines = [_machine(voice, machine) for machine in faulty[:_MACHINES]]
    if len(faulty) > _MACHINES:
        lines.append(voice.t("and {n} more nodes", n=len(faulty) - _MACHINES))
    links = len(topology.faulty_links)
    if links:
        kinds = _exceptions(exception for link in topology.faulty_links for exception in link.exceptions)
        told = voice.t("{n} of {total} links faulty", n=links, total=len(topology.links))
        lines.append(f"• {told}{': ' + kinds if kinds else ''}")
    if not lines:
        return None
    total = voice.t("{n} of {total} nodes carry a fault:", n=len(faulty), total=len(topology.machines))
    return "\n".join([total, *lines])


def _machine(voice: Voice, machine: Machine) -> str:
    own = _exceptions(machine.exceptions)
    gpus = [gpu for gpu in machine.gpus if gpu.is_faulty]
    parts = [own] if own else []
    parts += [_gpu(gpu) for gpu in gpus[:_GPUS]]
    if len(gpus) > _GPUS:
        parts.append(voice.t("and {n} more GPUs", n=len(gpus) - _GPUS))
    told = "; ".join(parts) or voice.t("marked as faulty")
    return f"• *{literal(_name(machine), 80)}*: {told}"


def _gpu(gpu: Gpu) -> str:
    name = f"GPU {gpu.index}" if gpu.index is not None else literal(_name(gpu), 40)
    told = _exceptions(gpu.exceptions)
    return f"{name} {told}" if told else name


def _name(element: Element) -> str:
    return element.name or element.id


def _exceptions(exceptions: Iterable[str]) -> str:
    """Each once with its count, the most frequent first; the monitor's own words."""
    counted = Counter(exceptions).most_common(5)
    return ", ".join(line(text, 80) + (f" ×{n}" if n > 1 else "") for text, n in counted)
