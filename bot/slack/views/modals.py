"""Dialogs: the question before a stop, the length of a mute, and sentences that need an answer to a click.

A dialog opens at once in its waiting form, because the click's permission to open one lasts three seconds.
"""

from datetime import datetime

from bot.domain.incident import Incident
from bot.domain.job import Job
from bot.domain.series import UseLine
from bot.domain.wording import Sentence
from bot.slack.ids import Field, Modal, Target
from bot.slack.views.card import subject_name
from bot.slack.views.forms import View, choice, modal, text_input
from bot.slack.views.jobs import standing
from bot.slack.views.mrkdwn import code, line, literal
from bot.slack.views.parts import context, fields, section
from bot.slack.views.strip import strip
from bot.slack.views.voice import Voice, date

SPANS = ("30m", "2h", "8h", "24h")
_REASON = 500


def stop_waiting(voice: Voice) -> View:
    """What stands there while the job is read."""
    return modal(voice, Modal.NOTICE, voice.t("Stop job"), [section(voice.t("⏳ One moment, looking at the job…"))])


def stop_under_way(voice: Voice) -> View:
    """What stands there while the platform is asked and watched; it may be closed, the card and its thread tell."""
    words = voice.t("⏳ Asked to stop. Watching until it has; you may close this.")
    return modal(voice, Modal.NOTICE, voice.t("Stop job"), [section(words)])


def waiting(voice: Voice, title: Sentence, said: Sentence) -> View:
    return modal(voice, Modal.NOTICE, voice.t.sentence(title), [section(f"⏳ {voice.sentence(said)}")])


def refused(voice: Voice, title: Sentence, refusal: Sentence) -> View:
    return modal(voice, Modal.NOTICE, voice.t.sentence(title), [section(f"🚫 {voice.sentence(refusal)}")])


def stop_question(voice: Voice, job: Job, incident: Incident | None, use: UseLine | None, now: datetime) -> View:
    """What will be stopped, as read just now; sending it in is the confirmation."""
    t = voice.t
    holds = voice.gpus(job)
    asked = t("*Stop this job?* Its processes end and its GPUs are given back. This cannot be undone.")
    blocks = [
        section(asked),
        *fields(
            [
                (t("Job"), f"{code(job.name or job.id)}\n{code(job.id)}"),
                (t("Owner"), voice.owner(job.owner) or t("unknown")),
                (t("GPUs"), holds),
                (t("State"), standing(voice, job, now)),
                (t("Cloud"), line(job.cloud)),
                (t("Started"), date(job.started_at) if job.started_at else None),
            ]
        ),
        section(strip(voice, use, job.replicas)) if use else section(t("GPU use: no data")),
        context(t("Read {when}", when=date(now))),
        text_input(Field.REASON, t("Reason"), t("Everybody who follows the thread sees it"), _REASON),
    ]
    target = Target.of_job(job, incident.id if incident else None)
    return modal(voice, Modal.STOP, t("Stop job"), blocks, submit=t("Stop job"), metadata=target)


def stop_refused(voice: Voice, job: Job | None, sentence: Sentence, now: datetime) -> View:
    """Why the job may not or cannot be stopped, with what is true of it now."""
    blocks = [section(f"🚫 {voice.sentence(sentence)}")]
    if job is not None:
        blocks.append(section(f"{code(job.name or job.id)} · {standing(voice, job, now)}"))
        blocks.append(context(voice.t("Read {when}", when=date(now))))
    return modal(voice, Modal.NOTICE, voice.t("Stop job"), blocks)


def mute_question(voice: Voice, incident: Incident) -> View:
    """For how long: a usual span, or one that is typed and then counts instead."""
    t = voice.t
    about = t(
        "*{kind}* of {name}: no reminders and no repeats until then. A new kind of trouble still speaks.",
        kind=literal(voice.kind(incident.kind)),
        name=code(subject_name(incident), 100),
    )
    blocks = [
        section(about),
        choice(
            Field.SPAN,
            t("For"),
            [(t("{age} from now", age=_spelt(voice, span)), span) for span in SPANS],
            SPANS[1],
        ),
        text_input(Field.CUSTOM_SPAN, t("Or any other time"), t("for instance 90m, 3h or 2d"), 20),
        text_input(Field.REASON, t("Reason"), t("Everybody who follows the thread sees it"), _REASON),
    ]
    return modal(voice, Modal.MUTE, t("Mute"), blocks, submit=t("Mute"), metadata=Target(incident=incident.id))


def notice_dialog(voice: Voice, sentence: Sentence, ok: bool | None) -> View:
    """A sentence that asks nothing; `ok` is None while it is not known what came of it."""
    title, sign = {
        True: (voice.t("Done"), "✅"),
        False: (voice.t("Not done"), "🚫"),
        None: (voice.t("Not known yet"), "⏳"),
    }[ok]
    return modal(voice, Modal.NOTICE, title, [section(f"{sign} {voice.sentence(sentence)}")])


def _spelt(voice: Voice, span: str) -> str:
    number, unit = int(span[:-1]), span[-1]
    return voice.t("{n} min", n=number) if unit == "m" else voice.t("{n} h", n=number)
