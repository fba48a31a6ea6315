"""Acknowledge first, work afterwards, raise never: every error reaches the person as a sentence."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.domain.errors import CommandError, Unreachable
from bot.domain.wording import Sentence, say
from bot.slack.answering import Answering
from bot.slack.connect import build_app, identify
from tests.slack.workspace import Clock, MemoryClaims, redwood

Work = Callable[[], Awaitable[None]]


class Desk:
    """An `Answering` with what was told and counted."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.outcomes: list[tuple[str, str]] = []
        self.answering = Answering(MemoryClaims(), Clock(), lambda what, outcome: self.outcomes.append((what, outcome)))

    async def tell(self, sentence: Sentence) -> None:
        self.told.append(str(sentence))

    async def do(self, work: Work, key: str = "k", times: int = 1) -> None:
        for _ in range(times):
            self.answering.start("command", key, work, self.tell)
        await self.answering.drain(5)


def raising(error: Exception) -> Work:
    async def work() -> None:
        raise error

    return work


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_delivery_that_comes_three_times_is_done_once(desk: Desk) -> None:
    """F20."""
    done: list[int] = []

    async def work() -> None:
        done.append(1)

    await desk.do(work, times=3)

    assert [1] == done
    assert [("command", "redelivered")] * 2 == sorted(desk.outcomes, key=lambda one: one[1], reverse=True)[:2]


@pytest.mark.parametrize(
    ("error", "said", "outcome"),
    [
        (CommandError(say("There is no `jbos`.")), "There is no `jbos`.", "refused"),
        (Unreachable("alaya", "no answer"), "alaya did not answer: no answer. Try again in a moment.", "cloud"),
    ],
)
async def test_an_error_that_is_understood_is_said(desk: Desk, error: Exception, said: str, outcome: str) -> None:
    await desk.do(raising(error))

    assert [said] == desk.told
    assert [("command", outcome)] == desk.outcomes


async def test_an_error_of_ours_is_said_with_a_number_and_without_its_text(desk: Desk) -> None:
    await desk.do(raising(ValueError("sk-secret")))

    assert "Something went wrong inside the bot" in desk.told[0]
    assert "sk-secret" not in desk.told[0]


async def test_a_person_who_cannot_be_told_ends_nothing() -> None:
    desk = Desk()

    async def broken(_: Sentence) -> None:
        raise RuntimeError

    desk.answering.start("command", "k", raising(ValueError()), broken)
    await desk.answering.drain(5)

    assert [("command", "error")] == desk.outcomes


async def test_draining_waits_for_what_is_under_way_and_cancels_what_takes_too_long(desk: Desk) -> None:
    done: list[str] = []

    async def quick() -> None:
        await asyncio.sleep(0.02)
        done.append("quick")

    async def endless() -> None:
        await asyncio.sleep(60)

    desk.answering.start("command", "1", quick, desk.tell)
    desk.answering.start("command", "2", endless, desk.tell)
    await desk.answering.drain(0.2)

    assert ["quick"] == done


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.02])
async def test_no_acknowledgement_is_lost_when_the_work_fails_right_after_it(delay: float) -> None:
    """The library overwrites an acknowledgement when a listener raises within some milliseconds of it."""
    desk = Desk()

    async def fail() -> None:
        await asyncio.sleep(delay)
        raise ValueError

    async with redwood(Clock()) as (slack, client, _session):
        app = build_app(client, await identify(client), None)

        @app.command("/gpu")
        async def on_command(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack()
            desk.answering.start("command", str(body["trigger_id"]), fail, desk.tell)

        handler = AsyncSocketModeHandler(app, "xapp-sim-app")
        await handler.client.connect()  # type: ignore[no-untyped-call]
        outcomes = [await slack.people.command("U01CHEN", "C01ALERTS", "/gpu jobs") for _ in range(6)]
        await handler.client.close()  # type: ignore[no-untyped-call]

    assert [True] * 6 == [outcome.acknowledged for outcome in outcomes]
