"""HTTP mode: the same deliveries as signed posts to the app's request URL (Slack reference §3)."""

import asyncio
import hashlib
import hmac
import json
import time
from typing import Any
from urllib.parse import urlencode

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

from .deliveries import NOT_REACHED, TIMED_OUT, Acknowledgement, Retry
from .records import Json
from .state import State


class Pushes:
    """Posts to `request_url`. Signatures carry the real time: apps compare them with their own wall clock."""

    def __init__(self, state: State, request_url: str) -> None:
        self.request_url = request_url
        self._state = state
        self._session: ClientSession | None = None

    async def deliver(self, kind: str, payload: Json, retry: Retry) -> Acknowledgement:
        started = time.monotonic()
        body, content_type = _encoded(kind, payload)
        headers = self._headers(body, content_type, retry)
        timeout = ClientTimeout(total=self._state.timing.acknowledge)
        try:
            async with self._client().post(self.request_url, data=body, headers=headers, timeout=timeout) as response:
                return await _acknowledgement(response, started)
        except TimeoutError:
            return Acknowledgement(False, _ms(started), error=TIMED_OUT, reason="http_timeout")
        except ClientError:
            return Acknowledgement(False, _ms(started), error=NOT_REACHED, reason="connection_failed")

    def _headers(self, body: bytes, content_type: str, retry: Retry) -> dict[str, str]:
        stamp = str(int(time.time()))
        headers = {"Content-Type": content_type, "X-Slack-Request-Timestamp": stamp}
        headers["X-Slack-Signature"] = signature(self._state.app.signing_secret, stamp, body)
        if retry.attempt:
            headers |= {"X-Slack-Retry-Num": str(retry.attempt), "X-Slack-Retry-Reason": retry.reason}
        return headers

    def _client(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(trust_env=False)
        return self._session

    async def verify(self) -> bool:
        """Whether the app answers the url_verification challenge, which Slack asks before it accepts an address."""
        challenge = self._state.new_id("", 20)
        ask = {"type": "url_verification", "challenge": challenge, "token": "verification-token"}
        answer = await self.deliver("events_api", ask, Retry())
        return answer.acknowledged and challenge in json.dumps(answer.payload)

    async def stop(self) -> None:
        if self._session is not None:
            await self._session.close()
            await asyncio.sleep(0)


def signature(secret: str, stamp: str, body: bytes) -> str:
    """Slack's v0 signature of a request body."""
    base = b"v0:" + stamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def _encoded(kind: str, payload: Json) -> tuple[bytes, str]:
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    fields = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"


async def _acknowledgement(response: ClientResponse, started: float) -> Acknowledgement:
    text = await response.text()
    if 200 <= response.status < 300:
        return Acknowledgement(True, _ms(started), payload=_decoded(text))
    final = response.headers.get("X-Slack-No-Retry") == "1"
    return Acknowledgement(False, _ms(started), error=NOT_REACHED, reason="http_error", is_final=final)


def _decoded(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
