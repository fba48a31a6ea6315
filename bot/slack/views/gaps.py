"""Where an answer comes from and what is missing in it, in plain words with what to do about it."""

from datetime import datetime

from bot.domain.answers import Gap, Origin
from bot.domain.wording import say
from bot.slack.views.mrkdwn import line, literal
from bot.slack.views.voice import Voice, joined, time

_KINDS = {
    "Unreachable": say("it does not answer; the bot keeps trying"),
    "Throttled": say("it asks for fewer questions; the bot waits"),
    "Refused": say("it refuses the bot's credentials; an operator must look at the keys"),
    "ClockSkew": say("its clock and the bot's differ; an operator must set the clock"),
    "Unreadable": say("its answer cannot be read; an operator must look at the endpoint and its version"),
    "NotFound": say("it does not know this (any more)"),
    "NotAvailable": say("it does not offer this"),
    "Rejected": say("it said no"),
    "Uncertain": say("it is not known whether it was done; look again before repeating it"),
}
_UNKNOWN = say("it did not give an answer")


def gap_words(voice: Voice, kind: str) -> str:
    """An error's class name in plain words."""
    return voice.t.sentence(_KINDS.get(kind, _UNKNOWN))


def origin_words(voice: Voice, origin: Origin, now: datetime) -> str | None:
    """Every cloud with the age of what it said, and those that are missing; None where nothing was read."""
    missing = {gap.cloud for gap in origin.gaps}
    read = [f"{literal(cloud)} {voice.ago(at, now)}" for cloud, at in origin.read if cloud not in missing]
    return joined(*read, *(gap_line(voice, gap) for gap in origin.gaps)) or None


def gap_line(voice: Voice, gap: Gap) -> str:
    """One missing cloud: why, since when, and how old what stands in for it is."""
    why = gap_words(voice, gap.kind)
    parts = [f"⚠️ {literal(gap.cloud)}: {why}", f"({line(gap.detail, 200)})" if gap.detail else ""]
    said = " ".join(filter(None, parts))
    since = voice.t("since {when}", when=time(gap.since)) if gap.since else None
    shown = voice.t("shown as of {when}", when=time(gap.as_of)) if gap.as_of else voice.t("not shown here")
    tried = voice.t("next try {when}", when=time(gap.next_try)) if gap.next_try else None
    return ", ".join(filter(None, [said, since, shown, tried]))
