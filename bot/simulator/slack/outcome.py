"""What a person gets back from one of their calls."""

from dataclasses import dataclass, field
from typing import Any

from .deliveries import Acknowledgement
from .records import Json


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person got: `ok` when it worked, `acknowledged` when the app answered in time. `more` are further fields
    of the call's JSON answer (ts, errors, view, options)."""

    ok: bool
    acknowledged: bool = False
    ack_ms: int = 0
    error: str | None = None
    more: Json = field(default_factory=dict)

    @staticmethod
    def of(ack: Acknowledgement, **more: Any) -> "Outcome":
        return Outcome(ack.acknowledged, ack.acknowledged, ack.ms, ack.error, more)

    def to_json(self) -> Json:
        about: Json = {"ok": self.ok, "acknowledged": self.acknowledged, "ack_ms": self.ack_ms}
        return about | ({"error": self.error} if self.error else {}) | self.more
