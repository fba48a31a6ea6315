"""An answer before it is cut to size: a head, rows of which some may be left out, and buttons."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.domain.answers import Origin
from bot.slack.rendering import TextFile
from bot.slack.views.parts import Block


def _nothing(n: int) -> str:
    return f"+{n}"


@dataclass(frozen=True, slots=True)
class Draft:
    """`more` says how many rows were left out; `shareable` is False for what only the asker should see."""

    head: list[Block]
    rows: list[Block] = field(default_factory=list)
    foot: list[Block] = field(default_factory=list)
    buttons: list[Block | None] = field(default_factory=list)
    more: Callable[[int], str] = _nothing
    origin: Origin = field(default_factory=Origin)
    file: TextFile | None = None
    shareable: bool = True
