"""The card: one incident as one message that a tired person understands in two seconds.

It is a function of the incident and its state: nothing on it changes by itself, so equal incidents give equal cards.
"""

from datetime import datetime

from bot.domain.incident import Condition, Incident, IncidentState, Resolution, Stop
from bot.domain.job import Job, JobState
from bot.domain.kinship import is_about_machine
from bot.slack.ids import Action, Target
from bot.slack.rendering import Rendered
from bot.slack.views import words
from bot.slack.views.mrkdwn import code, literal, prose
from bot.slack.views.parts import Block, actions, button, context, header, message, overflow, section
from bot.slack.views.strip import strip
from bot.slack.views.voice import Voice, date, joined, person

_STOPPABLE = frozenset({JobState.STARTING, JobState.RUNNING})
_CONDITIONS = 8


def card(voice: Voice, incident: Incident, now: datetime) -> Rendered:
    """The parent message of the incident's thread."""
    blocks = [
        header(f"{words.sign(incident, incident.state(now))} {title(voice, incident)}"),
        section(_state_lines(voice, incident, now)),
        section(_facts(voice, incident)),
        *([section(strip(voice, incident.use, _replicas(incident)))] if incident.use else []),
        context(_footing(voice, incident)),
        *buttons(voice, incident, now),
    ]
    return message(blocks)


def title(voice: Voice, incident: Incident) -> str:
    """What is wrong with what, as plain text."""
    return f"{voice.kind(incident.kind, 60)} · {subject_name(incident)[:80]}"


def subject_name(incident: Incident) -> str:
    """The job's name, or whatever the monitor named instead."""
    subject = incident.subject
    if incident.job is not None:
        return incident.job.name or incident.job.id
    fallback = next(iter(subject.nodes), None) or subject.cluster or subject.cloud
    return (subject.job.id if subject.job else subject.task) or fallback


def state_words(voice: Voice, incident: Incident, now: datetime) -> str:
    """The state with who and why; muted says until when."""
    state, t = incident.state(now), voice.t
    if state is IncidentState.RESOLVED and incident.ending:
        return _ending_words(voice, incident)
    if state is IncidentState.MUTED and incident.mute:
        mute = incident.mute
        said = t("*Muted* until {until} by {who}", until=date(mute.until), who=person(mute.by))
        return f"{said}: {prose(mute.reason, 300)}" if mute.reason else said
    if state is IncidentState.ACKNOWLEDGED and incident.acknowledged:
        stamp = incident.acknowledged
        return t("*Acknowledged* by {who}, {when}", who=person(stamp.by), when=date(stamp.at))
    return t("*Firing*")


def _ending_words(voice: Voice, incident: Incident) -> str:
    ending, t = incident.ending, voice.t
    if ending is None:
        return ""
    if ending.why is Resolution.BY_HAND and ending.by:
        said = t("*Resolved* by {who}, {when}", who=person(ending.by), when=date(ending.at))
    else:
        why = t.sentence(words.WHY[ending.why])
        over = t("*Over*: {why}, {when}", why=why, when=date(ending.at))
        said = (
            over if ending.why in words.JOB_IS_OVER else t("*Resolved*: {why}, {when}", why=why, when=date(ending.at))
        )
    return joined(said, t("it ended while the bot was away") if ending.late else None)


def _state_lines(voice: Voice, incident: Incident, now: datetime) -> str:
    stop = stop_words(voice, incident.stop) if incident.stop else None
    state, times = state_words(voice, incident, now), times_words(voice, incident)
    if incident.state(now) is IncidentState.FIRING:
        lines = [joined(state, since_words(voice, incident), times), stop]
    else:
        lines = [state, stop, joined(_began(voice, incident), times)]
    return "\n".join(filter(None, [*lines, *_condition_lines(voice, incident)]))


def _began(voice: Voice, incident: Incident) -> str:
    if incident.time_unknown:
        return voice.t("Time unknown, first seen {when}", when=date(incident.opened_at))
    return voice.t("Began {when}", when=date(incident.opened_at))


def since_words(voice: Voice, incident: Incident) -> str:
    when = date(incident.opened_at)
    if incident.time_unknown:
        return voice.t("time unknown, first seen {when}", when=when)
    return voice.t("began {when}", when=when)


