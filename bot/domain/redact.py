"""Hides secrets in text that came from outside: logs, events, reasons, commands. What it hides reads `‹hidden›`.

It knows secrets by the name before them (`WANDB_API_KEY=…`), by their shape (`ghp_…`), and by where they stand in an
address. Training logs are full of harmless tokens and keys (`tokens/s: 3021`, `key=layers.0`), so a name that is
common there counts only before a value that looks like a secret.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

HIDDEN = "‹hidden›"
_PASSES = 4  # hiding one secret may lay another one bare; a text needs two passes, never more were seen

_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.S)
_TERMINAL = re.compile(
    r"\b(?:https?|wss?)://[^\s\"'<>]{0,500}(?:web-?terminal|web-?ssh|web-?shell|/terminal\b)[^\s\"'<>]{0,2000}", re.I
)
_WEBHOOK = re.compile(r"(\bhttps?://hooks\.slack\.com/)[^\s\"'<>‹]+", re.I)
_USERINFO = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@\"'<>‹]{1,300}(?=@)", re.I)
_QUERY = re.compile(
    r"([?&;](?:[a-z0-9_.-]{0,40}(?:token|signature|credential|secret|password|passwd|apikey|api_key|api-key"
    r"|accesskeyid|access_key|accesskey|authorization|ticket)|sig|ak|sk|key|auth|code)=)[^\s&#\"'<>‹]+",
    re.I,
)
_AUTHORIZATION = re.compile(r"(\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?)([^\r\n\"'‹]{6,})", re.I)
_BEARER = re.compile(r"(\bbearer\s{1,3})((?=[^\s\"']*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{24,})", re.I)
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|LTAI[0-9A-Za-z]{12,30}"
    r"|ALTAK[0-9A-Za-z-]{8,40}"
    r"|bce-(?:auth-v1|v3)/[^\s\"'<>‹]{10,}"
    r"|sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"
    r"|xox[a-z]-[A-Za-z0-9-]{8,}"
    r"|xapp-[A-Za-z0-9-]{8,}"
    r"|gh[opsru]_[A-Za-z0-9]{16,}"
    r"|github_pat_[A-Za-z0-9_]{16,}"
    r"|glpat-[A-Za-z0-9_-]{16,}"
    r"|hf_[A-Za-z0-9]{16,}"
    r"|AIza[A-Za-z0-9_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    r")"
)
_NAMED = re.compile(
    r"(?P<lead>(?<![A-Za-z0-9_.-])(?P<quote>[\"']?)(?P<name>(?:--)?[A-Za-z0-9_.-]{0,60}?"
    r"(?P<word>password|passwd|passphrase|secret|token|key|keyid|credentials?|pwd|密码|密钥|口令))(?P=quote)"
    r"(?P<between>\s{0,3}(?:=|:=|:|：|=>)\s{0,3}|(?<=[A-Za-z])\s{1,3}(?=[^\s=:：-])))"
    r"(?P<value>\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'|[^\s,;&\"'<>(){}\[\]]+)",
    re.I,
)
_HARMLESS = re.compile(r"(?:none|null|nil|true|false|undefined|\*+|x{3,}|\.{3,}|<[a-z|_/ ]*>|‹hidden›)", re.I)
_NUMBER = re.compile(r"[+-]?[0-9][0-9_,.]*(?:e[+-]?[0-9]+)?[a-z%]{0,3}", re.I)
_KEY_NAMES = re.compile(
    r"(?:api|access|secret|private|auth|signing|encryption|session|ssh|account|master|storage|license|client)"
    r"[_.-]?key(?:[_.-]?id)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text without its secrets, and how many were hidden."""

    text: str
    count: int


def redact(text: str) -> Redacted:
    """Hide every secret that can be known as one. Redacting twice changes nothing."""
    count = 0
    for _ in range(_PASSES):
        text, hidden = _pass(text)
        count += hidden
        if not hidden:
            break
    return Redacted(text, count)


def _pass(text: str) -> tuple[str, int]:
    total = 0
    for pattern in (_KEY_BLOCK, _TERMINAL, _SHAPES):
        text, hidden = pattern.subn(HIDDEN, text)
        total += hidden
    for pattern in (_WEBHOOK, _USERINFO, _QUERY, _AUTHORIZATION, _BEARER):
        text, hidden = pattern.subn(rf"\g<1>{HIDDEN}", text)
        total += hidden
    text, hidden = _replace(_NAMED, _without_value, text)
    return text, total + hidden


def _replace(pattern: re.Pattern[str], hide: Callable[[re.Match[str]], str], text: str) -> tuple[str, int]:
    changed = 0

    def count(found: re.Match[str]) -> str:
        nonlocal changed
        shown = hide(found)
        changed += shown != found[0]
        return shown

    return pattern.sub(count, text), changed


def _without_value(found: re.Match[str]) -> str:
    value = found["value"]
    mark = value[0] if value[0] in "\"'" and len(value) > 1 else ""
    bare = value.strip("\"'") if mark else value
    if not _is_secret(found["name"], found["word"].casefold(), found["between"], bare):
        return found[0]
    return f"{found['lead']}{mark}{HIDDEN}{mark}"


def _is_secret(name: str, word: str, between: str, value: str) -> bool:
    """Whether the value after this name is one. `token` and `key` are everyday words in training logs."""
    if not value or _HARMLESS.fullmatch(value):
        return False
    if between.isspace() and not name.startswith("--"):
        return False
    return _fits_word(name, word, value)


def _fits_word(name: str, word: str, value: str) -> bool:
    if word in ("key", "keyid"):
        return bool(_KEY_NAMES.search(name)) or _looks_random(value)
    if word == "token":
        return not _NUMBER.fullmatch(value) and len(value) >= 8 and not value.isalpha()
    return True


def _looks_random(value: str) -> bool:
    if re.fullmatch(r"[0-9a-f]{32,}", value, re.I):
        return True
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value) and any(c.isdigit() for c in value)
    return mixed and re.fullmatch(r"[A-Za-z0-9+/=-]{16,}", value) is not None
