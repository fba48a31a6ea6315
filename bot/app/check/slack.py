"""Slack: token, scopes, the way in, the channels, and the people that the settings name."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from aiohttp import ClientSession, ClientTimeout

from bot.app.bot import Clock
from bot.app.check.line import Line, fail, ok, warn
from bot.app.check.part import Part, clock_lines
from bot.config import Settings
from bot.domain.errors import DeliveryError
from bot.slack.connect import Client, Identity, SlackRefused, build_client, identify, try_app_token
from bot.slack.scopes import missing
from bot.slack.trial import Room, Trial

_T = TypeVar("_T")
AT_ONCE = 5  # look-ups of people at a time
AGAIN = "Install the app again from manifest.yml"


@asynccontextmanager
async def slack_parts(settings: Settings, clock: Clock) -> AsyncIterator[list[Part]]:
    """The parts with the session that they share."""
    section = settings.slack
    async with ClientSession(timeout=ClientTimeout(total=10)) as session:
        client = build_client(section.bot_token.get_secret_value(), section.api_url, session, patient=True)
        look = SlackLook(settings, client, clock, asyncio.create_task(_identity(client)))
        yield [
            Part("slack.bot_token", look.token),
            Part("slack scopes", look.scopes),
            Part("slack.app_token", look.way_in),
            Part("slack channels", look.channels, 60),  # large workspaces have many pages of them
            Part("access.operators", look.operators),
            Part("access.people", look.people, 60),
        ]
        look.identity.cancel()
        await asyncio.gather(look.identity, return_exceptions=True)


async def _identity(client: Client) -> Identity | SlackRefused:
    try:
        return await identify(client)
    except SlackRefused as error:
        return error


@dataclass(frozen=True, slots=True)
class SlackLook:
    """`identity` is awaited by every part: without a token that works the others have nothing to say."""

    settings: Settings
    client: Client
    clock: Clock
    identity: "asyncio.Task[Identity | SlackRefused]"

    async def token(self) -> Sequence[Line]:
        found = await asyncio.shield(self.identity)
        if isinstance(found, SlackRefused):
            return [fail(f"slack.bot_token: {found.sentence}")]
        remark = clock_lines("Slack", self.clock() - found.date if found.date else None)
        return [ok(f"slack.bot_token: {found.team}, as @{found.name or found.user_id}"), *remark]

    async def scopes(self) -> Sequence[Line]:
        granted = await self._granted()
        if granted is None:
            return []
        if not granted:
            return [warn("slack scopes: Slack did not say which are granted")]
        lines = [fail(f"slack scopes: {scope} is missing: {harm}. {AGAIN}") for scope, harm in missing(granted).items()]
        return lines or [ok("slack scopes: all that manifest.yml asks for are granted")]

    async def way_in(self) -> Sequence[Line]:
        """Socket Mode by its token. A signing secret can only be proved by a request that Slack signed."""
        token, secret = self.settings.slack.app_token, self.settings.slack.signing_secret
        if token is not None:
            try:
                await try_app_token(self.client, token.get_secret_value())
            except SlackRefused as error:
                return [fail(f"slack.app_token: {error.sentence}")]
            return [ok("slack.app_token: Socket Mode is open to us")]
        if secret is None or len(secret.get_secret_value()) != 32:
            return [warn("slack.signing_secret: Slack's have 32 characters, this one has not. Copy it again")]
        return [ok("slack.signing_secret: HTTP mode; only a request from Slack can prove it")]

    async def channels(self) -> Sequence[Line]:
        granted = await self._granted()
        if granted is None:
            return []
        section = self.settings.slack
        routes = [route.channel for route in self.settings.routes]
        wanted = list(dict.fromkeys([section.alert_channel, section.operator_channel, *routes]))
        try:
            rooms = await Trial(self.client).rooms(wanted)
        except DeliveryError as error:
            return [fail(f"slack channels: Slack answers {error.reason}")]
        return [_channel_line(written, rooms[written], "chat:write.public" in granted) for written in wanted]

    async def operators(self) -> Sequence[Line]:
        if await self._granted() is None:
            return []
        names = self.settings.access.operators
        if not names:
            return [
                warn("access.operators: nobody is named, so nobody may act; the bot only tells. Name users or groups")
            ]
        return await _all([_group(self.client, one) if one[0] == "S" else _user(self.client, one) for one in names])

    async def people(self) -> Sequence[Line]:
        """Owners who are found are only counted: there may be hundreds."""
        people = self.settings.access.people
        if not people or await self._granted() is None:
            return []
        lines = await _all([_owner(self.client, owner, who) for owner, who in people.items()])
        wrong = [line for line in lines if line is not None]
        found = f"access.people: {len(lines) - len(wrong)} of {len(lines)} are known to Slack"
        return [*wrong, *([ok(found)] if len(wrong) < len(lines) else [])]

    async def _granted(self) -> frozenset[str] | None:
        found = await asyncio.shield(self.identity)
        return None if isinstance(found, SlackRefused) else found.scopes


def _channel_line(written: str, room: Room | None, may_post_anywhere: bool) -> Line:
    named = f"channel {written}"
    if room is None:
        return fail(f"{named}: the bot sees none of that name. Make it, or invite the bot if it is private")
    if room.is_archived:
        return fail(f"{named}: is archived. Unarchive it, or name another")
    if room.is_member:
        return ok(f"{named}: {room.id}, the bot is in it")
    if room.is_private or not may_post_anywhere:
        return fail(f"{named}: the bot is not in it. Type /invite @gpubot there")
    return warn(
        f"{named}: the bot may post, but cannot read there what it posted: after a lost answer a message may "
        "appear twice. Type /invite @gpubot there"
    )


async def _user(client: Client, user: str) -> Line:
    try:
        name = await Trial(client).person(user)
    except DeliveryError as error:
        return fail(
            f"access.operators: {user}: Slack answers {error.reason}. Copy the member id from the profile again"
        )
    return ok(f"access.operators: {user} is {name}") if name else fail(f"access.operators: {user} is deactivated")


async def _group(client: Client, group: str) -> Line:
    try:
        members = await Trial(client).members(group)
    except DeliveryError as error:
        return fail(f"access.operators: {group}: Slack answers {error.reason}. So none of the group may act")
    if not members:
        return warn(f"access.operators: {group} has no members")
    return ok(f"access.operators: {group} has {members} member{'s' if members > 1 else ''}")


async def _owner(client: Client, owner: str, who: str) -> Line | None:
    """None where the person is found."""
    trial = Trial(client)
    try:
        name = await (trial.person_of(who) if "@" in who else trial.person(who))
    except DeliveryError as error:
        return fail(f'access.people: "{owner}" = {who}: Slack answers {error.reason}. So the owner may not act')
    return None if name else fail(f'access.people: "{owner}" = {who}: this account is deactivated')


async def _all(looks: Sequence[Awaitable[_T]]) -> list[_T]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(look: Awaitable[_T]) -> _T:
        async with turns:
            return await look

    return await asyncio.gather(*(one(look) for look in looks))
