"""How a test looks at a message: as lines that a person would read, and as blocks that Slack must take."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from slack_sdk.models.blocks import Block

from bot.messages import texts
from bot.simulator.slack.blockkit import check_home, check_message, check_modal
from bot.slack.rendering import Rendered
from bot.slack.views import Views
from bot.slack.views.parts import BLOCKS, CHARACTERS, FALLBACK, weight

PEOPLE = {"li.wei": "U02LIWEI", "anna.schmidt": "U03ANNA"}
EN = Views(texts("en"), "/gpu", PEOPLE.get)
ZH = Views(texts("zh"), "/gpu", PEOPLE.get)

_DATE = re.compile(r"<!date\^\d+\^[^|]*\|([^>]*)>")


def look(message: Rendered) -> str:
    """The message's texts from top to bottom, times as UTC, buttons in brackets with their action."""
    return "\n".join(line for block in message.blocks for line in _lines(block))


def look_at_view(view: Mapping[str, Any]) -> str:
    """A dialog's or a tab's texts, inputs with their labels."""
    return "\n".join(line for block in view["blocks"] for line in _lines(block))


def actions(message: Rendered) -> list[str]:
    """The action ids of all buttons, a menu's entries by the word before their value."""
    return [name for block in message.blocks for element in _elements(block) for name in _names(element)]


def faults(message: Rendered) -> list[str]:
    """What Slack, its Python library or our own budget would object to; none for a sound message."""
    blocks = [dict(block) for block in message.blocks]
    found = [str(defect) for defect in check_message(blocks)]
    found += ["another block after parsing" for block in blocks if _parsed(block) != block]
    found += ["too many blocks"] * (len(blocks) > BLOCKS) + ["too much text"] * (weight(blocks) > CHARACTERS)
    found += ["no text"] * (not message.text) + ["text too long"] * (len(message.text) > FALLBACK)
    return found + ["a fence is left open"] * any(text.count("```") % 2 for text in marked_texts_of(blocks))


def view_faults(view: Mapping[str, Any]) -> list[str]:
    check = check_home if view["type"] == "home" else check_modal
    return [str(defect) for defect in check(dict(view))]


def texts_of(node: Any) -> Iterable[str]:
    """Every text within."""
    if isinstance(node, Mapping):
        if isinstance(node.get("text"), str):
            yield node["text"]
        node = list(node.values())
    if isinstance(node, list | tuple):
        for item in node:
            yield from texts_of(item)


def marked_texts_of(blocks: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Texts in which markup counts."""
    return (text for block in blocks if block["type"] != "header" for text in texts_of(block))


def _parsed(block: dict[str, Any]) -> dict[str, Any] | None:
    parsed = Block.parse(block)
    return parsed.to_dict() if parsed else None


def _lines(block: Mapping[str, Any]) -> Iterable[str]:
    match block["type"]:
        case "header":
            yield f"# {block['text']['text']}"
        case "section":
            shown = [block["text"]] if "text" in block else block["fields"]
            yield from (_DATE.sub(r"\1", one["text"]) for one in shown)
        case "context":
            yield from (f"({_DATE.sub(lambda found: found[1], one['text'])})" for one in block["elements"])
        case "input":
            yield f"{block['label']['text']}: <{block['element']['type']}>"
    shown = [f"[{_label(element)}]" for element in _elements(block)]
    yield from [" ".join(shown)] if shown else []


def _label(element: Mapping[str, Any]) -> str:
    if element["type"] == "overflow":
        return "… " + ", ".join(option["text"]["text"] for option in element["options"])
    if element["type"] == "static_select":
        return f"{element['placeholder']['text']}: " + ", ".join(one["text"]["text"] for one in element["options"])
    return f"{element['text']['text']}"


def _elements(block: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    accessory = [block["accessory"]] if "accessory" in block else []
    return [*(block["elements"] if block["type"] == "actions" else []), *accessory]


def _names(element: Mapping[str, Any]) -> list[str]:
    if element["type"] == "overflow":
        return [option["value"].split(" ")[0] for option in element["options"]]
    return [element["action_id"]]
