"""The one way in which benches print: a title and a small table, aligned."""

from collections.abc import Sequence


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column is words, the others are figures."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    print(f"\n{title}")
    for line in lines:
        first, *others = zip(line, widths, strict=True)
        print("  " + first[0].ljust(first[1]) + "".join(f"   {text.rjust(width)}" for text, width in others))


def time_of(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def mb(kilobytes: int) -> str:
    return f"{kilobytes / 1024:,.0f} MB"
