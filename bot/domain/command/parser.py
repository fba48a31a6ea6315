"""The grammar of what a person types: from text to one command, or to a sentence that says what to type instead."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.command.kinds import COMMANDS, Command, Help
from bot.domain.command.spec import Argument, Option, Spec, Value, listed, nearest, resolve
from bot.domain.command.words import Word, fold, split
from bot.domain.errors import CommandError
from bot.domain.wording import Sentence, say

_BY_NAME = {kind.spec.name: kind for kind in COMMANDS}
_NAMES = tuple(_BY_NAME)


def parse(text: str) -> Command:
    """Read a command; nothing typed means `help`. Raises `CommandError` with a sentence for the person."""
    words = split(text)
    if not words:
        return Help()
    kind = _BY_NAME[_name(fold(words[0].text))]
    reading = _Reading(kind.spec, words[1:])
    reading.read()
    # The spec and the fields of its command agree; a test holds every command to it.
    return kind(**_topic(reading.values))  # type: ignore[arg-type]


def _name(word: str) -> str:
    found = resolve(word, _NAMES)
    if found is not None:
        return found
    alike = nearest(word, _NAMES)
    if alike is not None:
        raise CommandError(say("There is no `{word}`. Did you mean `{alike}`?", word=word, alike=alike))
    raise CommandError(say("There is no `{word}`. Known are: {names}.", word=word, names=listed(_NAMES)))


def _topic(values: dict[str, Value]) -> dict[str, Value]:
    """Help speaks about a command that exists."""
    return {name: _name(fold(str(value))) if name == "topic" else value for name, value in values.items()}


@dataclass
class _Reading:
    """Goes through the words after a command's name and fills its fields."""

    spec: Spec
    words: Sequence[Word]
    values: dict[str, Value] = field(default_factory=dict)
    place: int = 0

    def read(self) -> None:
        while self.place < len(self.words):
            word = self.words[self.place]
            self.place += 1
            self._take(word)
        self._check_missing()
        self._check_apart()

    def _take(self, word: Word) -> None:
        """An option, else the next argument, else a bare value of an option; anything else is too much."""
        argument = self._open_argument()
        if word.option is not None:
            self._fill(self._known(word.option), word)
        elif (option := self._named(word, argument)) is not None:
            self._fill(option, word)
        elif (option := self._valued(word, argument)) is not None:
            self._set(option, word)
        elif argument is not None:
            self.values[argument.name] = argument.reader.read(word.text)
        else:
            raise CommandError(self._too_much(word))

    def _open_argument(self) -> Argument | None:
        return next((one for one in self.spec.arguments if one.name not in self.values), None)

    def _known(self, name: str) -> Option:
        names = [option.name for option in self.spec.options]
        found = resolve(name, names)
        if found is None:
            raise CommandError(self._unknown(name, names))
        return next(option for option in self.spec.options if option.name == found)

    def _named(self, word: Word, argument: Argument | None) -> Option | None:
        """An option written without dashes. A required argument comes first: a job may be called `last`."""
        if argument is not None and argument.required:
            return None
        return next((option for option in self.spec.options if option.name == word.plain), None)

    def _valued(self, word: Word, argument: Argument | None) -> Option | None:
        """The option that a bare word must belong to, such as `running` in `jobs running`."""
        if (argument is not None and argument.required) or word.value is not None:
            return None
        fitting = (one for one in self.spec.options if one.reader is not None and word.plain in one.reader.choices)
        return next(fitting, None)

    def _fill(self, option: Option, word: Word) -> None:
        if option.reader is None:
            if word.value is not None:
                raise CommandError(say("`--{option}` takes no value.", option=option.name))
            self._put(option, True)
        else:
            self._set(option, word.value or self._next(option))

    def _set(self, option: Option, word: Word) -> None:
        if option.reader is not None:
            self._put(option, option.reader.read(word.text))

    def _put(self, option: Option, value: Value) -> None:
        if option.name in self.values:
            raise CommandError(say("`--{option}` is given twice.", option=option.name))
        self.values[option.name] = value

    def _next(self, option: Option) -> Word:
        if self.place == len(self.words) or self.words[self.place].option is not None:
            raise CommandError(say("`--{option}` needs a value: `{usage}`", option=option.name, usage=self.spec.usage))
        self.place += 1
        return self.words[self.place - 1]

    def _check_missing(self) -> None:
        missing = self._open_argument()
        if missing is not None and missing.required:
            raise CommandError(
                say(
                    "`{command}` needs {argument}: `{usage}`",
                    command=self.spec.name,
                    argument=missing.shape,
                    usage=self.spec.usage,
                )
            )

    def _check_apart(self) -> None:
        for one, other in self.spec.apart:
            if one in self.values and other in self.values:
                raise CommandError(say("Use `--{one}` or `--{other}`, not both.", one=one, other=other))

    def _unknown(self, name: str, names: Sequence[str]) -> Sentence:
        command = self.spec.name
        if not names:
            return say("`{command}` has no options, so no `--{option}`.", command=command, option=name)
        alike = nearest(name, names)
        if alike is not None:
            return say(
                "`{command}` has no `--{option}`. Did you mean `--{alike}`?", command=command, option=name, alike=alike
            )
        known = listed([f"--{one}" for one in names])
        return say(
            "`{command}` has no `--{option}`. Its options are: {known}.", command=command, option=name, known=known
        )

    def _too_much(self, word: Word) -> Sentence:
        return say(
            "`{word}` is too much here: `{usage}`. A name with a space goes between quotation marks.",
            word=word.text,
            usage=self.spec.usage,
        )
