"""Puts the parts of the simulated Baidu AIHC together over one world."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from bot.simulator.clouds.baidu.dialect import BaiduDialect
from bot.simulator.clouds.baidu.jobs import Jobs
from bot.simulator.clouds.baidu.metrics import Metrics
from bot.simulator.clouds.baidu.pods import MaxLines, Pods
from bot.simulator.clouds.baidu.pools import Pools
from bot.simulator.clouds.baidu.queues import Queues
from bot.simulator.clouds.serving import Serving, serve
from bot.simulator.world import World

KEYS = MappingProxyType({"ak-sim": "sk-sim"})


def serve_baidu(
    world: World,
    *,
    keys: Mapping[str, str] = KEYS,
    host: str = "127.0.0.1",
    port: int = 0,
    dirty_keys: bool = False,
    strict_metrics: bool = False,
    odd_samples: bool = False,
    max_lines: MaxLines = "last",
    page_lines: int = 2000,
    terminal_scheme: str = "http",
) -> AbstractAsyncContextManager[Serving]:
    """Serves the world's Baidu pools. `keys`: secret by access key. `dirty_keys`: the spellings that are
    seen at times (AIHC v1 reference §14). `odd_samples`: some samples are
    no numbers. `terminal_scheme`: http or ws."""
    routes = [
        *Pools(world, dirty_keys=dirty_keys).routes(),
        *Queues(world).routes(),
        *Jobs(world, dirty_keys=dirty_keys).routes(),
        *Pods(world, max_lines=max_lines, page_lines=page_lines, terminal_scheme=terminal_scheme).routes(),
        *Metrics(world, strict=strict_metrics, odd_samples=odd_samples).routes(),
    ]
    return serve(Serving(world, "baidu"), routes, BaiduDialect(world, keys), host, port)
