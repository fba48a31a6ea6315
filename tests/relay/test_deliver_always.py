"""Whatever Slack answers and whenever the process dies: every alarm visible, nothing twice, in order, up to date."""

import asyncio
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from bot.domain.errors import DeliveryError, OutcomeUnknown, RateLimited, Unavailable
from bot.domain.incident import Resolution
from bot.domain.life import acknowledge, resolve
from bot.store.storms import StormRule
from tests.make import alarm
from tests.relay.post_office import FakeChat, Office, Time, archived

CHANNELS = st.sampled_from(["#nccl", "#gpu-alerts"])
TASKS = st.sampled_from(["t1", "t2", "t3", "t4", "t5"])
KINDS = st.sampled_from(["NCCL HANG", "CUDA OOM"])
FAULTS: Any = st.sampled_from(
    [
        (RateLimited("ratelimited", 7), False),
        (RateLimited("ratelimited", 7), True),
        (Unavailable("503"), False),
        (OutcomeUnknown("time-out"), False),
        (OutcomeUnknown("time-out"), True),
        (ValueError("odd"), True),
    ]
)
SMALL_STORM = StormRule(4, timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=2), timedelta(seconds=10))


class Deliveries(RuleBasedStateMachine):
    """A real store and delivery on a Slack that limits, drops, commits and then fails; processes die between calls."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        time = Time()
        self.office = Office(Path(self.folder.name) / "gpubot.db", time, FakeChat(time), SMALL_STORM)
        self.reported = 0
        self.run(self.office.start())

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        try:
            self.run(self.all_is_delivered())
        finally:
            self.run(self.office.stop())
            self.loop.close()
            self.folder.cleanup()

    @rule(tasks=st.lists(TASKS, min_size=1, max_size=4), kind=KINDS)
    def report(self, tasks: list[str], kind: str) -> None:
        alarms = []
        for task in tasks:
            self.reported += 1
            alarms.append(alarm(f"a{self.reported}", task=task, kind=kind, at=self.office.time.clock()))
        self.run(self.office.report(*alarms))
        self.run(self.office.report(*alarms))  # every poll overlaps the last

    @rule(pick=st.integers(0, 9))
    def acknowledge(self, pick: int) -> None:
        self.change(pick, lambda one, now: acknowledge(one, "U01CHEN", now))

    @rule(pick=st.integers(0, 9))
    def resolve(self, pick: int) -> None:
        self.change(pick, lambda one, now: resolve(one, Resolution.BY_HAND, now))

    def change(self, pick: int, change: Any) -> None:
        found = self.run(self.office.incidents.open())
        if found:
            chosen, now = found[pick % len(found)], self.office.time.clock()
            self.run(self.office.incidents.change(chosen.id, lambda one: change(one, now), now, at_once=True))

    @rule(channel=CHANNELS, faults=st.lists(FAULTS, min_size=1, max_size=3))
    def fail(self, channel: str, faults: list[tuple[DeliveryError, bool]]) -> None:
        for error, arrived in faults:
            self.office.chat.fail(channel, error, arrived=arrived)

    @rule(channel=CHANNELS)
    def archive(self, channel: str) -> None:
        self.office.chat.closed[channel] = archived()

    @rule(channel=CHANNELS)
    def open_again(self, channel: str) -> None:
        self.office.chat.closed.pop(channel, None)
        self.run(self.office.delivery.wake(channel))

    @rule(seconds=st.sampled_from([0, 1, 5, 60]))
    def deliver(self, seconds: int) -> None:
        self.run(self.office.deliver(seconds))

    @rule()
    def die_and_start(self) -> None:
        self.run(self.office.restart())

    @rule(channel=CHANNELS, arrived=st.booleans())
    def die_while_sending(self, channel: str, arrived: bool) -> None:
        self.run(self.send_and_die(channel, arrived))

    async def send_and_die(self, channel: str, arrived: bool) -> None:
        office = self.office
        parcel = await office.outbox.claim(channel, office.time.clock())
        if parcel is not None and parcel.what == "card" and parcel.card is None and parcel.incident is not None:
            found = await office.chat.find(channel, parcel.mark, parcel.claimed_at)
            if arrived and found is None and channel not in office.chat.closed and not office.chat.faults[channel]:
                await office.chat.announce(parcel.incident, channel, parcel.mark, office.time.clock())
        await office.restart()

    @invariant()
    def nothing_is_said_twice(self) -> None:
        for messages in self.office.chat.messages.values():
            assert [] == [mark for mark, n in Counter(said.mark for said in messages).items() if n > 1]
            cards = Counter(said.incident for said in messages if said.what == "card")
            assert [] == [incident for incident, n in cards.items() if n > 1]

    async def all_is_delivered(self) -> None:
        """When Slack is well again, everything comes out."""
        self.office.chat.closed.clear()
        self.office.chat.faults.clear()
        await self.office.deliver(900, step=10)
        self.nothing_is_said_twice()
        for incident in await self.office.incidents.recent(self.office.time.clock() - timedelta(days=9)):
            (card,) = [said for said in self.office.chat.cards(incident.channel) if said.incident == incident.id]
            assert self.office.chat.fingerprint(incident, self.office.time.clock()) == card.shown
            assert await self.told(incident.id) == [
                said.shown for said in self.office.chat.thread(incident.channel, card.ts)
            ]
        health = await self.office.outbox.health(self.office.time.clock())
        assert (0, ()) == (health.due, health.parked)

    async def told(self, incident_id: int) -> list[str]:
        """The incident's notes in the order in which they were written, as the thread should show them."""
        rows = await self.office.database.run(
            lambda session: session.execute(
                "SELECT mark FROM outbox WHERE what = 'note' AND incident_id = ? ORDER BY id", (incident_id,)
            ).fetchall()
        )
        shown = {said.mark: said.shown for messages in self.office.chat.messages.values() for said in messages}
        return [shown[mark] for (mark,) in rows]


@pytest.mark.slow
def test_every_alarm_is_visible_once_in_order_and_up_to_date_whatever_happens() -> None:
    """F19, F22, F28, F30, F37, F38, F42: takes some seconds, because it plays hundreds of histories."""
    run_state_machine_as_test(
        Deliveries,
        settings=settings(
            max_examples=50,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
