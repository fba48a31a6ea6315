"""An alarm in its thread: what it says, the graph in words, and the end of its log."""

from bot.domain.alarm import LOW_USE, SOURCE_BLIND, Alarm
from bot.slack.rendering import Rendered
from bot.slack.views import words
from bot.slack.views.excerpt import Excerpt, excerpt
from bot.slack.views.gaps import gap_words, remedy_words
from bot.slack.views.mrkdwn import code, literal, prose
from bot.slack.views.parts import Block, context, message, section
from bot.slack.views.topology import topology_words
from bot.slack.views.voice import Voice, date, joined, percent

_TOLD_DETAILS = 8
_UNTOLD = ("uid", "task_pod_list")  # whose account it is, and every pod of the job: the card names those concerned


def evidence(voice: Voice, alarm: Alarm, verdict: str | None, late: str | None) -> Rendered:
    """The note of an alarm. A long log goes along as a file."""
    blocks = [section(_head(voice, alarm, verdict, late))]
    told = _explained(voice, alarm)
    blocks += [section(told)] if told else []
    graph = topology_words(voice, alarm.topology) if alarm.topology else None
    blocks += [section(graph)] if graph else []
    log = _log(voice, alarm)
    return message([*blocks, *(_log_blocks(log) if log else [])], log.file if log else None)


def _head(voice: Voice, alarm: Alarm, verdict: str | None, late: str | None) -> str:
    when = date(alarm.at) if alarm.at else voice.t("time unknown")
    name = f"{words.SEVERITY_SIGN[alarm.severity]} *{literal(voice.kind(alarm.kind))}*"
    task = None
    if alarm.task_state.is_bad:
        task = voice.t("the monitor says: {state}", state=voice.t.sentence(words.TASK[alarm.task_state]))
    subject = alarm.subject
    pods = voice.pods(subject, alarm.job)
    nodes = voice.names(subject.nodes)
    second = joined(
        voice.t("pods: {names}", names=pods) if pods else None,
        voice.t("nodes: {names}", names=nodes) if nodes else None,
        task,
    )
    return "\n".join(filter(None, [joined(name, verdict, when, late), second]))


def _explained(voice: Voice, alarm: Alarm) -> str | None:
    if alarm.kind == LOW_USE:
        return _low_use(voice, alarm)
    if alarm.kind == SOURCE_BLIND:
        kind = alarm.details.get("error", "")
        why = ", ".join(filter(None, [gap_words(voice, kind), remedy_words(voice, kind)]))
        source = voice.source(alarm.subject.cloud)
        return voice.t(
            "{source} cannot be seen: {why}. Until it answers again, nothing is known of what it watches, and "
            "nothing of it counts as over.",
            source=source,
            why=why,
        )
    told = {key: value for key, value in alarm.details.items() if key not in _UNTOLD and value != alarm.kind}
    shown = [f"{literal(key, 40)}: {prose(value, 200)}" for key, value in list(told.items())[:_TOLD_DETAILS]]
    return "\n".join(shown) or None


def _low_use(voice: Voice, alarm: Alarm) -> str | None:
    """The figures behind the verdict; they are of our own making (see the low-use rules)."""
    mean, below, span = (_number(alarm.details.get(name)) for name in ("mean", "gpu_below", "window_seconds"))
    if mean is None or below is None or span is None:
        return None
    return voice.t(
        "Mean GPU use {mean} over the last {span}; the rule {rule} asks for {below} or more.",
        mean=percent(mean),
        span=voice.age(span),
        rule=code(alarm.details.get("rule", "")),
        below=percent(below),
    )


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _log(voice: Voice, alarm: Alarm) -> Excerpt | None:
    if not alarm.log.strip():
        return None
    name = "".join(char if char.isalnum() else "-" for char in alarm.id[:60]) or "alarm"
    return excerpt(voice, alarm.log, (f"{name}.log", f"{voice.kind(alarm.kind, 60)} · {alarm.id[:60]}"))


def _log_blocks(log: Excerpt) -> list[Block]:
    return [section(log.fenced), *([context(log.remark)] if log.remark else [])]
