"""Every Web API request, upload and response_url post, in order of arrival, with its outcome: what tests read to see
what was asked, how often, and whether anything was posted twice."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .records import Message

KEPT = 20_000  # a demo may run for days


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `outcome` is "ok" or an error code, `fault` what was made to happen to it on the way. `committed`
    says whether it took effect, which a caller that got no answer cannot know."""

    method: str
    args: dict[str, Any]
    at: datetime
    outcome: str
    committed: bool
    fault: str | None = None


class Journal:
    """The list of calls; tokens and bytes are never in it."""

    def __init__(self) -> None:
        self.calls: deque[Call] = deque(maxlen=KEPT)

    def note(self, call: Call) -> None:
        self.calls.append(call)

    def of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]


def twins(messages: Iterable[Message]) -> list[list[Message]]:
    """Groups of two or more messages that say the same in the same place: same channel, thread, text, metadata."""
    groups: dict[str, list[Message]] = {}
    for message in messages:
        key = repr((message.channel, message.thread_ts, message.text, message.metadata))
        groups.setdefault(key, []).append(message)
    return [group for group in groups.values() if len(group) > 1]
