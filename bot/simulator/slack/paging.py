"""Cursors of list methods: opaque, good for the next page only of the same list."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TypeVar

from .arguments import Arguments
from .errors import SlackError

Item = TypeVar("Item")
PREFIX = "after:"


def page(items: Sequence[Item], args: Arguments, *, default: int = 100, most: int = 1000) -> tuple[list[Item], str]:
    """The items that the call's `cursor` and `limit` ask for, and the cursor of the next page ("" at the end). Raises
    invalid_cursor and invalid_limit."""
    limit = args.number("limit", default)
    if limit < 1:
        raise SlackError("invalid_limit")
    start = _place(args.text("cursor"))
    end = start + min(limit, most)
    return list(items[start:end]), _cursor(end) if end < len(items) else ""


def _cursor(place: int) -> str:
    return b64encode(f"{PREFIX}{place}".encode()).decode()


def _place(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(b64decode(cursor, validate=True).decode().removeprefix(PREFIX))
    except ValueError:
        raise SlackError("invalid_cursor") from None
