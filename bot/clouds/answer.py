"""What came back over the wire, before any platform's meaning: status, headers, and a body that is one JSON object.

Reasons given here are safe to show: they never quote the body, an address or a header that could carry a secret.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NoReturn
from urllib.parse import urlsplit

from bot.domain.errors import (
    CloudError,
    NotAvailable,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Unreachable,
    Unreadable,
)

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; header names are lower case. `body` is None where `flaw` says why it cannot be read."""

    status: int
    headers: Mapping[str, str]
    body: Body | None
    flaw: str | None = None

    @property
    def date(self) -> datetime | None:
        """The platform's own clock, from its Date header."""
        try:
            return parsedate_to_datetime(self.headers.get("date", "")).astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait as the platform asks: Retry-After in seconds or as a date, or x-acs-retry-after in ms."""
        milliseconds = _number(self.headers.get("x-acs-retry-after"))
        if milliseconds is not None:
            return milliseconds / 1000
        text = self.headers.get("retry-after")
        seconds = _number(text)
        return seconds if seconds is not None else self._until(text)

    def _until(self, text: str | None) -> float | None:
        try:
            at = parsedate_to_datetime(text or "").astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            return None
        return max((at - self.date).total_seconds(), 0.0) if self.date else None


def parse(status: int, headers: Mapping[str, str], content: bytes) -> Answer:
    """Decode an answer as UTF-8 JSON, whatever charset its header claims."""
    try:
        return Answer(status, headers, decode(content))
    except ValueError as error:
        return Answer(status, headers, None, str(error))


def decode(content: bytes) -> Body:
    """One JSON object from bytes. Raises ValueError with a reason that quotes nothing of the content."""
    if not content.strip():
        raise ValueError("empty answer")
    try:
        value: object = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
    except UnicodeDecodeError:
        raise ValueError("the answer is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ValueError(_why_not_json(content)) from None
    if not isinstance(value, dict):
        raise ValueError("the answer is not a JSON object")
    return value


def verdict(cloud: str, answer: Answer) -> CloudError | None:
    """What the HTTP status alone says; None for a readable 2xx."""
    status = answer.status
    if 200 <= status < 300:
        return Unreadable(cloud, answer.flaw) if answer.flaw else None
    if 300 <= status < 400:
        return Unreadable(cloud, _redirect(answer))
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled(cloud, "asked too often", answer.retry_after)
    kind = _KINDS.get(status, Unreachable if status >= 500 or status < 200 else Rejected)
    return kind(cloud, f"HTTP {status} {_phrase(status)}".strip())


_KINDS: Mapping[int, type[CloudError]] = {
    401: Refused,
    403: Refused,
    404: NotFound,
    405: NotAvailable,
    408: Unreachable,
    410: Unreadable,
    501: NotAvailable,
}


def _redirect(answer: Answer) -> str:
    """Name where the platform points to, by host alone: the rest of an address may carry a secret."""
    try:
        host = urlsplit(answer.headers.get("location", "")).hostname
    except ValueError:
        host = None
    where = f" to {host}" if host and host.isascii() and host.isprintable() else ""
    return f"redirected{where} (HTTP {answer.status}); signed requests do not follow"


def _why_not_json(content: bytes) -> str:
    start = content.lstrip()[:1]
    if start == b"<":
        return "the answer is a web page, not JSON: is the address right?"
    return "the answer is JSON cut short or broken" if start in (b"{", b"[") else "the answer is not JSON"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number beyond every range")
    return value


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
