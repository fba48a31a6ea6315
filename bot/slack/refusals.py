"""What Slack's errors mean for a message: the one translation from the library's exceptions into `DeliveryError`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiohttp import ClientConnectorError, ClientError, ConnectionTimeoutError
from slack_sdk.errors import SlackApiError

from bot.domain.errors import (
    ChannelClosed,
    CredentialsRefused,
    DeliveryError,
    MessageGone,
    OutcomeUnknown,
    PayloadRefused,
    RateLimited,
    Unavailable,
)

DEFAULT_WAIT = 10.0  # seconds, where a 429 comes without Retry-After

LIMITED = frozenset({"ratelimited", "rate_limited"})
BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_CLOSED = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "is_inactive",  # what an edit in an archived or frozen channel is told: its message is there all the same
        "not_in_channel",
        "user_not_found",
        "user_disabled",
        "messages_tab_disabled",
        "channel_is_limited_access",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "posting_to_channel_denied",
        "ekm_access_denied",
        "message_limit_exceeded",
        "storage_limit_reached",
    }
)
_GONE = frozenset(
    {
        "message_not_found",
        "thread_not_found",
        "cannot_reply_to_message",
        "cant_update_message",
        "edit_window_closed",
        "streaming_state_conflict",
    }
)
_CREDENTIALS = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "team_access_not_granted",
        "access_denied",
        "accesslimited",
        "org_login_required",
        "two_factor_setup_required",
        "enterprise_is_restricted",
        "method_deprecated",
        "deprecated_endpoint",
    }
)
_UNKNOWN = frozenset({"internal_error", "fatal_error", "update_failed"})
_LATER = frozenset({"service_unavailable", "request_timeout", "team_added_to_org"})
_KINDS: Mapping[str, type[DeliveryError]] = {
    **dict.fromkeys(_CLOSED, ChannelClosed),
    **dict.fromkeys(_GONE, MessageGone),
    **dict.fromkeys(_CREDENTIALS, CredentialsRefused),
    **dict.fromkeys(_UNKNOWN, OutcomeUnknown),
    **dict.fromkeys(_LATER, Unavailable),
}


@contextmanager
def translated() -> Iterator[None]:
    """Raise only `DeliveryError` for what a call to Slack raises (Slack reference §5)."""
    try:
        yield
    except SlackApiError as error:
        raise _refusal(error) from error
    except (ClientConnectorError, ConnectionTimeoutError) as error:
        raise Unavailable(f"no connection: {type(error).__name__}") from error
    except (ClientError, TimeoutError, OSError) as error:
        raise OutcomeUnknown(f"the answer was lost: {type(error).__name__}") from error


def error_word(error: SlackApiError) -> str:
    """Slack's own word, or "" where the answer was not Slack's JSON."""
    data = getattr(error.response, "data", error.response)
    return str(data.get("error", "")) if isinstance(data, Mapping) else ""


def _refusal(error: SlackApiError) -> DeliveryError:
    word, status = error_word(error), _status(error.response)
    if status == 429 or word in LIMITED:
        return RateLimited(word or "429", _wait(error.response))
    if status == 503 or word in _LATER:
        return Unavailable(word or "503")
    if status >= 500 or not word:
        return OutcomeUnknown(word or f"unreadable answer, status {status}")
    kind = _KINDS.get(word, ChannelClosed if word.startswith("slack_connect_") else PayloadRefused)
    return kind(_told(word, error.response))


def _told(word: str, response: Any) -> str:
    """A missing scope is named, because that is what the operator has to add."""
    data = getattr(response, "data", None)
    needed = data.get("needed") if isinstance(data, Mapping) else None
    return f"{word} ({needed})" if word == "missing_scope" and needed else word


def _status(response: Any) -> int:
    return int(getattr(response, "status_code", None) or getattr(response, "status", None) or 0)


def _wait(response: Any) -> float:
    headers = getattr(response, "headers", None) or {}
    found = next((value for name, value in headers.items() if name.lower() == "retry-after"), None)
    try:
        return max(float(found), 1.0) if found is not None else DEFAULT_WAIT
    except ValueError:
        return DEFAULT_WAIT
