"""Checks bce-auth-v1 signatures from the raw request target, as the platform would (AIHC v1 reference
§2.4). Own code, so that it can judge a client's signer."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote

from bot.simulator.clouds.dialect import Complaint

_SKEW = timedelta(seconds=300)
_DEFAULT_HEADERS = ("host", "content-length", "content-type", "content-md5")


def check(
    keys: Mapping[str, str],
    now: datetime,
    method: str,
    raw_path: str,
    raw_query: str,
    headers: Mapping[str, str],
) -> None:
    """Raises Complaint with the platform's code; `headers` may have any case."""
    low = {name.lower(): value for name, value in headers.items()}
    given = low.get("authorization")
    if given is None:
        raise Complaint(403, "AccessDenied", "no Authorization header")
    access_key, stamp, seconds, listed, signature = _parts(given)
    if access_key not in keys:
        raise Complaint(403, "InvalidAccessKeyId", "the access key does not exist")
    _check_time(now, stamp, seconds)
    prefix = f"bce-auth-v1/{access_key}/{stamp}/{seconds}"
    canonical = canonical_request(method, raw_path, raw_query, low, listed)
    right = sign(keys[access_key], prefix, canonical)
    if not hmac.compare_digest(right.encode(), signature.encode()):
        message = "the request signature we calculated does not match"
        raise Complaint(400, "SignatureDoesNotMatch", message)


def _parts(authorization: str) -> tuple[str, str, str, tuple[str, ...], str]:
    parts = authorization.split("/")
    if len(parts) != 6 or parts[0] != "bce-auth-v1" or not parts[3].isascii() or not parts[3].isdigit():
        raise Complaint(400, "InvalidHTTPAuthHeader", "the Authorization header is malformed")
    listed = tuple(name for name in parts[4].split(";") if name)
    if listed and "host" not in listed:
        raise Complaint(400, "InvalidHTTPAuthHeader", "host must be signed")
    return parts[1], parts[2], parts[3], listed, parts[5]


def _check_time(now: datetime, stamp: str, seconds: str) -> None:
    try:
        signed = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise Complaint(400, "InvalidHTTPAuthHeader", "the timestamp is malformed") from None
    if now > signed + timedelta(seconds=int(seconds)) or signed > now + _SKEW:
        raise Complaint(400, "RequestExpired", "the request has expired")


def canonical_request(
    method: str, raw_path: str, raw_query: str, headers: Mapping[str, str], listed: tuple[str, ...]
) -> str:
    """The text that is signed; `headers` by lower-case name, `listed` empty: the default set."""
    path = quote(unquote(raw_path), safe="/~") or "/"
    names = listed or tuple(name for name in headers if name in _DEFAULT_HEADERS or name.startswith("x-bce-"))
    chosen = ((name.lower(), headers.get(name.lower(), "").strip()) for name in names)
    lines = sorted(f"{_enc(name)}:{_enc(value)}" for name, value in chosen if value)
    return "\n".join((method.upper(), path, _canonical_query(raw_query), "\n".join(lines)))


def _canonical_query(raw: str) -> str:
    pairs = (pair.partition("=") for pair in raw.split("&") if pair)
    decoded = ((unquote(name), unquote(value)) for name, _, value in pairs)
    return "&".join(sorted(f"{_enc(name)}={_enc(value)}" for name, value in decoded if name.lower() != "authorization"))


def sign(secret: str, prefix: str, canonical: str) -> str:
    key = hmac.new(secret.encode(), prefix.encode(), hashlib.sha256).hexdigest()
    return hmac.new(key.encode(), canonical.encode(), hashlib.sha256).hexdigest()


def _enc(text: str) -> str:
    return quote(text, safe="~")
