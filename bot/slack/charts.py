"""Series as a PNG picture. Drawing takes a tenth of a second and more, so callers do it in a worker thread.

matplotlib is an extra: it is imported on first use, without pyplot, whose global state would grow with every picture.
"""

import io
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bot.domain.series import Series, Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (8.0, 3.2)  # inches at 100 dots: 800 × 320 pixels
_DOTS = 100
_STOCK = "DejaVu Sans"  # comes with matplotlib
_MOST = 12  # lines that can still be told apart; beyond that the legend is left out
_GAP = 2.5  # sampling distances without a sample that break the line
_FONT_NAMES = ("wqy", "droidsansfallback", "notosanscjk", "sourcehansans", "arphic", "uming", "ukai", "pingfang")
_FONT_HOMES = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")


def available() -> bool:
    """Whether pictures can be drawn here: matplotlib is installed only with the extra `charts`."""
    return find_spec("matplotlib") is not None


def draw(series: Sequence[Series], window: Window, zone: tzinfo, title: str) -> bytes:
    """The series over the window as PNG bytes, times in the reader's zone, ratios as percent, gaps where none is."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"font.family": list(_families()), "axes.unicode_minus": False}):
        figure = Figure(figsize=SIZE, dpi=_DOTS, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for one in series:
            times, values = points(one, window)
            axes.plot(times, values, linewidth=1.2, label=_label(one, series), marker=_marker(values))  # type: ignore[arg-type]
        _dress(figure, axes, window, zone, title, len(series))
        picture = io.BytesIO()
        canvas.print_png(picture)  # type: ignore[no-untyped-call]
    return picture.getvalue()


def points(series: Series, window: Window) -> tuple[list[datetime], list[float]]:
    """Times and percent values within the window; not-a-number stands where samples are missing, to break the line."""
    times: list[datetime] = []
    values: list[float] = []
    longest = series.step * _GAP if series.step else timedelta.max
    for sample in series.within(window).samples:
        if times and sample.at - times[-1] > longest:
            times.append(times[-1] + series.step)
            values.append(float("nan"))
        times.append(sample.at)
        values.append(sample.value * 100)
    return times, values


def _dress(figure: "Figure", axes: "Axes", window: Window, zone: tzinfo, title: str, lines: int) -> None:
    """Axes that can be read without explanation."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(tz=zone, minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, tz=zone)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)
    axes.set_xlim(window.start, window.end)  # type: ignore[arg-type]
    axes.set_ylim(0, 103)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.grid(alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_drawable(title), loc="left", fontsize=10, parse_math=False)
    axes.set_title(_zone_name(window.end, zone), loc="right", fontsize=7, parse_math=False)
    if 1 < lines <= _MOST:
        figure.legend(loc="outside right upper", fontsize=7, frameon=False)


def _zone_name(at: datetime, zone: tzinfo) -> str:
    return getattr(zone, "key", None) or at.astimezone(zone).tzname() or ""


def _label(series: Series, every: Sequence[Series]) -> str:
    """`GPU 3`, with the end of the pod's name where there are several pods; a leading `_` would hide the line."""
    gpu = "" if series.gpu is None else f"GPU {series.gpu}"
    if len({one.pod for one in every}) < 2 and gpu:
        return gpu
    pod = "-".join(series.pod.rsplit("-", 2)[-2:])
    return _drawable(f"{pod} {gpu}".strip().lstrip("_")).replace("$", r"\$") or "–"


def _marker(values: Sequence[float]) -> str | None:
    """A single sample makes no line."""
    return "." if len(values) < 3 else None


def _drawable(text: str) -> str:
    """The text with a box for each character that no font here has: it would be drawn as one, after a warning."""
    return "".join(char if ord(char) in _characters() else "□" for char in text)


@cache
def _families() -> tuple[str, ...]:
    """The stock font, and behind it an installed one that has Chinese characters."""
    from matplotlib import font_manager

    found = _chinese_font()
    if found is None:
        return (_STOCK,)
    font_manager.fontManager.addfont(found)
    return (_STOCK, font_manager.FontProperties(fname=found).get_name())


@cache
def _characters() -> frozenset[int]:
    """The code points that can be drawn."""
    from matplotlib.font_manager import findfont, get_font

    fonts = [get_font(findfont(family)) for family in _families()]
    return frozenset(code for font in fonts for code in font.get_charmap())


def _chinese_font() -> str | None:
    files = (
        path
        for home in _FONT_HOMES
        for path in sorted(Path(home).rglob("*"))
        if path.suffix in (".ttf", ".ttc", ".otf")
    )
    known = (str(path) for path in files if any(name in path.name.lower().replace("-", "") for name in _FONT_NAMES))
    return next(known, None)
