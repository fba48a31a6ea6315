"""What has happened in the simulated workspace so far, and who wants to hear of changes. It holds no rules of the Web
API: methods decide, the state remembers. Every change is announced to the watchers as (topic, key…)."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from .errors import SlackError
from .records import Ephemeral, Json, Message, StoredFile, View
from .timing import Timers, Timing
from .workspace import Channel, Person, Workspace

Change = tuple[str, ...]
Watcher = Callable[[Change], None]
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"


class State:
    """All mutable facts of one workspace. Answers about unknown channels or users raise SlackError."""

    def __init__(self, workspace: Workspace, clock: Callable[[], datetime], seed: int, timing: Timing) -> None:
        self.workspace = workspace
        self.app = workspace.app
        self.clock = clock
        self.timing = timing
        self.timers = Timers()
        self.random = Random(seed)
        self.base_url = ""
        self.edit_window_seconds: float | None = None
        self.people: dict[str, Person] = {person.id: person for person in workspace.people}
        self.channels: dict[str, Channel] = {channel.id: channel for channel in workspace.channels}
        self.channels.update({im.id: im for im in map(self._direct_messages, workspace.people)})
        self.messages: dict[str, dict[str, Message]] = {channel: {} for channel in self.channels}
        self.ephemerals: dict[str, dict[str, Ephemeral]] = defaultdict(dict)
        self.modals: dict[str, tuple[View, ...]] = {}
        self.homes: dict[str, View] = {}
        self.home_entries: dict[str, Json] = {}
        self.message_entries: dict[tuple[str, str], Json] = {}
        self.suggestions: dict[str, list[Json]] = {}
        self.files: dict[str, StoredFile] = {}
        self.bookmarks: dict[str, list[Json]] = {}
        self.watchers: list[Watcher] = []
        self._last_ts = 0

    def _direct_messages(self, person: Person) -> Channel:
        members = frozenset({person.id, self.app.user_id})
        return Channel(f"D{person.id[1:]}", f"@{person.name}", kind="im", members=members, user=person.id)

    def changed(self, *change: str) -> None:
        for watcher in tuple(self.watchers):
            watcher(change)

    def seconds(self) -> float:
        """Unix seconds of the workspace's own clock."""
        return self.clock().timestamp()

    def new_ts(self) -> str:
        """A message timestamp: seconds with six decimals, never the same twice, never going back."""
        self._last_ts = max(round(self.seconds() * 1_000_000), self._last_ts + 1)
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def new_id(self, prefix: str, length: int = 10) -> str:
        return prefix + "".join(self.random.choices(LETTERS, k=length))

    def find_channel(self, name: str) -> Channel | None:
        """By id, by name, or by name with #."""
        if name in self.channels:
            return self.channels[name]
        wanted = name.removeprefix("#")
        return next((c for c in self.channels.values() if c.kind == "channel" and c.name == wanted), None)

    def channel(self, name: str) -> Channel:
        found = self.find_channel(name)
        if found is None:
            raise SlackError("channel_not_found")
        return found

    def direct_channel(self, user: str) -> Channel:
        return self.channel(f"D{self.person(user).id[1:]}")

    def person(self, user: str) -> Person:
        if user not in self.people:
            raise SlackError("user_not_found")
        return self.people[user]

    def change_channel(self, channel: Channel, **changes: Any) -> Channel:
        self.channels[channel.id] = replace(channel, **changes)
        self.changed("channel", channel.id)
        return self.channels[channel.id]

    def keep(self, message: Message) -> Message:
        """Add or replace a message."""
        self.messages[message.channel][message.ts] = message
        self.changed("message", message.channel, message.ts)
        return message

    def message(self, channel: str, ts: str) -> Message:
        found = self.messages.get(channel, {}).get(ts)
        if found is None or found.is_deleted:
            raise SlackError("message_not_found")
        return found

    def visible(self, channel: str) -> list[Message]:
        """A channel's messages and replies, oldest first, without deleted ones."""
        return [message for message in self.messages[channel].values() if not message.is_deleted]

    def replies(self, channel: str, ts: str) -> list[Message]:
        return [m for m in self.visible(channel) if m.thread_ts == ts and m.ts != ts]

    def whisper(self, ephemeral: Ephemeral) -> Ephemeral:
        """Add or replace an ephemeral."""
        self.ephemerals[ephemeral.reader][ephemeral.ts] = ephemeral
        self.changed("ephemeral", ephemeral.reader, ephemeral.ts)
        return ephemeral

    def set_modals(self, user: str, stack: tuple[View, ...]) -> None:
        self.modals[user] = stack
        self.changed("views", user)

    def set_home(self, view: View) -> None:
        self.homes[view.user] = view
        self.changed("home", view.user)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a Web API method is called: the state, and with which scopes."""

    state: State
    scopes: frozenset[str]
