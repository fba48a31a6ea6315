"""From a command to its answer. Whatever a cloud does, a person gets an answer or a true sentence."""

from bot.domain.answers import Answer, HelpView, Said
from bot.domain.command import (
    Alarms,
    Command,
    Events,
    Health,
    Help,
    Jobs,
    Logs,
    Nodes,
    OpenTerminal,
    Pods,
    Pools,
    Queues,
    ShowIncident,
    ShowJob,
    ShowNode,
    ShowPod,
    ShowPool,
    ShowQueue,
    ShowTopology,
    StopJob,
    SubmitJob,
    Top,
    Usage,
)
from bot.domain.errors import CloudError
from bot.domain.excuse import excuse
from bot.relay.ask.capacity import list_pools, list_queues
from bot.relay.ask.happened import list_alarms, show_incident
from bot.relay.ask.listing import list_jobs
from bot.relay.ask.look import list_events, list_pods, show_job, show_logs, show_pod, show_usage
from bot.relay.ask.nodes import list_nodes, show_node
from bot.relay.ask.offers import offer_stop, offer_terminal
from bot.relay.ask.place import show_pool, show_queue
from bot.relay.ask.sources import Sources
from bot.relay.ask.submit import offer_submit
from bot.relay.ask.top import show_top
from bot.relay.ask.topology import show_topology


class Ask:
    """Answers commands; it changes nothing anywhere."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    async def answer(self, command: Command, person: str | None) -> Answer:
        """Answer for the Slack user `person`; None is somebody outside Slack, who has no jobs and no rights."""
        try:
            return await self._answer(command, person)
        except CloudError as error:
            return Said(excuse(error), ok=False)

    async def _answer(self, command: Command, person: str | None) -> Answer:
        sources = self._sources
        match command:
            case Help(topic):
                return HelpView(topic)
            case Jobs():
                return await list_jobs(sources, command, person)
            case StopJob():
                return await offer_stop(sources, command, person)
            case OpenTerminal():
                return await offer_terminal(sources, command, person)
            case SubmitJob():
                return await offer_submit(sources, command, person)
            case Alarms():
                return await list_alarms(sources, command)
            case ShowIncident():
                return await show_incident(sources, command)
            case Top():
                return await show_top(sources, command)
            case Health():
                return await sources.health.health()
            case ShowTopology():
                return await show_topology(sources, command)
            case Queues() | ShowQueue() | Nodes() | ShowNode() | Pools() | ShowPool():
                return await self._capacity(command)
            case _:
                return await self._look(command)

    async def _capacity(self, command: Queues | ShowQueue | Nodes | ShowNode | Pools | ShowPool) -> Answer:
        sources = self._sources
        match command:
            case Queues():
                return await list_queues(sources, command)
            case ShowQueue():
                return await show_queue(sources, command)
            case Nodes():
                return await list_nodes(sources, command)
            case ShowNode():
                return await show_node(sources, command)
            case Pools():
                return await list_pools(sources, command)
            case ShowPool():
                return await show_pool(sources, command)

    async def _look(self, command: ShowJob | Pods | ShowPod | Usage | Logs | Events) -> Answer:
        sources = self._sources
        match command:
            case ShowJob():
                return await show_job(sources, command)
            case Pods():
                return await list_pods(sources, command)
            case ShowPod():
                return await show_pod(sources, command)
            case Usage():
                return await show_usage(sources, command)
            case Logs():
                return await show_logs(sources, command)
            case Events():
                return await list_events(sources, command)
