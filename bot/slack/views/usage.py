"""Use over time: a line for each GPU with its newest, mean and highest figure; many GPUs are told pod by pod.

A missing figure is "–". The columns are lined up by width, so that Chinese names do not push them aside.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.answers import UseView
from bot.domain.series import Series, Window, sparkline
from bot.slack.ids import Action, Target
from bot.slack.views import words
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import code, fence, lead, pad
from bot.slack.views.parts import Block, button, context, header, section
from bot.slack.views.voice import Voice, date, joined, percent

_BARS, _GPU, _POD, _FIGURE = 16, 7, 22, 6  # columns; a phone shows about forty
_EACH = 40  # so many series are shown one by one
_PODS_A_BLOCK = 40


def use_view(voice: Voice, answer: UseView, now: datetime) -> Draft:
    """One metric of a job or a pod over the window."""
    t = voice.t
    metric = t.sentence(words.METRIC[answer.metric])
    span = t("last {age}, until {when}", age=voice.age(answer.window.length), when=date(answer.window.end))
    about = joined(code(answer.job.name or answer.job.id), code(answer.pod) if answer.pod else None, span)
    silent = sum(not series.samples for series in answer.series)
    remark = t("{n} without data: – means no data, not 0 %", n=silent) if silent else None
    return Draft(
        head=[header(f"{metric} · {answer.job.name or answer.job.id}"), section(about)],
        rows=_rows(voice, answer),
        foot=[context(remark)] if remark else [],
        buttons=[button(t("Logs"), Action.LOGS, Target.of_job(answer.job, pod=answer.pod).value())],
        more=lambda n: t("and more lines than fit: ask for a single pod"),
        origin=answer.origin,
    )


def _rows(voice: Voice, answer: UseView) -> list[Block]:
    if not answer.series:
        return [section(voice.t("No data for this time. That does not mean that nothing was used."))]
    if len(answer.series) <= _EACH:
        return [section(use_lines(voice, answer.series, answer.window))]
    t, lines = voice.t, [_pod_line(pod, series) for pod, series in by_pod(answer.series).items()]
    title = _title(_POD, t("low"), t("mean"), t("high"))
    places = range(0, len(lines), _PODS_A_BLOCK)
    return [section(_table(title, lines[place : place + _PODS_A_BLOCK])) for place in places]


def use_lines(voice: Voice, series: Sequence[Series], window: Window) -> str:
    """A fenced line for each series, under its pod's name where there are several pods."""
    pods, t = by_pod(series), voice.t
    lines: list[str] = []
    for pod, own in pods.items():
        lines += [pod] if len(pods) > 1 else []
        lines += [_line(_name(voice, one), one, window) for one in own]
    return _table(_title(_GPU + _BARS, t("now"), t("mean"), t("max")), lines)


def by_pod(series: Sequence[Series]) -> dict[str, list[Series]]:
    pods: dict[str, list[Series]] = {}
    for one in series:
        pods.setdefault(one.pod, []).append(one)
    return pods


def _title(before: int, *labels: str) -> str:
    return " " * before + "".join(lead(label, _FIGURE) for label in labels)


def _table(title: str, lines: Sequence[str]) -> str:
    return fence("\n".join([title, *lines]))


def _line(name: str, series: Series, window: Window) -> str:
    return pad(name, _GPU) + sparkline(series, window, _BARS) + _figures(series.latest, series.mean, series.peak)


def _pod_line(pod: str, series: Sequence[Series]) -> str:
    """A pod's GPUs as one line: the lowest of their means, the mean of them, and the highest."""
    means = [mean for one in series if (mean := one.mean) is not None]
    name = "-".join(pod.rsplit("-", 2)[-2:])
    if not means:
        return pad(name, _POD) + _figures(None, None, None)
    return pad(name, _POD) + _figures(min(means), sum(means) / len(means), max(means))


def _figures(*ratios: float | None) -> str:
    return "".join(lead(percent(ratio), _FIGURE) for ratio in ratios)


def _name(voice: Voice, series: Series) -> str:
    return voice.t("all") if series.gpu is None else f"GPU {series.gpu}"
