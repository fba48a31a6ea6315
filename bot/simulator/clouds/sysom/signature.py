"""Checks ACS3-HMAC-SHA256 signatures: the query is decoded and encoded again before it is signed, since
clients write it in different ways (SysOM reference §7). Own code, so that it can judge a client's."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote, unquote_plus

from bot.simulator.clouds.dialect import Complaint

WINDOW = timedelta(minutes=15)
_SHAPE = re.compile(r"ACS3-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})")
_MANDATORY = (
    "host",
    "x-acs-action",
    "x-acs-version",
    "x-acs-date",
    "x-acs-signature-nonce",
    "x-acs-content-sha256",
)
Headers = Mapping[str, str]


class Gate:
    """Checks requests one after the other and remembers their nonces; `denied` keys are known but may
    do nothing; `tokens` are those of temporary keys, good only together."""

    def __init__(
        self, keys: Mapping[str, str], denied: frozenset[str] = frozenset(), tokens: Mapping[str, str] | None = None
    ) -> None:
        self._keys, self._denied, self._tokens = keys, denied, tokens or {}
        self._nonces: dict[str, datetime] = {}

    def check(self, now: datetime, method: str, raw_path: str, raw_query: str, headers: Headers, body: bytes) -> None:
        """Raises Complaint. Order: shape, key, date, nonce, body hash, signature, permission."""
        low = {name.lower(): value.strip() for name, value in headers.items()}
        access_key, listed, signature = _parts(low)
        secret = self._keys.get(access_key)
        if secret is None:
            raise Complaint(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
        _check_date(now, low["x-acs-date"])
        self._check_nonce(now, low["x-acs-signature-nonce"])
        if hashlib.sha256(body).hexdigest() != low["x-acs-content-sha256"]:
            raise Complaint(400, "SignatureDoesNotMatch", "The body does not match x-acs-content-sha256.")
        canonical = canonical_request(method, raw_path, raw_query, low, listed)
        if not hmac.compare_digest(sign(secret, canonical), signature):
            raise Complaint(400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation.")
        self._nonces[low["x-acs-signature-nonce"]] = now
        if access_key in self._tokens and low.get("x-acs-security-token") != self._tokens[access_key]:
            raise Complaint(400, "InvalidSecurityToken.Mismatch", "The security token does not match the access key.")
        if access_key in self._denied:
            raise Complaint(403, "Forbidden.RAM", "User not authorized to operate on the specified resource.")

    def _check_nonce(self, now: datetime, nonce: str) -> None:
        self._nonces = {each: at for each, at in self._nonces.items() if now - at <= WINDOW}
        if nonce in self._nonces:
            raise Complaint(400, "SignatureNonceUsed", "Specified signature nonce was used already.")


def canonical_request(method: str, raw_path: str, raw_query: str, headers: Headers, listed: tuple[str, ...]) -> str:
    """The text whose hash is signed; `headers` by lower-case name."""
    path = quote(unquote(raw_path), safe="/~") or "/"
    lines = "".join(f"{name}:{headers.get(name, '')}\n" for name in sorted(listed))
    body_hash = headers["x-acs-content-sha256"]
    return "\n".join((method.upper(), path, _canonical_query(raw_query), lines, ";".join(listed), body_hash))


def sign(secret: str, canonical: str) -> str:
    text = "ACS3-HMAC-SHA256\n" + hashlib.sha256(canonical.encode()).hexdigest()
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def _canonical_query(raw: str) -> str:
    pairs = (pair.partition("=") for pair in raw.split("&") if pair)
    decoded = sorted((unquote_plus(name), unquote_plus(value)) for name, _, value in pairs)
    return "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in decoded)


def _parts(headers: Headers) -> tuple[str, tuple[str, ...], str]:
    given = headers.get("authorization")
    if given is None:
        raise Complaint(400, "MissingAuthorization", "Authorization is mandatory for this action.")
    found = _SHAPE.fullmatch(given)
    if found is None:
        raise Complaint(400, "IncompleteSignature", "The request signature does not conform to the standard.")
    listed = tuple(found[2].split(";"))
    needed = [*_MANDATORY, *(["x-acs-security-token"] if "x-acs-security-token" in headers else [])]
    for name in needed:
        if name not in headers:
            raise Complaint(400, "MissingParameter", f"The header {name} is mandatory.")
        if name not in listed:
            raise Complaint(400, "IncompleteSignature", f"The header {name} is not signed.")
    return found[1], listed, found[3]


def _check_date(now: datetime, stamp: str) -> None:
    try:
        signed = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise Complaint(400, "InvalidTimeStamp.Format", "Specified time stamp is not well formatted.") from None
    if abs(now - signed) > WINDOW:
        raise Complaint(400, "InvalidTimeStamp.Expired", "Specified time stamp is expired.")
