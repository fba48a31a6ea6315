"""Channel names and ids: a name of the settings is looked up once and remembered, so that a rename changes nothing."""

import re
from collections.abc import AsyncIterator

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ChannelClosed
from bot.domain.ports import ChannelIds
from bot.slack.refusals import error_word, translated

_ID = re.compile(r"[CGDU][A-Z0-9]{6,}")  # names are lower case, so an id cannot be mistaken for one
_PAGE = 500
_KINDS = ("public_channel,private_channel", "public_channel")  # the second where groups:read was not granted


class ChannelDirectory:
    """`book` keeps what was found over restarts."""

    def __init__(self, client: AsyncWebClient, book: ChannelIds) -> None:
        self._client = client
        self._book = book
        self._known: dict[str, str] = {}

    async def id_of(self, channel: str) -> str:
        """The id behind `#name`, `name` or an id. Raises `ChannelClosed` if there is none, else as any call."""
        if _ID.fullmatch(channel):
            return channel
        name = channel.removeprefix("#")
        found = self._known.get(name) or await self._book.channel_id(channel)
        if found is None:
            found = await self._look_up(name)
            await self._book.keep(channel, found)
        self._known[name] = found
        return found

    async def forget(self, channel: str) -> None:
        """The id is not good any more: look the name up again next time."""
        self._known.pop(channel.removeprefix("#"), None)
        await self._book.forget(channel)

    async def _look_up(self, name: str) -> str:
        with translated():
            async for channel_name, channel_id in self._all():
                if channel_name == name:
                    return channel_id
        raise ChannelClosed("channel_not_found")

    async def _all(self) -> AsyncIterator[tuple[str, str]]:
        kinds, cursor = _KINDS[0], ""
        while True:
            try:
                page = await self._client.conversations_list(types=kinds, limit=_PAGE, cursor=cursor or None)
            except SlackApiError as error:
                if error_word(error) != "missing_scope" or kinds == _KINDS[1]:
                    raise
                kinds, cursor = _KINDS[1], ""
                continue
            for channel in page.get("channels") or ():
                yield str(channel.get("name")), str(channel.get("id"))
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return
