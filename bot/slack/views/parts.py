"""The parts of which messages are built: blocks as plain values, and a message that stays within Slack's budget.

Every text is `verbatim`, so that Slack makes no link of a host's name and no mention of a word.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bot.slack.ids import Action
from bot.slack.rendering import Rendered, TextFile
from bot.slack.views.mrkdwn import bounded, clean, escape

Block = dict[str, Any]

BLOCKS = 45  # Slack takes 50 a message (Slack reference §4.1)
CHARACTERS = 10_000  # over all blocks together; Slack begins to refuse a little above (Slack reference §4.1)
FALLBACK = 3_000
_HEADER, _FIELD, _BUTTON, _VALUE = 150, 2_000, 75, 2_000


def plain(text: str, most: int) -> Block:
    flat = " ".join(clean(text).split())
    shown = flat if len(flat) <= most else flat[: most - 1] + "…"
    return {"type": "plain_text", "text": shown or "–", "emoji": False}


def marked(text: str, most: int = 2_800) -> Block:
    return {"type": "mrkdwn", "text": bounded(text, most) or "–", "verbatim": True}


def header(text: str) -> Block:
    return {"type": "header", "text": plain(text, _HEADER)}


def section(text: str, accessory: Block | None = None) -> Block:
    block: Block = {"type": "section", "text": marked(text), "expand": True}
    return block | {"accessory": accessory} if accessory else block


def fields(pairs: Iterable[tuple[str, str | None]]) -> list[Block]:
    """Label and value side by side; those without a value are left out. None, one or several blocks."""
    shown = [marked(f"*{label}*\n{value}", _FIELD) for label, value in pairs if value]
    return [{"type": "section", "fields": shown[place : place + 10]} for place in range(0, len(shown), 10)]


def context(text: str) -> Block:
    return {"type": "context", "elements": [marked(text)]}


def divider() -> Block:
    return {"type": "divider"}


def actions(elements: Iterable[Block | None]) -> list[Block]:
    """The buttons in a row; no block where there is none."""
    shown = [element for element in elements if element]
    return [{"type": "actions", "elements": shown}] if shown else []


def button(label: str, action: Action, value: str, style: str | None = None) -> Block | None:
    """A button, or None where its value is longer than Slack keeps. A row holds an action at most once."""
    if len(value) > _VALUE:
        return None
    made: Block = {"type": "button", "text": plain(label, _BUTTON), "action_id": str(action), "value": value}
    return made | {"style": style} if style else made


def link(label: str, url: str) -> Block:
    return {"type": "button", "text": plain(label, _BUTTON), "action_id": str(Action.OPEN_LINK), "url": url}


def overflow(action: Action, options: Iterable[tuple[str, str]]) -> Block:
    """The menu behind the three dots: label and value of each entry, at most five."""
    made = [{"text": plain(label, _BUTTON), "value": value} for label, value in options]
    return {"type": "overflow", "action_id": str(action), "options": made}


def weight(node: Any) -> int:
    """The characters of all texts within."""
    if isinstance(node, dict):
        own = len(node["text"]) if isinstance(node.get("text"), str) else 0
        return own + sum(weight(value) for value in node.values() if isinstance(value, dict | list))
    return sum(weight(item) for item in node) if isinstance(node, list) else 0


def assemble(
    head: Sequence[Block],
    rows: Sequence[Block],
    foot: Sequence[Block],
    left_out: Callable[[int], str],
) -> list[Block]:
    """Head and foot always, and between them as many rows as fit, with a sentence on how many do not."""
    room = CHARACTERS - weight([*head, *foot]) - 200
    most = BLOCKS - len(head) - len(foot) - 1
    kept: list[Block] = []
    for row in rows[:most]:
        room -= weight(row)
        if room < 0:
            break
        kept.append(row)
    missing = len(rows) - len(kept)
    return [*head, *kept, *([context(left_out(missing))] if missing else []), *foot]


def message(blocks: Sequence[Block], file: TextFile | None = None) -> Rendered:
    """The blocks with the text that stands in for them."""
    return Rendered(spoken(blocks), tuple(blocks), file)


def spoken(blocks: Iterable[Block], most: int = FALLBACK) -> str:
    """What the blocks say, whole blocks at a time, for notifications and for readers that show no blocks."""
    said: list[str] = []
    room = most
    for block in blocks:
        words = "\n".join(_said(block))
        if words and len(words) + 1 > room:
            break
        if words:
            said.append(words)
            room -= len(words) + 1
    return "\n".join(said)


def _said(block: Block) -> Iterable[str]:
    if block["type"] == "header":
        yield escape(block["text"]["text"])
    if block["type"] == "section":
        yield from [block["text"]["text"]] if "text" in block else []
        yield from (one["text"].replace("*\n", "* ", 1) for one in block.get("fields", ()))
    if block["type"] == "context":
        yield from (one["text"] for one in block["elements"])
