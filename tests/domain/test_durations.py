"""Durations as people write them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.durations import DurationError, parse_duration, written


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("15m", 900),
        ("2h", 7200),
        ("7d", 604_800),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        (" 6H ", 21_600),
        ("１５ｍ", 900),
        ("0s", 0),
        ("90m", 5400),
    ],
)
def test_a_duration_is_read_with_its_units(text: str, seconds: int) -> None:
    assert timedelta(seconds=seconds) == parse_duration(text)


def test_a_number_without_a_unit_is_refused_with_the_ways_to_write_it() -> None:
    with pytest.raises(DurationError, match="`90` lacks a unit: write `90s`, `90m`, `90h` or `90d`"):
        parse_duration("90")


@pytest.mark.parametrize("text", ["", "m", "1.5h", "-5m", "5m1h", "1y", "5 minutes", "h1", "1h1h"])
def test_what_is_not_a_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(DurationError, match="Write for instance"):
        parse_duration(text)


def test_both_limits_are_allowed_and_nothing_beyond_them() -> None:
    low, high = timedelta(minutes=5), timedelta(hours=1)
    assert low == parse_duration("5m", low, high)
    assert high == parse_duration("60m", low, high)
    with pytest.raises(DurationError, match="the shortest is 5m"):
        parse_duration("299s", low, high)
    with pytest.raises(DurationError, match="the longest is 1h"):
        parse_duration("61m", low, high)


def test_a_number_of_days_beyond_the_calendar_is_an_error_and_no_crash() -> None:
    with pytest.raises(DurationError, match="longer than any time"):
        parse_duration("999999999d999999999h")


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)))
def test_what_is_written_is_read_as_the_same_whole_seconds(span: timedelta) -> None:
    assert int(span.total_seconds()) == parse_duration(written(span)).total_seconds()
