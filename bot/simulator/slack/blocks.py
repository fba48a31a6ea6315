"""The table of blocks: fields and limits of each, and the surfaces it may stand on (Slack reference §4.1 and §4.2)."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from . import limits
from .defects import Defect
from .elements import (
    ID,
    SLACK_FILE,
    URL,
    accessory,
    acting_element,
    button,
    context_button,
    context_element,
    image,
    input_element,
)
from .shapes import Check, by_type, choice, flag, nullable, number, one_of, only_one_of, several, shape, string
from .texts import PART_LIST, plain, rich_text, text

Surface = Literal["message", "modal", "home"]
BLOCK = {"block_id": string(limits.ID)}

CELLS: Mapping[str, Check] = {
    "raw_text": shape({"text": string(least=1)}),
    "raw_number": shape({"value": number(whole=False)}, {"text": string(least=1)}),
    "rich_text": rich_text,
}
HEADER_CELLS = {name: CELLS[name] for name in ("raw_text", "raw_number")}
COLUMN = nullable(shape({}, {"align": choice("left", "center", "right"), "is_wrapped": flag}))


def even_rows(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
    if len({len(row) for row in value["rows"]}) > 1:
        yield Defect(f"{pointer}/rows", "all rows must have the same number of cells")


def plain_header(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
    for place, cell in enumerate(value["rows"][0]):
        if cell["type"] not in HEADER_CELLS:
            yield Defect(f"{pointer}/rows/0/{place}/type", f"unsupported header cell: {cell['type']}")


def collapsible(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
    if value.get("default_collapsed") and not value.get("is_collapsible"):
        yield Defect(f"{pointer}/default_collapsed", "requires is_collapsible")
    if value.get("has_header_divider") and value.get("is_collapsible"):
        yield Defect(f"{pointer}/has_header_divider", "cannot be set when is_collapsible is true")


def _rows(most: int, cell: Check) -> Check:
    return several(several(cell, limits.TABLE_COLUMNS, least=1), most, least=1)


def points(most: int) -> Check:
    label = string(limits.CHART_LABEL, least=1)
    return several(shape({"label": label, "value": number(whole=False)}), most, least=1)


AXES = shape(
    {"categories": several(string(limits.CHART_LABEL, least=1), limits.CHART_POINTS, least=1)},
    {"x_label": string(limits.AXIS_LABEL), "y_label": string(limits.AXIS_LABEL)},
)
SERIES = shape({"name": string(limits.CHART_LABEL, least=1), "data": points(limits.CHART_POINTS)})
XY_CHART = shape({"series": several(SERIES, limits.CHART_SERIES, least=1), "axis_config": AXES})
CHARTS: Mapping[str, Check] = {
    "pie": shape({"segments": points(limits.CHART_SERIES)}),
    "bar": XY_CHART,
    "line": XY_CHART,
    "area": XY_CHART,
}

TASK = shape(
    {"task_id": ID, "title": string(least=1)},
    BLOCK
    | {
        "status": choice("pending", "in_progress", "complete", "error"),
        "details": rich_text,
        "output": rich_text,
        "sources": several(shape({"url": URL, "text": string(least=1)})),
    },
)

CARD = shape(
    {},
    BLOCK
    | {
        "hero_image": image,
        "icon": image,
        "title": text(limits.CARD_TITLE),
        "subtitle": text(limits.CARD_TITLE),
        "body": text(limits.CARD_BODY),
        "subtext": text(limits.CARD_BODY),
        "actions": several(button, limits.CARD_ACTIONS, least=1),
    },
    one_of("hero_image", "title", "actions", "body"),
)

BLOCKS: Mapping[str, Check] = {
    "section": shape(
        {},
        BLOCK
        | {
            "text": text(limits.SECTION_TEXT),
            "fields": several(text(limits.FIELD_TEXT), limits.SECTION_FIELDS, least=1),
            "accessory": accessory,
            "expand": flag,
        },
        one_of("text", "fields"),
    ),
    "divider": shape({}, BLOCK),
    "header": shape({"text": plain(limits.HEADER)}, BLOCK),
    "context": shape({"elements": several(context_element, limits.CONTEXT, least=1)}, BLOCK),
    "actions": shape({"elements": several(acting_element, limits.ACTIONS, least=1)}, BLOCK),
    "context_actions": shape({"elements": several(context_button, limits.CONTEXT_ACTIONS, least=1)}, BLOCK),
    "image": shape(
        {"alt_text": string(limits.IMAGE_ALT, least=1)},
        BLOCK | {"image_url": URL, "slack_file": SLACK_FILE, "title": plain(limits.IMAGE_TITLE)},
        only_one_of("image_url", "slack_file"),
    ),
    "input": shape(
        {"label": plain(limits.INPUT_LABEL), "element": input_element},
        BLOCK | {"hint": plain(limits.INPUT_HINT), "optional": flag, "dispatch_action": flag},
    ),
    "rich_text": shape({"elements": PART_LIST}, BLOCK),
    "markdown": shape({"text": string(limits.MARKDOWN_TEXT, least=1)}, BLOCK),
    "video": shape(
        {
            "alt_text": string(limits.IMAGE_ALT, least=1),
            "title": plain(limits.VIDEO_TITLE),
            "video_url": URL,
            "thumbnail_url": URL,
        },
        BLOCK
        | {
            "title_url": URL,
            "description": plain(limits.VIDEO_TITLE),
            "provider_icon_url": URL,
            "provider_name": string(limits.VIDEO_NAME),
            "author_name": string(limits.VIDEO_NAME),
        },
    ),
    "table": shape(
        {"rows": _rows(limits.TABLE_ROWS, by_type(lambda: CELLS, "cell"))},
        BLOCK | {"column_settings": several(COLUMN, limits.TABLE_COLUMNS)},
    ),
    "data_table": shape(
        {"caption": string(least=1), "rows": _rows(limits.DATA_TABLE_ROWS, by_type(lambda: CELLS, "cell"))},
        BLOCK | {"page_size": number(1, limits.DATA_TABLE_PAGE), "row_header_column_index": number(0)},
        even_rows,
        plain_header,
    ),
    "data_visualization": shape(
        {"title": string(limits.CHART_TITLE, least=1), "chart": by_type(lambda: CHARTS, "chart")}, BLOCK
    ),
    "alert": shape(
        {"text": text(limits.ALERT_TEXT)},
        BLOCK | {"level": choice("default", "info", "warning", "error", "success")},
    ),
    "card": CARD,
    "carousel": shape(
        {"elements": several(by_type(lambda: {"card": CARD}, "carousel element"), limits.CAROUSEL_CARDS, least=1)},
        BLOCK,
    ),
    "container": shape(
        {"child_blocks": several(by_type(lambda: CHILDREN, "child block"), limits.CONTAINER_BLOCKS, least=1)},
        BLOCK
        | {
            "title": plain(limits.CONTAINER_TITLE),
            "rich_text_title": rich_text,
            "subtitle": text(limits.CONTAINER_TITLE),
            "width": choice("narrow", "standard", "wide", "full"),
            "icon": image,
            "is_collapsible": flag,
            "default_collapsed": flag,
            "has_header_divider": flag,
        },
        one_of("title", "rich_text_title"),
        collapsible,
    ),
    "plan": shape(
        {"title": string(least=1), "tasks": several(by_type(lambda: {"task_card": TASK}, "task"), limits.PLAN_TASKS)},
        BLOCK,
    ),
    "task_card": TASK,
}
CHILDREN: Mapping[str, Check] = {name: check for name, check in BLOCKS.items() if name not in ("container", "plan")}

EVERYWHERE = frozenset(
    {"section", "divider", "header", "context", "actions", "image", "input", "rich_text", "video", "card"}
)
DATA = frozenset({"table", "data_table", "data_visualization", "carousel"})
SURFACES: Mapping[Surface, frozenset[str]] = {
    "message": EVERYWHERE | DATA | {"markdown", "container", "plan", "task_card", "context_actions"},
    "home": EVERYWHERE | DATA,
    "modal": EVERYWHERE | {"alert"},
}

block = by_type(lambda: BLOCKS, "block type")
