"""Random histories of alarms, people, faults of Slack and deaths: every alarm visible once, in order, up to date.

`FAULT_HISTORIES` sets how many histories are played; the ordinary run plays 500.
"""

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from bot.domain.alarm import TaskState
from bot.domain.incident import Incident, Resolution
from bot.domain.life import acknowledge, mute, resolve
from bot.simulator.slack import Fault, SlackServer, Timing, Workspace
from bot.simulator.slack.records import Message
from bot.store.database import Database
from bot.store.storms import StormRule
from tests.faults.post_room import ALERTS, NCCL, PostRoom
from tests.make import NOW, alarm
from tests.relay.post_office import Time

HISTORIES = int(os.environ.get("FAULT_HISTORIES", "500"))
CHANNELS = st.sampled_from([ALERTS, NCCL])
TASKS = st.sampled_from(["t1", "t2", "t3", "t4", "t5"])
KINDS = st.sampled_from(["NCCL HANG", "CUDA OOM"])
SMALL_STORM = StormRule(4, timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=2), timedelta(seconds=10))
FAULTS = st.one_of(
    st.builds(Fault.dropped, after_commit=st.booleans()),
    st.builds(Fault.server_error, st.sampled_from([500, 503]), after_commit=st.booleans()),
    st.builds(Fault.html_error, st.sampled_from([500, 503]), after_commit=st.booleans()),
    st.builds(Fault.truncated, after_commit=st.booleans()),
    st.builds(Fault.refused, st.sampled_from(["internal_error", "fatal_error"]), after_commit=st.booleans()),
    st.builds(Fault.refused, st.sampled_from(["service_unavailable", "token_revoked", "restricted_action"])),
    st.just(Fault("rate_limited", False, 7, 429, error="ratelimited")),
    st.just(Fault("rate_limited", True, 7, 429, error="rate_limited")),
)
METHODS = st.sampled_from(
    ["chat.postMessage", "chat.postMessage", "chat.update", "conversations.history", "conversations.replies", "*"]
)
TROUBLES = st.sampled_from(
    [{"is_archived": True}, {"bot_is_member": False}, {"posting": "read_only"}, {"name": "renamed"}]
)


