"""Amounts as people write them, and what changed between two readings of a queue."""

from dataclasses import replace

import pytest

from bot.domain.capacity import Queue
from bot.domain.quota import Change, QuotaError, changes, queue_name_fault, read_amounts, write_amounts

QUEUE = Queue("beijing", "cce-1", "eval", description="old", deserved={"cpu": "64", "gpu": "8"}, oversell=True)


def fault(text: str, shown: str = "") -> str:
    with pytest.raises(QuotaError) as caught:
        read_amounts(text, shown)
    return str(caught.value.sentence)


def test_lines_are_read_however_they_are_spaced() -> None:
    text = "cpu = 64\n\n baidu.com/a800_80g_cgpu=8 \nmemory： 1.5\npods ＝ 0"
    assert {"cpu": 64, "baidu.com/a800_80g_cgpu": 8, "memory": 1.5, "pods": 0} == read_amounts(text)


def test_what_the_platform_wrote_in_its_own_way_may_stay_and_nothing_else() -> None:
    assert {"memory": "512Gi", "cpu": 2} == read_amounts("memory = 512Gi\ncpu = 2", "memory = 512Gi\ncpu = 1")
    assert "not `513Gi`" in fault("memory = 513Gi", "memory = 512Gi")


@pytest.mark.parametrize("line", ["cpu", "= 4", "cpu 4", "a b = 1", "cpu ="])
def test_a_line_without_name_and_number_is_quoted(line: str) -> None:
    assert f"`{line.strip()}` is not read" in fault(line)


@pytest.mark.parametrize("amount", ["many", "nan", "inf", "-1", "٣"])
def test_an_amount_that_is_no_amount_is_refused(amount: str) -> None:
    assert f"It must be a number, not `{amount}`." in fault(f"cpu = {amount}")


def test_too_many_lines_are_counted() -> None:
    assert "These are 41 lines; at most 40 can be set here." == fault("\n".join(f"a{n} = 1" for n in range(41)))


def test_amounts_are_written_as_they_are_read() -> None:
    assert "cpu = 64\ngpu = 8" == write_amounts(QUEUE.deserved)


def test_only_what_differs_is_a_change_and_8_is_8_0() -> None:
    after = replace(QUEUE, deserved={"cpu": "64.0", "memory": "5"}, oversell=False, description=None)
    assert (
        Change("description", None, "old", None),
        Change("deserved", "gpu", "8", None),
        Change("deserved", "memory", None, "5"),
        Change("oversell", None, "yes", "no"),
    ) == changes(QUEUE, after)


def test_a_new_queue_changed_from_nothing() -> None:
    assert [("description", None), ("deserved", "cpu"), ("deserved", "gpu"), ("oversell", None)] == [
        (one.facet, one.resource) for one in changes(None, QUEUE)
    ]


@pytest.mark.parametrize("name", ["", "A", "a_b", "a/b", "-a", "a-", "x" * 64, "队列"])
def test_names_that_no_queue_can_have_are_said(name: str) -> None:
    assert queue_name_fault(name)


def test_a_good_name_has_no_fault() -> None:
    assert queue_name_fault("team-a.2") is None
