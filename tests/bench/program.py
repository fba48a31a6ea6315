"""The real program as a process of its own, beside simulators that run in the bench's process, all by real time."""

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.demo import Stage, stage
from bot.simulator.world import World

READY_WITHIN = 30.0  # seconds, on a busy machine
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Running:
    """A process, and what the kernel knows of it: memory in kB, processor time in seconds."""

    process: Process

    @property
    def memory(self) -> int:
        return self._status("VmRSS")

    @property
    def most_memory(self) -> int:
        return self._status("VmHWM")

    @property
    def work(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def loaded(self, library: str) -> bool:
        """Whether a shared library of this package is mapped."""
        return f"/{library}/" in Path(f"/proc/{self.process.pid}/maps").read_text()

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


@asynccontextmanager
async def started(*command: str, log: Path) -> AsyncIterator[Running]:
    """A process for the length of the block; its output goes into `log`."""
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output)
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 15)
        except TimeoutError:
            process.kill()
            await process.wait()


@asynccontextmanager
async def gpubot(on: Stage, folder: Path, **sections: dict[str, Any]) -> AsyncIterator[Running]:
    """`gpubot run` for these servers, once it listens to Slack; `sections` complete the settings."""
    settings, log = folder / "gpubot.toml", folder / "gpubot.log"
    settings.write_text(_toml(_tables(on, folder) | sections), encoding="utf-8")
    command = (sys.executable, "-m", "bot", "run", "--config", str(settings), "--log-level", "warning")
    async with started(*command, log=log) as running:
        try:
            await on.slack.sockets.connected(within=READY_WITHIN)
        except TimeoutError:
            raise AssertionError(log.read_text()) from None
        yield running
    written = log.read_text()
    assert "Traceback" not in written, written[:2_000]


@asynccontextmanager
async def simulators(world: World) -> AsyncIterator[Stage]:
    """Clouds and a Slack that refuses whoever posts faster than a message a second and channel."""
    async with stage(world, speed=1) as on:
        on.slack.pace.enforced = True
        yield on


def present_world() -> World:
    """The fleet of 40 jobs by itself, at this very moment and at the speed of real time."""
    return World.scripted(start=datetime.now(UTC), speed=1, story=False)


async def eventually(condition: Callable[[], object], within: float) -> float:
    """Wait until the condition holds; the seconds it took."""
    began = time.perf_counter()
    while not condition():
        assert time.perf_counter() - began < within, f"not within {within} s"
        await asyncio.sleep(0.002)
    return time.perf_counter() - began


def _tables(on: Stage, folder: Path) -> dict[str, Any]:
    return {
        "slack": {"bot_token": "xoxb-sim-bot", "app_token": "xapp-sim-app", "api_url": on.slack.api_url},
        "store": {"path": str(folder / "gpubot.db")},
        "web": {"port": 0},
        "access": {"operators": ["U05OMAR"], "people": {"li.wei": "U02LIWEI"}},
        "low_use": [{"name": "idle"}],
        "clouds": [
            _cloud("beijing", "baidu", on.baidu.url, "ak-sim", "sk-sim"),
            _cloud("alaya", "alaya", on.alaya.url, "alaya-ak", "alaya-sk", path_prefix="/api/osm", auth="hmac"),
            _cloud("ack", "sysom", on.sysom.url, "sysom-ak", "sysom-sk", jobs_in=["beijing", "alaya"]),
        ],
    }


def _cloud(name: str, kind: str, endpoint: str, access_key: str, secret_key: str, **more: Any) -> dict[str, Any]:
    keys = {"access_key": access_key, "secret_key": secret_key}
    return {"name": name, "kind": kind, "endpoint": endpoint, **keys, **more}


def _toml(tables: dict[str, Any]) -> str:
    """Tables and lists of tables, one level deep; JSON's texts, numbers and lists are TOML's as well."""
    lines: list[str] = []
    for name, table in tables.items():
        many = isinstance(table, list)
        for one in table if many else [table]:
            lines.append(f"[[{name}]]" if many else f"[{name}]")
            lines += [f"{key} = {_value(value)}" for key, value in one.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_value(one)}' for key, one in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)
