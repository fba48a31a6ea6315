"""What dialogs about queues and orders carry in their metadata, beside the `Target` of those about jobs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.domain.capacity import Queue, QueueKey
from bot.domain.errors import CommandError
from bot.domain.job import JobKey
from bot.domain.wording import say
from bot.slack.ids import VERSION


@dataclass(frozen=True, slots=True)
class QueueTarget:
    """A queue, and which state of it the person saw."""

    key: QueueKey
    seen: str = ""

    @classmethod
    def of(cls, queue: Queue, seen: str = "") -> "QueueTarget":
        return cls(queue.key, seen)

    def value(self) -> str:
        return _write({"c": self.key.cloud, "p": self.key.pool, "q": self.key.name, "h": self.seen})

    @classmethod
    def read(cls, value: str | None) -> "QueueTarget":
        """Raises `CommandError` for a value that this version did not write."""
        fields = _read(value, "c", "p", "q")
        return cls(QueueKey(fields["c"], fields["p"], fields["q"]), str(fields.get("h", "")))


@dataclass(frozen=True, slots=True)
class OrderTarget:
    """One form for one job: its token, and the job that is run again."""

    token: str
    source: JobKey | None = None

    def value(self) -> str:
        source = {"c": self.source.cloud, "j": self.source.id} if self.source else {}
        return _write({"t": self.token, **source})

    @classmethod
    def read(cls, value: str | None) -> "OrderTarget":
        """Raises `CommandError` for a value that this version did not write."""
        fields = _read(value, "t")
        return cls(fields["t"], JobKey(fields["c"], fields["j"]) if "c" in fields else None)


def _write(fields: Mapping[str, str]) -> str:
    return json.dumps({"v": VERSION, **fields}, ensure_ascii=False, separators=(",", ":"))


def _read(value: str | None, *needed: str) -> dict[str, Any]:
    try:
        fields = json.loads(value or "")
        if fields["v"] != VERSION or not all(isinstance(fields[name], str) for name in needed):
            raise ValueError(fields)
    except (ValueError, KeyError, TypeError):
        sentence = say(
            "This button is from another version of the bot and cannot be used any more. Ask again for a fresh one."
        )
        raise CommandError(sentence) from None
    return dict(fields)
