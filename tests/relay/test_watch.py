"""What the bot makes of sources that give no answer: one trouble is one incident."""

from datetime import timedelta

from bot.domain.errors import Unreachable
from bot.relay.watch import Watch
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from tests.make import NOW
from tests.relay.cast import Heard, Speaker

MINUTES = tuple(NOW + timedelta(minutes=minute) for minute in range(8))


async def test_a_part_of_a_cloud_that_is_silent_as_a_whole_is_no_incident_of_its_own(incidents: IncidentStore) -> None:
    watch = Watch(incidents, Speaker())
    for at in MINUTES:
        for source in ("use:beijing", "beijing"):
            await watch.failed(source, Unreachable("beijing", "time-out"), at)
    assert ["beijing"] == [one.subject.cloud for one in await incidents.open()]
    await watch.succeeded("beijing", MINUTES[-1])
    await watch.failed("use:beijing", Unreachable("beijing", "time-out"), MINUTES[-1])
    assert ["use:beijing"] == [one.subject.cloud for one in await incidents.open()]


async def test_the_incident_quotes_what_went_wrong_first(database: Database) -> None:
    incidents = Heard(database)
    watch = Watch(incidents, Speaker())
    for at, detail in zip(MINUTES, ("connection refused", *["not asked"] * 7), strict=True):
        await watch.failed("beijing", Unreachable("beijing", detail), at)
    assert {"connection refused"} == set(incidents.logs)
