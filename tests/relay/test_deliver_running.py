"""The delivery as it runs in the program: nudged, drained, and patient with its store."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.domain.errors import StoreLocked
from bot.domain.incident import Incident
from tests.make import alarm
from tests.relay.post_office import Office, opened

NCCL = "#nccl"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path / "gpubot.db") as office:
        yield office


async def until(condition: object) -> None:
    async with asyncio.timeout(5):
        while not condition():  # type: ignore[operator]  # noqa: ASYNC110  (nothing tells of a fake's change)
            await asyncio.sleep(0.002)


async def test_a_running_delivery_sends_what_is_queued_and_ends_when_drained(office: Office) -> None:
    running = asyncio.create_task(office.delivery.run())
    await office.report(alarm("1"))
    await until(lambda: len(office.chat.messages[NCCL]) == 2)
    await office.delivery.drain(1)
    await asyncio.wait_for(running, 2)


async def test_what_is_being_sent_at_the_end_is_finished(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, gate = asyncio.Event(), asyncio.Event()
    announce = office.chat.announce

    async def slowly(incident: Incident, *rest: object) -> str:
        entered.set()
        await gate.wait()
        return await announce(incident, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(office.chat, "announce", slowly)
    await office.report(alarm("1"), alarm("2", task="t2"))
    await office.delivery.sweep()
    await entered.wait()
    ending = asyncio.create_task(office.delivery.drain(5))
    await asyncio.sleep(0)
    gate.set()
    await ending
    monkeypatch.undo()
    assert 1 == len(office.chat.cards(NCCL))
    await office.restart()
    office.chat.calls.clear()
    await office.deliver(10)
    assert ("find", NCCL) not in office.chat.calls  # the first one was written down, nothing was doubtful
    assert 2 == len(office.chat.cards(NCCL))


async def test_a_post_that_hangs_at_the_end_is_looked_for_by_the_next_process(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F19, F22"""
    announce = office.chat.announce

    async def hang(incident: Incident, *rest: object) -> str:
        await announce(incident, *rest)  # type: ignore[arg-type]
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(office.chat, "announce", hang)
    await office.report(alarm("1"))
    await office.delivery.sweep()
    await until(lambda: office.chat.cards(NCCL))
    await office.delivery.drain(0.01)
    monkeypatch.undo()
    await office.restart()
    await office.deliver(10)
    assert 1 == len(office.chat.cards(NCCL))
    assert ("find", NCCL) in office.chat.calls


async def test_a_post_that_cannot_be_written_down_is_not_posted_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F81, F84"""
    posted, failures = office.outbox.posted, iter([StoreLocked("held"), StoreLocked("held")])

    async def failing(*values: object) -> None:
        if (error := next(failures, None)) is not None:
            raise error
        await posted(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(office.outbox, "posted", failing)
    await office.report(alarm("1"))
    await office.deliver(30)
    assert 1 == len(office.chat.cards(NCCL))
    assert 0 == (await office.outbox.health(office.time.clock())).due


async def test_a_store_that_is_locked_at_the_start_is_asked_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F81"""
    take_over, failures = office.outbox.take_over, iter([StoreLocked("held")])

    async def failing() -> int:
        if (error := next(failures, None)) is not None:
            office.delivery.nudge()
            raise error
        return await take_over()

    monkeypatch.setattr(office.outbox, "take_over", failing)
    await office.report(alarm("1"))
    running = asyncio.create_task(office.delivery.run())
    await until(lambda: len(office.chat.messages[NCCL]) == 2)
    await office.delivery.drain(1)
    await running


async def test_two_processes_on_one_store_send_everything_once(office: Office) -> None:
    """F25, F26"""
    other = Office(office.path, office.time, office.chat, name="other")
    await other.start()
    batch = [alarm(f"a{n}", task=f"t{n}") for n in range(8)]
    await asyncio.gather(office.report(*batch), other.report(*batch))
    await asyncio.gather(office.deliver(30), other.deliver(30))
    await other.stop()
    assert [(n, 1) for n in range(1, 9)] == sorted(Counter(said.incident for said in office.chat.cards(NCCL)).items())
    assert 16 == len(office.chat.messages[NCCL])


async def test_a_store_that_cannot_be_read_ends_no_delivery(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """F38"""

    async def locked(*_: object) -> None:
        raise StoreLocked("held by another program")

    monkeypatch.setattr(office.outbox, "claim", locked)
    await office.report(alarm("1"))
    await office.deliver(5)
    monkeypatch.undo()
    await office.deliver(60)
    assert 1 == len(office.chat.cards(NCCL))
