"""What answers are made from: the clouds, what is remembered of them, the incidents, and who may do what."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.domain.answers import HealthView
from bot.domain.errors import NotAvailable
from bot.domain.job import Job
from bot.domain.ports import Can, Clouds, Incidents, JobCloud
from bot.relay.fleet import ANSWER_WITHIN, Fleet
from bot.relay.rights import Rights

READ_WITHIN = 8.0  # seconds for one thing from one cloud, such as a log; lists of all clouds wait less


class HealthSource(Protocol):
    """Knows how the bot itself is doing."""

    async def health(self) -> HealthView: ...


class Links(Protocol):
    """Knows where in Slack the card of an incident is."""

    async def links(self, incident_ids: Sequence[int]) -> Mapping[int, str]:
        """Permalinks by incident id; an incident without a card is not among them."""
        ...


class NoLinks:
    """For answers outside Slack."""

    async def links(self, incident_ids: Sequence[int]) -> Mapping[int, str]:
        return {}


@dataclass(frozen=True, slots=True)
class Sources:
    """`glance` and `read` are seconds: for all clouds at once, and for one thing from one cloud."""

    fleet: Fleet
    clouds: Clouds
    incidents: Incidents
    rights: Rights
    health: HealthSource
    clock: Callable[[], datetime]
    links: Links
    glance: float = ANSWER_WITHIN
    read: float = READ_WITHIN

    def offering(self, job: Job, ability: Can) -> JobCloud:
        """The job's cloud; raises `NotAvailable` where it does not offer what is needed."""
        cloud = self.fleet.cloud(job.cloud)
        if ability not in cloud.abilities:
            raise NotAvailable(cloud.name, f"it cannot {ability.value}, or that is switched off in the settings")
        return cloud
