"""Text on its way into Slack's markup: escaped once, fenced so that it cannot break out, cut so that it fits.

Slack escapes only `&`, `<` and `>`; a back-tick cannot be escaped at all, so one from outside is replaced by a mark
that looks like it (Slack reference §4.3). Lengths are characters, widths are columns, in which a Chinese character
takes two.
"""

import re
import unicodedata

from bot.domain.redact import redact

TEXT = 2_800  # Slack takes 3,000 a text object; what escaping adds is counted, what Slack counts differently is not
LINE = 160
MARK = "…"
_BACK_TICK = "ˋ"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves of terminals
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
_HALF_ENTITY = re.compile(r"&[a-z]{0,3}$")
_HALF_TOKEN = re.compile(r"<[^<>]*$")
_MARKUP = re.compile(r"`|(?<!\w)([*_~])\S(?:.*?\S)?\1(?!\w)|:[a-z0-9_+-]+:|^\s*>", re.DOTALL)
_PLAIN = re.compile(r"[\w./ +-]+")


def clean(text: str) -> str:
    """Without what cannot be seen: terminal colours, control characters, and marks that turn the reading direction."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n"))


def escape(text: str, most: int = TEXT) -> str:
    """The text as Slack shows it literally, with at most `most` characters after escaping."""
    escaped = clean(text).translate(_ESCAPES)
    if len(escaped) <= most:
        return escaped
    return _HALF_ENTITY.sub("", escaped[: most - len(MARK)]) + MARK


def line(text: str, most: int = LINE) -> str:
    """The text as one escaped line, in which no fence can begin."""
    return escape(" ".join(text.split()), most).replace("```", _BACK_TICK * 3)


def prose(text: str, most: int = 500) -> str:
    """Sentences from outside (reasons, messages, answers) as one line, without the secrets in them.

    Where Slack would see markup, a code span keeps them as they are.
    """
    shown = redact(text).text
    return code(shown, most) if _MARKUP.search(shown) else line(shown, most)


def code(text: str, most: int = LINE) -> str:
    """One line in a code span, in which nothing has a meaning."""
    flat = line(text, most).replace("`", _BACK_TICK)
    return f"`{flat}`" if flat else "–"


def literal(text: str, most: int = LINE) -> str:
    """A name as it is: bare where Slack sees no markup in it, else in a code span."""
    is_plain = _PLAIN.fullmatch(text) and "_" not in text and "\n" not in text
    return line(text, most) if is_plain else code(text, most)


def fence(text: str, most: int = TEXT) -> str:
    """A code block with the end of the text: its newest lines say why something failed."""
    room = most - len("```\n\n```")
    body = clean(text).replace("`", _BACK_TICK).translate(_ESCAPES).strip("\n")
    if len(body) > room:
        body = _tail(body, room - len(MARK) - 1)
    return f"```\n{body or ' '}\n```"


def _tail(escaped: str, room: int) -> str:
    """The last characters, from the beginning of a line where there is one, never from within an entity."""
    kept = escaped[-room:]
    _, newline, lines = kept.partition("\n")
    if newline and lines:
        return f"{MARK}\n{lines}"
    return MARK + re.sub(r"^[a-z]{0,3};", "", kept)


def bounded(marked: str, most: int = TEXT) -> str:
    """Markup of our own cut as a last resort, without half a token and with its fence closed."""
    if len(marked) <= most:
        return marked
    kept = marked[: most - len("\n```") - len(MARK)]
    kept = _HALF_TOKEN.sub("", _HALF_ENTITY.sub("", kept)) + MARK
    return f"{kept}\n```" if kept.count("```") % 2 else kept


def width(text: str) -> int:
    """How many columns of a fixed-width font the text takes."""
    return sum(_columns(char) for char in text)


def narrow(text: str, columns: int) -> str:
    """The text cut so that it takes at most so many columns."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept += char
    return kept + MARK


def pad(text: str, columns: int) -> str:
    """The text cut or filled with blanks so that it takes exactly so many columns."""
    kept = narrow(text, columns)
    return kept + " " * (columns - width(kept))


def lead(text: str, columns: int) -> str:
    """The text with blanks before it, so that columns of figures end together."""
    return " " * (columns - width(text)) + text


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