def times_words(voice: Voice, incident: Incident) -> str | None:
    """How often, where it was more than once."""
    if incident.count < 2:
        return None
    return voice.t("×{n}, last {when}", n=incident.count, when=date(incident.last_at))


def stop_words(voice: Voice, stop: Stop) -> str:
    who, when, t = person(stop.by), date(stop.at), voice.t
    if stop.verified:
        said = t("🛑 *Stopped* by {who}, asked for {when}", who=who, when=when)
    elif stop.failure is not None:
        why = prose(stop.failure, 300)
        said = t("⚠️ *Not stopped*: {who} asked for it {when}. {why}", who=who, when=when, why=why)
    else:
        said = t("🛑 *Stopping*, asked for by {who}, {when}", who=who, when=when)
    return f"{said}: {prose(stop.reason, 300)}" if stop.reason and stop.failure is None else said


def _condition_lines(voice: Voice, incident: Incident) -> list[str]:
    """Every kind of trouble with its own count, where there is more than one."""
    conditions = incident.conditions
    if len(conditions) < 2:
        return []
    if not incident.is_open:
        return [
            voice.t("Reported were {kinds}", kinds=voice.listed([literal(voice.kind(c.kind)) for c in conditions], 8))
        ]
    opened = sum(one.is_open for one in conditions)
    ended = len(conditions) - opened
    counts = [voice.t("{n} open", n=opened) if opened else None, voice.t("{n} ended", n=ended) if ended else None]
    lines = [joined(*counts)]
    lines += [f"• {_condition_words(voice, one)}" for one in conditions[:_CONDITIONS]]
    rest = len(conditions) - _CONDITIONS
    return [*lines, voice.t("and {n} more", n=rest)] if rest > 0 else lines


def _condition_words(voice: Voice, condition: Condition) -> str:
    times = f"×{condition.count}" if condition.count > 1 else None
    if condition.ended_at is not None:
        ended = voice.t("ended {when}", when=date(condition.ended_at))
        return joined(f"✅ {literal(voice.kind(condition.kind))}", times, ended)
    sign = words.SEVERITY_SIGN[condition.severity]
    last = voice.t("last {when}", when=date(condition.last_at))
    return joined(f"{sign} *{literal(voice.kind(condition.kind))}*", times, last, _task_words(voice, condition))


def _task_words(voice: Voice, condition: Condition) -> str | None:
    if not condition.task_state.is_bad:
        return None
    return voice.t("the monitor says: {state}", state=voice.t.sentence(words.TASK[condition.task_state]))


def _facts(voice: Voice, incident: Incident) -> str:
    """The job, whose and where it is, and which machines and GPUs are concerned: a line each."""
    lines = [_job_line(voice, incident), _place_line(voice, incident), _where(voice, incident), _kin(voice, incident)]
    return "\n".join(filter(None, lines))


def _job_line(voice: Voice, incident: Incident) -> str | None:
    job, subject = incident.job, incident.subject
    if job is None:
        named = subject.job.id if subject.job else subject.task
        return f"*{voice.t('Job')}* {code(named)}" if named else None
    named = f"*{voice.t('Job')}* {code(job.name or job.id)}"
    return joined(named, voice.t.sentence(words.JOB[job.state]), voice.gpus(job))


def _place_line(voice: Voice, incident: Incident) -> str:
    job, t = incident.job, voice.t
    return joined(
        f"*{t('Owner')}* {voice.owner(job.owner)}" if job and job.owner else None,
        f"*{t('Queue')}* {literal(job.queue)}" if job and job.queue else None,
        f"*{t('Cloud')}* {_place(incident)}",
    )


def _place(incident: Incident) -> str:
    """The job's cloud, and the monitor with its cluster where that is another."""
    subject, job = incident.subject, incident.job
    monitor = f"{literal(subject.cloud)}" + (f" / {literal(subject.cluster)}" if subject.cluster else "")
    return monitor if job is None or job.cloud == subject.cloud else f"{literal(job.cloud)} ({monitor})"


def _where(voice: Voice, incident: Incident) -> str | None:
    """Machines with the GPUs concerned, and pods, whose names are told without the job's id in front."""
    subject, t = incident.subject, voice.t
    concerned: dict[str, list[int]] = {node: [] for node in subject.nodes}
    for node, index in subject.gpus:
        concerned.setdefault(node, []).append(index)
    nodes = [_node(node, sorted(gpus)) for node, gpus in sorted(concerned.items(), key=lambda one: not one[1])]
    pods = voice.pods(subject, incident.job)
    lines = [
        f"*{t('Nodes')}* {voice.listed(nodes)}" if nodes else None,
        f"*{t('Pods')}* {pods}" if pods else None,
    ]
    return "\n".join(filter(None, lines)) or None


