"""Bugs that others had in the field: each fact that must hold here has a test that names its number.

A number in a test's docstring says which fact the test is about. This list sees to it that none gets lost.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from re import findall

GROUPS = {
    "size limits": (1, 2, 3, 5, 6, 7, 8, 9, 10),
    "escaping and text": (12, 13, 15, 16, 17, 18),
    "duplicates": (19, 20, 22, 23, 24, 25, 26, 27),
    "lost or late alerts": (28, 29, 30, 32, 33, 34, 35, 37, 38),
    "threads and channels": (39, 40, 42, 43, 133, 45, 46),
    "resolve and stale state": (60, 61, 62),
    "time-outs and sockets": (64, 65, 66, 68, 69, 70, 71, 72),
    "scheduler": (76, 77, 79, 80),
    "SQLite": (81, 82, 84, 85),
    "paging and cursors": (86, 87, 89),
    "clocks and zones": (90, 91, 94, 95),
    "storms and flapping": (96, 97, 99),
    "partial outage and odd answers": (100, 101, 102, 103, 104),
}


def covered() -> dict[int, list[str]]:
    """The tests that are about each number."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for test in _tests(ast.parse(path.read_text())):
            for number in findall(r"\bF(\d{2,3})\b", ast.get_docstring(test) or ""):
                found[int(number)].append(f"{path.name}::{test.name}")
    return found


def test_every_fact_of_the_field_has_a_test_that_names_it() -> None:
    known = covered()
    missing = {group: lost for group, numbers in GROUPS.items() if (lost := [n for n in numbers if n not in known])}
    assert {} == missing


def _tests(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node
