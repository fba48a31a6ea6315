"""Alaya NeW's envelope `{status, message, data}`: whether an answer is one, and what its business status means.

The HTTP status may be 200 next to a body that says 403, and a wrong path prefix is answered with a web page and
HTTP 200 (Alaya reference §4).
"""

from collections.abc import Callable, Iterable

from bot.clouds.answer import Answer
from bot.clouds.quotation import quoted
from bot.clouds.scalars import read_text, read_whole
from bot.domain.errors import (
    ClockSkew,
    CloudError,
    NotAvailable,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Unreachable,
    Unreadable,
)

_SUCCESS = 200
_CLOCK = 40002  # timestamp malformed or more than five minutes off (Alaya reference §3.4)
_AUTHENTICATION = frozenset({401, 403, 40001, 40003, 40004, 40005, 40006, 40401})
_KINDS: dict[int, type[CloudError]] = {404: NotFound, 405: NotAvailable, 408: Unreachable}


class WrongDoor(NotAvailable):
    """No envelope came back: this path leads to the web application or nowhere. Stays inside this package."""


def judge_for(cloud: str, path_prefix: str, secrets: Iterable[str | None]) -> Callable[[Answer], CloudError | None]:
    """The judge of one configured cloud, in the order of checks of Alaya reference §4; None is a success."""
    masked = tuple(secrets)

    def judge(answer: Answer) -> CloudError | None:
        if answer.status == 429 or answer.status >= 500:
            return None
        if answer.body is None:
            return _no_envelope(cloud, answer, path_prefix)
        status = read_whole(answer.body.get("status"))
        if status is None or "path" in answer.body:
            return _stray(cloud, answer, path_prefix)
        if status == _SUCCESS:
            return None
        return _failure(cloud, status, quoted(read_text(answer.body.get("message")), masked))

    return judge


def _no_envelope(cloud: str, answer: Answer, path_prefix: str) -> CloudError | None:
    """A web page, or a bare 404 or 405: a path that is not of the API. Other flaws are the wire's to name."""
    page = answer.headers.get("content-type", "").startswith("text/html") or "web page" in (answer.flaw or "")
    if not page and answer.status not in (404, 405):
        return None
    what = "a web page" if page else f"HTTP {answer.status}"
    return WrongDoor(cloud, f"{what} came back instead of JSON: check path_prefix, it is now {path_prefix!r}")


def _stray(cloud: str, answer: Answer, path_prefix: str) -> CloudError | None:
    """JSON that is no envelope; a router's own 404 names the path that it does not know."""
    if answer.status in (404, 405):
        return WrongDoor(cloud, f"HTTP {answer.status}, unknown path: check path_prefix, it is now {path_prefix!r}")
    return Unreadable(cloud, "the answer has no readable status") if answer.status < 300 else None


def _failure(cloud: str, status: int, message: str) -> CloudError:
    detail = f"{message} (status {status})" if message else f"status {status}"
    if status == _CLOCK:
        return ClockSkew(cloud, f"{detail}: the clocks differ by more than five minutes")
    if status in _AUTHENTICATION:
        return Refused(cloud, detail)
    if status == 429:
        return Throttled(cloud, detail)
    kind = _KINDS.get(status) or (Rejected if 400 <= status < 500 or 40000 <= status < 50000 else Unreachable)
    return kind(cloud, detail)
