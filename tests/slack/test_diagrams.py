"""Pictures of what talks to what: everything of a small graph, the faulty part of a large one, any names."""

import struct
import sys
import zlib
from dataclasses import replace

import pytest

from bot.domain.topology import Link, Machine, Topology
from bot.slack.diagrams import MOST_MACHINES, draw, drawn
from bot.slack.fonts import available
from tests.relay.monitor import graph

if not available():
    pytest.skip("matplotlib, the extra `charts`, is not installed", allow_module_level=True)

RED = (0xD9, 0x30, 0x25)


def size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def red_dots(picture: bytes) -> int:
    """How many pixels are of the one red that marks a fault; enough of PNG to read what matplotlib writes."""
    width, height = size(picture)
    place, packed = 8, b""
    while place < len(picture):
        length, kind = struct.unpack(">I4s", picture[place : place + 8])
        packed += picture[place + 8 : place + 8 + length] if kind == b"IDAT" else b""
        place += 12 + length
    return _plain(zlib.decompress(packed), width, height).count(RED)


def _plain(raw: bytes, width: int, height: int) -> list[tuple[int, int, int]]:
    """The pixels without PNG's line filters."""
    line, dots, above = 4 * width, [], bytearray(4 * width)
    for row in range(height):
        kind, now = raw[row * (line + 1)], bytearray(raw[row * (line + 1) + 1 : (row + 1) * (line + 1)])
        for at in range(line):
            left, up, corner = (now[at - 4] if at >= 4 else 0), above[at], (above[at - 4] if at >= 4 else 0)
            now[at] = (now[at] + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]) & 255
        dots += [(now[at], now[at + 1], now[at + 2]) for at in range(0, line, 4)]
        above = now
    return dots


def _paeth(left: int, up: int, corner: int) -> int:
    return min((left, up, corner), key=lambda value: abs(left + up - corner - value))


def test_a_fault_is_red_and_its_absence_is_not() -> None:
    assert 0 == red_dots(draw(graph(1), "llama"))
    assert 100 < red_dots(draw(graph(1, [0]), "llama"))


def test_the_picture_is_as_wide_as_a_message_and_as_high_as_its_machines_need() -> None:
    widths, heights = zip(*(size(draw(graph(n), "llama")) for n in (1, 4, 16)), strict=True)
    assert (800, 800, 800) == widths
    assert heights[1] < heights[2] < 1200


def test_equal_graphs_give_equal_pictures() -> None:
    assert draw(graph(3, [1]), "llama") == draw(graph(3, [1]), "llama")


def test_a_small_graph_is_drawn_whole() -> None:
    assert MOST_MACHINES == len(drawn(graph(MOST_MACHINES, [3])))


def test_of_a_large_graph_the_faulty_machines_and_their_neighbours_at_faulty_links_are_drawn() -> None:
    assert ["i-3", "i-9", "i-4", "i-10"] == [machine.name for machine in drawn(graph(200, [3, 9]))]


def test_of_a_large_graph_without_faults_the_first_machines_are_drawn() -> None:
    assert [f"i-{n}" for n in range(MOST_MACHINES)] == [machine.name for machine in drawn(graph(64))]


def test_a_graph_with_more_faulty_machines_than_fit_stays_within_the_picture() -> None:
    assert MOST_MACHINES == len(drawn(graph(64, range(64))))


@pytest.mark.parametrize("name", ["训练节点-1", "cost $x$ \\frac{", "🙂", "", "x" * 300, "a\nb"])
def test_names_are_text_and_no_formula(name: str) -> None:
    one = graph(2, [1])
    named = replace(one, machines=tuple(replace(machine, name=name, exceptions=(name,)) for machine in one.machines))
    assert 800 == size(draw(named, name, name))[0]


@pytest.mark.parametrize(
    "odd",
    [
        Topology(),
        Topology(links=(Link("", "", source_id="nowhere", target_id="elsewhere", exceptions=("NCCL HANG",)),)),
        Topology((Machine("m", "no GPUs"),), (Link("", "", source_id="m", target_id="m", marked=True),)),
        graph(1, gpus=64),
    ],
)
def test_odd_graphs_are_drawn_as_far_as_they_go(odd: Topology) -> None:
    assert 800 == size(draw(odd, "odd"))[0]


def test_drawing_leaves_no_global_state_behind() -> None:
    draw(graph(2), "llama")
    assert "matplotlib.pyplot" not in sys.modules
