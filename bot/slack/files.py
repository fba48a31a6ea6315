"""Files into Slack: the three steps of an upload, for a text into a thread or a picture that a message shows."""

from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient


class Uploads:
    """`session` carries the bytes. Errors are those of the Web API and of the HTTP client."""

    def __init__(self, client: AsyncWebClient, session: ClientSession) -> None:
        self._client = client
        self._session = session

    async def share(
        self, name: str, title: str, content: bytes, channel_id: str | None, thread_ts: str | None = None
    ) -> str:
        """Upload, and share where a channel is given; gives the file's id. Slack shows a share a little later."""
        content = content or b"\n"  # Slack refuses a length of 0
        ticket = await self._client.files_getUploadURLExternal(filename=name, length=len(content))
        async with self._session.post(ticket["upload_url"], data=content, proxy=self._client.proxy) as answer:
            answer.raise_for_status()
        await self._client.files_completeUploadExternal(
            files=[{"id": ticket["file_id"], "title": title}], channel_id=channel_id, thread_ts=thread_ts
        )
        return str(ticket["file_id"])
