"""What is said when a cloud did not do what was asked."""

import pytest

from bot.domain.errors import CloudError, Throttled, Unreachable
from bot.domain.excuse import excuse


def _kinds(kind: type[CloudError]) -> list[type[CloudError]]:
    return [kind, *(deeper for one in kind.__subclasses__() for deeper in _kinds(one))]


KINDS = [kind for kind in _kinds(CloudError) if kind.__module__ == CloudError.__module__]  # adapters refine them


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_error_names_its_cloud(kind: type[CloudError]) -> None:
    assert "beijing" in str(excuse(kind("beijing", "why")))


def test_no_two_kinds_are_told_alike() -> None:
    assert len(KINDS) == len({excuse(kind("beijing", "why")).text for kind in KINDS})


def test_a_wait_is_told_in_seconds_where_the_platform_says_how_long() -> None:
    assert "Try again in 31 s." in str(excuse(Throttled("beijing", "QPS", 30.6)))
    assert "Try again in a minute." in str(excuse(Throttled("beijing", "QPS")))


def test_of_a_silent_cloud_it_is_said_when_it_is_asked_again() -> None:
    assert "no answer in time. It is asked again in 42 s." in str(
        excuse(Unreachable("beijing", "no answer in time", 41.2))
    )
