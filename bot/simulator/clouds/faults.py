"""Faults on demand: what a simulated cloud does wrong, to which requests, how many times. A test adds
them in Python, a person over HTTP; which words a platform fails with is its dialect's matter."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Kind = Literal[
    "status",  # an error of the platform, with `status`, `code`, `message`
    "business",  # HTTP 200 whose body says that it failed
    "html",  # a web page with `status` (200 or 502, say)
    "empty",  # `status` (200 at most times) and no body
    "truncate",  # the first half of the right body
    "drip",  # the right body, a few bytes at a time over `seconds` (2)
    "slow",  # the right answer after `seconds` (2)
    "hang",  # no answer, or one after `seconds`
    "drop",  # the connection is cut
    "throttle",  # flow control, with `retry_after` (seconds) when given
    "charset",  # the right text in another encoding than it says
]


@dataclass(slots=True)
class Fault:
    """Hits requests whose path matches `path` (a regular expression, searched) and whose method is
    `method` (empty: any), `times` times (None: until cleared)."""

    kind: Kind
    path: str = ""
    method: str = ""
    times: int | None = 1
    status: int | None = None
    code: str = ""
    message: str = ""
    retry_after: float | None = None
    seconds: float | None = None

    def hits(self, method: str, path: str) -> bool:
        return self.method in ("", method) and re.search(self.path, path) is not None


class Faults:
    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, kind: Kind, **particulars: Any) -> Fault:
        """ValueError: no such kind, or a path that is no regular expression."""
        if kind not in get_args(Kind):
            raise ValueError(f"no fault of kind {kind!r}; there are: {', '.join(get_args(Kind))}")
        fault = Fault(kind, **particulars)
        try:
            re.compile(fault.path)
        except re.error as problem:
            raise ValueError(f"path is no regular expression: {problem}") from problem
        self._waiting.append(fault)
        return fault

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that hits the request; it is used up by one."""
        fault = next((fault for fault in self._waiting if fault.hits(method, path)), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._waiting.remove(fault)
        return fault

    def clear(self) -> None:
        self._waiting.clear()

    def listing(self) -> list[dict[str, Any]]:
        return [asdict(fault) for fault in self._waiting]
