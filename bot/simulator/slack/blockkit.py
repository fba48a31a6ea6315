"""Checks Block Kit payloads as Slack does."""

from collections.abc import Sequence
from typing import Any

from .defects import Defect
from .limits import MESSAGE_BLOCKS, VIEW_BLOCKS


def _count(blocks: Sequence[Any], most: int) -> list[Defect]:
    return [Defect("/blocks", f"no more than {most} items allowed")] if len(blocks) > most else []


def check_message(blocks: Sequence[Any]) -> list[Defect]:
    return _count(blocks, MESSAGE_BLOCKS)


def check_modal(view: dict[str, Any]) -> list[Defect]:
    return _count(view.get("blocks", []), VIEW_BLOCKS)


def check_home(view: dict[str, Any]) -> list[Defect]:
    return _count(view.get("blocks", []), VIEW_BLOCKS)
