"""Whether SysOM did what was asked. HTTP 200 can carry a failure, and failures come in two spellings of the same keys;
the code decides first, the HTTP status second (SysOM reference §10)."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from bot.clouds.answer import Answer
from bot.clouds.quotation import quoted
from bot.clouds.scalars import read_record, read_text
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

_SUCCESS = "Success"
_REQUEST_ID_KEYS = ("requestId", "RequestId", "request_id")

# By the beginning of the code, the first that fits decides.
_KINDS: tuple[tuple[str, type[CloudError]], ...] = (
    ("InvalidTimeStamp", ClockSkew),
    ("SignatureNonceUsed", Unreachable),  # the next attempt carries a new nonce
    ("SignatureDoesNotMatch", Refused),
    ("IncompleteSignature", Refused),
    ("InvalidAccessKeyId", Refused),
    ("InvalidSecurityToken", Refused),
    ("Forbidden", Refused),
    ("NoPermission", Refused),
    ("Sysom.PermissionDenied", Refused),
    ("Sysom.AuthenticationFailure", Refused),
    ("InvalidApi.NotFound", NotAvailable),
    ("Sysom.ACKClusterNotFound", NotFound),
    ("Sysom.InvalidParameter", Rejected),
    ("Sysom.TaskInProgress", Rejected),
    ("Sysom.DiagnosisVersionNotSupported", Rejected),
    ("Missing", Rejected),
    ("InvalidParameter", Rejected),
    ("Sysom.", Unreachable),
    ("InternalError", Unreachable),
    ("ServiceUnavailable", Unreachable),
)


def judge_for(
    cloud: str, clock: Callable[[], datetime], secrets: Iterable[str | None]
) -> Callable[[Answer], CloudError | None]:
    """The judge of one configured monitor; None leaves the verdict to the HTTP status."""
    masked = tuple(secrets)

    def judge(answer: Answer) -> CloudError | None:
        code = code_of(answer.body or {})
        if code is None:
            return _without_code(cloud, answer)
        if answer.status < 300 and code == _SUCCESS:
            return None
        return _failure(cloud, code, answer, _detail(code, answer.body or {}, masked), clock())

    return judge


def code_of(body: Mapping[str, object]) -> str | None:
    return read_text(body.get("code")) or read_text(body.get("Code"))


def request_id_of(body: Mapping[str, object]) -> str | None:
    """The request id, whose key differs between operations (oddity 16)."""
    return next((found for key in _REQUEST_ID_KEYS if (found := read_text(body.get(key)))), None)


def _without_code(cloud: str, answer: Answer) -> CloudError | None:
    if answer.body is not None and answer.status < 300:
        return Unreadable(cloud, "the answer has no code")
    if answer.status in (404, 405, 410):
        return Unreadable(cloud, f"HTTP {answer.status} without a code: is the endpoint right?")
    return None


def _detail(code: str, body: Mapping[str, object], secrets: Iterable[str | None]) -> str:
    message = read_text(body.get("message")) or read_text(body.get("Message"))
    action = read_text(read_record(body.get("AccessDeniedDetail")).get("AuthAction"))
    request_id = request_id_of(body)
    parts = [message, f"needs {action}" if action else None, f"request {request_id}" if request_id else None]
    return quoted(f"{code}: {', '.join(part for part in parts if part)}".rstrip(": "), secrets)


def _failure(cloud: str, code: str, answer: Answer, detail: str, now: datetime) -> CloudError:
    if code.startswith("Throttling") or answer.status == 429:
        return Throttled(cloud, detail, answer.retry_after)
    kind = next((kind for prefix, kind in _KINDS if code.startswith(prefix)), None)
    if kind is ClockSkew:
        return ClockSkew(cloud, detail + _skew(answer, now))
    return (kind or _by_status(answer.status))(cloud, detail)


def _by_status(status: int) -> type[CloudError]:
    if status in (401, 403):
        return Refused
    return Rejected if 400 <= status < 500 else Unreachable


def _skew(answer: Answer, now: datetime) -> str:
    """How far our clock is from the platform's, where its Date header tells."""
    if answer.date is None:
        return ""
    seconds = (now - answer.date).total_seconds()
    return f"; our clock is {abs(seconds) / 60:.0f} min {'ahead' if seconds > 0 else 'behind'}"
