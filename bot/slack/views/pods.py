"""The pods of a job, and one pod with what its platform tells about it."""

from datetime import datetime

from bot.domain.answers import PodList, PodView
from bot.domain.command import ShowPod
from bot.domain.job import Pod, PodState
from bot.slack.ids import Action, Target
from bot.slack.views import words
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import code, line, literal, prose
from bot.slack.views.parts import Block, button, context, fields, header, section
from bot.slack.views.usage import use_lines
from bot.slack.views.voice import Voice, date, joined

_FACTS = 20


def pod_list(voice: Voice, answer: PodList, now: datetime) -> Draft:
    t = voice.t
    counted = joined(code(answer.job.name or answer.job.id), t.n("{n} pod", "{n} pods", len(answer.pods)))
    empty = [] if answer.pods else [section(t("The platform names no pods of this job."))]
    return Draft(
        head=[header(t("Pods")), context(counted), *empty],
        rows=[_row(voice, answer, pod, now) for pod in answer.pods],
        more=lambda n: t("and {n} more pods", n=n),
        origin=answer.origin,
    )


def _row(voice: Voice, answer: PodList, pod: Pod, now: datetime) -> Block:
    look = button(voice.t("Details"), Action.ASK, ShowPod(job=str(answer.job.key), pod=pod.name).text())
    return section(pod_line(voice, pod, now), look)


def pod_line(voice: Voice, pod: Pod, now: datetime) -> str:
    """State and name, and how it stands in a second line."""
    name = joined(f"{words.POD_SIGN[pod.state]} {code(pod.name, 120)}", literal(pod.role, 40) if pod.role else None)
    return f"{name}\n{pod_standing(voice, pod, now)}"


def pod_standing(voice: Voice, pod: Pod, now: datetime) -> str:
    """State with its age, GPUs, machine, restarts, and the platform's reason."""
    t = voice.t
    state = t.sentence(words.POD[pod.state])
    age = voice.age(now - pod.created_at) if pod.created_at and pod.finished_at is None else None
    return joined(
        f"{state} {age}" if age else state,
        t.n("{n} GPU", "{n} GPUs", pod.gpu_count) if pod.gpu_count is not None else None,
        literal(pod.node, 80) if pod.node else None,
        t.n("{n} restart", "{n} restarts", pod.restarts) if pod.restarts else None,
        prose(pod.reason, 200) if pod.reason else None,
    )


def pod_view(voice: Voice, answer: PodView, now: datetime) -> Draft:
    """One pod. Facts are the platform's own words."""
    pod, job, t = answer.detail.pod, answer.job, voice.t
    facts = [(line(label, 60), prose(value, 300)) for label, value in answer.detail.facts[:_FACTS]]
    target = Target.of_job(job, pod=pod.name).value()
    has_terminal = pod.has_terminal and pod.state is PodState.RUNNING
    return Draft(
        head=[header(f"{words.POD_SIGN[pod.state]} {pod.name}"), section(pod_standing(voice, pod, now))],
        rows=[
            *fields([*_own_facts(voice, answer), *facts]),
            *([section(use_lines(voice, answer.use, answer.window))] if answer.use and answer.window else []),
        ],
        buttons=[
            button(t("Usage"), Action.USAGE, target),
            button(t("Logs"), Action.LOGS, target),
            button(t("Open terminal"), Action.TERMINAL, target) if has_terminal else None,
        ],
        more=lambda n: t("and more facts than fit"),
        origin=answer.origin,
    )


def _own_facts(voice: Voice, answer: PodView) -> list[tuple[str, str | None]]:
    detail, t = answer.detail, voice.t
    pod = detail.pod
    return [
        (t("Job"), code(answer.job.name or answer.job.id)),
        (t("Platform's state"), literal(pod.platform_state) if pod.platform_state else None),
        (t("Node"), literal(pod.node) if pod.node else None),
        (t("Pod IP"), literal(pod.ip) if pod.ip else None),
        (t("Host IP"), literal(detail.host_ip) if detail.host_ip else None),
        (t("Namespace"), literal(detail.namespace) if detail.namespace else None),
        (t("QoS class"), literal(detail.qos_class) if detail.qos_class else None),
        (t("Created by"), literal(detail.created_by) if detail.created_by else None),
        (t("Created"), date(pod.created_at) if pod.created_at else None),
        (t("Ended"), date(pod.finished_at) if pod.finished_at else None),
    ]
