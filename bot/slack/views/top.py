"""Where GPUs stand idle: the least used jobs, and those that wasted most."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.answers import TopList
from bot.domain.waste import Waste
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import code, literal
from bot.slack.views.parts import Block, context, header, section
from bot.slack.views.voice import Voice, date, joined, percent

_MOST = 10


def top_list(voice: Voice, answer: TopList, now: datetime) -> Draft:
    """Both lists over one window. Jobs without data are counted apart: that is not idleness."""
    t, window = voice.t, answer.window
    span = t("last {age}, until {when}", age=voice.age(window.length), when=date(window.end))
    silent = t.n("{n} running job without data", "{n} running jobs without data", answer.unmeasured)
    lists = [
        *_ranked(voice, t("Least used"), answer.least_used),
        *_ranked(voice, t("Most GPU-hours idle"), answer.most_wasted),
    ]
    return Draft(
        head=[header(t("Top")), context(joined(span, silent if answer.unmeasured else None))],
        rows=lists or [section(t("No running job gave data for this time."))],
        more=lambda n: t("and {n} more", n=n),
        origin=answer.origin,
    )


def _ranked(voice: Voice, title: str, wastes: Sequence[Waste]) -> list[Block]:
    if not wastes:
        return []
    lines = [f"{place}. {_words(voice, waste)}" for place, waste in enumerate(wastes[:_MOST], start=1)]
    return [section("\n".join([f"*{title}*", *lines]))]


def _words(voice: Voice, waste: Waste) -> str:
    job, t = waste.job, voice.t
    idle = t("{idle} of {total} GPUs idle", idle=waste.idle_gpus, total=job.gpu_count) if job.gpu_count else None
    hours = t("{n} GPU-hours idle", n=f"{waste.idle_gpu_hours:.1f}")
    use = t("use {percent}", percent=percent(waste.mean))
    return joined(code(job.name or job.id, 80), use, hours, idle, voice.owner(job.owner), literal(job.cloud, 40))
