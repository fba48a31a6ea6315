"""What talks to what, as an answer: what is wrong first, then the machines where nothing is."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.answers import TopologyView
from bot.domain.command import ShowJob
from bot.domain.topology import Link, Machine, Topology
from bot.slack.ids import Action
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import code, line, literal
from bot.slack.views.parts import Block, button, context, header, section
from bot.slack.views.topology import topology_words
from bot.slack.views.voice import Voice, joined

_LINKS = 8
_PER_BLOCK = 6


def topology_view(voice: Voice, answer: TopologyView, now: datetime) -> Draft:
    """In words; the picture is put beneath by whoever can draw it."""
    t, graph = voice.t, answer.topology
    name = code(answer.job.name or answer.job.id) if answer.job else None
    links = faulty_links(voice, graph)
    sound = [machine for machine in graph.machines if machine not in graph.faulty_machines]
    rows = _sound(voice, sound)
    return Draft(
        head=[
            header(t("Topology")),
            context(joined(name, literal(answer.cluster, 80), _counts(voice, graph))),
            section(topology_words(voice, graph) or _nothing_wrong(voice, graph)),
            *([section(links)] if links else []),
        ],
        rows=rows,
        buttons=[button(t("Details"), Action.ASK, ShowJob(str(answer.job.key)).text())] if answer.job else [],
        more=lambda n: t("and {n} more nodes", n=len(sound) - (len(rows) - n) * _PER_BLOCK),
        origin=answer.origin,
    )


def caption(voice: Voice, answer: TopologyView, drawn: int) -> tuple[str, str]:
    """What stands over and under the picture that shows so many of the machines; plain text."""
    left_out = len(answer.topology.machines) - drawn
    name = answer.job.name or answer.job.id if answer.job else answer.monitor
    remark = voice.t.n("{n} more node is not drawn", "{n} more nodes are not drawn", left_out) if left_out else ""
    return f"{name} · {answer.cluster}", remark


def faulty_links(voice: Voice, topology: Topology) -> str | None:
    """Each faulty link by what it connects; an end that the monitor does not explain stays its id."""
    links, places = topology.faulty_links, topology.places
    lines = [_link(link, places) for link in links[:_LINKS]]
    if len(links) > _LINKS:
        lines.append(voice.t("and {n} more links", n=len(links) - _LINKS))
    return "\n".join(lines) or None


def _link(link: Link, places: Mapping[str, str]) -> str:
    ends = " ↔ ".join(literal(places.get(end, end) or "?", 80) for end in (link.source_id, link.target_id))
    told = ", ".join(line(text, 80) for text in dict.fromkeys(link.exceptions))
    return f"• {ends}: {told}" if told else f"• {ends}"


def _counts(voice: Voice, graph: Topology) -> str:
    t = voice.t
    return joined(
        t.n("{n} node", "{n} nodes", len(graph.machines)),
        t.n("{n} GPU", "{n} GPUs", graph.gpu_count),
        t.n("{n} link", "{n} links", len(graph.links)),
    )


def _nothing_wrong(voice: Voice, topology: Topology) -> str:
    if topology.is_empty:
        return voice.t("The monitor sees no machines at the moment.")
    return voice.t("✅ No machine, GPU or link carries a fault.")


def _sound(voice: Voice, machines: Sequence[Machine]) -> list[Block]:
    lines = [
        joined(f"▫️ {literal(one.name or one.id, 80)}", voice.t.n("{n} GPU", "{n} GPUs", len(one.gpus)))
        for one in machines
    ]
    return [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
