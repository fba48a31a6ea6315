"""How an answer reaches a person: privately, into a thread, into a channel, or into a dialog."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from aiohttp import ClientError, ClientSession
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.slack.files import Uploads
from bot.slack.payloads import Place
from bot.slack.rendering import Rendered, TextFile

View = Mapping[str, Any]
log = structlog.get_logger()


class Replies:
    """Sends rendered answers. A private answer goes through the interaction's own address while that lasts.

    A private message cannot carry a file: the file of a private answer goes into the person's direct messages.
    """

    def __init__(self, client: AsyncWebClient, session: ClientSession, uploads: Uploads) -> None:
        self._client = client
        self._session = session
        self._uploads = uploads

    async def privately(self, user: str, place: Place, message: Rendered, *, replace: bool = False) -> None:
        """Show it to the one person. `replace` puts it in the place of the private message that was clicked."""
        await _shown(message, lambda one: self._privately(user, place, one, replace))

    async def _privately(self, user: str, place: Place, message: Rendered, replace: bool) -> None:
        if not await self._whisper(user, place, message, replace):
            await self._post(user, None, message)
        elif message.file is not None:
            await self._share(message.file, await self._direct_messages(user))

    async def _whisper(self, user: str, place: Place, message: Rendered, replace: bool) -> bool:
        """Whether there is a place where the one person sees it and nobody else does."""
        if place.response_url and await self._respond(place.response_url, message, replace):
            return True
        if place.channel is None or place.is_direct:
            return False
        try:
            await self._client.chat_postEphemeral(
                channel=place.channel,
                user=user,
                thread_ts=None if place.is_fresh else place.thread_ts,
                **_parts(message),
            )
        except SlackApiError as error:
            if error.response["error"] not in ("user_not_in_channel", "not_in_channel", "channel_not_found"):
                raise
            return False
        return True

    async def openly(self, place: Place, message: Rendered) -> None:
        """Show it to everybody in the channel or thread."""
        await _shown(message, lambda one: self._openly(place, one))

    async def _openly(self, place: Place, message: Rendered) -> None:
        if place.response_url and place.thread_ts is None:
            sent = await self._respond(place.response_url, message, replace=False, openly=True)
            if sent:
                if message.file is not None:
                    await self._share(message.file, str(place.channel))
                return
        await self._post(str(place.channel), place.thread_ts, message)

    async def directly(self, user: str, message: Rendered) -> None:
        """A direct message from the bot."""
        await _shown(message, lambda one: self._post(user, None, one))

    async def open_dialog(self, trigger_id: str, view: View) -> str:
        """Open a dialog within the trigger's three seconds; gives its id for the filling in later."""
        answer = await self._client.views_open(trigger_id=trigger_id, view=dict(view))
        return str(answer["view"]["id"])

    async def fill_dialog(self, view_id: str, view: View) -> None:
        """Replace a dialog's content; a dialog that the person has closed meanwhile is no error."""
        try:
            await self._client.views_update(view_id=view_id, view=dict(view))
        except SlackApiError as error:
            if error.response["error"] != "not_found":
                raise

    async def publish_home(self, user: str, view: View) -> None:
        await self._client.views_publish(user_id=user, view=dict(view))

    async def _post(self, channel: str, thread_ts: str | None, message: Rendered) -> None:
        answer = await self._client.chat_postMessage(
            channel=channel, thread_ts=thread_ts, unfurl_links=False, unfurl_media=False, **_parts(message)
        )
        if message.file is not None:
            await self._share(message.file, str(answer["channel"]), thread_ts)

    async def _share(self, file: TextFile, channel_id: str, thread_ts: str | None = None) -> None:
        content = file.content.encode(errors="replace")
        await self._uploads.share(file.name, file.title, content, channel_id, thread_ts)

    async def _direct_messages(self, user: str) -> str:
        answer = await self._client.conversations_open(users=user)
        return str(answer["channel"]["id"])

    async def _respond(self, url: str, message: Rendered, replace: bool, openly: bool = False) -> bool:
        """Whether the interaction's address took it: it lasts 30 minutes and five messages."""
        hook = AsyncWebhookClient(url, session=self._session)
        body = _parts(message) | {"response_type": "in_channel" if openly else "ephemeral", "replace_original": replace}
        try:
            answer = await hook.send_dict(body)
        except (ClientError, TimeoutError, SlackRequestError) as error:
            log.warning("private answer not taken", reason=type(error).__name__)
            return False
        return answer.status_code == 200


async def _shown(message: Rendered, show: Callable[[Rendered], Awaitable[None]]) -> None:
    """Show it, without its pictures where Slack refuses those."""
    try:
        await show(message)
    except SlackApiError as error:
        if not message.has_picture or error.response["error"] != "invalid_blocks":
            raise
        log.warning("picture refused, answering without it")
        await show(message.without_pictures())


def _parts(message: Rendered) -> dict[str, Any]:
    return {"text": message.text, "blocks": [dict(block) for block in message.blocks]}
