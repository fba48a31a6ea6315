"""Sentences that the domain speaks before anyone knows the reader's language.

The domain names a sentence by its English text and the values in it; whoever shows it translates the text and
fills the values in. `say` is the mark by which the catalogue's extractor finds such sentences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sentence:
    """An untranslated sentence: `text` is the catalogue key, `values` fill its {places}."""

    text: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.values)


def say(text: str, **values: str | float) -> Sentence:
    """Name a sentence of the catalogue together with its values."""
    return Sentence(text, values)
