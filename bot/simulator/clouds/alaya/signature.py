"""Checks Alaya's two ways of signing in: a bearer key, and HMAC over time, method and path (Alaya
reference §3). Own code, so that it can judge a client's."""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from datetime import datetime

from bot.simulator.clouds.dialect import Complaint

SCHEME = "alayanew-HMAC-SHA256"
_WINDOW_MS = 5 * 60 * 1000


class Door:
    """Who is let in: bearer keys, and secrets by access key; `only` forces one scheme."""

    def __init__(self, bearer: Collection[str], secrets: Mapping[str, str], only: str | None) -> None:
        self._bearer, self._secrets, self._only = bearer, secrets, only

    def check(self, now: datetime, method: str, raw_path: str, authorization: str | None) -> None:
        """Raises Complaint with the five-digit status as its code."""
        if not authorization:
            raise Complaint(401, "40401", "登录凭证已过期，请重新登录")
        scheme, _, rest = authorization.partition(" ")
        if scheme == "Bearer" and self._only != "hmac":
            self._check_bearer(rest.strip())
        elif scheme == SCHEME and self._only != "bearer":
            self._check_hmac(now, method, raw_path, rest.strip())
        else:
            raise Complaint(401, "40001", "Authorization header missing or malformed")

    def _check_bearer(self, key: str) -> None:
        if key not in self._bearer:
            raise Complaint(401, "40006", "API key not found")

    def _check_hmac(self, now: datetime, method: str, raw_path: str, text: str) -> None:
        parts = text.split(":")
        if len(parts) != 3:
            raise Complaint(401, "40001", "Authorization header missing or malformed")
        access_key, stamp, signature = parts
        if access_key not in self._secrets:
            raise Complaint(401, "40006", "API key not found")
        if not (stamp.isascii() and stamp.isdigit()) or abs(int(stamp) - now.timestamp() * 1000) > _WINDOW_MS:
            raise Complaint(401, "40002", "timestamp is not valid")
        right = sign(self._secrets[access_key], stamp, method, raw_path)
        if not hmac.compare_digest(right.encode(), signature.encode()):
            raise Complaint(401, "40003", "signature verification failed")


def sign(secret: str, stamp: str, method: str, path: str) -> str:
    """Lower-case hex; the path with its prefix, without the query."""
    text = f"{stamp}|{method.upper()}|{path}"
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