def _memory() -> str | None:
    """Histories leave nothing behind, so they need no disk."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


class Histories(RuleBasedStateMachine):
    """One bot, two channels, five tasks."""

    empty: Path

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory(dir=_memory())
        self.reported = 0
        self.deleted: Counter[int] = Counter()
        self.run(self.set_up())

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    async def set_up(self) -> None:
        time = Time()
        clock, monotonic = time.clock, time.monotonic
        self.slack = SlackServer(Workspace.redwood(), clock=clock, timing=Timing.quick(), monotonic=monotonic)
        self.serving = self.slack.serve()
        await self.serving.__aenter__()
        path = Path(self.folder.name) / "gpubot.db"
        shutil.copy(self.empty, path)
        self.room = PostRoom(path, self.slack, aiohttp.ClientSession(trust_env=False), time, SMALL_STORM)
        self.room.deadline = 20.0  # a call that a busy machine delays must not arrive after our time has moved on
        await self.room.start()

    def teardown(self) -> None:
        try:
            self.run(self.all_is_delivered())
        finally:
            self.run(self.tear_down())
            self.loop.close()
            self.folder.cleanup()

    async def tear_down(self) -> None:
        await self.room.stop()
        await self.room.session.close()
        await self.serving.__aexit__(None, None, None)

    # -- what happens

    @rule(tasks=st.lists(TASKS, min_size=1, max_size=4), kind=KINDS)
    def report(self, tasks: list[str], kind: str) -> None:
        alarms = []
        for task in tasks:
            self.reported += 1
            alarms.append(alarm(f"a{self.reported}", task=task, kind=kind, at=self.room.time.clock()))
        self.run(self.room.report(*alarms))
        self.run(self.room.report(*alarms))  # every poll overlaps the last

    @rule(task=TASKS, kind=KINDS)
    def report_well_again(self, task: str, kind: str) -> None:
        self.reported += 1
        said = alarm(f"a{self.reported}", task=task, kind=kind, task_state=TaskState.RUNNING)
        self.run(self.room.report(said))

    @rule(pick=st.integers(0, 9), by_hand=st.booleans())
    def act(self, pick: int, by_hand: bool) -> None:
        found = self.run(self.room.incidents.open())
        if found:
            chosen: Incident = found[pick % len(found)]
            change: Any = lambda one, now: (  # noqa: E731
                resolve(one, Resolution.BY_HAND, now) if by_hand else acknowledge(one, "U01CHEN", now)
            )
            self.run(self.room.act(chosen.id, change))

    @rule(method=METHODS, fault=FAULTS, times=st.integers(1, 3), skip=st.integers(0, 2))
    def fail(self, method: str, fault: Fault, times: int, skip: int) -> None:
        self.slack.faults.add(method, fault, times=times, skip=skip)

    @rule(channel=CHANNELS, trouble=TROUBLES)
    def close_channel(self, channel: str, trouble: dict[str, Any]) -> None:
        self.run(self.change(channel, trouble))

    async def change(self, channel: str, changes: dict[str, Any]) -> None:
        self.slack.change_channel(_id(channel), **changes)

    @rule(channel=CHANNELS, told=st.booleans())
    def open_channel(self, channel: str, told: bool) -> None:
        self.run(self.change(channel, well(channel)))
        if told:
            self.run(self.room.delivery.wake(_id(channel)))

    @rule(channel=CHANNELS, pick=st.integers(0, 9))
    def delete_card(self, channel: str, pick: int) -> None:
        cards = self.room.cards(_id(channel))
        if cards:
            chosen = cards[pick % len(cards)]
            incident = int(chosen.text.split()[1])
            if self.deleted[incident] < 2:  # a card that is deleted again and again is given up
                self.deleted[incident] += 1
                self.slack.state.keep(replace(chosen, is_deleted=True))

    @rule(seconds=st.sampled_from([0, 1, 5, 60, 400]))
    def deliver(self, seconds: int) -> None:
        self.run(self.room.deliver(seconds, step=max(1, seconds / 20)))

    @rule()
    def die_between(self) -> None:
        self.run(self.room.restart())

    @rule(after=st.integers(0, 30))
    def die_within(self, after: int) -> None:
        self.run(self.room.deliver_until_killed(after))

    # -- what must be true

    @invariant()
    def nothing_is_said_twice(self) -> None:
        for channel in (ALERTS, NCCL):
            messages = self.below_cards_that_stand(_id(channel))
            marks = Counter(one.metadata["event_payload"]["mark"] for one in messages if one.metadata)
            assert [] == [mark for mark, n in marks.items() if n > 1]
            cards = Counter(one.text.split()[1] for one in self.room.cards(_id(channel)))
            assert [] == [incident for incident, n in cards.items() if n > 1]

    def below_cards_that_stand(self, channel: str) -> list[Message]:
        """A note that is lost sight of with a deleted card is told again below the new one, and should be."""
        kept = self.slack.state.messages[channel]
        return [m for m in self.slack.messages(channel) if m.thread_ts is None or not kept[m.thread_ts].is_deleted]

    async def all_is_delivered(self) -> None:
        """When Slack is well again, everything comes out within the longest pause."""
        self.slack.faults.clear()
        for channel in (ALERTS, NCCL, "#gpu-ops"):
            self.slack.change_channel(_id(channel), **well(channel))
        await self.room.deliver(900, step=15)
        await self.touch_everything()
        self.nothing_is_said_twice()
        assert [] == self.slack.pace_violations
        for incident in await self.room.incidents.recent(NOW - timedelta(days=9)):
            if not self.was_deleted(incident):
                card = self.room.card(incident.id, _id(incident.channel))
                assert self.room.renderer.card(incident, self.room.time.clock()).text == card.text
            await self.notes_are_in_order(incident)
        health = await self.room.outbox.health(self.room.time.clock())
        assert (0, ()) == (health.due, health.parked)

    async def touch_everything(self) -> None:
        """A deleted card is noticed when there is something to say about it: so let there be."""
        for incident in await self.room.incidents.open():
            await self.room.act(incident.id, lambda one, now: mute(one, "U05OMAR", now + timedelta(days=1), "", now))
        await self.room.deliver(60, step=5)

    def was_deleted(self, incident: Incident) -> bool:
        """Nobody misses the card of an ended incident that people deleted."""
        shown = [one for one in self.room.cards(_id(incident.channel)) if one.text.startswith(f"card {incident.id} ")]
        return not shown and self.deleted[incident.id] > 0 and not incident.is_open

    async def notes_are_in_order(self, incident: Incident) -> None:
        """Also those that went with a card that people deleted."""
        rows = await self.room.database.run(
            lambda session: session.execute(
                "SELECT mark FROM outbox WHERE what = 'note' AND incident_id = ? ORDER BY id", (incident.id,)
            ).fetchall()
        )
        at = {
            one.metadata["event_payload"]["mark"]: one.ts
            for one in self.slack.state.messages[_id(incident.channel)].values()
            if one.metadata and not one.is_deleted
        }
        stood = [at[mark] for (mark,) in rows]
        assert sorted(stood) == stood


def well(channel: str) -> dict[str, Any]:
    return {"is_archived": False, "bot_is_member": True, "posting": "open", "name": channel.removeprefix("#")}


def _id(channel: str) -> str:
    return {ALERTS: "C01ALERTS", NCCL: "C03NCCL"}.get(channel, "C02OPS")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A database with its tables, so that no history has to make them."""

    async def make(database: Database) -> None:
        await database.open(NOW)
        await database.run(lambda session: session.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        await database.close()

    asyncio.run(make(Database(tmp_path / "empty.db")))
    return tmp_path / "empty.db"


@pytest.mark.slow
@pytest.mark.timeout(60 + HISTORIES)
def test_every_alarm_is_visible_once_in_order_and_up_to_date_whatever_happens(empty: Path) -> None:
    """F19, F22, F28, F30, F37, F38, F39, F42, F43, F46: takes a minute, because it plays hundreds of histories."""
    Histories.empty = empty
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=14,
            deadline=None,
            derandomize=HISTORIES == 500,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
