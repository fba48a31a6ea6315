"""Kinds of values in the settings: durations, lists that the environment may give, secrets that may lie in files."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, SecretStr, model_validator

from bot.domain.durations import DurationError, parse_duration


def _duration(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError('write a duration as text with its unit, such as "30s", "15m", "2h" or "7d"')
    try:
        return parse_duration(value)
    except DurationError as error:
        raise ValueError(str(error)) from None


def _duration_or_off(value: object) -> object:
    return None if value in ("off", None) else _duration(value)


def _split(value: object) -> object:
    """A list as the environment writes it: items between commas."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return value


Duration = Annotated[timedelta, BeforeValidator(_duration)]
DurationOrOff = Annotated[timedelta | None, BeforeValidator(_duration_or_off)]
Names = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Section(BaseModel):
    """A table of the settings: frozen, and refusing keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _read_secret_files(cls, data: Any) -> Any:
        """Any secret `key` may be given as `key_file`: the file's text without the line end."""
        if not isinstance(data, Mapping):
            return data
        given = dict(data)
        for key in [name for name, field in cls.model_fields.items() if _is_secret(field.annotation)]:
            path = given.pop(f"{key}_file", None)
            if path is not None:
                given[key] = _secret_from(Path(path), key, already=key in given)
        return given


def _is_secret(annotation: object) -> bool:
    return annotation is SecretStr or annotation == SecretStr | None


def _secret_from(path: Path, key: str, already: bool) -> str:
    if already:
        raise ValueError(f"give either {key} or {key}_file, not both")
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise ValueError(f"{key}_file {path}: {reason}") from None
    if not secret:
        raise ValueError(f"{key}_file {path}: the file is empty")
    return secret
