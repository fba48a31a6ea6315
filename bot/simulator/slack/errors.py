"""The refusals of the simulated Slack: an error code and what goes with it in the answer. It knows no transport."""

from typing import Any


class SlackError(Exception):
    """An answer `ok: false`; `details` are further fields of that answer."""

    def __init__(self, error: str, **details: Any) -> None:
        super().__init__(error)
        self.error = error
        self.details = details

    def to_json(self) -> dict[str, Any]:
        return {"ok": False, "error": self.error, **self.details}


class PersonError(Exception):
    """A person tried something that Slack's own client would not let them do; the text is a sentence for them."""
