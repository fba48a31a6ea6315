"""The Block Kit checker, judged by a second opinion: slack_sdk's own models, for every defect that they know."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.simulator.slack.blockkit import check_home, check_message, check_modal
from bot.simulator.slack.blocks import BLOCKS

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(**fields: Any) -> Json:
    return {"type": "section", "text": mrkdwn("job *llama*")} | fields


def button(**fields: Any) -> Json:
    return {"type": "button", "action_id": "stop", "text": plain("Stop")} | fields


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def options(count: int, text: str = "o", value: str = "v") -> list[Json]:
    return [{"text": plain(f"{text}{i}"), "value": f"{value}{i}"} for i in range(count)]


def select(**fields: Any) -> Json:
    return {"type": "static_select", "action_id": "pick", "options": options(3)} | fields


def confirm(**fields: Any) -> Json:
    about = {"title": plain("Stop?"), "text": mrkdwn("It ends."), "confirm": plain("Stop"), "deny": plain("Keep")}
    return about | fields


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def run(text: str) -> Json:
    return {"type": "rich_text_section", "elements": [{"type": "text", "text": text, "style": {"bold": True}}]}


def table(rows: int, cells: int, text: str = "x", **fields: Any) -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": text}] * cells for _ in range(rows)]} | fields


def field(element: Json, **fields: Any) -> Json:
    return {"type": "input", "block_id": "why", "label": plain("Why?"), "element": element} | fields


def modal(*blocks: Json, **fields: Any) -> Json:
    return {"type": "modal", "title": plain("Mute"), "submit": plain("Mute"), "blocks": list(blocks)} | fields


SOUND: dict[str, list[Json]] = {
    "section": [section(block_id="b" * 255, text=mrkdwn("x" * 3000))],
    "fields": [{"type": "section", "fields": [mrkdwn("x" * 2000)] * 10}],
    "accessory": [section(accessory={"type": "overflow", "action_id": "more", "options": options(5)})],
    "header, divider, context": [
        {"type": "header", "text": plain("h" * 150)},
        {"type": "divider"},
        {"type": "context", "elements": [mrkdwn("now")] * 9 + [{"type": "image", "image_url": "u", "alt_text": "i"}]},
    ],
    "actions": [actions(*(button(action_id=f"a{i}", value="v" * 2000, style="danger") for i in range(25)))],
    "confirm": [actions(button(confirm=confirm(text=mrkdwn("x" * 300))))],
    "select": [actions(select(options=options(100), initial_option=options(1)[0]))],
    "image": [{"type": "image", "slack_file": {"id": "F1"}, "alt_text": "chart", "title": plain("GPU use")}],
    "rich text": [
        rich(
            run("bold"),
            {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [run("a"), run("b")]},
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "log"}]},
            {"type": "rich_text_quote", "elements": [{"type": "user", "user_id": "U1"}]},
        )
    ],
    "table": [table(100, 20, "x" * 5, column_settings=[{"align": "right", "is_wrapped": True}])],
    "markdown": [{"type": "markdown", "text": "x" * 12000}],
    "input": [field({"type": "plain_text_input", "action_id": "t", "multiline": True, "max_length": 3000})],
    "card": [{"type": "card", "title": mrkdwn("job"), "actions": [button()]}],
    "container": [{"type": "container", "title": plain("t"), "child_blocks": [section()], "is_collapsible": True}],
    "fifty blocks": [section()] * 50,
}
UNSOUND: dict[str, tuple[list[Json], str]] = {
    "section text 3001": ([section(text=mrkdwn("x" * 3001))], "/blocks/0/text/text"),
    "header 151": ([{"type": "header", "text": plain("x" * 151)}], "/blocks/0/text/text"),
    "11 fields": ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "/blocks/0/fields"),
    "11 context elements": ([{"type": "context", "elements": [mrkdwn("x")] * 11}], "/blocks/0/elements"),
    "block_id 256": ([section(block_id="b" * 256)], "/blocks/0/block_id"),
    "markdown 12001": ([{"type": "markdown", "text": "x" * 12001}], "/blocks/0/text"),
    "button text 76": ([actions(button(text=plain("x" * 76)))], "/blocks/0/elements/0/text/text"),
    "button value 2001": ([actions(button(value="x" * 2001))], "/blocks/0/elements/0/value"),
    "action_id 256": ([actions(button(action_id="x" * 256))], "/blocks/0/elements/0/action_id"),
    "button style": ([actions(button(style="blue"))], "/blocks/0/elements/0/style"),
    "confirm text 301": (
        [actions(button(confirm=confirm(text=mrkdwn("x" * 301))))],
        "/blocks/0/elements/0/confirm/text/text",
    ),
    "26 actions": ([actions(*(button(action_id=f"a{i}") for i in range(26)))], "/blocks/0/elements"),
    "101 options": ([actions(select(options=options(101)))], "/blocks/0/elements/0/options"),
    "6 overflow options": (
        [section(accessory={"type": "overflow", "action_id": "more", "options": options(6)})],
        "/blocks/0/accessory/options",
    ),
    "image without alt_text": ([{"type": "image", "image_url": "https://example.com/x.png"}], "/blocks/0"),
    "section without text": ([{"type": "section"}], "/blocks/0"),
    "table without rows": ([{"type": "table", "rows": []}], "/blocks/0/rows"),
    "card without content": ([{"type": "card", "subtitle": plain("x")}], "/blocks/0"),
    "container of 11": (
        [{"type": "container", "title": plain("t"), "child_blocks": [section()] * 11}],
        "/blocks/0/child_blocks",
    ),
    "unknown block": ([{"type": "sectoin", "text": plain("x")}], "/blocks/0/type"),
}
ONLY_OURS: dict[str, tuple[list[Json], str]] = {
    "51 blocks": ([section()] * 51, "/blocks"),
    "field text 2001": ([{"type": "section", "fields": [mrkdwn("x" * 2001)]}], "/blocks/0/fields/0/text"),
    "empty section text": ([section(text=mrkdwn(""))], "/blocks/0/text/text"),
    "two markdown blocks of 8000": ([{"type": "markdown", "text": "x" * 8000}] * 2, "/blocks/1/text"),
    "alert in a message": ([{"type": "alert", "text": plain("x")}], "/blocks/0/type"),
    "option text 76": ([actions(select(options=options(1, "x" * 75)))], "/blocks/0/elements/0/options/0/text/text"),
    "option value 151": (
        [actions(select(options=options(1, "x", "v" * 150)))],
        "/blocks/0/elements/0/options/0/value",
    ),
    "empty actions": ([actions()], "/blocks/0/elements"),
    "header with mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "/blocks/0/text/type"),
    "unknown field": ([section(colour="red")], "/blocks/0"),
    "unknown element": ([actions({"type": "toggle", "action_id": "x"})], "/blocks/0/elements/0/type"),
    "101 table rows": ([table(101, 1)], "/blocks/0/rows"),
    "21 table columns": ([table(1, 21)], "/blocks/0/rows/0"),
    "empty cell": ([table(1, 1, "")], "/blocks/0/rows/0/0/text"),
    "10001 characters in a table": ([table(100, 10, "x" * 10 + "y")], "/blocks/0/rows"),
    "two tables": ([table(1, 1), table(1, 1)], "/blocks/1"),
    "same block_id": ([section(block_id="b"), section(block_id="b")], "/blocks/1/block_id"),
    "same action_id": ([actions(button(), button())], "/blocks/0/elements"),
    "initial option not offered": (
        [actions(select(initial_option={"text": plain("z"), "value": "z"}))],
        "/blocks/0/elements/0/initial_option",
    ),
    "button in an input": ([field(button())], "/blocks/0/element/type"),
    "confirm without deny": (
        [actions(button(confirm={k: v for k, v in confirm().items() if k != "deny"}))],
        "/blocks/0/elements/0/confirm",
    ),
    "empty rich text": ([rich(run(""))], "/blocks/0/elements/0/elements/0/text"),
    "list item that is no section": (
        [rich({"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text", "text": "x"}]})],
        "/blocks/0/elements/0/elements/0/type",
    ),
    "three charts": (
        [
            {
                "type": "data_visualization",
                "title": "t",
                "chart": {"type": "pie", "segments": [{"label": "a", "value": 1}]},
            }
        ]
        * 3,
        "/blocks/2",
    ),
    "ragged data table": (
        [{"type": "data_table", "caption": "c", "rows": [[{"type": "raw_text", "text": "a"}] * n for n in (1, 2)]}],
        "/blocks/0/rows",
    ),
    "not an object": (["text"], "/blocks/0"),  # type: ignore[list-item]
}


def sdk_refuses(build: Callable[[], Any]) -> bool:
    try:
        return build() is None
    except (SlackObjectFormationError, TypeError):
        return True


def sdk_block(block: Json) -> Any:
    parsed = Block.parse(copy.deepcopy(block))
    return None if parsed is None else parsed.to_dict()


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_message_has_no_defects_for_us_nor_for_slack_sdk(name: str) -> None:
    assert [] == check_message(SOUND[name])
    assert not any(sdk_refuses(lambda b=block: sdk_block(b)) for block in SOUND[name])  # type: ignore[misc]


@pytest.mark.parametrize("name", UNSOUND)
def test_what_slack_sdk_refuses_we_refuse_with_a_pointer(name: str) -> None:
    blocks, pointer = UNSOUND[name]
    assert any(sdk_refuses(lambda b=block: sdk_block(b)) for block in blocks)  # type: ignore[misc]
    assert [pointer] == [defect.pointer for defect in check_message(blocks)]


@pytest.mark.parametrize("name", ONLY_OURS)
def test_what_slack_refuses_and_slack_sdk_lets_pass_we_refuse(name: str) -> None:
    blocks, pointer = ONLY_OURS[name]
    assert pointer in [defect.pointer for defect in check_message(blocks)]


def test_a_defect_reads_as_slack_writes_it() -> None:
    blocks = [section(), actions(*(button(action_id=f"a{i}") for i in range(26)))]
    assert ["no more than 25 items allowed [json-pointer:/blocks/1/elements]"] == [
        str(d) for d in check_message(blocks)
    ]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"title": plain("x" * 25)}, "/view/title/text"),
        ({"private_metadata": "x" * 3001}, "/view/private_metadata"),
        ({"blocks": [section()] * 101}, "/view/blocks"),
        ({"callback_id": "x" * 256}, "/view/callback_id"),
    ],
)
def test_a_modal_that_slack_sdk_refuses_is_refused(change: Json, pointer: str) -> None:
    view = modal(section()) | change
    assert sdk_refuses(lambda: View(**copy.deepcopy(view)).to_dict())
    assert [pointer] == [defect.pointer for defect in check_modal(view)]


def test_a_modal_with_an_input_needs_a_submit_button() -> None:
    asking = modal(field({"type": "plain_text_input", "action_id": "t"}))
    assert [] == check_modal(asking)
    del asking["submit"]
    assert ["/view/submit"] == [defect.pointer for defect in check_modal(asking)]


def test_tables_and_markdown_do_not_belong_into_a_modal_and_alerts_only_there() -> None:
    assert ["/view/blocks/0/type"] == [d.pointer for d in check_modal(modal(table(1, 1)))]
    assert ["/view/blocks/0/type"] == [d.pointer for d in check_modal(modal({"type": "markdown", "text": "x"}))]
    assert [] == check_modal(modal({"type": "alert", "text": plain("x"), "level": "warning"}))


def test_a_home_tab_takes_a_table_and_no_title() -> None:
    assert [] == check_home({"type": "home", "blocks": [table(2, 2)]})
    assert ["/view"] == [d.pointer for d in check_home({"type": "home", "title": plain("x"), "blocks": [section()]})]
    assert ["/view/type"] == [d.pointer for d in check_home(modal(section()))]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("type", "text", "elements", "fields", "accessory", "block_id", "options", "rows", "title", "child_blocks")
ODD_BLOCK = st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from(sorted(BLOCKS)), max_size=6)


@given(st.lists(ODD_BLOCK | JSON, max_size=4) | JSON)
def test_whatever_comes_is_judged_and_never_trips_the_checker(payload: Any) -> None:
    for defect in [*check_message(payload), *check_modal(payload), *check_home({"type": "home", "blocks": payload})]:
        assert defect.pointer.startswith("/")


@given(st.sampled_from(sorted(SOUND)), st.data())
def test_any_field_that_slack_does_not_know_is_found_wherever_it_hides(name: str, data: st.DataObject) -> None:
    blocks = copy.deepcopy(SOUND[name])
    node: Any = data.draw(st.sampled_from(list(objects(blocks))))
    node["surprise"] = 1
    assert "invalid additional property: surprise" in [defect.problem for defect in check_message(blocks)]


def objects(node: Any) -> Iterator[Json]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        yield from objects(child)
