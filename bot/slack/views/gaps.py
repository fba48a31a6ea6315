"""Where an answer comes from and what is missing in it, in plain words with what to do about it."""

from datetime import datetime

from bot.domain.answers import Gap, Origin
from bot.domain.wording import say
from bot.slack.views.mrkdwn import literal, prose
from bot.slack.views.voice import Voice, joined, time

_KINDS = {
    "Unreachable": say("no answer"),
    "Throttled": say("asked too often"),
    "Refused": say("credentials refused"),
    "ClockSkew": say("clocks differ"),
    "Unreadable": say("unreadable answer"),
    "NotFound": say("not known there any more"),
    "NotAvailable": say("not offered there"),
    "Rejected": say("refused"),
    "Uncertain": say("outcome unknown"),
}
_UNKNOWN = say("no usable answer")
_REMEDIES = {
    "Refused": say("an operator must look at the keys"),
    "ClockSkew": say("an operator must set the clock"),
    "Unreadable": say("an operator must look at the endpoint"),
    "Uncertain": say("look again before repeating it"),
}


def gap_words(voice: Voice, kind: str) -> str:
    """An error's class name in plain words."""
    return voice.t.sentence(_KINDS.get(kind, _UNKNOWN))


def remedy_words(voice: Voice, kind: str) -> str | None:
    """What somebody must do about it; None where waiting is all there is to do."""
    return voice.t.sentence(_REMEDIES[kind]) if kind in _REMEDIES else None


def origin_words(voice: Voice, origin: Origin, now: datetime) -> str | None:
    """Every cloud with the age of what it said, and those that are missing; None where nothing was read."""
    aged = {gap.cloud for gap in origin.gaps if gap.as_of}
    read = {cloud: at for cloud, at in origin.read if cloud not in aged}
    fresh = [f"{literal(cloud)} {voice.ago(at, now)}" for cloud, at in read.items()]
    gaps = (gap_line(voice, gap, partly=gap.cloud in read) for gap in origin.gaps)
    return joined(*fresh, *dict.fromkeys(gaps)) or None


def gap_line(voice: Voice, gap: Gap, partly: bool = False) -> str:
    """One missing cloud: why, since when, and how old what stands in for it is; `partly`: only a part is missing."""
    t = voice.t
    why = f"⚠️ {literal(gap.cloud)}: {gap_words(voice, gap.kind)}"
    since = t("since {when}", when=time(gap.since)) if gap.since else None
    detail = f"({prose(gap.detail, 200)})" if gap.detail else None
    tried = t("next try {when}", when=time(gap.next_try)) if gap.next_try else None
    said = " ".join(filter(None, [why, since, detail]))
    return ", ".join(filter(None, [said, remedy_words(voice, gap.kind), _shown(voice, gap, partly), tried]))


def _shown(voice: Voice, gap: Gap, partly: bool) -> str:
    if gap.as_of:
        return voice.t("shown as of {when}", when=time(gap.as_of))
    return voice.t("a part of the answer is missing") if partly else voice.t("not shown here")
