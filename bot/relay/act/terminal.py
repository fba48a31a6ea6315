"""Handing out a web terminal: the address is fetched at the click, for one person, and told to nobody else."""

from datetime import datetime

from bot.domain.answers import TerminalHandout
from bot.domain.errors import CloudError, NotAvailable
from bot.domain.excuse import excuse
from bot.domain.find import leading_pod
from bot.domain.job import Job, JobKey
from bot.domain.life import open_terminal
from bot.domain.ports import Can
from bot.domain.wording import say
from bot.relay.act.desk import LOOK_WITHIN, Desk, Look
from bot.relay.act.outcome import Declined
from bot.relay.deadline import in_time


class Terminals:
    """Hands terminals out."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def open(
        self, person: str, key: JobKey, started_at: datetime | None, pod: str | None = None
    ) -> TerminalHandout | Declined:
        """The link into the pod, or into the one that speaks for the job. The incident's thread hears of it."""
        look = await self._desk.look(person, key, started_at)
        handed = await self._hand_out(look, pod) if isinstance(look, Look) else look
        if isinstance(handed, Declined):
            await self._desk.told("terminal", person, f"declined: {handed.sentence}", key)
            return handed
        if isinstance(look, Look):
            await self._tell(look, person, handed.pod)
        return handed

    async def _hand_out(self, look: Look, pod: str | None) -> TerminalHandout | Declined:
        job = look.job
        if job.state.is_over:
            return Declined(say("{job} is over, so its pods have no terminals any more.", job=job.name), job)
        try:
            name = pod or await self._leading(job)
            if name is None:
                return Declined(say("No pod of {job} offers a terminal at the moment.", job=job.name), job)
            cloud = self._desk.fleet.cloud(job.cloud)
            if Can.TERMINAL not in cloud.abilities:
                raise NotAvailable(job.cloud, "it cannot open terminals, or that is switched off in the settings")
            return TerminalHandout(job, name, await in_time(job.cloud, LOOK_WITHIN, cloud.terminal(job.id, name)))
        except CloudError as error:
            return Declined(excuse(error), job)

    async def _leading(self, job: Job) -> str | None:
        cloud = self._desk.fleet.cloud(job.cloud)
        pods = await in_time(job.cloud, LOOK_WITHIN, cloud.pods(job.id))
        pod = leading_pod([one for one in pods if one.has_terminal])
        return pod.name if pod else None

    async def _tell(self, look: Look, person: str, pod: str) -> None:
        now, incident = self._desk.clock(), look.incident
        if incident is not None:
            await self._desk.incidents.change(
                incident.id, lambda one: open_terminal(one, person, pod, now), now, at_once=True
            )
        await self._desk.told("terminal", person, f"opened in {pod}", look)
