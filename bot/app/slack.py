"""The Slack side, built: session, clients, who we are, who people are, and the messages in every language."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from bot.app.store import Store
from bot.config import Settings
from bot.messages import LANGUAGES, Language, texts
from bot.slack.channels import ChannelDirectory
from bot.slack.chat import SlackChat
from bot.slack.connect import Client, Identity, build_client, identify
from bot.slack.links import CardLinks
from bot.slack.people import SlackPeople
from bot.slack.views import Views

LONGEST_CALL = 20.0  # seconds; the library ignores its own time-out on a session that it was given
WARM_UP = 10.0  # seconds for looking up the configured e-mail addresses; what is not known then is known later


@dataclass(frozen=True, slots=True)
class SlackSide:
    """`client` waits out rate limits by itself, for answers; deliveries have a pace and a client of their own."""

    session: ClientSession
    client: Client
    identity: Identity
    people: SlackPeople
    channels: ChannelDirectory
    views: Mapping[Language, Views]
    chat: SlackChat
    links: CardLinks


@asynccontextmanager
async def slack_side(settings: Settings, store: Store, clock: Callable[[], datetime]) -> AsyncIterator[SlackSide]:
    """Raises `SlackRefused` when Slack does not know the token."""
    section = settings.slack
    token = section.bot_token.get_secret_value()
    async with ClientSession(connector=TCPConnector(limit=50), timeout=ClientTimeout(total=LONGEST_CALL)) as session:
        client = build_client(token, section.api_url, session, patient=True)
        posting = build_client(token, section.api_url, session, patient=False)
        identity = await identify(client)
        people = SlackPeople(client, settings.access.people, clock)
        await _warm_up(people)
        channels = ChannelDirectory(posting, store.channels)
        views = {language: Views(texts(language), section.command, people.known_id) for language in LANGUAGES}
        chat = SlackChat(posting, session, channels, views[settings.language])
        links = CardLinks(client, channels, store.cards)
        yield SlackSide(session, client, identity, people, channels, views, chat, links)


async def _warm_up(people: SlackPeople) -> None:
    try:
        await asyncio.wait_for(people.warm(), WARM_UP)
    except TimeoutError:
        return
