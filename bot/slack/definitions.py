"""A job's definition as text: YAML or JSON in, YAML out.

No type is guessed: `no`, `1e3` and `12:30` are what was written, and what they mean is decided where they are used.
"""

import json
from collections.abc import Iterator
from typing import Any

import yaml

from bot.domain.definition import DefinitionError, plainly
from bot.domain.job import JobDefinition
from bot.domain.wording import say

MOST_NESTED = 20


class _Writer(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text and not any(line != line.rstrip() for line in text.split("\n")) else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _write_text)


def write_definition(definition: JobDefinition) -> str:
    return yaml.dump(plainly(definition), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=10_000)


def read_text(text: str) -> object:
    """The maps, lists and texts that were written. Raises `DefinitionError`."""
    if text.lstrip().startswith(("{", "[")):
        return _read_json(text)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise DefinitionError(say("Anchors and aliases are not understood here: write the values out."))
        return _plain(yaml.compose(text, Loader=yaml.SafeLoader), 0)
    except yaml.MarkedYAMLError as error:
        raise DefinitionError(_unreadable(error)) from None
    except (yaml.YAMLError, RecursionError):
        raise DefinitionError(say("This is neither YAML nor JSON.")) from None


def _read_json(text: str) -> object:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(_distinct(items))

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise DefinitionError(
            say("This cannot be read as JSON: line {line}, column {column}.", line=error.lineno, column=error.colno)
        ) from None
    except RecursionError:
        raise DefinitionError(say("This is neither YAML nor JSON.")) from None


def _plain(node: yaml.Node | None, depth: int) -> object:
    """A node as maps, lists and texts; an empty value is None."""
    if depth > MOST_NESTED:
        raise DefinitionError(say("This is nested too deeply."))
    if isinstance(node, yaml.MappingNode):
        return dict(_distinct([(_key(key), _plain(value, depth + 1)) for key, value in node.value]))
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, depth + 1) for item in node.value]
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    return None


def _key(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    raise DefinitionError(say("A key must be a word."))


def _distinct(items: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    known: set[str] = set()
    for key, value in items:
        if key in known:
            raise DefinitionError(say("`{key}` is given twice.", key=key))
        known.add(key)
        yield key, value


def _unreadable(error: yaml.MarkedYAMLError) -> Any:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return say("This is neither YAML nor JSON.")
    return say(
        "This cannot be read as YAML: line {line}, column {column}. Mind the spaces before each line.",
        line=mark.line + 1,
        column=mark.column + 1,
    )
