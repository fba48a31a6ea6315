"""Series as a PNG picture. Drawing takes a tenth of a second and more, so callers do it in a worker thread.

matplotlib is an extra: it is imported on first use, without pyplot, whose global state would grow with every picture.
"""

import io
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from bot.domain.series import Series, Window
from bot.slack.fonts import drawable, families, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (8.0, 3.2)  # inches at 100 dots: 800 × 320 pixels
_DOTS = 100
_MOST = 12  # lines that can still be told apart; beyond that the legend is left out
_TITLE = 90  # characters
_GAP = 2.5  # sampling distances without a sample that break the line


def draw(series: Sequence[Series], window: Window, zone: tzinfo, title: str) -> bytes:
    """The series over the window as PNG bytes, times in the reader's zone, ratios as percent, gaps where none is."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"font.family": list(families()), "axes.unicode_minus": False}):
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
    axes.set_title(one_line(title, _TITLE), loc="left", fontsize=10, parse_math=False)
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
    return drawable(f"{pod} {gpu}".strip().lstrip("_")).replace("$", r"\$") or "–"


def _marker(values: Sequence[float]) -> str | None:
    """A single sample makes no line."""
    return "." if len(values) < 3 else None
