"""The house itself: which way imports point, how big a part may grow, and what a file must never name."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import pytest

ROOT = Path(__file__).parent.parent
BOT = ROOT / "bot"

LONGEST_FILE = 300
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8
P90_FUNCTION = 30

# Files that may be longer, each with the reason that a reviewer accepted.
LONG_FILES: dict[str, str] = {}

# Spelt in pieces, so that this file passes its own test.
FORBIDDEN_WORDS = (
    "py" + "pi.org",
    "python" + "hosted",
    "npm" + "js.org",
    "deb.de" + "bian.org",
    "/wo" + "rk/",
    "/opt/py" + "pi",
)


@dataclass(frozen=True, slots=True)
class Function:
    where: str
    lines: int


def _size(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring: explaining is not what makes a function long."""
    last = node.end_lineno or node.lineno
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and ast.get_docstring(node, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return last - node.lineno + 1 - docstring


def _functions(file: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(f"{file.relative_to(ROOT)}:{node.lineno} {node.name}", _size(node))


def _modules() -> list[Path]:
    return sorted(BOT.rglob("*.py"))


@pytest.fixture(scope="module")
def functions() -> list[Function]:
    return [function for file in _modules() for function in _functions(file)]


def test_every_import_contract_is_kept() -> None:
    lint_imports = Path(sys.executable).with_name("lint-imports")
    report = subprocess.run(
        [lint_imports, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert report.returncode == 0, report.stdout + report.stderr


def test_every_file_under_bot_can_be_read_in_one_sitting() -> None:
    lengths = {str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines()) for file in _modules()}
    assert {} == {name: n for name, n in lengths.items() if n > LONGEST_FILE and name not in LONG_FILES}


def test_no_file_keeps_a_licence_to_be_long_that_it_no_longer_needs() -> None:
    assert [] == [name for name in LONG_FILES if len((ROOT / name).read_text("utf-8").splitlines()) <= LONGEST_FILE]


def test_no_function_outgrows_a_screen(functions: list[Function]) -> None:
    assert [] == [function for function in functions if function.lines > LONGEST_FUNCTION]


def test_most_functions_are_a_few_lines(functions: list[Function]) -> None:
    sizes = [function.lines for function in functions]
    assert median(sizes) <= MEDIAN_FUNCTION
    assert quantiles(sizes, n=10)[-1] <= P90_FUNCTION


def test_every_module_says_what_it_is_for() -> None:
    assert [] == [
        str(file.relative_to(ROOT)) for file in _modules() if not ast.get_docstring(ast.parse(file.read_text("utf-8")))
    ]


def test_no_tracked_file_names_a_registry_or_a_machine() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    assert [] == [
        f"{file.relative_to(ROOT)} names {word}"
        for file in files
        if file.is_file()
        for text in [file.read_text("utf-8", errors="ignore")]
        for word in FORBIDDEN_WORDS
        if word in text
    ]


def test_no_async_test_draws_examples_while_it_runs() -> None:
    """Hypothesis ends a draw by an exception that the session's event loop does not survive: draw in a strategy."""
    drawing = re.compile(r"@given\([^)]*st\.data\(\)[^)]*\)+\s+async def")

    assert [] == [str(path) for path in sorted((ROOT / "tests").rglob("*.py")) if drawing.search(path.read_text())]
