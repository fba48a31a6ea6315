"""Pictures of series: a PNG of the right size, gaps where data is missing, Chinese names, no global state."""

import math
import struct
import sys
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.domain.series import Sample, Series, Window
from bot.slack.charts import draw, points
from bot.slack.fonts import available
from tests.make import NOW, series

if not available():
    pytest.skip("matplotlib, the extra `charts`, is not installed", allow_module_level=True)

WINDOW = Window.last(timedelta(hours=1), NOW)
SHANGHAI = ZoneInfo("Asia/Shanghai")


def size(picture: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def with_gap(values: int, first_missing: int, last_missing: int) -> Series:
    whole = series(*[0.5] * values)
    kept = tuple(s for place, s in enumerate(whole.samples) if not first_missing <= place <= last_missing)
    return Series(whole.pod, whole.metric, kept, whole.step, whole.gpu)


def test_a_picture_is_a_png_of_eight_hundred_by_three_hundred_twenty() -> None:
    picture = draw([series(*[0.1 * gpu] * 60, gpu=gpu) for gpu in range(8)], WINDOW, SHANGHAI, "GPU use · llama-70b")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert (800, 320) == size(picture)


def test_equal_series_give_equal_pictures() -> None:
    one = [series(*[0.5] * 60)]
    assert draw(one, WINDOW, SHANGHAI, "GPU") == draw(one, WINDOW, SHANGHAI, "GPU")


def test_the_zone_of_the_reader_changes_the_picture() -> None:
    one = [series(*[0.5] * 60)]
    assert draw(one, WINDOW, SHANGHAI, "GPU") != draw(one, WINDOW, ZoneInfo("Europe/Berlin"), "GPU")


@pytest.mark.parametrize("title", ["GPU 利用率 · 大模型预训练", "cost $x$ \\frac{", "_leading", "🙂", "", "x" * 300])
def test_titles_are_text_and_no_formula(title: str) -> None:
    assert (800, 320) == size(draw([series(0.5, 0.6)], WINDOW, SHANGHAI, title))


@pytest.mark.parametrize("minutes", [1, 4, 59, 61, 179, 181, 257, 600, 1_440, 4_400, 43_200])
def test_times_stand_below_any_length_of_window(minutes: int) -> None:
    """A length that has no fitting distance between its marks is a warning, and a warning fails the test."""
    window = Window.last(timedelta(minutes=minutes), NOW)
    assert (800, 320) == size(draw([series(0.5, 0.6)], window, SHANGHAI, "GPU"))


def test_nothing_to_draw_is_an_empty_picture() -> None:
    assert (800, 320) == size(draw([], WINDOW, SHANGHAI, "GPU"))
    assert (800, 320) == size(draw([series()], WINDOW, SHANGHAI, "GPU"))


def test_many_series_are_drawn_without_a_legend() -> None:
    assert (800, 320) == size(draw([series(0.5, 0.6, gpu=gpu) for gpu in range(64)], WINDOW, SHANGHAI, "GPU"))


def test_ratios_are_shown_as_percent() -> None:
    assert [50.0, 100.0] == points(series(0.5, 1.0), WINDOW)[1]


def test_the_line_breaks_where_samples_are_missing() -> None:
    times, values = points(with_gap(10, 3, 6), WINDOW)
    assert [False, False, False, True, False, False, False] == [math.isnan(value) for value in values]
    assert sorted(times) == times


def test_one_missing_sample_does_not_break_the_line() -> None:
    assert not any(math.isnan(value) for value in points(with_gap(10, 3, 3), WINDOW)[1])


def test_samples_outside_the_window_are_left_out() -> None:
    old = Series("p", series().metric, (Sample(NOW - timedelta(hours=2), 0.5), Sample(NOW, 0.5)), timedelta(minutes=1))
    assert 1 == len(points(old, WINDOW)[0])


def test_no_global_figure_is_kept() -> None:
    draw([series(0.5, 0.6)], WINDOW, SHANGHAI, "GPU")
    assert "matplotlib.pyplot" not in sys.modules
