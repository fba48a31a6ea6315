"""What a person can enter into Block Kit elements: how a plain value becomes Slack's value object, what an element
holds before anybody touched it, and what Slack's own client refuses before it asks the app."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .errors import PersonError
from .posting import acting_elements
from .records import Json

FIELDS = {
    "static_select": "selected_option",
    "external_select": "selected_option",
    "radio_buttons": "selected_option",
    "overflow": "selected_option",
    "multi_static_select": "selected_options",
    "multi_external_select": "selected_options",
    "checkboxes": "selected_options",
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
    "rich_text_input": "rich_text_value",
}
INITIAL = {
    "selected_option": "initial_option",
    "selected_options": "initial_options",
    "selected_user": "initial_user",
    "selected_users": "initial_users",
    "selected_conversation": "initial_conversation",
    "selected_conversations": "initial_conversations",
    "selected_channel": "initial_channel",
    "selected_channels": "initial_channels",
    "selected_date": "initial_date",
    "selected_time": "initial_time",
    "selected_date_time": "initial_date_time",
    "value": "initial_value",
    "rich_text_value": "initial_value",
}
LISTS = frozenset(field for field in INITIAL if field.endswith("s"))
STATELESS = frozenset({"overflow", "button"})
REQUIRED = "Please complete this required field."


def acting(blocks: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    """Every (block, element) a person can act on, in order."""
    for block in blocks:
        for element in acting_elements(block):
            yield _holder(block, element), element


def _holder(block: Json, element: Json) -> Json:
    for child in block.get("child_blocks") or []:
        if element in acting_elements(child) and child.get("block_id"):
            return dict(child)
    return block


def find_element(blocks: Sequence[Json], action_id: str, block_id: str, value: Any) -> tuple[Json, Json]:
    """The element an action names; among several with one action_id, `block_id` or a button's `value` decides. Raises
    PersonError."""
    found = [
        (block, element)
        for block, element in acting(blocks)
        if element.get("action_id") == action_id and block_id in ("", block.get("block_id"))
    ]
    if not found:
        known = sorted({str(element.get("action_id")) for _, element in acting(blocks)})
        raise PersonError(f"nothing here has action_id {action_id!r}; there is: {', '.join(known) or 'nothing'}")
    matching = [pair for pair in found if _offers(pair[1], value)]
    if value is not None and not matching:
        raise PersonError(f"{action_id} has no value {value!r}")
    return (matching or found)[0]


def _offers(element: Json, value: Any) -> bool:
    if value is None:
        return True
    if element["type"] == "button":
        return bool(element.get("value") == value)
    if element["type"] in ("static_select", "radio_buttons", "overflow"):
        return any(value in (option["value"], option["text"]["text"]) for option in options(element))
    return True


def options(element: Json) -> list[Json]:
    grouped = [option for group in element.get("option_groups") or [] for option in group["options"]]
    return list(element.get("options") or []) + grouped


def entry(element: Json, value: Any, suggested: Sequence[Json] = ()) -> Json:
    """Slack's value object for what a person entered; `suggested` are options an external select was given. Raises
    PersonError."""
    kind = str(element["type"])
    if kind not in FIELDS:
        raise PersonError(f"a person cannot enter anything into a {kind}")
    field = FIELDS[kind]
    known = [*options(element), *suggested]
    if field == "selected_option":
        return {"type": kind, field: None if value in (None, "") else _option(known, value)}
    if field == "selected_options":
        return {"type": kind, field: [_option(known, one) for one in _several(value)]}
    if field in LISTS:
        return {"type": kind, field: _several(value)}
    return {"type": kind, field: _single(kind, value)}


def _single(kind: str, value: Any) -> Any:
    if value in (None, ""):
        return None
    if kind == "datetimepicker":
        return int(value)
    return value if kind == "rich_text_input" else str(value)


def _several(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [part.strip() for part in str(value or "").split(",") if part.strip()]


def _option(known: Sequence[Json], value: Any) -> Json:
    wanted = value.get("value") if isinstance(value, dict) else value
    for option in known:
        if wanted in (option["value"], option["text"]["text"]):
            return option
    raise PersonError(f"{wanted!r} is not among the options: {', '.join(str(option['value']) for option in known)}")


def untouched(element: Json) -> Json:
    """What an element holds before anybody touched it."""
    kind = str(element["type"])
    field = FIELDS[kind]
    return {"type": kind, field: element.get(INITIAL[field], [] if field in LISTS else None)}


def values(blocks: Sequence[Json], entered: Json) -> Json:
    """Slack's state.values: every element that can hold something, whether touched or not."""
    state: Json = {}
    for block, element in acting(blocks):
        if element["type"] in FIELDS and element["type"] not in STATELESS:
            held = entered.get(block["block_id"], {}).get(element["action_id"]) or untouched(element)
            state.setdefault(block["block_id"], {})[element["action_id"]] = held
    return state


