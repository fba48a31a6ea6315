"""One world and the three clouds over it, each test its own."""

from collections.abc import AsyncIterator

import pytest

from bot.simulator.clouds import Serving, serve_alaya, serve_baidu, serve_sysom
from bot.simulator.world import World


@pytest.fixture
def world() -> World:
    return World.scripted()


@pytest.fixture
async def baidu_cloud(world: World) -> AsyncIterator[Serving]:
    async with serve_baidu(world) as cloud:
        yield cloud


@pytest.fixture
async def alaya_cloud(world: World) -> AsyncIterator[Serving]:
    async with serve_alaya(world) as cloud:
        yield cloud


@pytest.fixture
async def sysom_cloud(world: World) -> AsyncIterator[Serving]:
    async with serve_sysom(world) as cloud:
        yield cloud
