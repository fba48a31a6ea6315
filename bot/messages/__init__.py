"""The bot's sentences in the languages of its readers, through gettext; the English text is the catalogue's key.

`Texts` is called where a sentence is shown: `t("{n} of {total} GPUs", n=3, total=8)`. Babel finds the keys by the
marks `t`, `t.n` and the domain's `say` (see `make messages`); a key without a Chinese translation fails a test.
"""

import gettext
from functools import cache
from pathlib import Path
from typing import Literal

from bot.domain.wording import Sentence

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_CATALOGUES = Path(__file__).parent


class Texts:
    """Translates and fills sentences for one language."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._catalogue = gettext.translation("gpubot", _CATALOGUES, [language], fallback=language == "en")

    def __call__(self, text: str, /, **values: object) -> str:
        """The sentence in this language, with its {places} filled."""
        return self._catalogue.gettext(text).format(**values)

    def n(self, one: str, many: str, n: int, /, **values: object) -> str:
        """The sentence in the form that fits the number `n`, which also fills {n}."""
        return self._catalogue.ngettext(one, many, n).format(n=n, **values)

    def sentence(self, sentence: Sentence) -> str:
        """A sentence that the domain has named."""
        return self(sentence.text, **sentence.values)


@cache
def texts(language: Language) -> Texts:
    return Texts(language)


def language_of(locale: str | None, default: Language) -> Language:
    """The catalogue for a Slack locale such as `zh-CN`; English for any other that is known, the default for none."""
    if not locale:
        return default
    return "zh" if locale.lower().startswith("zh") else "en"
