"""Foreign text of any length in a message: its end in a fence, all of it in a file where it is long.

Secrets are taken out first, and how many is said (Slack sees what a channel sees).
"""

from dataclasses import dataclass

from bot.domain.redact import redact
from bot.slack.rendering import TextFile
from bot.slack.views.mrkdwn import clean, fence
from bot.slack.views.voice import Voice, joined

LINES = 40
TAIL = 15  # of a long text in a thread
FILE_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The fenced end of a text, a remark on what is not shown, and the whole as a file where it is long."""

    fenced: str
    remark: str
    file: TextFile | None = None


def excerpt(voice: Voice, text: str, file: tuple[str, str], tail: int = TAIL, hidden: int = 0) -> Excerpt:
    """The text, or its last `tail` lines where it is long and goes into a `file` (name and title) as well.

    `hidden` secrets were taken out of it before.
    """
    kept = text[-FILE_CHARACTERS:]
    found = redact(clean(kept))
    every = found.text.strip("\n").splitlines()
    whole = fence("\n".join(every[-LINES:]))
    is_long = len(every) > LINES or whole.startswith("```\n…")
    count = found.count + hidden
    secrets = voice.t.n("{n} secret hidden", "{n} secrets hidden", count) if count else None
    size = voice.t("{n} lines", n=len(every)) if len(every) > 1 else None
    content = _content(voice, found.text, len(text) - len(kept))
    return Excerpt(
        fenced=fence("\n".join(every[-tail:])) if is_long else whole,
        remark=joined(size, voice.t("shown is the end, the file holds all") if is_long else None, secrets),
        file=TextFile(*file, content) if is_long else None,
    )


def _content(voice: Voice, text: str, dropped: int) -> str:
    if not dropped:
        return text
    return voice.t("[the first {n} characters were left out]", n=dropped) + "\n" + text
