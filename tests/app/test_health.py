"""How the bot says that it is, put together from what its parts know."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.app.health import Health
from bot.domain.alarm import Alarm
from bot.domain.errors import Unreachable
from bot.domain.wording import Sentence
from bot.observe import Metrics
from bot.relay.watch import Watch
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.outbox import OutboxStore
from tests import make
from tests.relay.job_cloud import PlainCloud

NOW = make.NOW
SOON = NOW + timedelta(seconds=40)


@dataclass
class Mute:
    told: list[str] = field(default_factory=list)

    async def tell_operators(self, key: str, sentence: Sentence, now: datetime) -> None:
        self.told.append(key)


def nowhere(_: Alarm) -> str:
    return "#gpu-alerts"


async def test_a_dead_cloud_tells_its_last_error_and_its_next_try_for_jobs_and_for_use(tmp_path: object) -> None:
    database = Database(f"{tmp_path}/gpubot.db")
    await database.open(NOW)
    try:
        incidents = IncidentStore(database, nowhere)
        watch = Watch(incidents, Mute())
        dead, well = PlainCloud("beijing", next_try=SOON), PlainCloud("alaya")
        clouds = {"beijing": dead, "alaya": well}
        health = Health(clouds, incidents, OutboxStore(database, "t"), watch, lambda: NOW, NOW, Metrics())
        await watch.failed("beijing", Unreachable("beijing", "no connection in time"), NOW)
        await watch.failed("use:beijing", Unreachable("beijing", "not asked"), NOW)
        await watch.succeeded("alaya", NOW)
        told = {source.name: (source.last_error, source.next_try) for source in (await health.health()).sources}
    finally:
        await database.close()
    assert {
        "alaya": (None, None),
        "beijing": ("no connection in time", SOON),
        "use:beijing": ("not asked", SOON),
    } == told
