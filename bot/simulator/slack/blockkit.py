"""Checks messages, modals and Home tabs as Slack does: every block by its table, then what only shows in the whole:
surfaces, unique ids, one table, two charts, sums of text, the submit button. A sound payload yields no defects."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import limits
from .blocks import SURFACES, Surface, block
from .defects import Defect
from .shapes import by_type, flag, several, shape, string
from .texts import plain

Json = dict[str, Any]
TABLES = frozenset({"table", "data_table"})


def check_message(blocks: Any, pointer: str = "/blocks") -> list[Defect]:
    """Defects of a message's blocks."""
    return _check(blocks, "message", pointer, limits.MESSAGE_BLOCKS)


def check_modal(view: Any) -> list[Defect]:
    """Defects of a modal, with pointers from /view."""
    return _check_view(view, "modal")


def check_home(view: Any) -> list[Defect]:
    """Defects of a Home tab, with pointers from /view."""
    return _check_view(view, "home")


IDS = {
    "callback_id": string(limits.ID),
    "external_id": string(limits.ID),
    "private_metadata": string(limits.PRIVATE_METADATA),
}
BLOCK_LIST = several(lambda value, pointer: iter(()), limits.VIEW_BLOCKS, least=1)
VIEWS = {
    "modal": shape(
        {"title": plain(limits.MODAL_TITLE), "blocks": BLOCK_LIST},
        IDS
        | {
            "submit": plain(limits.MODAL_TITLE),
            "close": plain(limits.MODAL_TITLE),
            "clear_on_close": flag,
            "notify_on_close": flag,
            "submit_disabled": flag,
        },
    ),
    "home": shape({"blocks": BLOCK_LIST}, IDS),
}


def _check_view(view: Any, surface: Surface) -> list[Defect]:
    found = list(by_type(lambda: {surface: VIEWS[surface]}, "view type")(view, "/view"))
    blocks = view.get("blocks") if isinstance(view, dict) else None
    if isinstance(blocks, list):
        found += _check(blocks, surface, "/view/blocks", None)
        found += _missing_submit(view, blocks) if surface == "modal" else []
    return found


def _missing_submit(view: Json, blocks: Sequence[Any]) -> list[Defect]:
    asks = any(isinstance(one, dict) and one.get("type") == "input" for one in blocks)
    if asks and not view.get("submit"):
        return [Defect("/view/submit", "submit is required when an input block is within blocks")]
    return []


def _check(blocks: Any, surface: Surface, pointer: str, most: int | None) -> list[Defect]:
    found = list(several(block, most)(blocks, pointer))
    listed = blocks if isinstance(blocks, list) else []
    known = [(f"{pointer}/{place}", one) for place, one in enumerate(listed) if isinstance(one, dict)]
    found += [defect for rule in (_misplaced(surface), *WHOLE) for defect in rule(known)]
    return found


Placed = Sequence[tuple[str, Json]]


def _misplaced(surface: Surface) -> Callable[[Placed], Iterator[Defect]]:
    def rule(blocks: Placed) -> Iterator[Defect]:
        known = frozenset().union(*SURFACES.values())
        for pointer, one in blocks:
            if str(one.get("type")) in known - SURFACES[surface]:
                yield Defect(f"{pointer}/type", f"unsupported block type in a {surface}: {one['type']}")

    return rule


def _repeated_block_ids(blocks: Placed) -> Iterator[Defect]:
    seen: set[str] = set()
    for pointer, one in _with_children(blocks):
        block_id = str(one.get("block_id") or "")
        if block_id and block_id in seen:
            yield Defect(f"{pointer}/block_id", f"block_id already exists: {block_id}")
        seen.add(block_id)


def _with_children(blocks: Placed) -> Iterator[tuple[str, Json]]:
    for pointer, one in blocks:
        yield pointer, one
        children = one.get("child_blocks")
        for place, child in enumerate(children if isinstance(children, list) else []):
            if isinstance(child, dict):
                yield f"{pointer}/child_blocks/{place}", child


def _repeated_action_ids(blocks: Placed) -> Iterator[Defect]:
    """An action_id is unique within its block; only there does it have to tell elements apart."""
    for pointer, one in _with_children(blocks):
        elements = one.get("elements")
        ids = [e.get("action_id") for e in elements if isinstance(e, dict)] if isinstance(elements, list) else []
        for action_id, times in Counter(i for i in ids if isinstance(i, str)).items():
            if times > 1:
                yield Defect(f"{pointer}/elements", f"action_id already exists: {action_id}")


def _of(blocks: Placed, *types: str) -> list[tuple[str, Json]]:
    return [(pointer, one) for pointer, one in _with_children(blocks) if one.get("type") in types]


def _many_tables(blocks: Placed) -> Iterator[Defect]:
    for pointer, _ in _of(blocks, *TABLES)[1:]:
        yield Defect(pointer, "only_one_table_allowed")


def _many_charts(blocks: Placed) -> Iterator[Defect]:
    for pointer, _ in _of(blocks, "data_visualization")[limits.CHARTS :]:
        yield Defect(pointer, f"no more than {limits.CHARTS} data_visualization blocks allowed")


def _long_tables(blocks: Placed) -> Iterator[Defect]:
    for kind, most in (("table", limits.TABLE_TEXT), ("data_table", limits.DATA_TABLE_TEXT)):
        for pointer, one in _of(blocks, kind):
            if _cell_text(one.get("rows")) > most:
                yield Defect(f"{pointer}/rows", f"the text of all cells must be less than {most + 1} characters")


def _cell_text(node: Any) -> int:
    if isinstance(node, list):
        return sum(_cell_text(item) for item in node)
    if isinstance(node, dict):
        own = len(node["text"]) if isinstance(node.get("text"), str) else 0
        return own + _cell_text(node.get("elements"))
    return 0


def _long_markdown(blocks: Placed) -> Iterator[Defect]:
    texts = [(pointer, one["text"]) for pointer, one in _of(blocks, "markdown") if isinstance(one.get("text"), str)]
    if len(texts) > 1 and sum(len(text) for _, text in texts) > limits.MARKDOWN_TEXT:
        last = texts[-1][0]
        yield Defect(
            f"{last}/text", f"all markdown blocks together must be less than {limits.MARKDOWN_TEXT + 1} characters"
        )


def _pending_tasks(blocks: Placed) -> Iterator[Defect]:
    for pointer, one in _of(blocks, "task_card"):
        if one.get("status") == "pending":
            yield Defect(f"{pointer}/status", "pending is allowed only inside a plan")


WHOLE: tuple[Callable[[Placed], Iterator[Defect]], ...] = (
    _repeated_block_ids,
    _repeated_action_ids,
    _many_tables,
    _many_charts,
    _long_tables,
    _long_markdown,
    _pending_tasks,
)
