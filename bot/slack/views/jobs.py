"""Jobs: a list that reads well on a phone, two lines each, and one job with its pods and use."""

from datetime import datetime, timedelta

from bot.domain.answers import JobList, JobView
from bot.domain.command import Events, ShowIncident, ShowJob, SubmitJob
from bot.domain.job import Job, JobState
from bot.domain.ports import Can
from bot.domain.series import UseLine
from bot.slack.ids import Action, Target
from bot.slack.views import words
from bot.slack.views.card import state_words
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import code, literal, prose
from bot.slack.views.parts import Block, button, context, fields, header, section
from bot.slack.views.pods import pod_line
from bot.slack.views.strip import strip
from bot.slack.views.voice import Voice, date, joined, percent

_PODS = 16
_STOPPABLE = frozenset({JobState.STARTING, JobState.RUNNING})


def job_list(voice: Voice, answer: JobList, now: datetime) -> Draft:
    """One page; the buttons give the command's other pages."""
    t = voice.t
    counted = joined(
        t.n("{n} job", "{n} jobs", answer.total),
        t.n("{n} GPU", "{n} GPUs", answer.gpus_total),
        *(literal(text) for text in answer.filters),
        t("page {page} of {pages}", page=answer.page, pages=answer.pages) if answer.pages > 1 else None,
    )
    empty = [] if answer.jobs else [section(t("No job fits this. `{command} jobs` shows all.", command=voice.command))]
    return Draft(
        head=[header(t("Jobs")), context(counted), *empty],
        rows=[_row(voice, answer, job, now) for job in answer.jobs],
        buttons=[_page(voice, answer, -1), _page(voice, answer, +1)],
        more=lambda n: t("and {n} more on this page, which is too long for one message", n=n),
        origin=answer.origin,
    )


def _row(voice: Voice, answer: JobList, job: Job, now: datetime) -> Block:
    look = button(voice.t("Details"), Action.ASK, ShowJob(job=str(job.key)).text())
    return section(job_lines(voice, job, now, use_words(voice, answer, job)), look)


def use_words(voice: Voice, answer: JobList, job: Job) -> str | None:
    """The last known mean use of a running job, "–" where none is known."""
    if job.state is not JobState.RUNNING:
        return None
    return voice.t("use {percent}", percent=percent(answer.use.get(str(job.key))))


def job_lines(voice: Voice, job: Job, now: datetime, use: str | None = None) -> str:
    """Two lines: what it is, and how it stands."""
    first = joined(
        f"{words.JOB_SIGN[job.state]} {code(job.name or job.id, 100)}", voice.gpus(job), voice.owner(job.owner)
    )
    second = joined(
        standing(voice, job, now),
        use,
        literal(job.queue, 60) if job.queue else None,
        literal(job.cloud, 40),
    )
    return f"{first}\n{second}"


def standing(voice: Voice, job: Job, now: datetime) -> str:
    """The state, and since when or where in the queue."""
    state, began = voice.t.sentence(words.JOB[job.state]), _began(job)
    said = f"{state} {voice.age(now - began)}" if began else state
    if job.state is JobState.QUEUED and job.queue_position is not None:
        return voice.t("{state}, place {n}", state=said, n=job.queue_position)
    return said


def _began(job: Job) -> datetime | None:
    if job.state.is_over:
        return None
    return job.created_at if job.state is JobState.QUEUED else job.started_at or job.created_at


def _page(voice: Voice, answer: JobList, step: int) -> Block | None:
    page = answer.page + step
    if not 1 <= page <= answer.pages:
        return None
    label, action = (voice.t("Back"), Action.PAGE_BACK) if step < 0 else (voice.t("Next"), Action.PAGE_ON)
    return button(label, action, f"{answer.command} --page {page}")


