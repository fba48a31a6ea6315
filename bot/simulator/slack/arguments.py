"""What a caller sent, whichever way it came: query string, form, multipart or JSON, with JSON strings inside form
fields. Typed reading of those arguments; it knows no method."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from .errors import SlackError


class Arguments:
    """One call's arguments. Wrong shapes raise SlackError `invalid_arguments`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) not in (None, "")

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name)
        return default if value is None else str(value)

    def required(self, name: str, error: str = "invalid_arguments") -> str:
        if name not in self:
            raise SlackError(error, response_metadata={"messages": [f"[ERROR] missing required field: {name}"]})
        return self.text(name)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.values.get(name)
        return default if value is None else str(value).lower() in ("1", "true", "yes")

    def number(self, name: str, default: int) -> int:
        try:
            return int(self.values.get(name) or default)
        except (TypeError, ValueError):
            raise _refusal(f"{name} must be an integer") from None

    def tree(self, name: str, error: str = "invalid_arguments") -> Any:
        """A JSON value, given as such or as a JSON string; None when absent."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if value == "":
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise SlackError(error) from None

    def record(self, name: str, error: str = "invalid_arguments") -> dict[str, Any] | None:
        value = self.tree(name, error)
        if value is not None and not isinstance(value, dict):
            raise SlackError(error)
        return value

    def words(self, name: str) -> list[str]:
        """A comma-separated list (or a JSON list) of words."""
        value = self.values.get(name)
        parts = value if isinstance(value, list) else self.text(name).split(",")
        return [str(part).strip() for part in parts if str(part).strip()]


def _refusal(sentence: str) -> SlackError:
    return SlackError("invalid_arguments", response_metadata={"messages": [f"[ERROR] {sentence}"]})


async def read_arguments(request: web.Request) -> Arguments:
    """Query and body together; the body wins. A JSON body must be an object."""
    values: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        values.update(_json_object(await request.text()))
    elif request.can_read_body:
        form = await request.post()
        values.update({name: value for name, value in form.items() if isinstance(value, str)})
    return Arguments(values)


def _json_object(body: str) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        value = json.loads(body)
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(value, dict):
        raise SlackError("json_not_object")
    return value
