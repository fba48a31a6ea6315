"""Delivery into the simulated Slack: what stands in the channel afterwards, and which remedy an error asks for."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import (
    ChannelClosed,
    CredentialsRefused,
    DeliveryError,
    MessageGone,
    OutcomeUnknown,
    PayloadRefused,
    RateLimited,
    Unavailable,
)
from bot.domain.incident import Incident
from bot.domain.life import acknowledge
from bot.domain.note import Note, NoteKind
from bot.domain.outbox import Storm
from bot.simulator.slack import Fault, SlackServer, Timing, Workspace
from bot.slack.channels import ChannelDirectory
from bot.slack.chat import SlackChat
from bot.slack.rendering import Rendered, TextFile
from tests.make import NOW, incident

CLOCK = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
SINCE = CLOCK - timedelta(minutes=10)
NOTE = Note(NoteKind.ACKNOWLEDGED, NOW, "U01CHEN")
ALERTS = "#gpu-alerts"


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "plain_text", "text": text}}


@dataclass
class PlainRenderer:
    """A card is a sentence; tests replace its parts."""

    blocks: tuple[dict[str, Any], ...] | None = None
    file: TextFile | None = None

    def card(self, incident: Incident, now: datetime) -> Rendered:
        text = f"{incident.kind} is {incident.state(now)}"
        return Rendered(text, (section(text),) if self.blocks is None else self.blocks)

    def note(self, incident: Incident, note: Note) -> Rendered:
        return Rendered(f"note: {note.kind}", file=self.file)

    def notice(self, text: str) -> Rendered:
        return Rendered(text)

    def storm(self, storm: Storm, now: datetime) -> Rendered:
        return Rendered(f"{storm.total} incidents")


@dataclass
class Book:
    """The remembered channel ids."""

    ids: dict[str, str] = field(default_factory=dict)

    async def channel_id(self, name: str) -> str | None:
        return self.ids.get(name)

    async def keep(self, name: str, channel_id: str) -> None:
        self.ids[name] = channel_id

    async def forget(self, name: str) -> None:
        self.ids.pop(name, None)


@pytest.fixture
def renderer() -> PlainRenderer:
    return PlainRenderer()


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    server = SlackServer(Workspace.redwood(), clock=lambda: CLOCK, seed=7, timing=Timing.quick())
    async with server.serve():
        yield server


@pytest.fixture
async def chat(
    slack: SlackServer, renderer: PlainRenderer, book: Book, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SlackChat]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient("xoxb-sim-bot", slack.api_url, session=session, retry_handlers=[])
        yield SlackChat(client, session, ChannelDirectory(client, book), renderer, deadline=0.3)


async def test_a_card_stands_in_the_channel_with_its_mark_and_without_previews(
    chat: SlackChat, slack: SlackServer
) -> None:
    """F128"""
    ts = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    (message,) = slack.messages(ALERTS)
    assert (ts, "NCCL HANG is firing") == (message.ts, message.text)
    assert {"event_type": "gpubot", "event_payload": {"mark": "mark-1"}} == message.metadata
    (call,) = [call for call in slack.requests if call.method == "chat.postMessage"]
    assert (False, False) == (call.args["unfurl_links"], call.args["unfurl_media"])


async def test_an_edit_keeps_the_mark_and_shows_the_new_state(chat: SlackChat, slack: SlackServer) -> None:
    ts = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    acknowledged, _ = acknowledge(incident(), "U01CHEN", NOW)
    await chat.amend(acknowledged, ALERTS, ts, NOW)
    (message,) = slack.messages(ALERTS)
    assert "NCCL HANG is acknowledged" == message.text == message.blocks[0]["text"]["text"]
    assert ts == await chat.find(ALERTS, "mark-1", SINCE)


async def test_a_note_lands_in_the_thread_and_is_found_there(chat: SlackChat, slack: SlackServer) -> None:
    parent = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    ts = await chat.reply(incident(), NOTE, ALERTS, parent, "mark-2")
    assert [ts] == [message.ts for message in slack.thread(ALERTS, parent)]
    assert ts == await chat.find(ALERTS, "mark-2", SINCE, parent)
    assert await chat.find(ALERTS, "mark-3", SINCE, parent) is None


async def test_a_mark_is_found_behind_many_other_messages(chat: SlackChat, slack: SlackServer) -> None:
    ts = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    for n in range(450):
        await slack.people.say("U03ANNA", ALERTS, f"chatter {n}")
    assert ts == await chat.find(ALERTS, "mark-1", SINCE)
    assert await chat.find(ALERTS, "mark-2", SINCE) is None


async def test_a_long_log_follows_as_a_file_in_the_thread(
    chat: SlackChat, slack: SlackServer, renderer: PlainRenderer
) -> None:
    parent = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    log = "\n".join(f"行 {n} ```<!channel>```" for n in range(5000))
    renderer.file = TextFile("worker-3.log", "Log of worker-3", log)
    await chat.reply(incident(), NOTE, ALERTS, parent, "mark-2")
    await slack.until(lambda: len(slack.thread(ALERTS, parent)) == 2)
    (file,) = slack.state.files.values()
    assert (log.encode(), "Log of worker-3") == (file.data, file.title)


async def test_a_file_that_fails_does_not_fail_its_note(
    chat: SlackChat, slack: SlackServer, renderer: PlainRenderer
) -> None:
    parent = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    renderer.file = TextFile("a.log", "a", "x")
    slack.faults.add("upload", Fault.dropped())
    ts = await chat.reply(incident(), NOTE, ALERTS, parent, "mark-2")
    assert [ts] == [message.ts for message in slack.thread(ALERTS, parent)]


async def test_a_reply_to_a_deleted_card_is_withdrawn_and_reported(chat: SlackChat, slack: SlackServer) -> None:
    """F39"""
    parent = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    await chat._client.chat_delete(channel="C01ALERTS", ts=parent)
    with pytest.raises(MessageGone):
        await chat.reply(incident(), NOTE, ALERTS, parent, "mark-2")
    assert [] == slack.messages(ALERTS)


async def test_an_edit_of_a_deleted_card_is_reported(chat: SlackChat) -> None:
    """F40"""
    parent = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    await chat._client.chat_delete(channel="C01ALERTS", ts=parent)
    with pytest.raises(MessageGone, match="message_not_found"):
        await chat.amend(incident(), ALERTS, parent, NOW)


async def test_blocks_that_are_refused_leave_the_text(
    chat: SlackChat, slack: SlackServer, renderer: PlainRenderer
) -> None:
    """F01, F02, F03"""
    renderer.blocks = tuple(section(f"{n}") for n in range(60))
    await chat.announce(incident(), ALERTS, "mark-1", NOW)
    (message,) = slack.messages(ALERTS)
    assert "NCCL HANG is firing" == message.text


async def test_an_edit_whose_blocks_are_refused_shows_its_text(
    chat: SlackChat, slack: SlackServer, renderer: PlainRenderer
) -> None:
    ts = await chat.announce(incident(), ALERTS, "mark-1", NOW)
    renderer.blocks = (section("x" * 3001),)
    acknowledged, _ = acknowledge(incident(), "U01CHEN", NOW)
    await chat.amend(acknowledged, ALERTS, ts, NOW)
    (message,) = slack.messages(ALERTS)
    assert ("NCCL HANG is acknowledged", []) == (message.text, list(message.blocks))


async def test_a_refusal_with_status_200_is_an_error(chat: SlackChat, slack: SlackServer) -> None:
    """F06, F45"""
    slack.faults.add("chat.postMessage", Fault.refused("msg_too_long"), times=2)
    with pytest.raises(PayloadRefused, match="msg_too_long"):
        await chat.announce(incident(), ALERTS, "mark-1", NOW)
    assert [] == slack.messages(ALERTS)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault.dropped(after_commit=True), OutcomeUnknown),
        (Fault.dropped(), OutcomeUnknown),
        (Fault.slow(0.5, after_commit=True), OutcomeUnknown),
        (Fault.truncated(), OutcomeUnknown),
        (Fault.server_error(500), OutcomeUnknown),
        (Fault.html_error(502), OutcomeUnknown),
        (Fault.html_error(503), Unavailable),
        (Fault.refused("internal_error"), OutcomeUnknown),
        (Fault.refused("fatal_error", after_commit=True), OutcomeUnknown),
        (Fault.refused("service_unavailable"), Unavailable),
        (Fault.refused("token_revoked"), CredentialsRefused),
        (Fault.refused("slack_connect_file_link_sharing_blocked"), ChannelClosed),
        (Fault.refused("a_word_of_next_year"), PayloadRefused),
    ],
)
async def test_each_error_names_its_remedy(
    chat: SlackChat, slack: SlackServer, fault: Fault, expected: type[DeliveryError]
) -> None:
    """F19, F38, F42"""
    slack.faults.add("chat.postMessage", fault)
    with pytest.raises(expected):
        await chat.announce(incident(), ALERTS, "mark-1", NOW)
    assert 1 == len([call for call in slack.requests if call.method == "chat.postMessage"])


async def test_a_limit_carries_its_wait(chat: SlackChat, slack: SlackServer) -> None:
    """F28"""
    slack.faults.add("chat.postMessage", Fault.rate_limited(30))
    with pytest.raises(RateLimited) as caught:
        await chat.announce(incident(), ALERTS, "mark-1", NOW)
    assert 30.0 == caught.value.retry_after


async def test_no_connection_means_that_nothing_was_posted(renderer: PlainRenderer, book: Book) -> None:
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient("x", "http://127.0.0.1:9/api/", session=session, retry_handlers=[])
        client.proxy = None
        with pytest.raises(Unavailable, match="no connection"):
            await SlackChat(client, session, ChannelDirectory(client, book), renderer).notify("x", "C01ALERTS", "m")


async def test_a_lost_answer_is_found_by_its_mark(chat: SlackChat, slack: SlackServer) -> None:
    """F19"""
    slack.faults.add("chat.postMessage", Fault.dropped(after_commit=True))
    with pytest.raises(OutcomeUnknown):
        await chat.announce(incident(), ALERTS, "mark-1", NOW)
    assert slack.messages(ALERTS)[0].ts == await chat.find(ALERTS, "mark-1", SINCE)


async def test_a_look_whose_answer_is_lost_proves_nothing(chat: SlackChat, slack: SlackServer) -> None:
    slack.faults.add("conversations.history", Fault.truncated())
    with pytest.raises(Unavailable):
        await chat.find(ALERTS, "mark-1", SINCE)


async def test_a_missing_history_scope_is_named(chat: SlackChat, slack: SlackServer) -> None:
    slack.change_app(scopes=slack.state.app.scopes - {"channels:history"})
    with pytest.raises(CredentialsRefused, match=r"missing_scope \(channels:history\)"):
        await chat.find(ALERTS, "mark-1", SINCE)


@pytest.mark.parametrize(
    ("channel", "changes", "reason"),
    [
        (ALERTS, {"is_archived": True}, "is_archived"),
        (ALERTS, {"bot_is_member": False}, "not_in_channel"),
        (ALERTS, {"posting": "read_only"}, "restricted_action_read_only_channel"),
        ("#nowhere", {}, "channel_not_found"),
        ("C0NOWHERE", {}, "channel_not_found"),
    ],
)
async def test_a_channel_that_takes_nothing_says_why(
    chat: SlackChat, slack: SlackServer, channel: str, changes: dict[str, Any], reason: str
) -> None:
    """F42"""
    if changes:
        slack.change_channel("gpu-alerts", **changes)
    with pytest.raises(ChannelClosed, match=reason):
        await chat.announce(incident(), channel, "mark-1", NOW)


async def test_a_renamed_channel_stays_the_same(chat: SlackChat, slack: SlackServer, book: Book) -> None:
    """F43"""
    await chat.notify("before", ALERTS, "m1")
    slack.change_channel("gpu-alerts", name="gpu-alarms")
    await chat.notify("after", ALERTS, "m2")
    async with aiohttp.ClientSession() as session:  # and in the next process
        client = AsyncWebClient("xoxb-sim-bot", slack.api_url, session=session, retry_handlers=[])
        await SlackChat(client, session, ChannelDirectory(client, book), PlainRenderer()).notify("later", ALERTS, "m3")
    assert ["before", "after", "later"] == [message.text for message in slack.messages("C01ALERTS")]


async def test_an_id_that_is_gone_is_looked_up_again(chat: SlackChat, slack: SlackServer, book: Book) -> None:
    """F133"""
    book.ids[ALERTS] = "C0OLDONE99"
    with pytest.raises(ChannelClosed, match="channel_not_found"):
        await chat.notify("x", ALERTS, "m1")
    await chat.notify("x", ALERTS, "m2")
    assert {ALERTS: "C01ALERTS"} == book.ids


async def test_equal_cards_have_equal_fingerprints(chat: SlackChat) -> None:
    first, later = incident(), replace(incident(), last_at=NOW + timedelta(hours=1))
    assert chat.fingerprint(first, NOW) == chat.fingerprint(later, NOW)
    assert chat.fingerprint(first, NOW) != chat.fingerprint(acknowledge(first, "U01CHEN", NOW)[0], NOW)


async def test_a_storm_card_is_posted_and_edited(chat: SlackChat, slack: SlackServer) -> None:
    storm = Storm(1, ALERTS, NOW, (incident(),), 30)
    ts = await chat.announce_storm(storm, ALERTS, "mark-1", NOW)
    await chat.amend_storm(replace(storm, total=31), ALERTS, ts, NOW)
    assert ["31 incidents"] == [message.text for message in slack.messages(ALERTS)]
    assert chat.fingerprint_storm(storm, NOW) != chat.fingerprint_storm(replace(storm, total=31), NOW)
