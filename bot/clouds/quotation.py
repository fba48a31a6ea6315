"""A platform's own sentence inside an error of ours: one line, short, without secrets."""

import re
from collections.abc import Iterable

_LONGEST = 200
_ADDRESS = re.compile(r"\b(https?|wss?)://\S+", re.IGNORECASE)
_SHORTEST_SECRET = 4


def quoted(message: str | None, secrets: Iterable[str | None] = ()) -> str:
    """The message fit to be shown: blanks folded, our secrets and all addresses masked, cut at 200 characters."""
    text = " ".join((message or "").split())
    for secret in secrets:
        if secret and len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    text = _ADDRESS.sub("***", text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
