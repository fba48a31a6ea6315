"""One thing that is wrong with a payload, and where, the way Slack says it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defect:
    """`pointer` is a JSON pointer into the payload, e.g. /blocks/1/elements."""

    pointer: str
    problem: str

    def __str__(self) -> str:
        return f"{self.problem} [json-pointer:{self.pointer}]"
