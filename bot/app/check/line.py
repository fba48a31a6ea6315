"""A line of the check: whether a part works, and what to do where it does not. No line carries a secret."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """`WARN` is for what works and will surprise somebody."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Line:
    verdict: Verdict
    text: str

    def __str__(self) -> str:
        return f"{self.verdict:<5} {self.text}"


def ok(text: str) -> Line:
    return Line(Verdict.OK, text)


def warn(text: str) -> Line:
    return Line(Verdict.WARN, text)


def fail(text: str) -> Line:
    return Line(Verdict.FAIL, text)
