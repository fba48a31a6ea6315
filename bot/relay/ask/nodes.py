"""Machines: what their platforms say of them, joined with what the monitors say of their health.

Platform and monitor are two companies; what they have in common is a machine's name or instance id. A machine that
only a monitor knows is listed as the monitor's own.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.domain.answers import Candidates, Gap, NodeList, NodeView, Origin, Said
from bot.domain.capacity import Node, Pool
from bot.domain.command import Nodes, ShowNode
from bot.domain.command.spec import nearest
from bot.domain.command.words import fold, quote
from bot.domain.journal import Event
from bot.domain.monitors import NodeHealthCloud
from bot.domain.ports import Can, CapacityCloud
from bot.domain.redact import redact
from bot.domain.series import Window
from bot.domain.wording import say
from bot.relay.ask.capacity import from_all
from bot.relay.ask.listing import named_clouds
from bot.relay.ask.look import part_of, with_gaps
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import CHOICE

SPAN = timedelta(hours=24)  # over which health is scored and abnormal events are counted


@dataclass(frozen=True, slots=True)
class Checkup:
    """What one monitor says of its machines."""

    nodes: Sequence[Node]
    events: Sequence[Event]


async def list_nodes(sources: Sources, command: Nodes) -> NodeList | Said:
    """Nodes, of one pool where its id or name is given."""
    known = await _known(sources, command.cloud)
    if isinstance(known, Said):
        return known
    nodes, _, origin = known
    if command.pool is None:
        return NodeList(tuple(nodes), origin)
    pools, _ = await from_all(sources, _platforms(sources), lambda cloud: cloud.pools())
    fitting = _of_pool(nodes, pools, fold(command.pool))
    if not fitting and not origin.gaps:
        return Said(say("No node belongs to a pool `{pool}`.", pool=command.pool), ok=False)
    return NodeList(tuple(fitting), origin)


async def show_node(sources: Sources, command: ShowNode) -> NodeView | Candidates | Said:
    """The machine of that name or instance id, with its abnormal events."""
    known = await _known(sources, command.cloud)
    if isinstance(known, Said):
        return known
    nodes, events, origin = known
    fitting = [node for node in nodes if fold(command.node) in _names(node)]
    if len(fitting) != 1:
        return _which(command, fitting, nodes, origin)
    node = fitting[0]
    own = tuple(_shown(event) for event in events if fold(event.node or "") in _names(node))
    return NodeView(node, Window.last(SPAN, sources.clock()), own, origin)


def joined(nodes: Sequence[Node], checkups: Iterable[Checkup], *, with_strangers: bool) -> list[Node]:
    """The nodes with health and events where a monitor knows them, then (`with_strangers`) those only it knows."""
    found, places = list(nodes), {name: place for place, node in enumerate(nodes) for name in _names(node)}
    for checkup in checkups:
        counts = Counter(fold(event.node) for event in checkup.events if event.node)
        for seen in checkup.nodes:
            checked = replace(seen, abnormal=counts[fold(seen.name)])
            place = places.get(fold(seen.name))
            if place is not None:
                found[place] = replace(found[place], health=checked.health, abnormal=checked.abnormal)
            elif with_strangers:
                found.append(checked)
    return found


async def _known(sources: Sources, wanted: str | None) -> tuple[list[Node], list[Event], Origin] | Said:
    """All nodes of the clouds and monitors that are meant, and the events of all monitors."""
    platforms, monitors = _platforms(sources), _monitors(sources)
    names = named_clouds(wanted, [cloud.name for cloud in (*platforms, *monitors)])
    if isinstance(names, Said):
        return names
    if not names:
        return Said(say("None of the configured clouds tells about nodes."), ok=False)
    asked = [cloud for cloud in platforms if cloud.name in names]
    (nodes, origin), looks = await asyncio.gather(
        from_all(sources, asked, lambda cloud: cloud.nodes()),
        asyncio.gather(*(_checkup(sources, monitor) for monitor in monitors)),
    )
    checkups = [look for look in looks if isinstance(look, Checkup)]
    answered = [
        (monitor.name, sources.clock())
        for monitor, look in zip(monitors, looks, strict=True)
        if isinstance(look, Checkup)
    ]
    listed = joined(nodes, checkups, with_strangers=any(monitor.name in names for monitor in monitors))
    events = [event for checkup in checkups for event in checkup.events]
    return listed, events, with_gaps(Origin((*origin.read, *answered), origin.gaps), *looks)


async def _checkup(sources: Sources, monitor: NodeHealthCloud) -> Checkup | Gap:
    window = Window.last(SPAN, sources.clock())
    nodes, events = await asyncio.gather(
        part_of(sources, monitor.name, monitor.node_health(window)),
        part_of(sources, monitor.name, monitor.abnormal_events(window)),
    )
    if isinstance(nodes, Gap):
        return nodes
    return events if isinstance(events, Gap) else Checkup(nodes, events)


def _platforms(sources: Sources) -> list[CapacityCloud]:
    clouds = sources.clouds.values()
    return [cloud for cloud in clouds if isinstance(cloud, CapacityCloud) and Can.CAPACITY in cloud.abilities]


def _monitors(sources: Sources) -> list[NodeHealthCloud]:
    clouds = sources.clouds.values()
    return [cloud for cloud in clouds if isinstance(cloud, NodeHealthCloud) and Can.NODE_HEALTH in cloud.abilities]


def _names(node: Node) -> set[str]:
    return {fold(name) for name in (node.name, node.id) if name}


def _shown(event: Event) -> Event:
    return replace(event, message=redact(event.message).text)


def _which(command: ShowNode, fitting: Sequence[Node], nodes: Sequence[Node], origin: Origin) -> Candidates | Said:
    if fitting:
        choices = tuple((f"{quote(command.node)} --cloud {quote(node.cloud)}", node.cloud) for node in fitting)
        return Candidates(command.node, "node", choices, f"node {CHOICE}")
    alike = nearest(fold(command.node), [fold(node.name) for node in nodes])
    near = next((node for node in nodes if fold(node.name) == alike), None)
    if near is not None:
        return Candidates(command.node, "node", ((quote(near.name), near.cloud),), f"node {CHOICE}", exact=False)
    missing = ", ".join(gap.cloud for gap in origin.gaps)
    if missing:
        sentence = say(
            "Nothing is called `{wanted}`, but not every cloud answered: {clouds}.", wanted=command.node, clouds=missing
        )
        return Said(sentence, ok=False)
    return Said(say("There is no node `{wanted}`.", wanted=command.node), ok=False)


def _of_pool(nodes: Sequence[Node], pools: Sequence[Pool], wanted: str) -> list[Node]:
    """Nodes name their pool by id or by name, and so do people."""
    known = {(pool.cloud, pool.id): pool for pool in pools} | {(pool.cloud, pool.name): pool for pool in pools}

    def fits(node: Node) -> bool:
        pool = known.get((node.cloud, node.pool or ""))
        names = (node.pool or "", pool.id if pool else "", pool.name if pool else "")
        return any(wanted == fold(name) for name in names)

    return [node for node in nodes if fits(node)]
