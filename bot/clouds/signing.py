"""How each platform wants to be convinced that a request is ours: pure functions from a request to its headers.

Nothing here reads a clock, makes a nonce or sends anything. Paths and queries come in percent-encoded, in the very
form that goes over the wire, so that what is signed and what is sent cannot differ.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote

Query = Mapping[str, str | int | None]

BCE_LIFE = 1800
_BCE_DEFAULT = frozenset({"host", "content-length", "content-type", "content-md5"})


@dataclass(frozen=True, slots=True)
class Keys:
    """A pair of access key and secret, with a session token where the pair is temporary."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """A request before it is signed. Header names are lower case; `host` is the text the Host header will carry."""

    method: str
    host: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def encoded(text: str) -> str:
    """Percent-encode everything but letters, digits and `-_.~`, as BCE and ACS3 both want it."""
    return quote(text, safe="~", errors="replace")


def query_string(query: Query) -> str:
    """The query as it is sent: sorted by name, a value of None left out, a space as `%20`."""
    pairs = sorted((encoded(name), encoded(str(value))) for name, value in query.items() if value is not None)
    return "&".join(f"{name}={value}" for name, value in pairs)


def bearer(key: str) -> str:
    """The Authorization value of a plain API key (Alaya reference §3.1)."""
    return f"Bearer {key}"


def plain(keys: Keys) -> str:
    """The Authorization value of Alaya's older family, in which the secret itself travels (Alaya reference §3.3)."""
    return f"plain Credential={keys.access_key},Signature={keys.secret_key}"


def alaya_hmac(draft: Draft, keys: Keys, at: datetime) -> str:
    """The Authorization value of `alayanew-HMAC-SHA256`: time, method and path, no query (Alaya reference §3.2)."""
    milliseconds = round(at.timestamp() * 1000)
    signature = _hmac_hex(keys.secret_key, f"{milliseconds}|{draft.method}|{draft.path}")
    return f"alayanew-HMAC-SHA256 {keys.access_key}:{milliseconds}:{signature}"


def bce_v1(draft: Draft, keys: Keys, at: datetime, sign: Iterable[str] | None = None, life: int = BCE_LIFE) -> str:
    """The Authorization value of `bce-auth-v1` (AIHC v1 reference §2.2).

    `sign` names the headers to cover; None covers the platform's default set and leaves the list empty. `life` is in
    seconds, counted from `at`.
    """
    names = None if sign is None else sorted(name.lower() for name in sign)
    prefix = f"bce-auth-v1/{keys.access_key}/{timestamp(at)}/{life}"
    signing_key = _hmac_hex(keys.secret_key, prefix)
    signature = _hmac_hex(signing_key, bce_canonical(draft, names))
    return f"{prefix}/{';'.join(names or ())}/{signature}"


def bce_canonical(draft: Draft, sign: Iterable[str] | None = None) -> str:
    """The text that `bce-auth-v1` signs (AIHC v1 reference §2.2)."""
    query = "&".join(sorted(pair for pair in draft.query.split("&") if not pair.lower().startswith("authorization=")))
    headers = {"host": draft.host, **{name.lower(): value.strip() for name, value in draft.headers.items()}}
    chosen = sign if sign is not None else [name for name in headers if _bce_default(name)]
    lines = sorted(f"{encoded(name)}:{encoded(headers[name])}" for name in chosen if headers.get(name))
    return "\n".join((draft.method, draft.path or "/", query, "\n".join(lines)))


def acs3(draft: Draft, keys: Keys) -> str:
    """The Authorization value of `ACS3-HMAC-SHA256` over every header of the draft (SysOM reference §7.2)."""
    signature = _hmac_hex(keys.secret_key, f"ACS3-HMAC-SHA256\n{sha256_hex(acs3_canonical(draft).encode())}")
    return (
        f"ACS3-HMAC-SHA256 Credential={keys.access_key},"
        f"SignedHeaders={';'.join(_acs3_headers(draft))},Signature={signature}"
    )


def acs3_headers(draft: Draft, keys: Keys, action: str, version: str, at: datetime, nonce: str) -> dict[str, str]:
    """The headers that `acs3` must cover besides the draft's own; `nonce` is new for every request sent."""
    headers = {
        "x-acs-action": action,
        "x-acs-version": version,
        "x-acs-date": timestamp(at),
        "x-acs-signature-nonce": nonce,
        "x-acs-content-sha256": sha256_hex(draft.body),
    }
    if keys.session_token:
        headers |= {"x-acs-accesskey-id": keys.access_key, "x-acs-security-token": keys.session_token}
    return headers


def acs3_canonical(draft: Draft) -> str:
    """The canonical request of ACS3; the header block ends with an empty line (SysOM reference §7.2)."""
    headers = _acs3_headers(draft)
    block = "".join(f"{name}:{value}\n" for name, value in headers.items())
    path = draft.path or "/"
    return "\n".join((draft.method, path, draft.query, block, ";".join(headers), sha256_hex(draft.body)))


def timestamp(at: datetime) -> str:
    """`2024-07-16T06:00:00Z`: the form in which BCE and ACS3 write an aware UTC time."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _acs3_headers(draft: Draft) -> dict[str, str]:
    headers = {"host": draft.host, **{name.lower(): value.strip() for name, value in draft.headers.items()}}
    return dict(sorted(headers.items()))


def _bce_default(name: str) -> bool:
    return name in _BCE_DEFAULT or name.startswith("x-bce-")


def _hmac_hex(key: str, text: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
