"""The demo as a program: its workspace, its address, its end. What people see of it is tested in the browser."""

import asyncio
import os
import signal
import socket

from bot.demo import play, workspace
from bot.domain.command import COMMANDS


def test_the_page_completes_every_command_the_bot_knows() -> None:
    (command,) = workspace().app.commands
    known = {one.name: one.hint for one in command.subcommands}
    assert {kind.spec.name for kind in COMMANDS} == set(known)
    assert "ID [POD] [--lines N]" == known["logs"]


async def test_a_port_in_use_ends_the_demo_with_what_to_do() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert 1 == await play(port=port, trace=None, seed=7, say=said.append)
    assert [
        f"The demo cannot use port {port}: address already in use. Choose another one: make demo PORT={port + 1}"
    ] == said


async def test_the_demo_says_its_address_and_ends_when_it_is_interrupted() -> None:
    said: list[str] = []

    def hear(text: str) -> None:
        said.append(text)
        if "http://127.0.0.1:" in text:
            os.kill(os.getpid(), signal.SIGINT)

    async with asyncio.timeout(15):
        assert 0 == await play(port=0, trace=None, seed=7, say=hear)
    assert "Stopping." == said[-1].strip()
