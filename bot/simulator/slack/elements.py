"""Block elements: buttons, menus, pickers, inputs, images, and which of them may stand where (Slack reference §4.1)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from . import limits
from .defects import Defect
from .shapes import Check, by_type, choice, flag, number, one_of, only_one_of, several, shape, string
from .texts import plain, rich_text, text

ID = string(limits.ID, least=1)
URL = string(limits.URL, least=1)
CONFIRM = shape(
    {
        "title": plain(limits.CONFIRM_TITLE),
        "text": text(limits.CONFIRM_TEXT),
        "confirm": plain(limits.CONFIRM_BUTTON),
        "deny": plain(limits.CONFIRM_BUTTON),
    },
    {"style": choice("primary", "danger")},
)
SLACK_FILE = shape({}, {"id": string(least=1), "url": URL}, only_one_of("id", "url"))


def option(label: Check) -> Check:
    value = string(limits.OPTION_VALUE, least=1)
    return shape({"text": label, "value": value}, {"description": text(limits.OPTION_TEXT), "url": URL})


OPTION = option(plain(limits.OPTION_TEXT))
MARKED_OPTION = option(text(limits.OPTION_TEXT))
OPTIONS = several(OPTION, limits.OPTIONS, least=1)
GROUPS = several(shape({"label": plain(limits.OPTION_TEXT), "options": OPTIONS}), limits.OPTION_GROUPS, least=1)


def offered(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
    """What is chosen at first must be on offer."""
    groups = value.get("option_groups") or []
    known = [*(value.get("options") or []), *(o for group in groups for o in group["options"])]
    chosen = [*(value.get("initial_options") or []), *([value["initial_option"]] if "initial_option" in value else [])]
    if any(one not in known for one in chosen):
        name = "initial_option" if "initial_option" in value else "initial_options"
        yield Defect(f"{pointer}/{name}", "must be among the options")


def distinct(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
    """No two options with one value."""
    values = [one["value"] for one in value.get("options") or []]
    if len(values) != len(set(values)):
        yield Defect(f"{pointer}/options", "options must have distinct values")


def ordered(low: str, high: str) -> Any:
    def rule(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
        if low in value and high in value and float(value[low]) > float(value[high]):
            yield Defect(f"{pointer}/{low}", f"must not be greater than {high}")

    return rule


def _pattern(pattern: str, what: str) -> Check:
    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            yield Defect(pointer, f"must be {what}")

    return check


DATE = _pattern(r"\d{4}-\d{2}-\d{2}", "a date YYYY-MM-DD")
CLOCK = _pattern(r"([01]\d|2[0-3]):[0-5]\d", "a time HH:mm")
NUMBER_TEXT = _pattern(r"-?\d+(\.\d+)?", "a number in a string")
ACTING = {"action_id": ID, "confirm": CONFIRM}
ASKING = {"action_id": ID, "focus_on_load": flag}
PICKING = ACTING | {"placeholder": plain(limits.PLACEHOLDER), "focus_on_load": flag}
TYPING = {
    "action_id": ID,
    "placeholder": plain(limits.PLACEHOLDER),
    "focus_on_load": flag,
    "dispatch_action_config": shape(
        {}, {"trigger_actions_on": several(choice("on_enter_pressed", "on_character_entered"), 2, least=1)}
    ),
}
FILTER = shape(
    {},
    {
        "include": several(choice("im", "mpim", "private", "public"), least=1),
        "exclude_external_shared_channels": flag,
        "exclude_bot_users": flag,
    },
    one_of("include", "exclude_external_shared_channels", "exclude_bot_users"),
)
CONVERSATION = {"default_to_current_conversation": flag, "filter": FILTER}
MANY = {"max_selected_items": number(1)}
IMAGE = shape(
    {"alt_text": string(limits.IMAGE_ALT, least=1)},
    {"image_url": URL, "slack_file": SLACK_FILE, "image_width": number(), "image_height": number()},
    only_one_of("image_url", "slack_file"),
)
BUTTON = shape(
    {"text": plain(limits.BUTTON_TEXT)},
    ACTING
    | {
        "value": string(limits.BUTTON_VALUE),
        "url": URL,
        "style": choice("primary", "danger"),
        "accessibility_label": string(limits.BUTTON_TEXT),
    },
)


def choices(field: str, check: Check) -> Check:
    """Radio buttons and checkboxes."""
    fields = ACTING | {"focus_on_load": flag, field: check}
    return shape({"options": several(MARKED_OPTION, limits.CHOICES, least=1)}, fields, offered, distinct)


MENUS: Mapping[str, Check] = {
    "static_select": shape(
        {},
        PICKING | {"options": OPTIONS, "option_groups": GROUPS, "initial_option": OPTION},
        only_one_of("options", "option_groups"),
        offered,
        distinct,
    ),
    "multi_static_select": shape(
        {},
        PICKING | MANY | {"options": OPTIONS, "option_groups": GROUPS, "initial_options": several(OPTION)},
        only_one_of("options", "option_groups"),
        offered,
        distinct,
    ),
    "external_select": shape({}, PICKING | {"initial_option": OPTION, "min_query_length": number(0)}),
    "multi_external_select": shape(
        {}, PICKING | MANY | {"initial_options": several(OPTION), "min_query_length": number(0)}
    ),
    "users_select": shape({}, PICKING | {"initial_user": string(least=1)}),
    "multi_users_select": shape({}, PICKING | MANY | {"initial_users": several(string(least=1))}),
    "conversations_select": shape(
        {}, PICKING | CONVERSATION | {"initial_conversation": string(least=1), "response_url_enabled": flag}
    ),
    "multi_conversations_select": shape(
        {}, PICKING | CONVERSATION | MANY | {"initial_conversations": several(string(least=1))}
    ),
    "channels_select": shape({}, PICKING | {"initial_channel": string(least=1), "response_url_enabled": flag}),
    "multi_channels_select": shape({}, PICKING | MANY | {"initial_channels": several(string(least=1))}),
    "radio_buttons": choices("initial_option", MARKED_OPTION),
    "checkboxes": choices("initial_options", several(MARKED_OPTION, limits.CHOICES, least=1)),
    "datepicker": shape({}, PICKING | {"initial_date": DATE}),
    "timepicker": shape({}, PICKING | {"initial_time": CLOCK, "timezone": string(least=1)}),
}
MOMENT = {"datetimepicker": shape({}, ACTING | {"focus_on_load": flag, "initial_date_time": number(0, 9_999_999_999)})}
WORKFLOW = shape(
    {
        "text": plain(limits.BUTTON_TEXT),
        "workflow": shape(
            {
                "trigger": shape(
                    {"url": URL},
                    {"customizable_input_parameters": several(shape({"name": string(), "value": string()}))},
                )
            }
        ),
    },
    {"action_id": ID, "style": choice("primary", "danger"), "accessibility_label": string(limits.BUTTON_TEXT)},
)
OVERFLOW = shape({"options": several(OPTION, limits.OVERFLOW_OPTIONS, least=1)}, ACTING, distinct)
FEEDBACK = shape(
    {"text": plain(limits.BUTTON_TEXT), "value": string(limits.BUTTON_VALUE)},
    {"accessibility_label": string(limits.BUTTON_TEXT)},
)
INPUTS: Mapping[str, Check] = {
    "plain_text_input": shape(
        {},
        TYPING
        | {
            "initial_value": string(limits.INPUT_LENGTH),
            "multiline": flag,
            "min_length": number(0, limits.INPUT_LENGTH),
            "max_length": number(1, limits.INPUT_LENGTH),
        },
        ordered("min_length", "max_length"),
    ),
    "number_input": shape(
        {"is_decimal_allowed": flag},
        TYPING | {"initial_value": NUMBER_TEXT, "min_value": NUMBER_TEXT, "max_value": NUMBER_TEXT},
        ordered("min_value", "max_value"),
    ),
    "email_text_input": shape({}, TYPING | {"initial_value": string()}),
    "url_text_input": shape({}, TYPING | {"initial_value": string()}),
    "rich_text_input": shape({}, TYPING | {"initial_value": rich_text}),
    "file_input": shape(
        {}, {"action_id": ID, "filetypes": several(string(least=1)), "max_files": number(1, limits.FILES)}
    ),
}
BUTTONS: Mapping[str, Check] = {"button": BUTTON, "workflow_button": WORKFLOW, "overflow": OVERFLOW}
CONTEXT_BUTTONS: Mapping[str, Check] = {
    "feedback_buttons": shape({"positive_button": FEEDBACK, "negative_button": FEEDBACK}, {"action_id": ID}),
    "icon_button": shape(
        {"icon": choice("trash"), "text": plain(limits.BUTTON_TEXT)},
        ACTING
        | {
            "value": string(limits.BUTTON_VALUE),
            "accessibility_label": string(limits.BUTTON_TEXT),
            "visible_to_user_ids": several(string(least=1), 10),
        },
    ),
}
TEXTS: Mapping[str, Check] = {"plain_text": text(), "mrkdwn": text()}

accessory = by_type(lambda: {**BUTTONS, **MENUS, "image": IMAGE}, "accessory")
acting_element = by_type(lambda: {**BUTTONS, **MENUS, **MOMENT}, "actions element")
input_element = by_type(lambda: {**INPUTS, **MENUS, **MOMENT}, "input element")
context_element = by_type(lambda: {**TEXTS, "image": IMAGE}, "context element")
context_button = by_type(lambda: CONTEXT_BUTTONS, "context_actions element")
button = by_type(lambda: {"button": BUTTON, "workflow_button": WORKFLOW}, "button")
image = by_type(lambda: {"image": IMAGE}, "image")
