"""One tick of one monitor: windows, cursor, baseline, finding jobs, looking again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from bot.domain.alarm import Alarm, AlarmBatch, TaskState
from bot.domain.errors import CloudError, Unreachable
from bot.domain.incident import IncidentState
from bot.domain.job import Job, JobKey
from bot.domain.ports import Can
from bot.domain.series import UseLine, Window
from bot.relay.poll import Poll, Reach
from bot.relay.watch import Watch
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.cast import Speaker

NOW = make.NOW
MINUTE = timedelta(minutes=1)


@dataclass
class Monitor:
    """A monitor that holds records and remembers what it was asked."""

    records: list[Alarm] = field(default_factory=list)
    asked: list[tuple[Window, tuple[str, ...]]] = field(default_factory=list)
    error: CloudError | None = None
    complete: bool = True
    name: str = "ack"
    kind: str = "sysom"
    abilities: frozenset[Can] = frozenset({Can.ALARMS})
    jobs_in: tuple[str, ...] = ("beijing",)
    next_try: datetime | None = None
    skipped: int = 0

    async def ping(self) -> str:
        return "ok"

    async def clusters(self) -> Sequence[str]:
        return ("cluster-bj1",)

    async def alarms(self, window: Window, tasks: Sequence[str] = ()) -> AlarmBatch:
        self.asked.append((window, tuple(tasks)))
        if self.error is not None:
            raise self.error
        found = [
            one
            for one in self.records
            if (one.at is None or window.holds(one.at)) and (not tasks or one.subject.task in tasks)
        ]
        return AlarmBatch(tuple(found), skipped=self.skipped, complete=self.complete)


@dataclass
class Jobs:
    """Finds the jobs it was given."""

    jobs: tuple[Job, ...] = (make.job(),)

    async def locate(self, task: str, jobs_in: Sequence[str], now: datetime) -> Job | None:
        return next((job for job in self.jobs if job.id == task and job.cloud in jobs_in), None)

    def use(self, job: JobKey) -> UseLine | None:
        return UseLine(NOW, (0.5, None))


@pytest.fixture
def monitor() -> Monitor:
    return Monitor()


@pytest.fixture
def speaker() -> Speaker:
    return Speaker()


@pytest.fixture
def watch(incidents: IncidentStore, speaker: Speaker) -> Watch:
    return Watch(incidents, speaker)


@pytest.fixture
def poll(monitor: Monitor, incidents: IncidentStore, watch: Watch) -> Poll:
    return Poll(monitor, incidents, Jobs(), watch, Reach())


async def test_an_alarm_becomes_an_incident_of_its_job(poll: Poll, monitor: Monitor, incidents: IncidentStore) -> None:
    monitor.records = [make.alarm()]

    await poll.tick(NOW)

    (incident,) = await incidents.open()
    assert make.job().key == incident.subject.job
    assert "llama-70b" == getattr(incident.job, "name", None)
    assert UseLine(NOW, (0.5, None)) == incident.use


async def test_the_same_record_read_again_changes_nothing(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    monitor.records = [make.alarm()]

    for minute in range(5):
        await poll.tick(NOW + minute * MINUTE)

    assert [1] == [incident.count for incident in await incidents.open()]


async def test_alarms_of_a_task_that_no_cloud_knows_are_still_shown(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    monitor.records = [make.alarm(task="stranger")]

    await poll.tick(NOW)

    (incident,) = await incidents.open()
    assert incident.subject.job is None
    assert "stranger" == incident.subject.task


async def test_a_first_start_counts_older_alarms_and_posts_only_recent_ones(
    poll: Poll, monitor: Monitor, incidents: IncidentStore, speaker: Speaker
) -> None:
    """F24."""
    old = [make.alarm(f"old-{n}", task=f"t{n}", at=NOW - timedelta(hours=n + 1)) for n in range(12)]
    monitor.records = [*old, make.alarm("fresh", at=NOW - 2 * MINUTE)]

    await poll.tick(NOW)

    assert 1 == len(await incidents.open())
    assert ["First look at ack: 12 older alarms of the last 24 hours were counted and not posted."] == speaker.told


async def test_after_downtime_the_gap_is_read_from_the_last_success(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    """F35."""
    await poll.tick(NOW)
    monitor.records = [make.alarm(at=NOW + 5 * MINUTE)]

    await poll.tick(NOW + timedelta(minutes=40))

    assert 1 == len(await incidents.open())
    assert NOW - timedelta(minutes=10) == monitor.asked[1][0].start


async def test_a_failed_poll_moves_no_cursor_and_is_noted(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    await poll.tick(NOW)
    monitor.error = Unreachable("ack", "no answer")

    await poll.tick(NOW + MINUTE)

    assert NOW == await incidents.cursor("ack")


async def test_a_page_cap_moves_the_cursor_only_over_what_was_read(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    """F87."""
    await poll.tick(NOW)
    monitor.records = [make.alarm(at=NOW + MINUTE)]
    monitor.complete = False

    await poll.tick(NOW + timedelta(minutes=30))

    assert NOW + MINUTE == await incidents.cursor("ack")


async def test_a_task_that_is_well_again_resolves_long_after_its_alarm(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    first = make.alarm(task_state=TaskState.BLOCKING)
    monitor.records = [first]
    await poll.tick(NOW)
    monitor.records = [replace(first, task_state=TaskState.RUNNING)]

    await poll.tick(NOW + timedelta(minutes=9))
    await poll.tick(NOW + timedelta(hours=3))

    (incident,) = await incidents.recent(NOW)
    assert IncidentState.RESOLVED is incident.state(NOW + timedelta(hours=3))


async def test_an_alarm_without_a_time_is_posted(poll: Poll, monitor: Monitor, incidents: IncidentStore) -> None:
    """F33."""
    monitor.records = [make.alarm(at=None)]

    await poll.tick(NOW)

    assert [True] == [incident.time_unknown for incident in await incidents.open()]


async def test_a_source_that_stays_silent_becomes_an_incident_and_ends_when_it_answers(
    poll: Poll, monitor: Monitor, incidents: IncidentStore
) -> None:
    monitor.error = Unreachable("ack", "connection refused")
    for minute in range(8):
        await poll.tick(NOW + minute * MINUTE)
    (blind,) = await incidents.open()
    monitor.error = None

    await poll.tick(NOW + 9 * MINUTE)

    assert "SOURCE BLIND" == blind.kind
    assert [] == list(await incidents.open())


async def test_a_short_failure_is_no_incident(poll: Poll, monitor: Monitor, incidents: IncidentStore) -> None:
    monitor.error = Unreachable("ack", "connection refused")

    await poll.tick(NOW)
    await poll.tick(NOW + 2 * MINUTE)

    assert [] == list(await incidents.open())


async def test_what_a_poll_left_out_and_left_for_later_is_told_of_its_latest_reading(
    poll: Poll, monitor: Monitor, watch: Watch
) -> None:
    monitor.skipped, monitor.complete = 2, False
    await poll.tick(NOW)
    await poll.tick(NOW + MINUTE)
    (told,) = watch.sources()
    assert (2, True) == (told.skipped, told.catching_up)
    monitor.skipped, monitor.complete = 0, True
    await poll.tick(NOW + 2 * MINUTE)
    (told,) = watch.sources()
    assert (0, False) == (told.skipped, told.catching_up)
