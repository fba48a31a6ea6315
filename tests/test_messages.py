"""Every sentence that the code says can be read in Chinese, and the compiled catalogue is that of the written one."""

import ast
import gettext
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.domain.wording import say
from bot.messages import Texts, language_of

BOT = Path(__file__).parent.parent / "bot"
WRITTEN = BOT / "messages" / "zh" / "LC_MESSAGES" / "gpubot.po"
SPEAKERS = ("app", "domain", "relay", "slack")
KEYWORDS = {"say": None, "t": None, "n": (1, 2)}


def keys() -> Iterator[tuple[str, ...]]:
    """The sentences in the code as `make messages` finds them; one with a form for many is two texts."""
    for part in SPEAKERS:
        for _, _, message, _, _ in extract_from_dir(BOT / part, keywords=KEYWORDS):
            yield (message,) if isinstance(message, str) else tuple(message)


def calls() -> Iterator[str]:
    """The sentences in the code as Python reads it."""
    for part in SPEAKERS:
        for file in sorted((BOT / part).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(text)), *_]
                    ) if name in KEYWORDS:
                        yield text


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with WRITTEN.open("rb") as file:
        return read_po(file, locale="zh")


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def translations(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def test_every_sentence_in_the_code_has_a_chinese_translation(catalogue: Catalog) -> None:
    translated = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in catalogue
        if all(translations(message)) and not message.fuzzy
    }
    assert [] == sorted({key[0] for key in keys()} - translated)


def test_no_sentence_stands_where_the_extraction_does_not_see_it() -> None:
    """Inside an f-string, before Python 3.12."""
    assert [] == sorted(set(calls()) - {key[0] for key in keys()})


def test_the_catalogue_holds_nothing_that_the_code_no_longer_says(catalogue: Catalog) -> None:
    known = {key[0] for key in keys()}
    written = {message.id if isinstance(message.id, str) else message.id[0] for message in catalogue if message.id}
    assert [] == sorted(written - known)


def test_a_translation_has_the_places_of_its_sentence(catalogue: Catalog) -> None:
    wrong = [
        message.id
        for message in catalogue
        if message.id
        for original in ([message.id] if isinstance(message.id, str) else message.id)
        if any(places(text) != places(original) for text in translations(message))
    ]
    assert [] == wrong


def test_the_marks_of_markup_stand_in_the_translation_as_often_as_in_the_sentence(catalogue: Catalog) -> None:
    uneven = [
        text
        for message in catalogue
        if message.id
        for text in translations(message)
        if text.count("`") % 2 or text.count("*") % 2
    ]
    assert [] == uneven


def test_the_compiled_catalogue_is_that_of_the_written_one(catalogue: Catalog) -> None:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    fresh = gettext.GNUTranslations(compiled)
    with WRITTEN.with_suffix(".mo").open("rb") as file:
        kept = gettext.GNUTranslations(file)
    assert fresh._catalog == kept._catalog  # type: ignore[attr-defined]


def test_a_sentence_is_said_in_the_language_asked_for() -> None:
    sentence = say("No job fits `{wanted}`.", wanted="llama")
    assert "No job fits `llama`." == Texts("en").sentence(sentence)
    assert "没有匹配 `llama` 的任务。" == Texts("zh").sentence(sentence)


def test_one_and_many_differ_in_english_and_not_in_chinese() -> None:
    assert ["1 job", "2 jobs"] == [Texts("en").n("{n} job", "{n} jobs", n) for n in (1, 2)]
    assert ["1 个任务", "2 个任务"] == [Texts("zh").n("{n} job", "{n} jobs", n) for n in (1, 2)]


def test_a_place_may_be_called_text() -> None:
    assert "`/gpu incident 3` shows more" == Texts("en")(
        "`{command} {text}` shows more", command="/gpu", text="incident 3"
    )


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh-CN", "zh"), ("zh_TW", "zh"), ("de-DE", "en"), ("en-US", "en"), (None, "zh"), ("", "zh")],
)
def test_a_reader_is_spoken_to_in_the_language_of_their_locale(locale: str | None, language: str) -> None:
    assert language == language_of(locale, "zh")
