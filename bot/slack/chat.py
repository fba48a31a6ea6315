"""Delivery into Slack: post, edit, reply, and find again by mark. It renders through a `Renderer` and decides nothing.

The client must not retry by itself: the library's stock handler repeats a post whose answer was lost.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import structlog
from aiohttp import ClientError, ClientSession
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.domain.errors import ChannelClosed, DeliveryError, MessageGone, OutcomeUnknown, Unavailable
from bot.domain.incident import Incident
from bot.domain.note import Note
from bot.domain.outbox import Storm
from bot.slack.channels import ChannelDirectory
from bot.slack.files import Uploads
from bot.slack.refusals import BLOCKS_REFUSED, error_word, translated
from bot.slack.rendering import Rendered, Renderer, TextFile

MARK = "gpubot"  # the metadata's event type
TEXT_ALONE = 3000  # characters that every workspace takes when the blocks were refused
DEADLINE = 20.0  # seconds for one message; the client's own time-out is ignored where it shares a session
_PAGE = 200
log = structlog.get_logger()


class SlackChat:
    """Implements `bot.domain.ports.Chat`; raises `DeliveryError` only. `session` carries the bytes of log files."""

    def __init__(
        self,
        client: AsyncWebClient,
        session: ClientSession,
        channels: ChannelDirectory,
        renderer: Renderer,
        deadline: float = DEADLINE,
    ) -> None:
        self._client = client
        self._uploads = Uploads(client, session)
        self._channels = channels
        self._renderer = renderer
        self._deadline = deadline

    async def announce(self, incident: Incident, channel: str, mark: str, now: datetime) -> str:
        return await self._post(self._renderer.card(incident, now), channel, mark)

    async def amend(self, incident: Incident, channel: str, ts: str, now: datetime) -> None:
        await self._update(self._renderer.card(incident, now), channel, ts)

    async def reply(self, incident: Incident, note: Note, channel: str, thread_ts: str, mark: str) -> str:
        """Post into the thread, the long text as a file behind it. A file that fails does not repeat the note."""
        rendered = self._renderer.note(incident, note)
        ts = await self._post(rendered, channel, mark, thread_ts)
        if rendered.file is not None:
            await self._attach(rendered.file, channel, thread_ts)
        return ts

    async def notify(self, text: str, channel: str, mark: str) -> str:
        return await self._post(self._renderer.notice(text), channel, mark)

    async def announce_storm(self, storm: Storm, channel: str, mark: str, now: datetime) -> str:
        return await self._post(self._renderer.storm(storm, now), channel, mark)

    async def amend_storm(self, storm: Storm, channel: str, ts: str, now: datetime) -> None:
        await self._update(self._renderer.storm(storm, now), channel, ts)

    def fingerprint(self, incident: Incident, now: datetime) -> str:
        return _fingerprint(self._renderer.card(incident, now))

    def fingerprint_storm(self, storm: Storm, now: datetime) -> str:
        return _fingerprint(self._renderer.storm(storm, now))

    async def find(self, channel: str, mark: str, since: datetime, thread_ts: str | None = None) -> str | None:
        """The ts of the message with this mark, newest page first. A read whose answer is lost is `Unavailable`."""
        try:
            async with self._in(channel) as channel_id:
                async for message in self._history(channel_id, since, thread_ts):
                    if _mark_of(message) == mark:
                        return str(message["ts"])
        except OutcomeUnknown as error:
            raise Unavailable(error.reason) from error
        return None

    @asynccontextmanager
    async def _in(self, channel: str) -> AsyncIterator[str]:
        """The channel's id, for calls whose errors are translated; an id that is not good any more is forgotten."""
        channel_id = await self._channels.id_of(channel)
        try:
            with translated():
                async with asyncio.timeout(self._deadline):
                    yield channel_id
        except ChannelClosed as error:
            if error.reason == "channel_not_found":
                await self._channels.forget(channel)
            raise

    async def _post(self, rendered: Rendered, channel: str, mark: str, thread_ts: str | None = None) -> str:
        metadata = {"event_type": MARK, "event_payload": {"mark": mark}}
        async with self._in(channel) as channel_id:

            async def send(text: str, blocks: list[dict[str, Any]]) -> AsyncSlackResponse:
                return await self._client.chat_postMessage(
                    channel=channel_id,
                    thread_ts=thread_ts,
                    text=text,
                    blocks=blocks or None,
                    metadata=metadata,
                    unfurl_links=False,
                    unfurl_media=False,
                )

            answer = await _with_or_without_blocks(send, rendered)
            ts = str(answer["ts"])
            if thread_ts is not None and not (answer.get("message") or {}).get("thread_ts"):
                await self._withdraw(channel_id, ts)
                raise MessageGone("the thread's first message was deleted")
            return ts

    async def _update(self, rendered: Rendered, channel: str, ts: str) -> None:
        async with self._in(channel) as channel_id:

            async def send(text: str, blocks: list[dict[str, Any]]) -> AsyncSlackResponse:
                return await self._client.chat_update(channel=channel_id, ts=ts, text=text, blocks=blocks)

            await _with_or_without_blocks(send, rendered)

    async def _withdraw(self, channel_id: str, ts: str) -> None:
        """Slack put the reply to a deleted message into the channel, without any error; it does not belong there."""
        try:
            await self._client.chat_delete(channel=channel_id, ts=ts)
        except (SlackApiError, ClientError, TimeoutError) as error:
            log.warning("stray reply stays", channel=channel_id, ts=ts, error=type(error).__name__)

    async def _attach(self, file: TextFile, channel: str, thread_ts: str) -> None:
        try:
            async with self._in(channel) as channel_id:
                await self._uploads.share(file.name, file.title, file.content.encode(), channel_id, thread_ts)
        except DeliveryError as error:
            log.warning("log file not attached", channel=channel, file=file.name, reason=error.reason)

    async def _history(
        self, channel_id: str, since: datetime, thread_ts: str | None
    ) -> AsyncIterator[Mapping[str, Any]]:
        cursor = ""
        while True:
            page = await self._page(channel_id, f"{since.timestamp():.6f}", thread_ts, cursor or None)
            for message in page.get("messages") or ():
                yield message
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    async def _page(self, channel_id: str, since: str, thread_ts: str | None, cursor: str | None) -> AsyncSlackResponse:
        if thread_ts is None:
            return await self._client.conversations_history(
                channel=channel_id, oldest=since, include_all_metadata=True, limit=_PAGE, cursor=cursor
            )
        return await self._client.conversations_replies(
            channel=channel_id, ts=thread_ts, oldest=since, include_all_metadata=True, limit=_PAGE, cursor=cursor
        )


async def _with_or_without_blocks(
    send: Callable[[str, list[dict[str, Any]]], Awaitable[AsyncSlackResponse]], rendered: Rendered
) -> AsyncSlackResponse:
    """Blocks that Slack does not like must not silence an alarm: its text goes out alone, once."""
    blocks = [dict(block) for block in rendered.blocks]
    try:
        return await send(rendered.text, blocks)
    except SlackApiError as error:
        if error_word(error) not in BLOCKS_REFUSED or not (blocks or len(rendered.text) > TEXT_ALONE):
            raise
        log.error("message refused, sending its text alone", error=error_word(error), text=rendered.text[:80])
    return await send(rendered.text[:TEXT_ALONE], [])


def _mark_of(message: Mapping[str, Any]) -> str | None:
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != MARK:
        return None
    return (metadata.get("event_payload") or {}).get("mark")


def _fingerprint(rendered: Rendered) -> str:
    shown = json.dumps([rendered.text, rendered.blocks], sort_keys=True, ensure_ascii=False, default=dict)
    return hashlib.sha256(shown.encode()).hexdigest()
