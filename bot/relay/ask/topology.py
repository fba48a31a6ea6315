"""What talks to what, as a monitor sees it: of a cluster, or of a job by the monitor that watches the job's cloud."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.answers import Candidates, Gap, Origin, Said, TopologyView
from bot.domain.command import ShowJob, ShowTopology
from bot.domain.command.words import fold, quote
from bot.domain.errors import NotFound
from bot.domain.job import Job
from bot.domain.monitors import TopologyCloud
from bot.domain.ports import Can
from bot.domain.topology import Topology
from bot.domain.wording import say
from bot.relay.ask.look import part_of, with_gaps
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import CHOICE, Target, job_meant

Place = tuple[TopologyCloud, str]  # a monitor and one of its clusters


async def show_topology(sources: Sources, command: ShowTopology) -> TopologyView | Candidates | Said:
    """A cluster's name is taken before a job's: there are few clusters, and nobody names a job like one."""
    monitors = [
        cloud
        for cloud in sources.clouds.values()
        if isinstance(cloud, TopologyCloud) and Can.TOPOLOGY in cloud.abilities
    ]
    if not monitors:
        return Said(say("None of the configured clouds sees what talks to what."), ok=False)
    places, gaps = await _places(sources, monitors)
    meant = [place for place in places if command.of is None or fold(place[1]) == fold(command.of)]
    if len(meant) == 1 or (meant and command.of is not None):
        return await _of_cluster(sources, meant[0])
    if command.of is None:
        return _which(places, gaps)
    target = await job_meant(sources, ShowJob(command.of))
    if isinstance(target, Candidates):
        return replace(target, command=f"topology {CHOICE}")
    return await _of_job(sources, target, places, gaps) if isinstance(target, Target) else target


async def _places(sources: Sources, monitors: Sequence[TopologyCloud]) -> tuple[list[Place], list[Gap]]:
    """All clusters of all monitors that answer."""
    listed = await asyncio.gather(*(part_of(sources, monitor.name, monitor.clusters()) for monitor in monitors))
    pairs = list(zip(monitors, listed, strict=True))
    places = [(monitor, name) for monitor, names in pairs if not isinstance(names, Gap) for name in names]
    return places, [names for names in listed if isinstance(names, Gap)]


async def _of_cluster(sources: Sources, place: Place) -> TopologyView | Said:
    monitor, cluster = place
    graph = await part_of(sources, monitor.name, monitor.topology(cluster))
    if isinstance(graph, Gap):
        return _unseen(monitor.name, graph)
    return TopologyView(graph, monitor.name, cluster, None, Origin(((monitor.name, sources.clock()),)))


async def _of_job(
    sources: Sources, target: Target, places: Sequence[Place], gaps: Sequence[Gap]
) -> TopologyView | Said:
    """Nobody tells in which cluster a job is, so each is asked for just that task; one of them knows it."""
    job = target.job
    watching = [(monitor, cluster) for monitor, cluster in places if job.cloud in monitor.jobs_in]
    if not watching:
        missing = ", ".join(gap.cloud for gap in gaps)
        if missing:
            return Said(say("The monitors that could show it did not answer: {monitors}.", monitors=missing), ok=False)
        return Said(say("No monitor watches the jobs of {cloud}.", cloud=job.cloud), ok=False)
    graphs = await asyncio.gather(*(_task_in(sources, place, job) for place in watching))
    for (monitor, cluster), graph in zip(watching, graphs, strict=True):
        if isinstance(graph, Topology) and not graph.is_empty:
            origin = Origin((*target.origin.read, (monitor.name, sources.clock())), target.origin.gaps)
            return TopologyView(graph, monitor.name, cluster, job, with_gaps(origin, *graphs))
    failed = next((graph for graph in graphs if isinstance(graph, Gap)), None)
    if failed is not None:
        return _unseen(failed.cloud, failed)
    return Said(say("The monitors see nothing of {job} at the moment.", job=job.name), ok=False)


async def _task_in(sources: Sources, place: Place, job: Job) -> Topology | Gap:
    """A cluster that is gone meanwhile shows nothing of the job, which is no gap."""
    monitor, cluster = place
    graph = await part_of(sources, monitor.name, monitor.topology(cluster, job.id))
    return Topology() if isinstance(graph, Gap) and graph.kind == NotFound.__name__ else graph


def _which(places: Sequence[Place], gaps: Sequence[Gap]) -> Candidates | Said:
    """Nothing was named, and there are several clusters or none."""
    if not places:
        missing = ", ".join(gap.cloud for gap in gaps)
        if missing:
            return Said(say("The monitors that could show it did not answer: {monitors}.", monitors=missing), ok=False)
        return Said(say("The monitors have no clusters."), ok=False)
    choices = tuple((quote(cluster), monitor.name) for monitor, cluster in places)
    return Candidates("", "cluster", choices, f"topology {CHOICE}")


def _unseen(monitor: str, gap: Gap) -> Said:
    return Said(say("{monitor} does not show it: {reason}.", monitor=monitor, reason=gap.detail), ok=False)