def _kin(voice: Voice, incident: Incident) -> str | None:
    """The incidents that explain this one, or that it explains."""
    if not incident.kin:
        return None
    n, numbers = len(incident.kin), voice.listed([str(one) for one in incident.kin], 8)
    if is_about_machine(incident):
        return voice.t.n(
            "*A job on it* has trouble too: incident {numbers}",
            "*Jobs on it* have trouble too: incidents {numbers}",
            n,
            numbers=numbers,
        )
    return voice.t.n(
        "*Its machine* has trouble too: incident {numbers}",
        "*Its machine* has trouble too: incidents {numbers}",
        n,
        numbers=numbers,
    )


def _node(node: str, gpus: list[int]) -> str:
    name = literal(node, 80)
    return f"{name} (GPU {', '.join(map(str, gpus[:16]))})" if gpus else name


def _replicas(incident: Incident) -> int | None:
    return incident.job.replicas if incident.job else None


def _footing(voice: Voice, incident: Incident) -> str:
    number = voice.t("Incident {id}", id=incident.id)
    late = voice.t("told late: it began before the bot could have seen it") if incident.late else None
    sources = ", ".join(literal(source) for source in dict.fromkeys(c.source for c in incident.conditions))
    single = incident.conditions[0] if len(incident.conditions) == 1 else None
    task = _task_words(voice, single) if single and incident.is_open else None
    job = incident.job
    job_id = literal(job.id) if job and job.name not in ("", job.id) else None
    severity = voice.t.sentence(words.SEVERITY[incident.severity])
    return joined(number, severity, voice.t("reported by {sources}", sources=sources), task, job_id, late)


def buttons(voice: Voice, incident: Incident, now: datetime) -> list[Block]:
    """What can be done now: a button is there only while it applies."""
    if not incident.is_open:
        return actions(_look_buttons(voice, incident))
    target = Target(incident=incident.id).value()
    t, is_muted = voice.t, incident.state(now) is IncidentState.MUTED
    return actions(
        [
            _stop_button(voice, incident),
            _terminal_button(voice, incident),
            None if incident.acknowledged else button(t("Acknowledge"), Action.ACKNOWLEDGE, target),
            button(t("Unmute"), Action.UNMUTE, target) if is_muted else button(t("Mute…"), Action.MUTE, target),
            overflow(Action.MORE, _menu(voice, incident)),
        ]
    )


def _stop_button(voice: Voice, incident: Incident) -> Block | None:
    job, stop = incident.job, incident.stop
    if job is None or job.state not in _STOPPABLE or (stop is not None and stop.is_under_way):
        return None
    return button(voice.t("Stop job…"), Action.STOP, Target.of_job(job, incident.id).value(), "danger")


def _terminal_button(voice: Voice, incident: Incident) -> Block | None:
    job = incident.job
    if job is None or job.state is not JobState.RUNNING:
        return None
    return button(voice.t("Open terminal"), Action.TERMINAL, Target.of_job(job, incident.id).value())


def _menu(voice: Voice, incident: Incident) -> list[tuple[str, str]]:
    """Values hold only the incident's number: an entry's value has 150 characters, and a job's id may need more."""
    value = Target(incident=incident.id).value()
    looks = [(voice.t("Usage"), f"{Action.USAGE} {value}"), (voice.t("Logs"), f"{Action.LOGS} {value}")]
    has_job = incident.job is not None or incident.subject.job is not None
    return [*(looks if has_job else []), (voice.t("Resolve"), f"{Action.RESOLVE} {value}")]


def _look_buttons(voice: Voice, incident: Incident) -> list[Block | None]:
    """What is still worth a look after the end, as long as the platform knows the job."""
    job = incident.job
    if job is None or (incident.ending and incident.ending.why is Resolution.JOB_GONE):
        return []
    value = _job_target(job, incident.id)
    return [button(voice.t("Usage"), Action.USAGE, value), button(voice.t("Logs"), Action.LOGS, value)]


def _job_target(job: Job, incident: int) -> str:
    return Target.of_job(job, incident).value()
