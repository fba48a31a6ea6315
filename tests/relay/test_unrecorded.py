"""A store that takes nothing silences nobody, and repeats nothing."""

from pathlib import Path

import pytest

from bot.domain.errors import StoreFull, Unavailable
from bot.relay.unrecorded import SpokenIncidents
from tests.make import NOW, alarm
from tests.relay.post_office import FakeChat, Office, by_kind, opened


async def full(office: Office, pages: int) -> None:
    await office.database.run(lambda session: session.execute(f"PRAGMA max_page_count = {pages}"))


def spoken(office: Office) -> SpokenIncidents:
    return SpokenIncidents(office.incidents, office.chat, by_kind, "#gpu-ops")


def texts(chat: FakeChat, channel: str) -> list[str]:
    return [said.shown for said in chat.messages[channel] if said.what == "notice"]


async def test_alarms_on_a_full_disk_are_said_once_and_become_cards_later(tmp_path: Path) -> None:
    """F84"""
    async with opened(tmp_path / "gpubot.db") as office:
        incidents = spoken(office)
        await incidents.observe("ack", [alarm("old", task="old")], NOW, cursor=NOW)
        await full(office, 1)
        batch = [alarm("old", task="old"), *(alarm(f"a{n}", task=f"t{n}", log="x" * 3000) for n in range(30))]
        for _ in range(3):
            with pytest.raises(StoreFull):
                await incidents.observe("ack", batch, NOW, cursor=NOW)
        (listed,) = texts(office.chat, "#nccl")
        assert "NCCL HANG (t0)" in listed
        assert "old" not in listed
        assert listed.endswith("and 10 more.")
        assert 1 == len(texts(office.chat, "#gpu-ops"))
        await full(office, 100_000)
        assert 30 == (await incidents.observe("ack", batch, NOW, cursor=NOW)).new


async def test_what_slack_does_not_take_either_is_tried_at_the_next_poll(tmp_path: Path) -> None:
    """F84"""
    async with opened(tmp_path / "gpubot.db") as office:
        incidents = spoken(office)
        await full(office, 1)
        office.chat.closed["#nccl"] = Unavailable("503")
        batch = [alarm(f"a{n}", log="x" * 9000) for n in range(20)]
        with pytest.raises(StoreFull):
            await incidents.observe("ack", batch, NOW)
        del office.chat.closed["#nccl"]
        with pytest.raises(StoreFull):
            await incidents.observe("ack", batch, NOW)
        assert 1 == len(texts(office.chat, "#nccl"))
