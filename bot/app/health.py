"""How the bot itself is doing: the answer to `/gpu health`, the reasons behind /healthz and /readyz, the gauges."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot import __version__
from bot.domain.answers import HealthView, OutboxHealth, SourceHealth
from bot.domain.errors import StoreError
from bot.domain.ports import Clouds, Incidents
from bot.domain.wording import Sentence, say
from bot.observe import Metrics
from bot.relay.watch import Watch
from bot.store.outbox import OutboxStore

SocketState = Callable[[], Awaitable[tuple[bool, Sentence]]]
STUCK_AFTER = timedelta(minutes=10)  # a message that waits longer than this means that delivery does not work


async def http_mode() -> tuple[bool, Sentence]:
    """The state of a connection that Slack makes itself, request by request."""
    return True, say("HTTP mode: Slack calls /slack/events.")


@dataclass
class Health:
    """Reads what the parts know of themselves; asks no cloud and no Slack. `socket` is set once there is one."""

    clouds: Clouds
    incidents: Incidents
    outbox: OutboxStore
    watch: Watch
    clock: Callable[[], datetime]
    started_at: datetime
    metrics: Metrics
    socket: SocketState = http_mode

    async def health(self) -> HealthView:
        now = self.clock()
        ok, words = await self.socket()
        return HealthView(
            version=__version__,
            started_at=self.started_at,
            sources=tuple(self._with_next_try(source) for source in self.watch.sources()),
            outbox=await self.outbox.health(now),
            socket=words,
            socket_ok=ok,
            open_incidents=len(await self.incidents.open()),
        )

    async def unready(self) -> Sequence[str]:
        """Why the bot cannot do its work at the moment."""
        try:
            ok, words = await self.socket()
            outbox = await self.outbox.health(self.clock())
        except StoreError as error:
            return [str(error)]
        stuck = outbox.oldest_due is not None and self.clock() - outbox.oldest_due > STUCK_AFTER
        return [str(words)] * (not ok) + [str(say("Messages are not getting out: {n} wait.", n=outbox.due))] * stuck

    async def measure(self, now: datetime) -> None:
        """Bring the gauges up to date."""
        view = await self.health()
        self.metrics.socket_up.set(view.socket_ok)
        self.metrics.incidents.set(view.open_incidents)
        self._measure_outbox(view.outbox, now)
        for source in view.sources:
            if source.last_success is not None:
                age = (now - source.last_success).total_seconds()
                self.metrics.source_age.labels(source.name).set(age)
            self.metrics.skipped.labels(source.name).set(self.watch.sight(source.name).skipped)

    def _measure_outbox(self, outbox: OutboxHealth, now: datetime) -> None:
        self.metrics.outbox_due.set(outbox.due)
        age = (now - outbox.oldest_due).total_seconds() if outbox.oldest_due else 0.0
        self.metrics.outbox_age.set(max(age, 0.0))
        self.metrics.outbox_parked.clear()
        for _channel, reason, rows in outbox.parked:
            self.metrics.outbox_parked.labels(reason).inc(rows)

    def _with_next_try(self, source: SourceHealth) -> SourceHealth:
        cloud = self.clouds.get(source.name.removeprefix("use:"))
        return replace(source, next_try=cloud.next_try) if cloud else source
