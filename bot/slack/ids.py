"""Every action id, callback id and block id, and the payload that a button carries. One name per action everywhere.

A button's value outlives the process that made it, so it holds addresses only (no state, no name), carries a version,
and what cannot be read any more is answered with a sentence.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from bot.domain.errors import CommandError
from bot.domain.job import Job, JobKey
from bot.domain.wording import say

VERSION = 1


class Action(StrEnum):
    """What a click asks for. The value is a `Target`, or for those marked C the text of a command."""

    STOP = "stop"  # opens the confirmation
    TERMINAL = "terminal"
    ACKNOWLEDGE = "acknowledge"
    MUTE = "mute"  # opens the dialog
    UNMUTE = "unmute"
    RESOLVE = "resolve"
    USAGE = "usage"
    LOGS = "logs"
    MORE = "more"  # a card's overflow menu; the option's value is `<action> <target>`
    ASK = "ask"  # C: run this command and answer privately
    PAGE_BACK = "page_back"  # C: replace the private answer
    PAGE_ON = "page_on"  # C
    SUBMIT = "submit"  # C: opens the form for a job
    START_FROM = "start_from"  # in that form: begin with this job; the value is its `cloud/id`
    PRIORITY = "priority"  # opens the dialog, as do all below
    DELETE_JOB = "delete_job"
    RESTART_JOB = "restart_job"
    NEW_QUEUE = "new_queue"  # any value
    EDIT_QUEUE = "edit_queue"  # the value is a `QueueTarget`
    DELETE_QUEUE = "delete_queue"
    SHOW = "show_to_channel"  # C: run this command and answer to everybody
    OPEN_LINK = "open_link"  # a link button; Slack sends a click for it all the same


class Modal(StrEnum):
    """Callback ids of dialogs; private_metadata is a `Target`, or what stands beside the name."""

    STOP = "stop"
    MUTE = "mute"
    PRIORITY = "priority"
    DELETE_JOB = "delete_job"
    RESTART_JOB = "restart_job"
    SUBMIT = "submit"  # OrderTarget
    NEW_QUEUE = "new_queue"  # nothing
    EDIT_QUEUE = "edit_queue"  # QueueTarget
    DELETE_QUEUE = "delete_queue"  # QueueTarget
    NOTICE = "notice"  # says something, asks nothing


class Field(StrEnum):
    """Block ids of inputs; each input's action id is the same word."""

    REASON = "reason"
    SPAN = "span"
    CUSTOM_SPAN = "custom_span"
    PRIORITY = "priority"
    SPOT = "spot"
    DEFINITION = "definition"
    NAME = "name"
    PARENT = "parent"
    DESCRIPTION = "description"
    DESERVED = "deserved"
    GUARANTEE = "guarantee"
    CAPABILITY = "capability"
    OVERSELL = "oversell"
    RECLAIMABLE = "reclaimable"
    STRATEGY = "strategy"


HOME = "home"


@dataclass(frozen=True, slots=True)
class Target:
    """What a button acts on: an incident, a job of a certain run (`started_at` in Unix seconds), a pod of it."""

    incident: int | None = None
    job: JobKey | None = None
    started_at: int | None = None
    pod: str | None = None

    @classmethod
    def of_job(cls, job: Job, incident: int | None = None, pod: str | None = None) -> "Target":
        return cls(incident, job.key, seconds(job.started_at), pod)

    def value(self) -> str:
        """The button's value; Slack allows 2,000 characters and the longest platform ids take 300."""
        fields = {"v": VERSION, "i": self.incident, "s": self.started_at, "p": self.pod}
        if self.job is not None:
            fields |= {"c": self.job.cloud, "j": self.job.id}
        return json.dumps({k: v for k, v in fields.items() if v is not None}, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, value: str | None) -> "Target":
        """Raises `CommandError` for a value that this version did not write."""
        try:
            fields = json.loads(value or "")
            if fields["v"] != VERSION:
                raise ValueError(fields["v"])
            job = JobKey(fields["c"], fields["j"]) if "c" in fields else None
            return cls(fields.get("i"), job, fields.get("s"), fields.get("p"))
        except (ValueError, KeyError, TypeError):
            sentence = say(
                "This button is from another version of the bot and cannot be used any more. Ask again for a fresh one."
            )
            raise CommandError(sentence) from None


def seconds(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp())


def moment(unix: int | None) -> datetime | None:
    return None if unix is None else datetime.fromtimestamp(unix, UTC)
