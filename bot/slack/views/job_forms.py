"""Dialogs about what else is done to a job: its priority, its deletion, its restart, and the form for a new one."""

from datetime import datetime

from bot.domain.answers import SubmitOffer
from bot.domain.definition.spelling import PRIORITIES
from bot.domain.job import Job, JobState
from bot.domain.redact import HIDDEN
from bot.domain.wording import Sentence, say
from bot.slack.ids import Action, Field, Modal, Target
from bot.slack.targets import OrderTarget
from bot.slack.views import words
from bot.slack.views.forms import LONGEST_TEXT, View, choice, modal, text_input
from bot.slack.views.jobs import job_lines
from bot.slack.views.mrkdwn import code
from bot.slack.views.parts import Block, context, plain, section
from bot.slack.views.voice import Voice, date

_PRIORITY = {"high": say("high"), "normal": say("normal"), "low": say("low")}
_LONGEST_VALUE = 150  # characters that Slack keeps of an option's value (Slack reference §4.1)
TEMPLATE = """\
name:
queue: default
image:
replicas: 1
resources:
  nvidia.com/gpu: 8
command: |
  bash run.sh
"""


def priority_question(voice: Voice, job: Job, incident: int | None, now: datetime) -> View:
    """Says when it has an effect: the platforms heed it only while a job waits."""
    t = voice.t
    heeded = t("It decides which waiting job starts next.")
    late = t("⚠️ This job does not wait any more: the platform takes the new priority and may not heed it.")
    choices = [(t.sentence(_PRIORITY[word]), word) for word in PRIORITIES]
    blocks = [
        section(job_lines(voice, job, now)),
        section(heeded if job.state is JobState.QUEUED else late),
        choice(Field.PRIORITY, t("Priority"), choices, job.priority or "normal"),
        context(t("Read {when}", when=date(now))),
    ]
    target = Target.of_job(job, incident)
    return modal(voice, Modal.PRIORITY, t("Priority"), blocks, submit=t("Change priority"), metadata=target)


def delete_question(voice: Voice, job: Job, incident: int | None, now: datetime) -> View:
    t = voice.t
    asked = t("*Delete this job?* Its record on the platform goes, with logs and events. This cannot be undone.")
    blocks = [section(asked), section(job_lines(voice, job, now)), context(t("Read {when}", when=date(now)))]
    target = Target.of_job(job, incident)
    return modal(voice, Modal.DELETE_JOB, t("Delete job"), blocks, submit=t("Delete job"), metadata=target)


def restart_question(voice: Voice, job: Job, incident: int | None, now: datetime) -> View:
    t = voice.t
    asked = t("*Start this job again?* It runs under its own id and takes GPUs as before.")
    blocks = [section(asked), section(job_lines(voice, job, now)), context(t("Read {when}", when=date(now)))]
    target = Target.of_job(job, incident)
    return modal(voice, Modal.RESTART_JOB, t("Restart job"), blocks, submit=t("Restart job"), metadata=target)


def submit_form(
    voice: Voice, offer: SubmitOffer, token: str, text: str, spot: str | None = None, problem: Sentence | None = None
) -> View:
    """The definition to be sent in. `text` is what stands in the field, `problem` why it came back."""
    t = voice.t
    source = offer.of
    spots = [(f"{one.name} · {one.cloud}", f"{one.cloud}/{one.pool}") for one in offer.spots]
    sized = [(label, value) for label, value in spots if len(value) <= _LONGEST_VALUE]
    hints = [t("YAML or JSON, also as the platform's own pages write it.")]
    hints += (
        [t("What reads ‹hidden› is taken from {job} as it was.", job=code(source.name))]
        if source and HIDDEN in text
        else []
    )
    blocks = [
        *([section(f"🚫 {voice.sentence(problem)}")] if problem else []),
        *_beginning(voice, offer),
        choice(Field.SPOT, t("Pool"), sized, spot or sized[0][1]),
        text_input(
            Field.DEFINITION,
            t("Definition"),
            initial=text,
            lines=True,
            needed=True,
            block_id=definition_block(source),
        ),
        context(" ".join(hints)),
    ]
    target = OrderTarget(token, source.key if source else None)
    return modal(voice, Modal.SUBMIT, t("Submit job"), blocks, submit=t("Submit job"), metadata=target)


def definition_block(source: Job | None) -> str:
    """Another id for each source: Slack keeps what was typed into a block whose id stays."""
    return f"{Field.DEFINITION}:{source.key if source else ''}"[:255]


def fits(text: str) -> bool:
    return len(text) <= LONGEST_TEXT


def _beginning(voice: Voice, offer: SubmitOffer) -> list[Block]:
    """The job that is run again, or a menu of jobs to begin with."""
    if offer.of is not None:
        return [section(voice.t("Runs {job} again as a new job.", job=code(offer.of.name)))]
    recent = {str(job.key): job for job in offer.recent if len(str(job.key)) <= _LONGEST_VALUE}
    if not recent:
        return []
    options = [{"text": plain(_told(voice, job), 75), "value": key} for key, job in recent.items()]
    menu: Block = {
        "type": "static_select",
        "action_id": str(Action.START_FROM),
        "placeholder": plain(voice.t("Choose a job"), 150),
        "options": options,
    }
    return [section(voice.t("Begin with an earlier job, or write a new one:"), menu)]


def _told(voice: Voice, job: Job) -> str:
    owner = f" · {job.owner}" if job.owner else ""
    return f"{job.name[:40]} · {voice.t.sentence(words.JOB[job.state])}{owner}"
