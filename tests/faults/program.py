"""`gpubot run` as a process of its own on the simulated clouds and Slack of the test, to be killed and watched.

The world's clock runs as ours does, because the process has no other.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.demo import Stage, stage
from bot.simulator.slack import SlackServer, Timing, Workspace
from bot.simulator.world import World
from bot.slack.scopes import WITHOUT
from tests.paths.scene import Scene

SHORT_HOLD = """
import sys
from datetime import timedelta
from bot.app import standby
from bot.cli import main
from bot.store import instance
instance.HELD_FOR, standby.BEAT_EVERY = timedelta(seconds=2), 0.3
main()
"""


@dataclass
class Program:
    """One process. `log` is what it wrote so far."""

    process: asyncio.subprocess.Process
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    async def kill(self) -> None:
        """kill -9."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def ask_to_stop(self) -> int:
        """SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()

    async def until_it_says(self, words: str, within: float = 20.0) -> None:
        async with asyncio.timeout(within):
            while words not in self.log:
                assert self.process.returncode is None or words in self.log, self.log
                await asyncio.sleep(0.02)


@dataclass
class Machine:
    """Starts programs with one configuration; all of them end with the test."""

    scene: Scene
    config: Path
    started: list[Program] = field(default_factory=list)

    async def start(self, *, short_hold: bool = False) -> Program:
        entry = ["-c", SHORT_HOLD] if short_hold else ["-m", "bot"]
        log_file = self.config.with_name(f"log-{len(self.started)}.txt")
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        with log_file.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *entry, "run", "--config", str(self.config), stdout=log, stderr=log, env=environment
            )
        self.started.append(Program(process, log_file))
        return self.started[-1]

    async def running(self, *, short_hold: bool = False) -> Program:
        """A program that has come up."""
        program = await self.start(short_hold=short_hold)
        await program.until_it_says('"event": "running"')
        return program


@asynccontextmanager
async def machine(
    folder: Path, change: Callable[[dict[str, Any]], None] = lambda tables: None
) -> AsyncIterator[Machine]:
    """`change` may alter the tables of the configuration."""
    world = World.scripted(start=datetime.now(UTC), speed=1.0, story=False)
    slack = SlackServer(Workspace.redwood(), clock=world.now, timing=Timing())
    async with stage(world, speed=1.0, slack=slack) as on:
        slack.change_app(scopes=frozenset(WITHOUT) | {"reactions:write"})
        settings = on.settings(folder / "gpubot.db")
        tables = _tables_of(on, folder)
        change(tables)
        config = folder / "gpubot.toml"
        config.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in tables.items()))
        here = Machine(Scene(on, settings), config)
        try:
            yield here
        finally:
            for program in here.started:
                await program.kill()


def _tables_of(on: Stage, folder: Path) -> dict[str, Any]:
    from bot.demo import _tables

    return {**_tables(on, folder / "gpubot.db"), "low_use": []}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