def fill(blocks: Sequence[Json], entered: Json, given: Json, suggestions: Sequence[Json] = ()) -> Json:
    """`entered` with a person's values: {block_id: {action_id: value}}, {block_id: value} or {action_id: value}. Raises
    PersonError for a name that is nowhere in the view."""
    filled = {block: dict(fields) for block, fields in entered.items()}
    for name, value in given.items():
        for block, element, one in _meant(blocks, name, value):
            filled.setdefault(block["block_id"], {})[element["action_id"]] = entry(element, one, suggestions)
    return filled


def _meant(blocks: Sequence[Json], name: str, value: Any) -> list[tuple[Json, Json, Any]]:
    fields = [(b, e) for b, e in acting(blocks) if e["type"] in FIELDS]
    of_block = [(b, e) for b, e in fields if b["block_id"] == name]
    if isinstance(value, dict) and of_block:
        return [(b, e, value[e["action_id"]]) for b, e in of_block if e["action_id"] in value]
    named = of_block or [(b, e) for b, e in fields if e["action_id"] == name]
    if not named:
        raise PersonError(f"the form has no field {name!r}; it has: {', '.join(e['action_id'] for _, e in fields)}")
    return [(named[0][0], named[0][1], value)]


def refused_by_client(blocks: Sequence[Json], state: Json) -> Json:
    """Per block_id, what Slack's client complains about before a submission leaves it."""
    errors: Json = {}
    for block in blocks:
        if block["type"] == "input":
            element = block["element"]
            held = state.get(block["block_id"], {}).get(element["action_id"], {})
            complaint = _complaint(block, element, held.get(FIELDS.get(element["type"], "value")))
            if complaint:
                errors[block["block_id"]] = complaint
    return errors


def _complaint(block: Json, element: Json, value: Any) -> str | None:
    if value in (None, "", []):
        return None if block.get("optional") else REQUIRED
    checks = {"email_text_input": _email, "url_text_input": _url, "number_input": _number}
    check = checks.get(element["type"], _length)
    return check(element, str(value))


def _length(element: Json, value: str) -> str | None:
    if element["type"] != "plain_text_input":
        return None
    if len(value) < element.get("min_length", 0):
        return f"Please enter at least {element['min_length']} characters."
    if len(value) > element.get("max_length", 3000):
        return f"Please enter at most {element.get('max_length', 3000)} characters."
    return None


def _email(element: Json, value: str) -> str | None:
    return None if re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", value) else "Enter a valid email address."


def _url(element: Json, value: str) -> str | None:
    return None if re.fullmatch(r"https?://\S+", value) else "Enter a valid URL."


def _number(element: Json, value: str) -> str | None:
    pattern = r"-?\d+(\.\d+)?" if element.get("is_decimal_allowed") else r"-?\d+"
    if not re.fullmatch(pattern, value):
        return "Enter a valid number."
    if float(value) < float(element.get("min_value", value)) or float(value) > float(element.get("max_value", value)):
        return f"Enter a number between {element.get('min_value', '…')} and {element.get('max_value', '…')}."
    return None
