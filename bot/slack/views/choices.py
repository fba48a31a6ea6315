"""Answers that ask back or act: what was perhaps meant, a stop, a terminal, and plain sentences.

None of them can be shown to a channel: they are for the one who asked.
"""

from datetime import datetime

from bot.domain.answers import Candidates, Said, StopOffer, SubmitOffer, TerminalHandout, TerminalOffer
from bot.domain.command import SubmitJob
from bot.domain.job import Pod, PodState
from bot.domain.wording import say
from bot.slack.ids import Action, Target
from bot.slack.views import words
from bot.slack.views.draft import Draft
from bot.slack.views.jobs import job_lines
from bot.slack.views.mrkdwn import code, line
from bot.slack.views.parts import Block, actions, button, context, link, section
from bot.slack.views.pods import pod_line
from bot.slack.views.voice import Voice, joined

_WHAT = {
    "job": say("job"),
    "pod": say("pod"),
    "incident": say("incident"),
    "queue": say("queue"),
    "pool": say("pool"),
    "node": say("node"),
    "cluster": say("cluster"),
}


def candidates(voice: Voice, answer: Candidates, now: datetime) -> Draft:
    """Each choice with the button that asks again for just that one."""
    t = voice.t
    what = t.sentence(_WHAT[answer.what]) if answer.what in _WHAT else line(answer.what, 40)
    wanted = code(answer.wanted)
    if not answer.wanted:
        asked = t("Which {what}?", what=what)
    elif answer.exact:
        asked = t("{wanted} fits more than one {what}. Which one?", wanted=wanted, what=what)
    elif answer.choices:
        asked = t("There is no {what} {wanted}. Did you mean one of these?", wanted=wanted, what=what)
    else:
        asked = t("There is no {what} {wanted}, and nothing like it.", wanted=wanted, what=what)
    left_out = [context(t("and {n} more: write more of the name", n=answer.left_out))] if answer.left_out else []
    return Draft(
        head=[section(asked)],
        rows=[_choice(voice, answer, typed, about) for typed, about in answer.choices],
        foot=left_out,
        more=lambda n: t("and {n} more: write more of the name", n=n),
        shareable=False,
    )


def _choice(voice: Voice, answer: Candidates, typed: str, about: str) -> Block:
    command = answer.command.replace("{choice}", typed)  # typed as it is read back: quoted where that is needed
    told = joined(*(_known(voice, part) for part in about.split(" · "))) if answer.what == "job" else line(about, 200)
    lines = (told, code(typed)) if answer.what == "job" else (code(typed), told)
    return section("\n".join(lines), button(voice.t("This one"), Action.ASK, command))


def _known(voice: Voice, word: str) -> str:
    """A job's state in the reader's language, everything else as it is."""
    state = words.job_state(word)
    return voice.t.sentence(state) if state else line(word, 120)


def stop_offer(voice: Voice, answer: StopOffer, now: datetime) -> Draft:
    """The job as read just now, with the button that asks once more, or why not."""
    t, job = voice.t, answer.job
    lines = section(job_lines(voice, job, now))
    if answer.refusal is not None:
        return Draft(head=[section(f"🚫 {voice.sentence(answer.refusal)}"), lines], shareable=False)
    target = Target.of_job(job, answer.incident.id if answer.incident else None)
    return Draft(
        head=[section(t("*Stop this job?* You will be asked once more.")), lines],
        buttons=[button(t("Stop job…"), Action.STOP, target.value(), "danger")],
        shareable=False,
    )


def submit_offer(voice: Voice, answer: SubmitOffer, now: datetime) -> Draft:
    """The button that opens the form, for where no form could be opened at once."""
    t, of = voice.t, answer.of
    about = [section(job_lines(voice, of, now))] if of else []
    if answer.refusal is not None:
        return Draft(head=[section(f"🚫 {voice.sentence(answer.refusal)}"), *about], shareable=False)
    asked = t("*Run this job again?* A form shows its definition first.") if of else t("*Submit a job?*")
    command = SubmitJob(job=str(of.key) if of else None).text()
    return Draft(
        head=[section(asked), *about], buttons=[button(t("Open the form…"), Action.SUBMIT, command)], shareable=False
    )


def terminal_offer(voice: Voice, answer: TerminalOffer, now: datetime) -> Draft:
    """The pods that a terminal can be opened in, each with its button."""
    t, job = voice.t, answer.job
    about = section(job_lines(voice, job, now))
    if answer.refusal is not None:
        return Draft(head=[section(f"🚫 {voice.sentence(answer.refusal)}"), about], shareable=False)
    none = [] if answer.pods else [section(t("No pod of this job offers a terminal now."))]
    return Draft(
        head=[about, *none],
        rows=[_terminal(voice, answer, pod, now) for pod in answer.pods],
        more=lambda n: t("and {n} more pods: name the one you mean", n=n),
        shareable=False,
    )


def _terminal(voice: Voice, answer: TerminalOffer, pod: Pod, now: datetime) -> Block:
    can_open = pod.has_terminal and pod.state in (PodState.RUNNING, PodState.UNKNOWN)
    target = Target.of_job(answer.job, pod=pod.name).value()
    opens = button(voice.t("Open terminal"), Action.TERMINAL, target) if can_open else None
    return section(pod_line(voice, pod, now), opens)


def terminal_handout(voice: Voice, answer: TerminalHandout, now: datetime) -> Draft:
    """The address stands in the button alone: it is a credential, and texts end up in notifications."""
    t = voice.t
    ready = t("🖥️ Your terminal in {pod} is ready.", pod=code(answer.pod))
    warning = t("Do not share it: whoever has the link is in. That you opened it is told in the incident's thread.")
    expires = answer.link.expires_in
    lasts = t("It can be opened within {age}.", age=voice.age(expires)) if expires else None
    return Draft(
        head=[section(ready), *actions([link(t("Open terminal"), answer.link.url)])],
        foot=[context(" ".join(filter(None, [warning, lasts])))],
        shareable=False,
    )


def said(voice: Voice, answer: Said, now: datetime) -> Draft:
    sign = "" if answer.ok else "🚫 "
    return Draft(head=[section(sign + voice.sentence(answer.sentence))], shareable=False)
