"""The same storm through gpubot and through Debian's Alertmanager, side by side, at the same time, in real time.

10,000 alarms over 200 jobs appear in one moment. gpubot finds them at its next poll of the monitor; Alertmanager is
handed them at once. Both speak to a Slack that takes a message a second and channel. Alertmanager runs twice, in the
two ways in which a good operator would set it up: a message for each job, and a message for all alarms of a kind
(with quicker timers than its defaults).
"""

import asyncio
import time
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from tests.bench.alertmanager import BINARY, GROUP_INTERVAL, GROUP_WAIT, Alertmanager, alertmanager, names_of
from tests.bench.program import Running, gpubot, present_world, simulators
from tests.bench.storm import ALARMS, JOBS, Reader, break_out, settle_jobs, watching
from tests.bench.table import mb, show

HORIZON = timedelta(seconds=150)

pytestmark = pytest.mark.timeout(280)


@pytest.mark.skipif(BINARY is None, reason="prometheus-alertmanager is not installed (Debian has a package of it)")
async def test_a_storm_beside_alertmanager(tmp_path: Path) -> None:
    world = present_world()
    jobs, reader = settle_jobs(world), Reader()
    async with AsyncExitStack() as stack:
        on = await stack.enter_async_context(simulators(world))
        on.slack.state.watchers.append(watching(on, reader))
        bot = await stack.enter_async_context(gpubot(on, tmp_path))
        by_job = await stack.enter_async_context(alertmanager(tmp_path / "by-job", ["alertname", "job"]))
        by_kind = await stack.enter_async_context(alertmanager(tmp_path / "by-kind", ["alertname", "cluster"]))
        await asyncio.sleep(10)
        rivals = (by_job, by_kind)
        for one in (reader, *(rival.webhook.reader for rival in rivals)):
            one.begin()
        alarms = break_out(world, jobs)
        await asyncio.gather(*(rival.fire(alarms, names_of(jobs)) for rival in rivals))
        await asyncio.sleep(max(0.0, reader.began + HORIZON.total_seconds() - time.monotonic()))
        edits = sum(call.method == "chat.update" and call.committed for call in on.slack.requests)
        refused = sum(call.outcome == "rate_limited" for call in on.slack.requests)
        rows = _rows(bot, reader, edits, refused, *rivals)
    show(
        f"{ALARMS:,} alarms over {JOBS} jobs at once, {HORIZON.total_seconds():.0f} s (gpubot: default settings;"
        f" Alertmanager: group_wait {GROUP_WAIT}, group_interval {GROUP_INTERVAL})",
        ["", "gpubot", "Alertmanager by job", "Alertmanager by kind"],
        rows,
    )
    assert JOBS == len(reader.named)
    assert 0 == refused
    assert len(by_job.webhook.reader.named) <= JOBS


def _rows(bot: Running, reader: Reader, edits: int, refused: int, *rivals: Alertmanager) -> list[list[str]]:
    hooks = [rival.webhook for rival in rivals]
    readers = [reader, *(hook.reader for hook in hooks)]
    each = ALARMS // JOBS
    return [
        ["first job named after", *(_after(min(one.named.values(), default=None)) for one in readers)],
        ["last alarm's job named after", *(_after(one.all_named) for one in readers)],
        ["jobs never named", *(f"{JOBS - len(one.named)}" for one in readers)],
        ["alarms never shown", *(f"{(JOBS - len(one.named)) * each:,}" for one in readers)],
        ["messages posted", *(f"{one.posts}" for one in readers)],
        ["edits", f"{edits}", *("0" for _ in hooks)],
        ["posts refused with 429", f"{refused}", *(f"{hook.refused}" for hook in hooks)],
        ["peak memory", mb(bot.most_memory), *(mb(rival.running.most_memory) for rival in rivals)],
    ]


def _after(seconds: float | None) -> str:
    return "not at all" if seconds is None else f"{seconds:.1f} s"
