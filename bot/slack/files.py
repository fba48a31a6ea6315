"""Files into Slack: the three steps of an upload, for a text into a thread or a picture that a message shows."""

import asyncio

from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient

READY_LOOKS = (0.1, 0.2, 0.4, 0.8, 1.2, 1.3)  # seconds before each look whether Slack is done with a file


class Uploads:
    """`session` carries the bytes. Errors are those of the Web API and of the HTTP client, and `TimeoutError`."""

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

    async def keep_picture(self, name: str, title: str, content: bytes) -> str:
        """Upload a picture that a message will show; gives the file's id.

        Slack examines a file before it knows its type, and until then refuses every message that shows it as
        `invalid_blocks`. Raises `TimeoutError` where that takes too long.
        """
        file_id = await self.share(name, title, content, None)
        for seconds in READY_LOOKS:
            await asyncio.sleep(seconds)
            if (await self._client.files_info(file=file_id))["file"].get("mimetype"):
                return file_id
        raise TimeoutError(f"Slack still examines the picture after {sum(READY_LOOKS):g} s")
