"""Scalars as platforms really send them: numbers as text, nulls, blanks, dashes. A reader here never fails and never
guesses: what is not certainly the value is None. It must not know any platform."""

import math
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_LONGEST_NUMBER = 64
_SMALL = 2**53


class Loose(BaseModel):
    """A wire model that no field can break, as long as its fields are of the types below."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


def read_text(value: object) -> str | None:
    """Text without surrounding blanks (a number becomes its digits); None for nothing, blanks and structures."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST_NUMBER:
        return None
    # A lone surrogate is legal in JSON and illegal in UTF-8: neither the store nor Slack would take it.
    return str(value).encode("utf-8", "replace").decode("utf-8").strip() or None


def read_number(value: object) -> float | None:
    """A finite decimal number, also as text; None for "", "-", "0,93", NaN, booleans and everything else."""
    if type(value) is float or (type(value) is int and -_SMALL < value < _SMALL):  # nearly all of a metric's samples
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip() if not isinstance(value, int) or value.bit_length() < 4 * _LONGEST_NUMBER else ""
    if len(text) > _LONGEST_NUMBER or not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def read_whole(value: object) -> int | None:
    """A whole number, also as text ("8", 8.0); None for everything else."""
    number = read_number(value)
    return int(number) if number is not None and number.is_integer() else None


def read_record(value: object) -> Mapping[object, object]:
    """The object itself; an empty one for everything that is no object, so that a list keeps its length."""
    return value if isinstance(value, Mapping) else {}


def read_list(value: object) -> list[object]:
    """The list itself; an empty one where the platform sent null, {} or nothing."""
    return list(value) if isinstance(value, list | tuple) else []


Text = Annotated[str | None, BeforeValidator(read_text)]
Number = Annotated[float | None, BeforeValidator(read_number)]
Whole = Annotated[int | None, BeforeValidator(read_whole)]
