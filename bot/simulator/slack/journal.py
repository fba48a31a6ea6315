"""Every Web API request, upload and response_url post, in order of arrival, with its outcome: what tests read to see
what was asked, how often, and whether anything was posted twice."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `outcome` is "ok", an error code, or what happened to it on the way ("dropped", "http 503"…);
    `committed` says whether it took effect, which a caller that got no answer cannot know."""

    method: str
    args: dict[str, Any]
    at: datetime
    outcome: str
    committed: bool


class Journal:
    """The list of calls; tokens and bytes are never in it."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def note(self, call: Call) -> None:
        self.calls.append(call)

    def of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]
