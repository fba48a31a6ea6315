"""`gpubot demo`: the real bot on three simulated clouds and a simulated Slack, all on loopback, in one browser page.

The simulators are separate servers that speak the platforms' own protocols, so only addresses, keys and the clock
differ from production. The world's clock runs faster than ours, and the bot and the simulated Slack live by it.
"""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.app.bot import running
from bot.config import Settings
from bot.domain.command import COMMANDS, Spec
from bot.simulator.clouds import Serving, serve_alaya, serve_baidu, serve_sysom
from bot.simulator.slack import SlackServer, SubCommand, Workspace
from bot.simulator.world import World

SPEED = 30.0  # world seconds per real second
RECORDED_JOBS = 400  # the last ones of a recording: what one processor can play beside the bot
RECORDED_SPAN = timedelta(hours=8)  # before the recording's end
MANY_JOBS = 100
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Stage:
    """What the demo plays on; tests reach into it."""

    world: World
    baidu: Serving
    alaya: Serving
    sysom: Serving
    slack: SlackServer

    def settings(self, store: Path) -> Settings:
        """The settings of a bot for these servers: real ones but for addresses, keys and short periods."""
        return Settings(**_tables(self, store))


@asynccontextmanager
async def stage(
    world: World, *, port: int = 0, speed: float = SPEED, slack: SlackServer | None = None
) -> AsyncIterator[Stage]:
    """The simulated clouds and the simulated Slack (or another one), without a bot."""
    async with AsyncExitStack() as servers:
        slack = slack or SlackServer(workspace(), clock=world.now, speed=lambda: speed)
        yield Stage(
            world,
            await servers.enter_async_context(serve_baidu(world)),
            await servers.enter_async_context(serve_alaya(world)),
            await servers.enter_async_context(serve_sysom(world)),
            await servers.enter_async_context(slack.serve(port=port)),
        )


def workspace() -> Workspace:
    """Redwood AI, where the box in which people write knows the commands of the bot."""
    redwood = Workspace.redwood()
    known = tuple(_completed(kind.spec) for kind in COMMANDS)
    commands = tuple(replace(command, subcommands=known) for command in redwood.app.commands)
    return replace(redwood, app=replace(redwood.app, commands=commands))


def _completed(spec: Spec) -> SubCommand:
    return SubCommand(spec.name, spec.usage.removeprefix(spec.name).strip(), spec.about.text)


async def play(*, port: int, trace: Path | None, seed: int, say: Say) -> int:
    """Run the demo until it is interrupted; the exit code."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    world = build_world(trace, seed)
    with tempfile.TemporaryDirectory(prefix="gpubot-demo-") as folder:
        try:
            async with stage(world, port=port) as on, running(on.settings(Path(folder) / "gpubot.db"), clock=world.now):
                say(_welcome(on.slack.url, trace))
                await stopped.wait()
                say("\nStopping.")
        except OSError as error:
            say(f"The demo cannot use port {port}: {_why(error)}. Choose another one: make demo PORT={port + 1}")
            return 1
    return 0


def _why(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else str(error)


def build_world(trace: Path | None, seed: int, speed: float = SPEED) -> World:
    """The scripted world, or the one that recorded data drives."""
    start = datetime.now(UTC).replace(microsecond=0)
    if trace is None:
        return World.scripted(seed, start, speed)
    return World.from_trace(
        trace / "openb_pods.csv.gz",
        trace / "openb_nodes.csv.gz",
        trace / "gpu_use_real.csv.gz",
        seed=seed,
        start=start,
        speed=speed,
        before_end=RECORDED_SPAN,
        limit=RECORDED_JOBS,
    )


def _welcome(url: str, trace: Path | None) -> str:
    what = f"the last {RECORDED_JOBS} jobs recorded in {trace}" if trace else "three simulated clouds with 40 jobs"
    return (
        f"gpubot is running on {what} and a simulated Slack.\n\n"
        f"    {url}\n\n"
        f"Open it in a browser: #gpu-alerts fills within seconds; type /gpu help in any channel; change the person at\n"
        f"the top right. Time runs {SPEED:g} times faster here. Ctrl-C ends everything."
    )


def _tables(on: Stage, store: Path) -> dict[str, Any]:
    return {
        "slack": {
            "bot_token": "xoxb-sim-bot",
            "app_token": "xapp-sim-app",
            "signing_secret": "sim-signing-secret",
            "api_url": on.slack.api_url,
        },
        "store": {"path": str(store)},
        "web": {"port": 0},
        "clouds": _clouds(on),
        "alarms": {"poll_every": "1s"},
        "usage": {"judge_every": "2s" if len(on.world.jobs()) < MANY_JOBS else "15s"},
        "low_use": [{"name": "idle"}],
        "routes": [{"kind": ["NCCL*"], "channel": "#nccl"}],
        "access": {
            "operators": ["U05OMAR", "S01ONCALL"],
            "people": {
                "li.wei": "li.wei@example.com",
                "anna.schmidt": "anna.schmidt@example.com",
                "zhang.min": "U04ZHANG",
            },
        },
    }


def _clouds(on: Stage) -> list[dict[str, Any]]:
    return [
        {
            "name": "beijing",
            "kind": "baidu",
            "endpoint": on.baidu.url,
            "access_key": "ak-sim",
            "secret_key": "sk-sim",
            "pace": 100,
            "concurrency": 16,
        },
        {
            "name": "alaya",
            "kind": "alaya",
            "endpoint": on.alaya.url,
            "path_prefix": "/api/osm",
            "auth": "hmac",
            "access_key": "alaya-ak",
            "secret_key": "alaya-sk",
            "pace": 100,
            "concurrency": 16,
            "operations": {"stop": {"enabled": True}, "delete": {"enabled": True}},
        },
        {
            "name": "ack",
            "kind": "sysom",
            "endpoint": on.sysom.url,
            "access_key": "sysom-ak",
            "secret_key": "sysom-sk",
            "clusters": ["cluster-bj1", "cluster-alaya1"],
            "jobs_in": ["beijing", "alaya"],
        },
    ]
