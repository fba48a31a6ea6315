"""Values that SysOM types "any": an object, JSON as text, JSON encoded twice, or text that merely contains JSON."""

import json
from collections.abc import Mapping

_DECODER = json.JSONDecoder()


def unpacked(value: object) -> object:
    """The value behind up to two layers of JSON text; text that is no JSON stays as it is."""
    for _ in range(2):
        if not isinstance(value, str):
            return value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def found_object(value: object) -> Mapping[str, object] | None:
    """The object in the value, also where prose stands around it (oddity 4); None where there is none."""
    value = unpacked(value)
    if isinstance(value, str) and "{" in value:
        try:
            value, _ = _DECODER.raw_decode(value, value.index("{"))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None
