"""The link to Slack while it suffers: noticed, replaced, and nothing that a person did is lost or done twice."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.domain.wording import Sentence
from bot.simulator.slack import Fault, SlackServer, Timing
from bot.slack.answering import Answering
from bot.slack.connect import Socket, build_app, identify
from bot.store.claims import ClaimStore
from bot.store.database import Database
from tests.make import NOW
from tests.paths.scene import NCCL, OMAR, Scene, actions_of, shown
from tests.slack.workspace import Clock, redwood

PING = 0.2  # instead of 5 s: what takes 30 s in life takes 1.2 s here
FAITHFUL = Timing(disconnect_after_notice=0.3, link_grace=2.0)


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[SlackServer, Socket, list[str]]]:
    """A socket of ours on the simulated Slack, and the commands that it heard."""
    heard: list[str] = []
    async with redwood(Clock(), FAITHFUL) as (slack, client, _):
        app = build_app(client, await identify(client), None)

        @app.command("/gpu")
        async def on_command(ack: Any, body: dict[str, str]) -> None:
            await ack()
            heard.append(body["text"])

        socket = Socket(app, "xapp-sim-app", ping_every=PING)
        await socket.open()
        await slack.sockets.connected(1)
        try:
            yield slack, socket, heard
        finally:
            await socket.close()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(5):
        while not await condition():  # noqa: ASYNC110  (the library tells nobody)
            await asyncio.sleep(0.01)


async def until_it(socket: Socket, *, lives: bool) -> None:
    async def does() -> bool:
        return await socket.is_alive() is lives

    await until(does)


async def test_a_half_dead_link_is_noticed_and_replaced_within_six_pings() -> None:
    """F69: thirty seconds at the interval in use."""
    async with connected() as (slack, _, heard):
        opened, begun = slack.sockets.opened, time.monotonic()
        slack.sockets.go_half_dead()
        await slack.sockets.replaced(opened + 1)
        assert time.monotonic() - begun < 6 * PING + 0.5  # half a second for a busy machine
        outcome = await slack.people.command("U05OMAR", "C01ALERTS", "jobs")
        assert outcome.acknowledged
        assert ["jobs"] == heard


async def test_while_the_link_is_gone_health_says_so() -> None:
    """F70"""
    async with connected() as (slack, socket, _):
        slack.faults.add("apps.connections.open", Fault.refused("internal_error"), times=3)
        slack.sockets.drop()
        await until_it(socket, lives=False)
        alive, words = await socket.state()
        assert (False, True) == (alive, "not connected" in str(words))
        await until_it(socket, lives=True)


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_a_link_that_slack_ends_is_opened_anew_and_no_command_is_lost(reason: str) -> None:
    """F70"""
    async with connected() as (slack, socket, heard):
        opened = slack.sockets.opened
        await slack.sockets.disconnect(reason)
        outcomes = await asyncio.gather(*(slack.people.command("U05OMAR", "C01ALERTS", f"job {n}") for n in range(20)))
        await slack.sockets.replaced(opened + 1)
        await until_it(socket, lives=True)
        assert all(one.acknowledged for one in outcomes)
        assert sorted(f"job {n}" for n in range(20)) == sorted(heard)


async def test_where_too_many_links_are_open_ours_comes_when_one_ends() -> None:
    async with connected() as (slack, socket, heard), aiohttp.ClientSession(trust_env=False) as session:
        others = [await _another_link(slack, session) for _ in range(9)]
        slack.sockets.drop()
        others += [await _another_link(slack, session) for _ in range(10)]
        refused = len(slack.journal.of("apps.connections.open"))

        async def tried_in_vain() -> bool:
            return len(slack.journal.of("apps.connections.open")) > refused

        await until(tried_in_vain)
        for other in others:
            await other.close()
        await until_it(socket, lives=True)
        await slack.people.command("U05OMAR", "C01ALERTS", "jobs")
        assert ["jobs"] == heard


async def _another_link(slack: SlackServer, session: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
    headers = {"Authorization": "Bearer xapp-sim-app"}
    async with session.post(f"{slack.api_url}apps.connections.open", headers=headers) as answer:
        return await session.ws_connect((await answer.json())["url"])


async def test_a_click_that_slack_delivers_twice_is_done_once(scene: Scene) -> None:
    """F20, F71: the claim lies in the database, so a second process knows it too."""
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {0: (0,)})
    async with scene.bot() as bot:
        card = await scene.card_in(NCCL)
        await scene.settled(bot)
        await scene.press(OMAR, card, "mute")
        await scene.dialog(OMAR, "mute")
        await scene.slack.sockets.redeliver()
        await scene.settled(bot)
        assert 1 == len(scene.slack.views(OMAR))
    async with scene.bot() as bot:
        await scene.slack.sockets.redeliver()
        await scene.settled(bot)
        assert 1 == len(scene.slack.views(OMAR))


async def test_two_processes_that_get_the_same_delivery_do_it_once(tmp_path: Path) -> None:
    """F20, F71"""
    done: list[str] = []

    async def work() -> None:
        done.append("done")

    async def tell(sentence: Sentence) -> None:
        raise AssertionError(sentence)

    databases = [Database(tmp_path / "gpubot.db") for _ in range(2)]
    for database in databases:
        await database.open(NOW)
    processes = [Answering(ClaimStore(one), lambda: NOW, lambda what, outcome: None) for one in databases]
    for process in processes * 3:
        process.start("click stop", "click:U05OMAR:stop:1.0", work, tell)
    for process in processes:
        await process.drain(5)
    for database in databases:
        await database.close()
    assert ["done"] == done


async def test_a_dialog_opened_by_one_process_is_sent_in_to_the_next(scene: Scene) -> None:
    """F71, F52: nothing that a dialog or a button needs lies in a process."""
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {0: (0,)})
    async with scene.bot():
        card = await scene.card_in(NCCL)
        view = await scene.asked_to_stop(OMAR, card)
    async with scene.bot():
        await scene.submit(OMAR, view)
        await scene.until(scene.stops)
        scene.world.advance(timedelta(minutes=1))
        stopped = await scene.said_on(card, "*Stopped*")
        assert "stop" not in actions_of(stopped)
    assert 1 == len(scene.stops())
    assert "U05OMAR" in shown(stopped)
