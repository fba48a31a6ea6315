"""The parts of dialogs: the frame, and inputs with what stands in them at first."""

from collections.abc import Sequence
from typing import Any, Protocol

from bot.slack.ids import Field, Modal
from bot.slack.views.parts import Block, plain
from bot.slack.views.voice import Voice

View = dict[str, Any]

TITLE = 24  # characters that Slack allows a dialog's title and its buttons (Slack reference §4.1)
LONGEST_TEXT = 3_000  # characters that an input holds
_CHOICES, _LABEL, _OPTION = 100, 200, 75


class Metadata(Protocol):
    def value(self) -> str: ...


def modal(
    voice: Voice,
    callback: Modal,
    title: str,
    blocks: list[Block],
    submit: str | None = None,
    metadata: Metadata | None = None,
) -> View:
    """A dialog; one that cannot be sent in is closed, not cancelled."""
    view: View = {
        "type": "modal",
        "callback_id": str(callback),
        "title": plain(title, TITLE),
        "close": plain(voice.t("Cancel") if submit else voice.t("Close"), TITLE),
        "blocks": blocks,
        "private_metadata": metadata.value() if metadata else "",
    }
    return view | {"submit": plain(submit, TITLE)} if submit else view


def text_input(
    field: Field,
    label: str,
    hint: str = "",
    most: int = LONGEST_TEXT,
    *,
    initial: str = "",
    lines: bool = False,
    needed: bool = False,
    block_id: str | None = None,
) -> Block:
    """One line, or several. Slack keeps what was typed into a block of the same id, whatever `initial` says later."""
    element: Block = {"type": "plain_text_input", "action_id": str(field), "max_length": most}
    element |= {"placeholder": plain(hint, 150)} if hint else {}
    element |= {"multiline": True} if lines else {}
    element |= {"initial_value": initial[:most]} if initial else {}
    return {
        "type": "input",
        "block_id": block_id or str(field),
        "label": plain(label, _LABEL),
        "element": element,
        "optional": not needed,
    }


def choice(
    field: Field, label: str, choices: Sequence[tuple[str, str]], initial: str | None = None, *, needed: bool = True
) -> Block:
    """One of the choices (text and value), each value once; `initial` is a value, or None for none yet."""
    distinct = {value: text for text, value in choices}
    options = [{"text": plain(text, _OPTION), "value": value} for value, text in distinct.items()][:_CHOICES]
    first = next((option for option in options if option["value"] == initial), None)
    element: Block = {"type": "static_select", "action_id": str(field), "options": options}
    element |= {"initial_option": first} if first else {}
    return {
        "type": "input",
        "block_id": str(field),
        "label": plain(label, _LABEL),
        "element": element,
        "optional": not needed,
    }
