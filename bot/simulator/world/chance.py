"""Chance that can be repeated: every number is a pure function of the words it is asked with, so a
scripted world needs no random state and no order of asking. Knows nothing of clusters."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


def number(*words: object) -> int:
    """64 bits that depend on the words alone."""
    text = "\x1f".join(str(word) for word in words)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def unit(*words: object) -> float:
    """A number in [0, 1)."""
    return number(*words) / 2**64


def between(low: float, high: float, *words: object) -> float:
    return low + (high - low) * unit(*words)


def pick(options: Sequence[T], *words: object) -> T:
    return options[number(*words) % len(options)]


def uuid(*words: object) -> str:
    """Text of the form of a version 4 UUID."""
    text = "\x1f".join(str(word) for word in words)
    digits = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def token(length: int, *words: object, letters: str = "0123456789abcdefghijklmnopqrstuvwxyz") -> str:
    out: list[str] = []
    while len(out) < length:
        block = number(len(out), *words)
        for _ in range(min(10, length - len(out))):
            block, digit = divmod(block, len(letters))
            out.append(letters[digit])
    return "".join(out)


def wobble(grain: int, slot: int) -> float:
    """Noise in [-1, 1) for one time slot: cheap enough to be asked a million times (splitmix64)."""
    mixed = (grain + slot * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((mixed ^ (mixed >> 31)) >> 11) / 2**52 - 1.0
