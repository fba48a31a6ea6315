"""The small language in which the Block Kit tables are written: checks that look at one value and yield what is wrong
with it, and ways to put them together. It knows no block."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .defects import Defect

Check = Callable[[Any, str], Iterator[Defect]]
Rule = Callable[[dict[str, Any], str], Iterator[Defect]]


def string(most: int | None = None, *, least: int = 0) -> Check:
    """A string of `least` to `most` characters."""

    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if not isinstance(value, str):
            yield Defect(pointer, "must be a string")
        elif most is not None and len(value) > most:
            yield Defect(pointer, f"must be less than {most + 1} characters")
        elif len(value) < least:
            yield Defect(pointer, f"must be more than {least - 1} characters")

    return check


def number(least: float | None = None, most: float | None = None, *, whole: bool = True) -> Check:
    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            yield Defect(pointer, "must be an integer" if whole else "must be a number")
        elif (least is not None and value < least) or (most is not None and value > most):
            yield Defect(pointer, f"must be between {least} and {most}")

    return check


def flag(value: Any, pointer: str) -> Iterator[Defect]:
    if not isinstance(value, bool):
        yield Defect(pointer, "must be a boolean")


def anything(value: Any, pointer: str) -> Iterator[Defect]:
    yield from ()


def choice(*words: str) -> Check:
    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if value not in words:
            yield Defect(pointer, f"must be one of {', '.join(words)}")

    return check


def several(one: Check, most: int | None = None, *, least: int = 0) -> Check:
    """A list of `least` to `most` items, each as `one` wants it."""

    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if not isinstance(value, list):
            yield Defect(pointer, "must be an array")
            return
        if most is not None and len(value) > most:
            yield Defect(pointer, f"no more than {most} items allowed")
        if len(value) < least:
            yield Defect(pointer, f"no fewer than {least} items allowed")
        for place, item in enumerate(value):
            yield from one(item, f"{pointer}/{place}")

    return check


def nullable(one: Check) -> Check:
    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if value is not None:
            yield from one(value, pointer)

    return check


def shape(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None, *rules: Rule) -> Check:
    """An object with these fields and no others (`type` is the caller's business); `rules` see it as a whole once its
    fields are sound."""
    known = {"type": anything, **(optional or {}), **required}

    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if not isinstance(value, dict):
            yield Defect(pointer, "must be an object")
            return
        found = [Defect(pointer, f"missing required field: {name}") for name in required if value.get(name) is None]
        for name, part in value.items():
            if name not in known:
                found.append(Defect(pointer, f"invalid additional property: {name}"))
            elif part is not None:
                found.extend(known[name](part, f"{pointer}/{name}"))
        if not found:
            found.extend(defect for rule in rules for defect in rule(value, pointer))
        yield from found

    return check


def by_type(table: Callable[[], Mapping[str, Check]], what: str = "type") -> Check:
    """An object whose `type` picks its check; the table is asked for late, so that tables may refer to each other."""

    def check(value: Any, pointer: str) -> Iterator[Defect]:
        if not isinstance(value, dict):
            yield Defect(pointer, "must be an object")
        elif not isinstance(value.get("type"), str):
            yield Defect(pointer, "missing required field: type")
        elif value["type"] not in table():
            yield Defect(f"{pointer}/type", f"unsupported {what}: {value['type']}")
        else:
            yield from table()[value["type"]](value, pointer)

    return check


def one_of(*names: str) -> Rule:
    """At least one of these fields."""

    def rule(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
        if all(value.get(name) is None for name in names):
            yield Defect(pointer, f"must provide at least one of {', '.join(names)}")

    return rule


def only_one_of(*names: str) -> Rule:
    """Exactly one of these fields."""

    def rule(value: dict[str, Any], pointer: str) -> Iterator[Defect]:
        if sum(value.get(name) is not None for name in names) != 1:
            yield Defect(pointer, f"must provide exactly one of {', '.join(names)}")

    return rule
