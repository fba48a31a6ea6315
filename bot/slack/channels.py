"""Channel names and ids: a name of the settings is looked up once and remembered, so that a rename changes nothing."""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ChannelClosed, StoreError
from bot.domain.ports import ChannelIds
from bot.slack.refusals import error_word, translated

_ID = re.compile(r"[CGDU][A-Z0-9]{6,}")  # names are lower case, so an id cannot be mistaken for one
_PAGE = 500
log = structlog.get_logger()
_KINDS = ("public_channel,private_channel", "public_channel")  # the second where groups:read was not granted


class ChannelDirectory:
    """`book` keeps what was found over restarts."""

    def __init__(self, client: AsyncWebClient, book: ChannelIds) -> None:
        self._client = client
        self._book = book
        self._known: dict[str, str] = {}

    async def id_of(self, channel: str) -> str:
        """The id behind `#name`, `name` or an id. Raises `ChannelClosed` if there is none, else as any call."""
        if is_channel_id(channel):
            return channel
        name = channel.removeprefix("#")
        found = self._known.get(name) or await self._remembered(channel)
        if found is None:
            found = await self._look_up(name)
            await self._remember(channel, found)
        self._known[name] = found
        return found

    async def forget(self, channel: str) -> None:
        """The id is not good any more: look the name up again next time."""
        self._known.pop(channel.removeprefix("#"), None)
        await self._book.forget(channel)

    async def _remembered(self, channel: str) -> str | None:
        """A store in trouble must not keep the bot from speaking about it: the name is looked up once more."""
        try:
            return await self._book.channel_id(channel)
        except StoreError:
            return None

    async def _remember(self, channel: str, found: str) -> None:
        try:
            await self._book.keep(channel, found)
        except StoreError as error:
            log.warning("a channel's id could not be kept", channel=channel, reason=str(error))

    async def _look_up(self, name: str) -> str:
        with translated():
            async for channel in each_channel(self._client):
                if channel.get("name") == name:
                    return str(channel.get("id"))
        raise ChannelClosed("channel_not_found")


def is_channel_id(channel: str) -> bool:
    """Whether it is an id; else it is a name, with or without `#`."""
    return _ID.fullmatch(channel) is not None


async def each_channel(client: AsyncWebClient) -> AsyncIterator[Mapping[str, Any]]:
    """Every channel that the bot can see, page by page; private ones where it may list them."""
    kinds, cursor = _KINDS[0], ""
    while True:
        try:
            page = await client.conversations_list(types=kinds, limit=_PAGE, cursor=cursor or None)
        except SlackApiError as error:
            if error_word(error) != "missing_scope" or kinds == _KINDS[1]:
                raise
            kinds, cursor = _KINDS[1], ""
            continue
        for channel in page.get("channels") or ():
            yield channel
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return
