"""Running a job again: its definition without its secrets, a free name, and the secrets put back where they were.

What is hidden, or too long to be shown, reads `‹hidden›`; left as it is, it is taken from the job that is run again.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from bot.domain.definition.read import LONGEST_NAME, DefinitionError
from bot.domain.job import JobDefinition
from bot.domain.redact import HIDDEN, redact
from bot.domain.wording import say

_STRANGE = re.compile(r"[^a-z0-9]+", re.ASCII)
_NUMBERED = re.compile(r"(.*?)-r(\d{1,4})")


def hidden(definition: JobDefinition) -> JobDefinition:
    """The definition as it may be shown."""
    env = {name: _hidden_value(name, value) for name, value in definition.env.items()}
    return replace(definition, env=env, command=redact(definition.command).text)


def revealed(edited: JobDefinition, source: JobDefinition | None) -> JobDefinition:
    """The edited definition with the hidden values of its source. Raises `DefinitionError` where there are none."""
    env = {name: _revealed_value(name, value, source) for name, value in edited.env.items()}
    return replace(edited, env=env, command=_revealed_command(edited.command, source))


def next_name(name: str, taken: Collection[str]) -> str:
    """`train` becomes `train-r2`, `train-r2` becomes `train-r3`: the first free one, as a name may be written."""
    name = _STRANGE.sub("-", name.lower()).strip("-") or "job"
    match = _NUMBERED.fullmatch(name)
    stem, number = (match[1], int(match[2])) if match else (name, 1)
    while True:
        number += 1
        ending = f"-r{number}"
        found = stem[: LONGEST_NAME - len(ending)].rstrip("-") + ending
        if found not in taken:
            return found


def _hidden_value(name: str, value: str) -> str:
    return HIDDEN if value and redact(f"{name}={value}").count else value


def _revealed_value(name: str, value: str, source: JobDefinition | None) -> str:
    if HIDDEN not in value:
        return value
    if source is None or name not in source.env or value != HIDDEN:
        raise DefinitionError(
            say("The value of `{name}` is hidden and no earlier job has it: write it out.", name=name)
        )
    return source.env[name]


def _revealed_command(command: str, source: JobDefinition | None) -> str:
    if HIDDEN not in command:
        return command
    if source is not None and command.strip() in (HIDDEN, redact(source.command).text.strip()):
        return source.command
    raise DefinitionError(
        say("The changed command still holds a hidden value: write it out, or leave the whole command as it was.")
    )