def job_view(voice: Voice, answer: JobView, now: datetime) -> Draft:
    """One job with its pods, its use and what is wrong with it."""
    job, t = answer.job, voice.t
    use = latest_use(answer)
    pods = [pod_line(voice, pod, now) for pod in answer.pods[:_PODS]]
    if len(answer.pods) > _PODS:
        pods.append(t("and {n} more pods", n=len(answer.pods) - _PODS))
    return Draft(
        head=[
            header(f"{words.JOB_SIGN[job.state]} {job.name or job.id}"),
            section(joined(f"*{standing(voice, job, now)}*", voice.gpus(job), voice.owner(job.owner))),
            *fields(job_facts(voice, job)),
            *([section(_incident_line(voice, answer, now))] if answer.incident else []),
            *([section(strip(voice, use, job.replicas))] if use else []),
        ],
        rows=[section("\n".join(pods))] if pods else [],
        buttons=job_buttons(voice, job, answer.incident.id if answer.incident else None, answer.offered),
        origin=answer.origin,
    )


def job_facts(voice: Voice, job: Job) -> list[tuple[str, str | None]]:
    """What the platform says of the job; what it does not say is left out."""
    t = voice.t
    return [
        (t("Name"), code(job.name)),
        (t("Job id"), code(job.id)),
        (t("Cloud"), joined(literal(job.cloud), literal(job.pool) if job.pool else None)),
        (t("Queue"), joined(literal(job.queue), job.priority and literal(job.priority)) if job.queue else None),
        (t("Platform's state"), literal(job.platform_state) if job.platform_state else None),
        (t("Why"), prose(job.reason, 600) if job.reason else None),
        (t("Replicas"), str(job.replicas) if job.replicas else None),
        (t("Framework"), literal(job.framework) if job.framework else None),
        (t("Created"), date(job.created_at) if job.created_at else None),
        (t("Started"), date(job.started_at) if job.started_at else None),
        (t("Ended"), date(job.finished_at) if job.finished_at else None),
        (t("Image"), code(job.image) if job.image else None),
    ]


def job_buttons(
    voice: Voice, job: Job, incident: int | None = None, offered: frozenset[Can] = frozenset()
) -> list[Block | None]:
    """What can be looked at or done with the job now, as far as its cloud offers it."""
    target, t = Target.of_job(job, incident).value(), voice.t
    can_stop, is_running = job.state in _STOPPABLE, job.state is JobState.RUNNING
    return [
        button(t("Usage"), Action.USAGE, target),
        button(t("Logs"), Action.LOGS, target),
        button(t("Events"), Action.ASK, Events(job=str(job.key)).text()),
        button(t("Open terminal"), Action.TERMINAL, target) if is_running else None,
        button(t("Stop job…"), Action.STOP, target, "danger") if can_stop else None,
        *(_over_buttons(voice, job, target, offered) if job.state.is_over else [_priority(voice, target, offered)]),
    ]


def _priority(voice: Voice, target: str, offered: frozenset[Can]) -> Block | None:
    return button(voice.t("Priority…"), Action.PRIORITY, target) if Can.PRIORITY in offered else None


def _over_buttons(voice: Voice, job: Job, target: str, offered: frozenset[Can]) -> list[Block | None]:
    t, again = voice.t, SubmitJob(job=str(job.key)).text()
    return [
        button(t("Run again…"), Action.SUBMIT, again) if Can.SUBMIT in offered else None,
        button(t("Restart job…"), Action.RESTART_JOB, target) if Can.RESTART in offered else None,
        button(t("Delete job…"), Action.DELETE_JOB, target, "danger") if Can.DELETE in offered else None,
    ]


def latest_use(answer: JobView) -> UseLine | None:
    """Each GPU's mean over the last ten minutes of the window."""
    if answer.window is None:
        return None
    return UseLine.of(answer.use, answer.window.end, timedelta(minutes=10))


def _incident_line(voice: Voice, answer: JobView, now: datetime) -> str:
    incident = answer.incident
    if incident is None:
        return ""
    sign = words.sign(incident, incident.state(now))
    ask = voice.t(
        "`{command} {text}` shows more", command=voice.command, text=ShowIncident(incident=incident.id).text()
    )
    return f"{sign} *{literal(voice.kind(incident.kind))}* · {state_words(voice, incident, now)} · {ask}"
