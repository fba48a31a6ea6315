"""Environment variables over the file: `GPUBOT_SLACK__BOT_TOKEN`, `GPUBOT_CLOUDS__beijing__SECRET_KEY`.

Lists of tables are addressed by their entries' names, which the stock environment source cannot do. A variable that
fits nothing is refused by name: a misspelt override must never be silently ignored.
"""

from collections.abc import Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

PREFIX = "GPUBOT_"
NAMED_LISTS = ("clouds", "low_use")
UNNAMED_LISTS = ("routes",)


class ConfigError(Exception):
    """The settings cannot be used; `problems` are lines for the operator, without values."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def overlay(tables: Mapping[str, Any], environment: Mapping[str, str], model: type[BaseModel]) -> dict[str, Any]:
    """The tables with every `GPUBOT_*` variable put in its place. Raises `ConfigError` for variables without one."""
    merged = deepcopy(dict(tables))
    problems = []
    for variable in sorted(name for name in environment if name.upper().startswith(PREFIX)):
        try:
            _put(merged, variable, environment[variable], model)
        except KeyError as error:
            problems.append(f"{variable}: {error.args[0]}")
    if problems:
        raise ConfigError(problems)
    return merged


def variable_at(place: str, environment: Mapping[str, str]) -> str | None:
    """The variable that set the key at this place, `slack.command` or `clouds.beijing.secret_key`."""
    given = {name[len(PREFIX) :].replace("__", "."): name for name in environment if name.upper().startswith(PREFIX)}
    return next((name for key, name in given.items() if _folded(key) == _folded(place)), None)


def _put(tables: dict[str, Any], variable: str, value: str, model: type[BaseModel]) -> None:
    section, *rest = variable[len(PREFIX) :].split("__")
    table, key = section.lower(), [part.lower() for part in rest]
    if table not in model.model_fields:
        raise KeyError(_unknown(table, list(model.model_fields)))
    if table in NAMED_LISTS:
        _put_named(tables, table, rest, value)
    elif table in UNNAMED_LISTS:
        raise KeyError(f"the entries of {table} have no names; write them in the file")
    elif table not in _sections(model):
        _put_plain(tables, table, rest, value)
    elif len(key) == 1:
        _table(tables, table)[key[0]] = value
    elif table == "access" and key[:1] == ["people"] and len(key) == 2:
        _table(_table(tables, table), "people")[rest[1]] = value
    else:
        raise KeyError("write GPUBOT_SECTION__KEY")


def _put_plain(tables: dict[str, Any], name: str, rest: list[str], value: str) -> None:
    if rest:
        raise KeyError(f"write GPUBOT_{name.upper()}")
    tables[name] = value


def _table(tables: dict[str, Any], name: str) -> dict[str, Any]:
    found = tables.setdefault(name, {})
    if not isinstance(found, dict):
        raise KeyError(f"{name} is no table in the file")
    return found


def _put_named(tables: dict[str, Any], table: str, rest: list[str], value: str) -> None:
    if len(rest) != 2:
        raise KeyError(f"write GPUBOT_{table.upper()}__<name>__KEY")
    given = tables.get(table, [])
    entries = [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []
    wanted = _folded(rest[0])
    found = [entry for entry in entries if _folded(str(entry.get("name", ""))) == wanted]
    if not found:
        names = ", ".join(str(entry.get("name")) for entry in entries) or "none"
        raise KeyError(f"no entry of {table} has that name; known: {names}")
    found[0][rest[1].lower()] = value


def _folded(name: str) -> str:
    """Variable names know neither dots nor dashes, and some shells only capitals."""
    return name.casefold().replace("-", "_").replace(".", "_")


def _sections(model: type[BaseModel]) -> list[str]:
    return [name for name in model.model_fields if name != "language"]


def _unknown(table: str, known: list[str]) -> str:
    close = get_close_matches(table, known, n=1)
    return (
        f"unknown section; did you mean {close[0].upper()}?" if close else f"unknown section; known: {', '.join(known)}"
    )
