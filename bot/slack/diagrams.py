"""A communication graph as a PNG picture: machines as boxes with their GPUs in them, links between the GPUs.

What carries a fault is red and says which. Of a large graph only the faulty part is drawn. Drawing takes tenths of a
second, so callers do it in a worker thread; matplotlib is imported on first use (see `fonts`).
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.domain.topology import Element, Link, Machine, Topology
from bot.slack.fonts import families, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MACHINES = 16  # boxes in which GPUs can still be told apart
_MOST_LINKS = 400
_COLUMNS = 4
_GPUS_A_ROW = 8
_DOTS = 100
_WIDTH = 8.0  # inches, which are 800 pixels
_BOX, _GAP, _HEAD, _GPU, _MOST_BEND = 8.6, 1.4, 2.0, 1.0, 1.3  # in units of a GPU's square
_RED, _PALE, _LINE, _DARK = "#d93025", "#fce8e6", "#9aa0a6", "#202124"
_MOST_IN_A_BOX, _MOST_IN_A_LINE = 26, 90  # characters

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Box:
    """A machine's place; `x` and `y` are its upper left corner, y growing downwards."""

    machine: Machine
    x: float
    y: float

    @property
    def height(self) -> float:
        return _HEAD + max(-(-len(self.machine.gpus) // _GPUS_A_ROW), 1) * _GPU + 0.3

    def squares(self) -> Iterator[tuple[Element, str, Point]]:
        """Each GPU with its label and the upper left corner of its square."""
        for place, gpu in enumerate(self.machine.gpus):
            row, column = divmod(place, _GPUS_A_ROW)
            label = str(gpu.index) if gpu.index is not None else gpu.name.removeprefix("GPU")
            yield gpu, label, (self.x + 0.3 + column * _GPU, self.y + _HEAD + row * _GPU)


def drawn(topology: Topology) -> tuple[Machine, ...]:
    """The machines that the picture shows: all of a small graph, else the faulty and those at faulty links."""
    if len(topology.machines) <= MOST_MACHINES:
        return topology.machines
    ends = {end for link in topology.faulty_links for end in (link.source_id, link.target_id)}
    faulty = topology.faulty_machines
    linked = [machine for machine in topology.machines if machine not in faulty and ends & _ids(machine)]
    return tuple([*faulty, *linked][:MOST_MACHINES]) or topology.machines[:MOST_MACHINES]


def draw(topology: Topology, title: str, remark: str = "") -> bytes:
    """The picture as PNG bytes; `remark` says what was left out of it."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    boxes = list(_boxes(drawn(topology)))
    right = max((box.x + _BOX for box in boxes), default=_BOX)
    bottom = max((box.y + box.height for box in boxes), default=_HEAD)
    wide = max(right, 2 * (_BOX + _GAP))
    with matplotlib.rc_context({"font.family": list(families())}):
        figure = Figure(figsize=(_WIDTH, _WIDTH * (bottom + _MOST_BEND) / wide + 0.7), dpi=_DOTS, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _dress(axes, wide, bottom, title, remark)
        _draw_links(axes, topology.links, _centres(boxes))
        for box in boxes:
            _draw_box(axes, box)
        picture = io.BytesIO()
        canvas.print_png(picture)  # type: ignore[no-untyped-call]
    return picture.getvalue()


def _ids(machine: Machine) -> set[str]:
    return {machine.id, *(gpu.id for gpu in machine.gpus)}


def _boxes(machines: Sequence[Machine]) -> Iterator[_Box]:
    """Row by row, each row as high as its highest box."""
    columns = min(_COLUMNS, max(len(machines), 1))
    y = 0.0
    for start in range(0, len(machines), columns):
        row = [_Box(one, place * (_BOX + _GAP), y) for place, one in enumerate(machines[start : start + columns])]
        yield from row
        y += max(box.height for box in row) + _GAP


def _centres(boxes: Sequence[_Box]) -> Mapping[str, Point]:
    """Where each id is; a machine is at its head."""
    half = _GPU * 0.45
    gpus = {gpu.id: (x + half, y + half) for box in boxes for gpu, _, (x, y) in box.squares()}
    return {box.machine.id: (box.x + _BOX / 2, box.y + 0.5) for box in boxes} | gpus


def _dress(axes: "Axes", width: float, height: float, title: str, remark: str) -> None:
    axes.set_xlim(-0.3, width + 0.3)
    axes.set_ylim(height + _MOST_BEND, -0.3)
    axes.set_aspect("equal", anchor="NW")
    axes.set_axis_off()
    axes.set_title(one_line(title, _MOST_IN_A_LINE), loc="left", fontsize=10, parse_math=False)
    if remark:
        axes.text(
            0,
            height + _MOST_BEND,
            one_line(remark, _MOST_IN_A_LINE),
            fontsize=8,
            color=_DARK,
            va="top",
            parse_math=False,
        )


def _draw_links(axes: "Axes", links: Sequence[Link], at: Mapping[str, Point]) -> None:
    """The faulty ones above the others; a link whose ends are not in the picture is not drawn."""
    known = [link for link in links if link.source_id in at and link.target_id in at]
    faulty_first = sorted(known, key=lambda link: not link.is_faulty)[:_MOST_LINKS]
    for link in faulty_first:
        _draw_link(axes, at[link.source_id], at[link.target_id], link.is_faulty)


def _draw_link(axes: "Axes", start: Point, end: Point, is_faulty: bool) -> None:
    """A bow, since links within a row would otherwise lie upon each other."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x1, y1), (x2, y2) = start, end
    bend = min(0.15 * (abs(x2 - x1) + abs(y2 - y1)), _MOST_BEND)
    middle = ((x1 + x2) / 2, (y1 + y2) / 2 + 2 * bend)
    colour, width, above = (_RED, 1.4, 6.5) if is_faulty else (_LINE, 0.5, 1)
    path = Path([start, middle, end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, alpha=0.8, zorder=above))


def _draw_box(axes: "Axes", box: _Box) -> None:
    machine = box.machine
    is_faulty = machine.is_faulty or any(gpu.is_faulty for gpu in machine.gpus)
    _rectangle(axes, (box.x, box.y), (_BOX, box.height), is_faulty, above=2)
    _write(axes, box.x + 0.3, box.y + 0.75, machine.name or machine.id, _DARK, 7)
    if is_faulty:
        _write(axes, box.x + 0.3, box.y + 1.6, _faults(machine), _RED, 6)
    for gpu, label, (x, y) in box.squares():
        _rectangle(axes, (x, y), (_GPU * 0.9, _GPU * 0.9), gpu.is_faulty, above=6)
        colour = "white" if gpu.is_faulty else _DARK
        _write(axes, x + 0.45, y + 0.48, label[:3], colour, 6, align="center")


def _rectangle(axes: "Axes", corner: Point, size: Point, is_faulty: bool, above: int) -> None:
    from matplotlib.patches import Rectangle

    small = size[0] < _BOX
    fill = (_RED if small else _PALE) if is_faulty else "white"
    edge = _RED if is_faulty else _LINE
    axes.add_patch(Rectangle(corner, *size, facecolor=fill, edgecolor=edge, linewidth=1.0, zorder=above))


def _write(axes: "Axes", x: float, y: float, text: str, colour: str, size: int, align: str = "left") -> None:
    shown = one_line(text, _MOST_IN_A_BOX)
    axes.text(x, y, shown, fontsize=size, color=colour, ha=align, va="center", parse_math=False, zorder=8)


def _faults(machine: Machine) -> str:
    """The machine's own, then its GPUs'; each once."""
    told = [*machine.exceptions, *(text for gpu in machine.gpus for text in gpu.exceptions)]
    return ", ".join(dict.fromkeys(told)) or "!"
