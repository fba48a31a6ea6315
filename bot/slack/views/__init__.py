"""Pure Block Kit builders: domain values in, messages out. `Views` is their one face for delivery and listeners.

Nothing here waits, looks at a clock or asks anybody; equal arguments give equal messages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.domain.answers import AlarmList, Answer, HealthView, JobList, SubmitOffer, TopologyView
from bot.domain.capacity import Queue, Spot
from bot.domain.incident import Incident
from bot.domain.job import Job
from bot.domain.note import Note
from bot.domain.outbox import Storm
from bot.domain.series import UseLine
from bot.domain.wording import Sentence
from bot.messages import Texts
from bot.relay.act import QueueReceipt
from bot.slack.rendering import Rendered
from bot.slack.views import answers, job_forms, modals, queue_forms
from bot.slack.views.card import card
from bot.slack.views.graph import caption
from bot.slack.views.home import home
from bot.slack.views.mrkdwn import escape
from bot.slack.views.notes import note
from bot.slack.views.parts import context, message, section
from bot.slack.views.queue_receipt import queue_receipt
from bot.slack.views.storm import storm
from bot.slack.views.voice import Voice, nobody, person

View = dict[str, Any]


class Views:
    """All messages in one language. Cheap to make: one per reader's language.

    `person_of` gives a cloud user's Slack id where it is already known, and must not wait.
    """

    def __init__(self, texts: Texts, command: str = "/gpu", person_of: Callable[[str], str | None] = nobody) -> None:
        self._voice = Voice(texts, command, person_of)

    def card(self, incident: Incident, now: datetime) -> Rendered:
        return card(self._voice, incident, now)

    def note(self, incident: Incident, told: Note) -> Rendered:
        return note(self._voice, incident, told)

    def receipt(self, told: Note) -> Rendered:
        """A note of what was done to a job that no incident is about."""
        return note(self._voice, None, told)

    def notice(self, text: str) -> Rendered:
        return message([section(escape(text))])

    def storm(self, told: Storm, now: datetime) -> Rendered:
        return storm(self._voice, told, now)

    def answer(self, answer: Answer, now: datetime, command_text: str, private: bool = True) -> Rendered:
        """An answer with its sources. `command_text` gives it again; not `private` is what everybody sees."""
        return answers.render(self._voice, answer, now, command_text, private)

    def shown_by(self, shown: Rendered, by: str) -> Rendered:
        """An answer for everybody with who showed it: Slack itself names only the app."""
        return replace(shown, blocks=(*shown.blocks, context(self._voice.t("shown by {person}", person=person(by)))))

    def topology_caption(self, answer: TopologyView, drawn: int) -> tuple[str, str]:
        """What stands over and under a picture that shows so many machines; plain text."""
        return caption(self._voice, answer, drawn)

    def sentence(self, sentence: Sentence) -> Rendered:
        """A sentence to a person as a whole message, its values escaped."""
        return message([section(self._voice.sentence(sentence))])

    def words(self, sentence: Sentence) -> str:
        """A sentence as plain words, for places that know no markup such as a field's error."""
        return self._voice.t.sentence(sentence)

    def stop_waiting(self) -> View:
        return modals.stop_waiting(self._voice)

    def stop_under_way(self) -> View:
        return modals.stop_under_way(self._voice)

    def stop_question(self, job: Job, incident: Incident | None, use: UseLine | None, now: datetime) -> View:
        return modals.stop_question(self._voice, job, incident, use, now)

    def stop_refused(self, job: Job | None, sentence: Sentence, now: datetime) -> View:
        return modals.stop_refused(self._voice, job, sentence, now)

    def waiting(self, title: Sentence, said: Sentence) -> View:
        """What stands in a dialog while something is read or done."""
        return modals.waiting(self._voice, title, said)

    def refused(self, title: Sentence, refusal: Sentence) -> View:
        return modals.refused(self._voice, title, refusal)

    def priority_question(self, job: Job, incident: int | None, now: datetime) -> View:
        return job_forms.priority_question(self._voice, job, incident, now)

    def delete_question(self, job: Job, incident: int | None, now: datetime) -> View:
        return job_forms.delete_question(self._voice, job, incident, now)

    def restart_question(self, job: Job, incident: int | None, now: datetime) -> View:
        return job_forms.restart_question(self._voice, job, incident, now)

    def submit_form(
        self, offer: SubmitOffer, token: str, text: str, spot: str | None = None, problem: Sentence | None = None
    ) -> View:
        return job_forms.submit_form(self._voice, offer, token, text, spot, problem)

    def queue_new(self, spots: Sequence[Spot], typed: Mapping[str, str], problem: Sentence | None = None) -> View:
        return queue_forms.queue_new(self._voice, spots, typed, problem)

    def queue_edit(self, queue: Queue, seen: str) -> View:
        return queue_forms.queue_edit(self._voice, queue, seen)

    def queue_delete(self, queue: Queue, seen: str) -> View:
        return queue_forms.queue_delete(self._voice, queue, seen)

    def queue_receipt(self, receipt: QueueReceipt) -> Rendered:
        return queue_receipt(self._voice, receipt)

    def mute_question(self, incident: Incident) -> View:
        return modals.mute_question(self._voice, incident)

    def notice_dialog(self, sentence: Sentence, ok: bool | None = False) -> View:
        return modals.notice_dialog(self._voice, sentence, ok)

    def concluded(self, sentence: Sentence, ok: bool | None, receipt: Rendered | None = None) -> View:
        """What came of what a dialog asked for, with the receipt that nobody else gets."""
        view = self.notice_dialog(sentence, ok)
        return view | {"blocks": [*view["blocks"], *(receipt.blocks if receipt else ())]}

    def home(self, alarms: AlarmList, jobs: JobList, health: HealthView, now: datetime) -> View:
        return home(self._voice, alarms, jobs, health, now)
