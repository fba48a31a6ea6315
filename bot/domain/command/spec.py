"""How a command is written: its arguments and options, and how the word for each is read and written back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches

from bot.domain.command.words import fold, quote
from bot.domain.durations import DurationError, parse_duration, written
from bot.domain.errors import CommandError
from bot.domain.wording import Sentence, say

Value = str | int | bool | timedelta


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns a word into a value and back. `read` raises `CommandError`; `choices` are all words it knows."""

    shape: str
    read: Callable[[str], Value]
    write: Callable[[Value], str]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """A word known by its place. `name` is the field it fills."""

    name: str
    shape: str
    reader: Reader
    required: bool = True

    @property
    def usage(self) -> str:
        return self.shape if self.required else f"[{self.shape}]"


@dataclass(frozen=True, slots=True)
class Option:
    """A word known by its name; without a reader it is a switch. `name` is also the field it fills."""

    name: str
    about: Sentence
    reader: Reader | None = None

    @property
    def usage(self) -> str:
        return f"[--{self.name} {self.reader.shape}]" if self.reader else f"[--{self.name}]"


@dataclass(frozen=True, slots=True)
class Spec:
    """One command: what it is called, what it is for, and how it is written. `apart` are options that exclude."""

    name: str
    about: Sentence
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()

    @property
    def usage(self) -> str:
        return " ".join([self.name, *(one.usage for one in self.arguments), *(one.usage for one in self.options)])

    @property
    def reserved(self) -> frozenset[str]:
        """Words that mean an option or its value without any dashes: a value that looks like one is quoted."""
        names = {option.name for option in self.options}
        return frozenset(names | {word for option in self.options for word in _choices(option)})

    def write(self, fields: dict[str, Value | None]) -> str:
        """The command's canonical text from the values of its fields; None and False are left out."""
        given = ((one, fields[one.name]) for one in self.arguments)
        words = [self.name, *(self._written(one.reader, value) for one, value in given if value is not None)]
        for option in self.options:
            value = fields[option.name]
            if value is not None and value is not False:
                words.append(f"--{option.name}")
                words.extend([self._written(option.reader, value)] if option.reader else [])
        return " ".join(words)

    def _written(self, reader: Reader, value: Value) -> str:
        text = reader.write(value)
        return f'"{text}"' if fold(text) in self.reserved and not reader.choices else text


def text_reader(shape: str) -> Reader:
    """Any text: names and ids are the platforms' business."""
    return Reader(shape, _some, lambda value: quote(str(value)))


def choice_reader(shape: str, choices: Sequence[str], meant: Callable[[str], str] = str) -> Reader:
    """One of the words, or the beginning of just one of them; `meant` makes the value of it."""

    def read(word: str) -> str:
        found = resolve(fold(word), choices)
        if found is None:
            raise CommandError(_impossible(word, choices))
        return meant(found)

    return Reader(shape, read, str, tuple(choices))


def number_reader(shape: str, lowest: int, highest: int) -> Reader:
    """A whole number within the limits, both of which are allowed."""

    def read(word: str) -> int:
        plain = fold(word)
        if not (plain.isascii() and plain.isdecimal()):
            raise CommandError(say("`{value}` is not a whole number.", value=word))
        if len(plain) > 12 or not lowest <= int(plain) <= highest:
            raise CommandError(
                say("`{value}` is out of range: {lowest} to {highest}.", value=word, lowest=lowest, highest=highest)
            )
        return int(plain)

    return Reader(shape, read, str)


def duration_reader(shape: str, shortest: timedelta, longest: timedelta) -> Reader:
    """A span of time within the limits, both of which are allowed."""

    def read(word: str) -> timedelta:
        try:
            return parse_duration(word, shortest, longest)
        except DurationError as error:
            raise CommandError(error.sentence) from error

    return Reader(shape, read, lambda value: written(value) if isinstance(value, timedelta) else str(value))


def person_reader() -> Reader:
    """A cloud's user name as it is, or a Slack person as `@U…`."""

    def read(word: str) -> str:
        name = word.removeprefix("@")
        return f"@{name}" if word.startswith("@") and is_slack_id(name) else str(_some(name))

    return Reader("WHO", read, lambda value: quote(str(value)))


def incident_reader() -> Reader:
    """An incident's number: `12`, `#12`, `INC-12`."""
    number = number_reader("NUMBER", 1, 10**9)

    def read(word: str) -> Value:
        return number.read(fold(word).removeprefix("inc").lstrip("#-"))

    return Reader("NUMBER", read, str)


def is_slack_id(text: str) -> bool:
    return len(text) > 4 and text[0] in "UW" and text.isascii() and text.isalnum() and text == text.upper()


def resolve(word: str, choices: Sequence[str]) -> str | None:
    """The choice that is meant: the word itself, or the only one that begins with its three or more letters."""
    if word in choices:
        return word
    beginning = [choice for choice in choices if choice.startswith(word)]
    return beginning[0] if len(word) >= 3 and len(beginning) == 1 else None


def nearest(word: str, choices: Sequence[str]) -> str | None:
    """The choice that was probably meant, if any looks alike."""
    return next(iter(get_close_matches(word, choices, n=1, cutoff=0.6)), None)


def listed(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _impossible(word: str, choices: Sequence[str]) -> Sentence:
    alike = nearest(fold(word), [choice for choice in choices if choice[:1] == fold(word)[:1]])
    if alike is not None:
        return say("`{value}` is not possible here. Did you mean `{alike}`?", value=word, alike=alike)
    return say("`{value}` is not possible here. Possible are: {choices}.", value=word, choices=listed(choices))


def _some(word: str) -> Value:
    if not word.strip():
        raise CommandError(say("A name cannot be empty."))
    return word


def _choices(option: Option) -> tuple[str, ...]:
    return option.reader.choices if option.reader else ()
