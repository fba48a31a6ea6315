"""From what was written (maps, lists and texts, however they were written) to a definition, or to all its mistakes.

Values may come as text, because a reader of YAML that guesses types turns `no` and `1e3` into what nobody wrote.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain.command.spec import listed, nearest
from bot.domain.definition.spelling import KEYS, MOUNT_KEYS, OWN_KEYS, PRIORITIES, SPEC
from bot.domain.job import JobDefinition, Mount
from bot.domain.wording import Sentence, say

MOST_REPLICAS = 10_000
LONGEST_NAME = 50  # the platform appends to it, and Kubernetes takes 63 (AIHC v1 reference §7.1)
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?:GB|Gi)?", re.ASCII)
_FLAGS = {"true": True, "false": False}
_SHOWN = 60


class DefinitionError(Exception):
    """What is wrong with a definition, one sentence each."""

    def __init__(self, *sentences: Sentence) -> None:
        super().__init__("; ".join(map(str, sentences)))
        self.sentences = sentences


def read_definition(given: object, more: Collection[str] = ()) -> JobDefinition:
    """Read it; `more` are keys that only the platform knows, taken as they are. Raises `DefinitionError`."""
    if not isinstance(given, Mapping):
        raise DefinitionError(say("A definition is a list of `key: value` lines, or a JSON object."))
    reading = _Reading()
    definition = reading.definition(reading.flat(given, more))
    if reading.problems:
        told = reading.problems
        raise DefinitionError(*(one for place, one in enumerate(told) if one not in told[:place]))
    return definition


@dataclass
class _Reading:
    """Reads all it can and notes what it cannot, so that one look tells every mistake."""

    problems: list[Sentence] = field(default_factory=list)
    more: dict[str, object] = field(default_factory=dict)

    def flat(self, given: Mapping[object, object], more: Collection[str]) -> dict[str, object]:
        """The values by our own keys; what the platforms nest is lifted out."""
        found: dict[str, object] = {}
        spec = given.get(SPEC)
        nested = spec.items() if isinstance(spec, Mapping) else ()
        for key, value in [*((key, value) for key, value in given.items() if key != SPEC), *nested]:
            word = str(key)
            if word in more:
                self.more[word] = _typed(value)
            elif word not in KEYS:
                self.problems.append(_unknown(word, [*OWN_KEYS, *more]))
            elif KEYS[word] in found:
                self.problems.append(say("`{key}` is given twice.", key=KEYS[word]))
            elif value is not None:
                found[KEYS[word]] = value
        return found

    def definition(self, found: Mapping[str, object]) -> JobDefinition:
        return JobDefinition(
            name=self._name(found),
            image=self._needed(found, "image"),
            command=self._needed(found, "command"),
            replicas=self._replicas(found),
            resources=self._resources(found.get("resources")),
            queue=self._text(found, "queue"),
            framework=self._text(found, "framework"),
            priority=self._priority(found),
            env=self._pairs(found, "env", "name"),
            labels=self._pairs(found, "labels", "key"),
            mounts=self._mounts(found.get("mounts")),
            rdma=self._flag(found, "rdma"),
            fault_tolerance=self._flag(found, "fault_tolerance"),
            more=self.more,
        )

    def _text(self, found: Mapping[str, object], key: str) -> str | None:
        value = found.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, Mapping | list):
            self.problems.append(say("`{key}` must be a text.", key=key))
            return None
        return str(value)

    def _needed(self, found: Mapping[str, object], key: str) -> str:
        value = self._text(found, key)
        if not (value and value.strip()) and not isinstance(found.get(key), Mapping | list):
            self.problems.append(say("`{key}` is missing.", key=key))
        return value or ""

    def _name(self, found: Mapping[str, object]) -> str:
        name = self._needed(found, "name")
        if name and not (len(name) <= LONGEST_NAME and _NAME.fullmatch(name)):
            self.problems.append(
                say(
                    "`{name}` cannot be a name: small letters, digits and `-` between them, {most} characters at most.",
                    name=_short(name),
                    most=LONGEST_NAME,
                )
            )
        return name

    def _replicas(self, found: Mapping[str, object]) -> int:
        text = self._needed(found, "replicas")
        if text and not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= MOST_REPLICAS):
            self.problems.append(
                say("`replicas` is a whole number from 1 to {most}, not `{value}`.", most=MOST_REPLICAS, value=text)
            )
            return 1
        return int(text) if text else 1

    def _priority(self, found: Mapping[str, object]) -> str | None:
        priority = self._text(found, "priority")
        if priority is not None and priority not in PRIORITIES:
            known = listed(PRIORITIES)
            self.problems.append(
                say("`priority` is one of {known}, not `{value}`.", known=known, value=_short(priority))
            )
        return priority

    def _flag(self, found: Mapping[str, object], key: str) -> bool:
        value = str(found.get(key, "false")).lower()
        if value not in _FLAGS:
            self.problems.append(say("`{key}` is `true` or `false`, not `{value}`.", key=key, value=_short(value)))
        return _FLAGS.get(value, False)

    def _resources(self, given: object) -> dict[str, float]:
        """A map of names and numbers, or the platforms' list of name and quantity."""
        pairs = self._as_pairs("resources", given, "name", "quantity")
        if given is None or given == []:
            self.problems.append(say("`{key}` is missing.", key="resources"))
        return {name: self._quantity(name, value) for name, value in pairs}

    def _quantity(self, name: str, value: object) -> float:
        match = _QUANTITY.fullmatch(str(value).strip())
        number = float(match[1]) if match and not isinstance(value, bool) else math.nan
        if not (math.isfinite(number) and number > 0):
            self.problems.append(
                say(
                    "How much of `{name}`? It must be a number above 0, not `{value}`.",
                    name=_short(name),
                    value=_short(str(value)),
                )
            )
            return 0
        return int(number) if number.is_integer() else number

    def _pairs(self, found: Mapping[str, object], key: str, naming: str) -> dict[str, str]:
        pairs = self._as_pairs(key, found.get(key), naming, "value")
        nested = [name for name, value in pairs if isinstance(value, Mapping | list)]
        self.problems += [say("`{key}` must be a text.", key=_short(name)) for name in nested]
        return {name: _written(value) for name, value in pairs if name not in nested}

    def _as_pairs(self, key: str, given: object, naming: str, valued: str) -> list[tuple[str, object]]:
        if isinstance(given, Mapping):
            return [(str(name), value) for name, value in given.items()]
        items = given if isinstance(given, list) else [] if given in (None, "") else [None]
        records = [item for item in items if isinstance(item, Mapping) and item.get(naming) and valued in item]
        if len(records) == len(items):
            return [(str(record[naming]), record[valued]) for record in records]
        self.problems.append(
            say(
                "`{key}` is a list of `name: value` lines, or of entries with `{naming}` and `{valued}`.",
                key=key,
                naming=naming,
                valued=valued,
            )
        )
        return []

    def _mounts(self, given: object) -> tuple[Mount, ...]:
        items = given if isinstance(given, list) else [] if given in (None, "") else [None]
        return tuple(mount for item in items if (mount := self._mount(item)) is not None)

    def _mount(self, item: object) -> Mount | None:
        if not isinstance(item, Mapping):
            self.problems.append(say("`mounts` is a list of entries with `type`, `name` and `path`."))
            return None
        self.problems += [_unknown(str(key), tuple(MOUNT_KEYS)) for key in item if key not in MOUNT_KEYS]
        found = {MOUNT_KEYS[key]: value for key, value in item.items() if key in MOUNT_KEYS}
        options = found.get("options")
        if not found.get("path") or not found.get("type"):
            self.problems.append(say("Every entry of `mounts` needs `type` and `path`."))
        return Mount(
            kind=str(found.get("type") or ""),
            path=str(found.get("path") or ""),
            name=str(found.get("name") or ""),
            source=str(found["source"]) if found.get("source") else None,
            options={str(key): _typed(value) for key, value in options.items()} if isinstance(options, Mapping) else {},
        )


def _unknown(key: str, known: Sequence[str]) -> Sentence:
    alike = nearest(key, known)
    if alike is not None:
        return say("`{key}` is not known here. Did you mean `{alike}`?", key=_short(key), alike=alike)
    return say("`{key}` is not known here. Known are: {known}.", key=_short(key), known=listed(known))


def _typed(value: object) -> object:
    """For the platform's own keys a text that spells a flag or a number is one."""
    if isinstance(value, Mapping):
        return {str(key): _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if isinstance(value, str) and value.lower() in _FLAGS:
        return _FLAGS[value.lower()]
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value, re.ASCII) else value


def _written(value: object) -> str:
    """A value of JSON as it is written there."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
