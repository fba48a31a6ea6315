"""Where GPU-hours go to waste: the mean use of every running job over a window, and what of it stood idle.

Only the idle share of measured time counts. A job without data is counted apart: nobody knows whether it is idle.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from bot.domain.answers import TopList
from bot.domain.command import Top
from bot.domain.errors import CloudError
from bot.domain.job import Job
from bot.domain.low_use import is_judged
from bot.domain.ports import Can
from bot.domain.series import Metric, Series, Window, mean_of
from bot.domain.waste import Waste
from bot.relay.ask.look import use_window
from bot.relay.ask.sources import Sources

SPAN = timedelta(hours=24)
MOST_MEASURED = 200  # calls to the clouds for one question; the jobs with most GPUs come first
AT_ONCE = 8
SHOWN = 10
IDLE_BELOW = 0.10  # a GPU whose mean use over the window is lower is called idle


async def show_top(sources: Sources, command: Top) -> TopList:
    """Bounded in calls and in time: what could not be measured within them is counted as unmeasured."""
    now = sources.clock()
    known = await sources.fleet.jobs(now)
    running = sorted(filter(is_judged, known.jobs), key=lambda job: -(job.gpu_count or 0))
    window = Window.last(command.last or SPAN, now)
    wastes = await _measure_all(sources, running[:MOST_MEASURED], window)
    return TopList(
        window=window,
        least_used=tuple(sorted(wastes, key=lambda waste: waste.mean)[:SHOWN]),
        most_wasted=tuple(sorted(wastes, key=lambda waste: -waste.idle_gpu_hours)[:SHOWN]),
        unmeasured=len(running) - len(wastes),
        origin=known.origin,
    )


def waste_of(job: Job, series: Sequence[Series]) -> Waste | None:
    """The job's waste from its GPU series; None without data. A series may stand for one GPU or for a whole pod."""
    measured = [one for one in series if one.samples]
    mean = mean_of(measured)
    if mean is None:
        return None
    gpus_each = (job.gpu_count or len(series)) / len(series)
    idle_hours = sum(_idle_hours(one) * gpus_each for one in measured)
    idle = sum(1 for one in measured if one.mean is not None and one.mean < IDLE_BELOW)
    return Waste(job, mean, idle_hours, round(idle * gpus_each))


async def _measure_all(sources: Sources, jobs: Sequence[Job], window: Window) -> list[Waste]:
    turns = asyncio.Semaphore(AT_ONCE)
    tasks = [asyncio.create_task(_measure(sources, job, window, turns)) for job in jobs]
    if not tasks:
        return []
    done, late = await asyncio.wait(tasks, timeout=sources.read)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    return [waste for task in tasks if task in done and (waste := task.result()) is not None]


async def _measure(sources: Sources, job: Job, window: Window, turns: asyncio.Semaphore) -> Waste | None:
    own = use_window(job, window.length, window.end)
    cloud = sources.fleet.cloud(job.cloud)
    if own is None or Can.METRICS not in cloud.abilities:
        return None
    async with turns:
        try:
            return waste_of(job, await cloud.series(job, Metric.GPU, own))
        except CloudError:
            return None


def _idle_hours(series: Series) -> float:
    """Measured hours times the idle share of them."""
    measured = len(series.samples) * series.step
    return measured / timedelta(hours=1) * (1 - (series.mean or 0.0))
