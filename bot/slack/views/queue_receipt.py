"""What was done to a queue, old and new side by side."""

from bot.domain.quota import Change
from bot.domain.wording import say
from bot.relay.act import QueueReceipt
from bot.slack.rendering import Rendered
from bot.slack.views.mrkdwn import code, line, literal
from bot.slack.views.parts import context, message, section
from bot.slack.views.voice import Voice, date, person

_MOST = 30
_FACETS = {
    "description": say("description"),
    "deserved": say("quota"),
    "guarantee": say("guaranteed"),
    "capability": say("limit"),
    "oversell": say("may take what others leave free"),
    "reclaimable": say("its jobs may be preempted"),
    "strategy": say("order of its jobs"),
}
_FLAGS = {"yes": say("yes"), "no": say("no")}


def queue_receipt(voice: Voice, receipt: QueueReceipt) -> Rendered:
    t = voice.t
    told = [_change(voice, one) for one in receipt.changes]
    if len(told) > _MOST:
        told = [*told[:_MOST], t("and {n} more", n=len(told) - _MOST)]
    unread = [t("The queue could not be read again afterwards.")] if not receipt.confirmed else []
    place = context(f"{literal(receipt.key.pool)} · {literal(receipt.key.cloud)}")
    return message([section("\n".join([_headline(voice, receipt), *unread, *told])), place])


def _headline(voice: Voice, receipt: QueueReceipt) -> str:
    words = {"who": person(receipt.by), "queue": code(receipt.key.name), "when": date(receipt.at)}
    if receipt.before is None:
        return voice.t("🆕 {who} made the queue {queue}, {when}.", **words)
    if receipt.after is None and receipt.confirmed:
        return voice.t("🗑️ {who} deleted the queue {queue}, {when}.", **words)
    return voice.t("✏️ {who} changed the queue {queue}, {when}.", **words)


def _change(voice: Voice, change: Change) -> str:
    """`quota a800: 8 → 16`"""
    facet = voice.t.sentence(_FACETS[change.facet])
    what = f"{facet} {code(change.resource, 80)}" if change.resource else facet
    return f"• {what}: {_value(voice, change.before)} → {_value(voice, change.after)}"


def _value(voice: Voice, value: str | None) -> str:
    if value is None:
        return "–"
    return voice.t.sentence(_FLAGS[value]) if value in _FLAGS else line(value, 120)
