"""Sentences that the domain speaks before anyone knows the reader's language.

The domain names a sentence by its English text and the values in it; whoever shows it translates the text and
fills the values in. `say` is the mark by which the catalogue's extractor finds such sentences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Mention:
    """Slack persons or user groups by their ids; Slack shows their names in its place."""

    ids: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(f"@{one}" for one in self.ids)


def mention(*ids: str) -> Mention:
    return Mention(ids)


Value = str | int | float | datetime | Mention


@dataclass(frozen=True, slots=True)
class Sentence:
    """An untranslated sentence: `text` is the catalogue key, `values` fill its {places}.

    A moment (aware datetime) is shown in the reader's own zone, a `Mention` as names.
    """

    text: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.values)


def say(text: str, **values: Value) -> Sentence:
    """Name a sentence of the catalogue together with its values."""
    return Sentence(text, values)
