"""What a message is made of once it is rendered, and who renders: the seam between delivery and the views."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.outbox import Storm


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text too long for a message; it goes into the same thread as a file of its own."""

    name: str
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """`text` must stand alone (notifications, screen readers, and the only try left where blocks are refused)."""

    text: str
    blocks: tuple[Mapping[str, Any], ...] = ()
    file: TextFile | None = None

    @property
    def has_picture(self) -> bool:
        return any(block.get("type") == "image" for block in self.blocks)

    def without_pictures(self) -> "Rendered":
        """The same message where Slack does not take its pictures; it is whole without them."""
        return replace(self, blocks=tuple(block for block in self.blocks if block.get("type") != "image"))


class Renderer(Protocol):
    """Pure: equal arguments give equal messages. Nothing here may raise for odd texts from outside."""

    def card(self, incident: Incident, now: datetime) -> Rendered: ...
    def note(self, incident: Incident, note: Note) -> Rendered:
        """A line for the thread. `note.figures["late"]` (seconds), where given, says how late it comes."""
        ...

    def notice(self, text: str) -> Rendered:
        """A sentence of the bot about itself; `text` is plain, not yet escaped."""
        ...

    def storm(self, storm: Storm, now: datetime) -> Rendered: ...
