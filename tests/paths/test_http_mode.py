"""HTTP mode: the same bot behind its own web server, called by Slack with signatures."""

import hashlib
import hmac
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.app.bot import Bot
from bot.demo import stage
from bot.simulator.slack import Workspace
from bot.simulator.world import World
from bot.slack.scopes import WITHOUT
from tests.paths.conftest import CALM
from tests.paths.scene import NCCL, OMAR, Scene, quick_slack, shown

SECRET = "sim-signing-secret"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    port, world, workspace = free_port(), World.scripted(story=False), Workspace.redwood()
    app = replace(workspace.app, request_url=f"http://127.0.0.1:{port}/slack/events", scopes=frozenset(WITHOUT))
    async with stage(world, speed=0, slack=quick_slack(world, replace(workspace, app=app))) as on:
        settings = on.settings(tmp_path / "gpubot.db")
        changes = {
            "slack": settings.slack.model_copy(update={"app_token": None}),
            "web": settings.web.model_copy(update={"port": port}),
            "low_use": (),
        }
        yield Scene(on, settings.model_copy(update=changes | CALM))


@pytest.fixture
async def bot(scene: Scene) -> AsyncIterator[Bot]:
    async with scene.bot() as bot:
        yield bot


COMMAND = {"command": "/gpu", "text": "pools", "user_id": OMAR, "channel_id": "C01ALERTS", "trigger_id": "1.2"}
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


async def posted(
    scene: Scene, stamp: str, signed_with: str = SECRET, body: bytes = urlencode(COMMAND).encode(), kind: str = FORM
) -> int:
    """The status of a request posted as Slack would, or as somebody else would."""
    mark = hmac.new(signed_with.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": kind,
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={mark}",
    }
    url = f"http://127.0.0.1:{scene.settings.web.port}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status


async def test_slack_accepts_the_address(scene: Scene, bot: Bot) -> None:
    assert scene.slack.pushes is not None
    assert await scene.slack.pushes.verify()


async def test_a_command_and_a_click_work(scene: Scene, bot: Bot) -> None:
    assert "训练池 A" in shown(await scene.typed(OMAR, "pools"))

    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,)})
    card = await scene.card_in(NCCL)
    await scene.press(OMAR, card, "acknowledge")
    await scene.said_on(card, "*Acknowledged* by <@U05OMAR>")


async def test_a_dialog_works(scene: Scene, bot: Bot) -> None:
    scene.world.hang(scene.world.job_named("llm-pretrain-70b").id, {2: (5,)})
    card = await scene.card_in(NCCL)
    await scene.press(OMAR, card, "mute")
    await scene.submit(OMAR, await scene.dialog(OMAR, "mute"), span="2h")

    await scene.said_on(card, "*Muted* until")


async def test_health_says_that_slack_calls(scene: Scene, bot: Bot) -> None:
    assert "HTTP mode" in shown(await scene.typed(OMAR, "health"))


async def test_a_signed_request_is_taken_and_its_redelivery_answered_once(scene: Scene, bot: Bot) -> None:
    stamp = str(int(time.time()))
    assert [200, 200] == [await posted(scene, stamp), await posted(scene, stamp)]
    await scene.until(lambda: scene.slack.ephemerals(OMAR))
    await scene.typed(OMAR, "help")

    assert 2 == len(scene.slack.ephemerals(OMAR))


@pytest.mark.parametrize(
    ("stamp", "secret"),
    [
        (str(int(time.time())), "another secret"),
        (str(int(time.time()) - 3600), SECRET),
        ("yesterday", SECRET),
        ("", SECRET),
        ("１２３", SECRET),
        ("9" * 5000, SECRET),
    ],
)
async def test_a_request_that_slack_did_not_sign_now_is_refused(
    scene: Scene, bot: Bot, stamp: str, secret: str
) -> None:
    if not stamp.isascii():
        stamp = stamp.encode().decode("latin-1")
    assert 401 == await posted(scene, stamp, secret)
    assert [] == scene.slack.ephemerals(OMAR)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\xff\xfe", FORM),
        (b"payload=%7B", FORM),
        (b"payload=%5B%5D", FORM),
        (b"{not json", JSON),
        (b"[]", JSON),
        (b"x", f"{JSON}; charset=nope"),
    ],
)
async def test_a_body_that_makes_no_sense_is_refused_quietly(
    scene: Scene, bot: Bot, body: bytes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    stamp = str(int(time.time()))
    assert {await posted(scene, stamp, secret, body, kind) for secret in (SECRET, "another secret")} <= {400, 401}
    assert [] == [record for record in caplog.records if record.levelname == "ERROR"]
