"""What went wrong: the incidents of now or of a span of time, and one of them closely."""

from bot.domain.answers import AlarmList, IncidentView, Said
from bot.domain.command import Alarms, ShowIncident
from bot.domain.incident import Incident
from bot.domain.wording import say
from bot.relay.ask.sources import Sources

MOST_LINKED = 20  # each link may cost a call to Slack, and a message shows no more incidents


async def list_alarms(sources: Sources, command: Alarms) -> AlarmList:
    """The open incidents, worst first; or with a span all in which something happened within it, newest first."""
    since = sources.clock() - command.last if command.last else None
    found = await sources.incidents.open() if since is None else await sources.incidents.recent(since)
    incidents = sorted(found, key=_worst_first if since is None else _newest_first)
    links = await sources.links.links([one.id for one in incidents[:MOST_LINKED]])
    return AlarmList(tuple(incidents), since, dict(links))


async def show_incident(sources: Sources, command: ShowIncident) -> IncidentView | Said:
    incident = await sources.incidents.get(command.incident)
    if incident is None:
        return Said(say("There is no incident {number}.", number=command.incident), ok=False)
    links = await sources.links.links([incident.id])
    return IncidentView(incident, links.get(incident.id))


def _worst_first(incident: Incident) -> tuple[int, float, int]:
    return (-incident.severity, *_newest_first(incident))


def _newest_first(incident: Incident) -> tuple[float, int]:
    return (-incident.last_at.timestamp(), -incident.id)
