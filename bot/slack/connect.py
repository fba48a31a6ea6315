"""The way in from Slack: a Bolt app on Socket Mode or behind our web server, and the state of that connection.

The library's connect loop never ends and never raises on a bad token, so the token is tried first and by itself.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import structlog
from aiohttp import ClientError, ClientSession, web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.wording import Sentence, say

PING_EVERY = 5.0  # a half-dead socket is noticed after four missed answers, and replaced
START_WITHIN = 20.0
Client = AsyncWebClient  # for the composition root, which knows no Slack library
log = structlog.get_logger()


class SlackRefused(Exception):
    """Slack does not let the bot in; `sentence` says what to change."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is in the workspace, from auth.test."""

    team_id: str
    team: str
    bot_id: str
    user_id: str
    scopes: frozenset[str]
    name: str = ""
    date: datetime | None = None  # Slack's own clock when it answered


def build_client(token: str | None, api_url: str, session: ClientSession | None, *, patient: bool) -> AsyncWebClient:
    """A Web API client over the shared session. Only a patient one waits out rate limits by itself.

    The library's stock handler repeats a request whose answer was lost, which posts a message twice: never used.
    """
    client = AsyncWebClient(
        token=token,
        base_url=api_url,
        session=session,
        timeout=15,
        retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=2)] if patient else [],
    )
    if api_url.startswith(("http://127.0.0.1", "http://localhost")):
        client.proxy = None  # the library ignores NO_PROXY, and a proxy cannot reach our loopback
    return client


async def identify(client: AsyncWebClient) -> Identity:
    """Ask Slack who we are. Raises `SlackRefused` with what to do."""
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        raise SlackRefused(_token_problem("bot_token", error.response["error"])) from None
    except (ClientError, TimeoutError, OSError) as error:
        raise SlackRefused(say("Slack does not answer at the API address: {reason}.", reason=_reason(error))) from None
    scopes = frozenset(str((answer.headers or {}).get("x-oauth-scopes", "")).replace(" ", "").split(",")) - {""}
    name, date = str(answer.get("user") or ""), _date((answer.headers or {}).get("date"))
    return Identity(answer["team_id"], answer["team"], answer["bot_id"], answer["user_id"], scopes, name, date)


async def try_app_token(client: AsyncWebClient, app_token: str) -> None:
    """Ask for an address to connect to, which no one need use. Raises `SlackRefused`."""
    try:
        await asyncio.wait_for(client.apps_connections_open(app_token=app_token), START_WITHIN)
    except SlackApiError as error:
        raise SlackRefused(_token_problem("app_token", error.response["error"])) from None
    except (ClientError, TimeoutError, OSError) as error:
        raise SlackRefused(say("Socket Mode did not connect: {reason}.", reason=_reason(error))) from None


def build_app(client: AsyncWebClient, identity: Identity, signing_secret: str | None) -> AsyncApp:
    """The Bolt app. It is told who it is, so that the first click does not pay for a look-up within its 3 seconds.

    Its own client has no token: with one beside `authorize` the library warns at every start. It is told how much to
    log, for it would take that from the root: at DEBUG whatever people click and type, and where to answer them.
    """

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None,
            team_id=identity.team_id,
            bot_token=client.token,
            bot_id=identity.bot_id,
            bot_user_id=identity.user_id,
        )

    return AsyncApp(
        logger=logging.getLogger("slack_bolt"),
        client=build_client(None, client.base_url, client.session, patient=False),
        authorize=authorize,
        signing_secret=signing_secret or "socket mode signs nothing",
        attaching_conversation_kwargs_enabled=False,
    )


class Socket:
    """Socket Mode: one connection that the library renews; we watch whether it lives."""

    def __init__(self, app: AsyncApp, app_token: str, ping_every: float = PING_EVERY) -> None:
        self._handler = AsyncSocketModeHandler(app, app_token, ping_interval=ping_every)
        self._app_token = app_token
        self._client = app.client
        if self._client.proxy is None:
            self._handler.client.proxy = None

    async def open(self) -> None:
        """Connect. Raises `SlackRefused` for a bad token or when it takes too long."""
        await try_app_token(self._client, self._app_token)
        try:
            await asyncio.wait_for(self._handler.client.connect(), START_WITHIN)  # type: ignore[no-untyped-call]
        except SlackApiError as error:
            raise SlackRefused(_token_problem("app_token", error.response["error"])) from None
        except (ClientError, TimeoutError, OSError) as error:
            raise SlackRefused(say("Socket Mode did not connect: {reason}.", reason=_reason(error))) from None

    async def is_alive(self) -> bool:
        return await self._handler.client.is_connected()

    def heard(self) -> float | None:
        """Seconds since the last sign of life; None before the first."""
        last = self._handler.client.last_ping_pong_time
        return None if last is None else max(time.time() - last, 0.0)

    async def state(self) -> tuple[bool, Sentence]:
        """Whether it works, and that in words."""
        alive, heard = await self.is_alive(), self.heard()
        if alive:
            return True, say("Socket Mode is connected; last sign of life {seconds} s ago.", seconds=int(heard or 0))
        return False, say("Socket Mode is not connected; the library is connecting again.")

    async def close(self) -> None:
        """Close within a moment: a peer that does not answer the close frame would hold us for ten seconds."""
        try:
            await asyncio.wait_for(self._handler.client.close(), 2)  # type: ignore[no-untyped-call]
        except TimeoutError:
            log.info("socket left without goodbye")


def http_endpoint(app: AsyncApp, signing_secret: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The /slack/events handler of HTTP mode: commands, clicks and events.

    The signature is looked at before anything else, for the library takes a body apart first and trips over odd ones.
    """
    verifier = SignatureVerifier(signing_secret)

    async def receive(request: web.Request) -> web.StreamResponse:
        try:
            body = (await request.read()).decode()
            if not _is_signed(verifier, body, request.headers):
                return web.json_response({"error": "invalid request"}, status=401)
            call = AsyncBoltRequest(body=body, query=request.query_string, headers=dict(request.headers))
        except (ValueError, AttributeError, TypeError):
            return web.json_response({"error": "unreadable request"}, status=400)
        return await to_aiohttp_response(await app.async_dispatch(call))

    return receive


def _is_signed(verifier: SignatureVerifier, body: str, headers: Mapping[str, str]) -> bool:
    """The verifier raises on a stamp that is no number and on a signature that is not plain ASCII."""
    stamp, signature = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    is_sound = stamp.isdecimal() and len(stamp) < 20 and signature.isascii()
    return is_sound and verifier.is_valid(body, stamp, signature)


def _reason(error: Exception) -> str:
    """Why there is no connection, in words for an operator."""
    return "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__


def _date(header: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(header or "").astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _token_problem(key: str, error: str) -> Sentence:
    return say(
        "Slack answers {error} to slack.{key}. Copy the token again from the app's page; `gpubot check` tries it.",
        key=key,
        error=error,
    )
