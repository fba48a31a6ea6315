"""What AIHC's error codes mean by remedy (AIHC v1 reference §3). It branches on status and code, never on messages."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from bot.clouds.answer import Answer
from bot.clouds.quotation import quoted
from bot.clouds.scalars import read_text
from bot.domain.errors import ClockSkew, CloudError, NotFound, Refused, Rejected, Throttled, Unreachable, Unreadable

_CODE = re.compile(r"[A-Za-z0-9._-]{1,80}")
_MISSING = re.compile(r"cce\.warning\.Get(AIJobByJobId|AIJob|ResourcePool|Queue|Pod)Failed|.*NotFound.*|NoSuch.*")
_THROTTLED = re.compile(r".*(Throttl|TooMany|RateLimit|RequestLimit).*")
_GONE = ("InvalidURI", "InvalidVersion")
_REFUSALS = {
    "AccessDenied": "these credentials lack the permission",
    "InvalidAccessKeyId": "the access key is unknown",
    "InvalidHTTPAuthHeader": "the signature's form is refused",
    "OptInRequired": "the service is not activated for this account",
    "SignatureDoesNotMatch": "the signature does not match: is the secret key right?",
}


class Judgement:
    """Turns an answer into an error, or None where the HTTP status is all there is to say."""

    def __init__(self, cloud: str, clock: Callable[[], datetime], secrets: Iterable[str | None] = ()) -> None:
        self._cloud = cloud
        self._clock = clock
        self._secrets = tuple(secrets)

    def __call__(self, answer: Answer) -> CloudError | None:
        code = _code(answer)
        if answer.status == 410 or (answer.status == 404 and (code is None or code in _GONE)):
            detail = f"HTTP {answer.status} for the address itself: the API version may be gone"
            return Unreadable(self._cloud, detail)
        if code is None or answer.status >= 500:
            return None
        if _THROTTLED.fullmatch(code):
            return Throttled(self._cloud, f"asked too often ({code})", answer.retry_after)
        if code == "RequestExpired":
            return self._skew(answer)
        if code in _REFUSALS:
            return Refused(self._cloud, f"{_REFUSALS[code]} ({code})")
        if answer.status == 404 or _MISSING.fullmatch(code):
            return NotFound(self._cloud, f"it does not exist ({code})")
        return self._other(answer, code)

    def _other(self, answer: Answer, code: str) -> CloudError | None:
        if code == "InternalError":
            return Unreachable(self._cloud, f"the platform failed inside ({code})")
        if answer.status in (401, 403, 429):
            return None
        reason = quoted(read_text((answer.body or {}).get("message")), self._secrets)
        return Rejected(self._cloud, f"{reason} ({code})".strip())

    def _skew(self, answer: Answer) -> ClockSkew:
        theirs = f"{answer.date:%Y-%m-%d %H:%M:%S}" if answer.date else "unknown"
        ours = f"{self._clock():%Y-%m-%d %H:%M:%S}"
        return ClockSkew(self._cloud, f"our clock says {ours} UTC, the platform's {theirs} UTC (RequestExpired)")


def _code(answer: Answer) -> str | None:
    """The error's code; on a 2xx only where no result stands beside it."""
    body = answer.body or {}
    if answer.status < 300 and ("result" in body or "events" in body):
        return None
    code = read_text(body.get("code"))
    return code if code and _CODE.fullmatch(code) else None
