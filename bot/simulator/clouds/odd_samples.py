"""Samples as a broken exporter sends them: no number, not a number, out of range, nothing."""

from typing import Any

_ODD: tuple[Any, ...] = ("NaN", None, "-1", "", "1e12", "n/a")
_ONE_IN = 5


def spoil_samples(samples: list[dict[str, Any]], key: str = "value") -> list[dict[str, Any]]:
    """Every fifth sample is odd, each in another way; the times stay right."""
    return [
        sample | {key: _ODD[index // _ONE_IN % len(_ODD)]} if index % _ONE_IN == 0 else sample
        for index, sample in enumerate(samples)
    ]
