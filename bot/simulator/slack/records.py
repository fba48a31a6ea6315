"""The things the simulated Slack keeps: messages, ephemerals, views, files. Frozen values; a change is a new value in
the state, so that whoever watches can tell old from new."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a channel. `ts` is its identity inside the channel."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: tuple[Json, ...] = ()
    thread_ts: str | None = None
    is_broadcast: bool = False
    username: str | None = None
    files: tuple[str, ...] = ()
    edited_ts: str | None = None
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    metadata: Json | None = None
    is_deleted: bool = False

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """A message that only `reader` sees. `user` is who speaks: the app, or Slack itself."""

    reader: str
    channel: str
    ts: str
    user: str
    text: str
    blocks: tuple[Json, ...] = ()
    thread_ts: str | None = None
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A modal or a Home tab as one person sees it. `content` is what the app sent, `errors` what the app found wrong
    with the last submission, `entries` what the person entered (block_id to action_id to Slack's value object)."""

    id: str
    user: str
    content: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    errors: Json = field(default_factory=dict)
    entries: Json = field(default_factory=dict)

    @property
    def blocks(self) -> list[Json]:
        blocks: list[Json] = self.content.get("blocks", [])
        return blocks

    @property
    def external_id(self) -> str:
        return str(self.content.get("external_id") or "")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file: announced (no `data`), uploaded (`data`), completed (`is_complete`), examined (`is_examined`), then
    perhaps shared: pairs of channel and message ts."""

    id: str
    name: str
    length: int
    created: int
    upload_token: str = field(repr=False)
    title: str = ""
    alt_text: str = ""
    mimetype: str = "application/octet-stream"
    data: bytes | None = field(default=None, repr=False)
    is_complete: bool = False
    is_examined: bool = False
    shares: tuple[tuple[str, str], ...] = ()
