"""An alarm's communication graph in words: which machines and GPUs carry which faults, and how many links do."""

from collections import Counter
from collections.abc import Iterable, Sequence

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
    total = voice.t.n(
        "{n} of {total} nodes carries a fault:",
        "{n} of {total} nodes carry a fault:",
        len(faulty),
        total=len(topology.machines),
    )
    return "\n".join([total, *lines])


def _machine(voice: Voice, machine: Machine) -> str:
    own = _exceptions(machine.exceptions)
    gpus = [gpu for gpu in machine.gpus if gpu.is_faulty]
    alike: dict[str, list[Gpu]] = {}
    for gpu in gpus[:_GPUS]:
        alike.setdefault(_exceptions(gpu.exceptions), []).append(gpu)
    parts = [own] if own else []
    parts += [_named(some) + ("" if told in ("", own) else f" {told}") for told, some in alike.items()]
    if len(gpus) > _GPUS:
        parts.append(voice.t("and {n} more GPUs", n=len(gpus) - _GPUS))
    told = "; ".join(parts) or voice.t("marked as faulty")
    return f"• *{literal(_name(machine), 80)}*: {told}"


def _named(gpus: Sequence[Gpu]) -> str:
    """`GPU 0, 1`, or the monitor's own names where one of them has no number."""
    if any(gpu.index is None for gpu in gpus):
        return ", ".join(literal(_name(gpu), 40) for gpu in gpus)
    return "GPU " + ", ".join(str(gpu.index) for gpu in gpus)


def _name(element: Element) -> str:
    return element.name or element.id


def _exceptions(exceptions: Iterable[str]) -> str:
    """Each once with its count, the most frequent first; the monitor's own words."""
    counted = Counter(exceptions).most_common(5)
    return ", ".join(line(text, 80) + (f" ×{n}" if n > 1 else "") for text, n in counted)
