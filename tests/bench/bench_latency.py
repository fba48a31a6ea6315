"""From an alarm's appearance at the monitor to its card in Slack, at rest and in a storm; a real process, polling each
second.

At rest one alarm comes at a time, into two channels in turn so that no storm is made of them. Of the whole latency the
wait for the next poll is chance; the rest is gpubot's own, and Slack's pace.
"""

import asyncio
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

import pytest

from bot.demo import Stage
from bot.simulator.world import JobState, World
from tests.bench.program import eventually, gpubot, present_world, simulators
from tests.bench.storm import ALARMS, JOBS, Reader, break_out, settle_jobs, watching
from tests.bench.table import show, time_of

PERIOD = 1.0  # seconds between polls
SETTINGS: dict[str, Any] = {
    "alarms": {"poll_every": f"{PERIOD:g}s"},
    "routes": [{"kind": ["NCCL*"], "channel": "#nccl"}],
}
ONCE_MORE = 2.5  # seconds until the notes of the card before are out
MINUTE = 60.0
EACH = 9  # new incidents a minute and channel before a storm begins

pytestmark = pytest.mark.timeout(240)


async def test_one_alarm_at_rest(tmp_path: Path) -> None:
    async with simulators(present_world()) as on, gpubot(on, tmp_path, **SETTINGS):
        await asyncio.sleep(5)
        chance, whole, waits = Random(7), [], []
        for number, job in enumerate(_running(on.world)[: 2 * EACH]):
            await asyncio.sleep(ONCE_MORE + chance.random() * PERIOD)
            appeared = on.world.now()
            record = on.world.hang(job, {0: (1,)}) if number % 2 else on.world.run_out_of_memory(job)
            assert record
            whole.append(await eventually(partial(_is_told, on, on.world.job(job).name), within=15))
            waits.append(_polled_after(on, appeared))
        own = [latency - wait for latency, wait in zip(whole, waits, strict=True)]
        show(
            f"Alarm to card at rest ({len(whole)} alarms, poll_every {PERIOD:g}s)",
            ["", "median", "longest", "poll periods (median)"],
            [
                _row("from the alarm to the card", whole),
                _row("of it, waiting for the next poll", waits),
                _row("from that poll to the card", own),
            ],
        )
        print(f"  mean latency less the mean wait of half a period: {time_of(mean(whole) - PERIOD / 2)}")
        assert median(own) < PERIOD
        assert median(whole) < 2 * PERIOD


async def test_a_storm_of_ten_thousand_alarms(tmp_path: Path) -> None:
    world, reader = present_world(), Reader()
    jobs = settle_jobs(world)
    async with simulators(world) as on, gpubot(on, tmp_path, **SETTINGS):
        on.slack.state.watchers.append(watching(on, reader))
        await asyncio.sleep(10)
        reader.begin()
        break_out(world, jobs)
        await eventually(lambda: len(reader.named) == JOBS, within=120)
        await asyncio.sleep(max(0.0, reader.began + MINUTE - time.monotonic()))
        edits = sum(call.method == "chat.update" and call.committed for call in on.slack.requests)
        assert reader.all_named is not None
        rows = [
            ["first card", f"{min(reader.named.values()):.1f} s"],
            ["last alarm's job named", f"{reader.all_named:.1f} s"],
            ["messages in the first minute", f"{reader.posts}"],
            ["edits in the first minute", f"{edits}"],
            ["posts that came too fast for Slack", f"{len(on.slack.pace_violations)}"],
        ]
        show(f"{ALARMS:,} alarms over {JOBS} jobs at once, poll_every {PERIOD:g}s", ["", "gpubot"], rows)
        assert [] == on.slack.pace_violations
        assert reader.all_named < 60


def _running(world: World) -> list[str]:
    return [job.id for job in world.jobs() if job.state is JobState.RUNNING]


def _is_told(on: Stage, job: str) -> bool:
    cards = (one for channel in ("gpu-alerts", "nccl") for one in on.slack.messages(channel) if not one.is_reply)
    return any(job in card.text for card in cards)


def _polled_after(on: Stage, appeared: datetime) -> float:
    """Seconds until the monitor answered the first poll that could see what appeared."""
    polls = (one.at for one in on.sysom.requests if one.path.endswith("/listAlarmRecord"))
    return (next(at for at in polls if at > appeared) - appeared).total_seconds()


def _row(what: str, times: list[float]) -> list[str]:
    return [what, time_of(median(times)), time_of(max(times)), f"{median(times) / PERIOD:.2f}"]
