"""Foreign text of any length in a message: its end in a fence, all of it in a file where it is long.

Secrets are taken out first, and how many is said (Slack sees what a channel sees).
"""

from dataclasses import dataclass

from bot.domain.redact import redact
from bot.slack.rendering import TextFile
from bot.slack.views.mrkdwn import clean, fence
from bot.slack.views.voice import Voice, joined

LINES = 40
FILE_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The fenced end of a text, a remark on what is not shown, and the whole as a file where it is long."""

    fenced: str
    remark: str
    file: TextFile | None = None


def excerpt(voice: Voice, text: str, name: str, title: str, lines: int = LINES) -> Excerpt:
    """The last lines of the text; more than that, or more than a message holds, goes into a file as well."""
    kept = text[-FILE_CHARACTERS:]
    found = redact(clean(kept))
    every = found.text.strip("\n").splitlines()
    shown = fence("\n".join(every[-lines:]))
    is_long = len(every) > lines or shown.startswith("```\n…")
    hidden = voice.t.n("{n} secret hidden", "{n} secrets hidden", found.count) if found.count else None
    return Excerpt(
        fenced=shown,
        remark=joined(_size(voice, len(every), lines) if is_long else None, hidden),
        file=TextFile(name, title, _content(voice, found.text, len(text) - len(kept))) if is_long else None,
    )


def _size(voice: Voice, every: int, lines: int) -> str:
    if every > lines:
        return voice.t("the last {n} of {total} lines; all of them are in the file", n=lines, total=every)
    return voice.t("the end of a long text; all of it is in the file")


def _content(voice: Voice, text: str, dropped: int) -> str:
    if not dropped:
        return text
    return voice.t("[the first {n} characters were left out]", n=dropped) + "\n" + text
