"""A process of this machine is known to be gone; of others nothing is known."""

import subprocess
import sys

from bot.app.process import is_gone, own_name


def test_a_name_is_different_each_time_and_of_this_process() -> None:
    assert own_name() != own_name()
    assert not is_gone(own_name())


def test_a_process_that_ended_here_is_gone() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from bot.app.process import own_name; print(own_name())"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    assert is_gone(ended)


def test_of_a_process_elsewhere_nothing_is_known() -> None:
    host, _, pid, rest = own_name().rsplit("/", 3)
    assert not is_gone(f"{host}/another-boot/{int(pid) + 100_000}/{rest}")
    assert not is_gone("a-name-of-an-older-version/77")
