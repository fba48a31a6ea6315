"""What a person typed, cut into words, and a value written so that it is read back as itself.

Keyboards and Slack change what was meant: straight quotes become curly, two hyphens a dash, host names links, and
bold text carries its asterisks. All of that is undone here. What stands between quotation marks is taken as it is.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_CLOSERS = {
    '"': '"',
    "'": "'",
    "“": '”“"',
    "”": '”"',
    "„": '“”"',
    "‘": "’'",
    "’": "’'",
    "「": "」",
    "『": "』",
    "«": "»",
    "＂": "＂",
}
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_DASHES = re.compile(r"[-‐‑‒–—―−﹣－]+")
_LINK = re.compile(r"<([^<>\s][^<>]*)>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_PLAIN = re.compile(r"[0-9A-Za-z\u3400-\u9fff@#](?:[0-9A-Za-z\u3400-\u9fff._/:%@+-]*[0-9A-Za-z\u3400-\u9fff])?")


@dataclass(frozen=True, slots=True)
class Word:
    """One word. A `quoted` one is a value and never a name; `name` and `value` are set where it reads `name=value`."""

    text: str
    quoted: bool = False
    name: str = ""
    value: "Word | None" = None

    @property
    def plain(self) -> str:
        """The word, or its part before `=`, for comparing with names; empty where it was quoted."""
        return "" if self.quoted else fold(self.name if self.value else self.text)

    @property
    def option(self) -> str | None:
        """The option's name where the word is written as one (`--last`, `—last`), else None."""
        found = _DASHES.match(self.plain)
        return self.plain[found.end() :] if found and found.end() < len(self.plain) else None


def split(text: str) -> list[Word]:
    """Cut what was typed into words. An unclosed quotation mark is ignored: no name begins with one."""
    return [_word(pieces) for pieces in _pieces(_LINK.sub(_label, text))]


def fold(text: str) -> str:
    """The form in which two texts are compared: compatible characters narrowed, case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def quote(value: str) -> str:
    """The value as one word that `split` reads back unchanged."""
    if _PLAIN.fullmatch(value):
        return value
    safe = value
    if "<" in value or ">" in value or _ENTITY.search(value):
        safe = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(link: re.Match[str]) -> str:
    """What a person meant by Slack's markup: a person's id, a channel's name, the text of a link."""
    target, _, label = link[1].partition("|")
    if target.startswith("@"):
        return target
    if target.startswith("#"):
        return label or target[1:]
    return label or re.sub(r"^(?:mailto:|https?://)", "", target)


def _pieces(text: str) -> Iterator[list[tuple[str, bool]]]:
    """Words as runs of (text, quoted)."""
    word: list[tuple[str, bool]] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char.isspace():
            if word:
                yield word
            word, place = [], place + 1
        elif _opens(char, word):
            end = _closing(text, place)
            if end is not None:
                word.append((_literal(text[place + 1 : end]), True))
            place = (place if end is None else end) + 1
        else:
            _add(word, char)
            place += 1
    if word:
        yield word


def _opens(char: str, word: list[tuple[str, bool]]) -> bool:
    """A quotation mark opens at the start of a word or after `=`; elsewhere it is an apostrophe."""
    return char in _CLOSERS and (not word or word[-1][0].endswith(("=", "＝")))


def _closing(text: str, start: int) -> int | None:
    closers = _CLOSERS[text[start]]
    place = start + 1
    while place < len(text):
        if text[place] == "\\" and closers == '"':
            place += 1
        elif text[place] in closers:
            return place
        place += 1
    return None


def _add(word: list[tuple[str, bool]], char: str) -> None:
    if word and not word[-1][1]:
        word[-1] = (word[-1][0] + char, False)
    else:
        word.append((char, False))


def _literal(text: str) -> str:
    return _unescape(re.sub(r"\\([\\\"])", r"\1", text))


def _unescape(text: str) -> str:
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], text)


def _word(pieces: list[tuple[str, bool]]) -> Word:
    whole = _join(pieces)
    head, is_quoted = pieces[0]
    name, equals, rest = head.replace("＝", "=").partition("=")
    if is_quoted or not equals:
        return whole
    return Word(whole.text, name=_unmark(name), value=_join([(rest, False), *pieces[1:]]))


def _join(pieces: list[tuple[str, bool]]) -> Word:
    quoted = any(is_quoted for _, is_quoted in pieces)
    text = "".join(text if is_quoted else _unescape(text) for text, is_quoted in pieces)
    return Word(text if quoted else _unmark(text), quoted)


def _unmark(text: str) -> str:
    """Without invisible characters and without the marks of bold, italic, struck and code text around it."""
    bare = _INVISIBLE.sub("", text).strip("*`")
    while len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "_~":
        bare = bare[1:-1].strip("*`")
    return bare
