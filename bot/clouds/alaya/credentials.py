"""The three ways to be let in by Alaya NeW; which one a deployment wants is a setting (Alaya reference §3)."""

from collections.abc import Callable
from datetime import datetime

from bot.clouds.http import Sign
from bot.clouds.signing import Draft, Keys, alaya_hmac, bearer, plain

SCHEMES = ("bearer", "hmac", "plain")


def sign_with(auth: str, api_key: str, keys: Keys, clock: Callable[[], datetime]) -> Sign:
    """The signer of the scheme. Raises ValueError for an unknown scheme or one without its credentials."""
    if auth not in SCHEMES:
        raise ValueError(f"auth must be one of {', '.join(SCHEMES)}, not {auth!r}")
    if auth == "bearer":
        if not api_key:
            raise ValueError("auth = bearer needs api_key")
        return lambda draft: {"authorization": bearer(api_key)}
    if not (keys.access_key and keys.secret_key):
        raise ValueError(f"auth = {auth} needs access_key and secret_key")
    if auth == "plain":
        return lambda draft: {"authorization": plain(keys)}
    return lambda draft: {"authorization": _hmac(draft, keys, clock())}


def _hmac(draft: Draft, keys: Keys, at: datetime) -> str:
    return alaya_hmac(draft, keys, at)
