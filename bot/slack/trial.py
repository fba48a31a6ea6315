"""Slack asked piece by piece for what the settings name: channels, people, groups. It posts and changes nothing."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.channels import each_channel, is_channel_id
from bot.slack.refusals import translated


@dataclass(frozen=True, slots=True)
class Room:
    """A channel as far as posting into it matters."""

    id: str
    name: str
    is_member: bool
    is_private: bool
    is_archived: bool


class Trial:
    """Every method raises `DeliveryError` where Slack does not tell."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def rooms(self, channels: list[str]) -> dict[str, Room | None]:
        """The channels by how they were written (`#name`, `name` or an id); None where there is none."""
        with translated():
            found = {written: await self._by_id(written) for written in channels if is_channel_id(written)}
            if len(found) < len(set(channels)):
                wanted = {written.removeprefix("#") for written in channels}
                named = {room.name: room async for room in self._all() if room.name in wanted}
                found |= {one: named.get(one.removeprefix("#")) for one in channels if one not in found}
        return found

    async def person(self, user: str) -> str | None:
        """The name of the member with this id; None where the account is deactivated."""
        with translated():
            answer = await self._client.users_info(user=user)
        return _name(answer["user"])

    async def person_of(self, email: str) -> str | None:
        """The same by e-mail address."""
        with translated():
            answer = await self._client.users_lookupByEmail(email=email)
        return _name(answer["user"])

    async def members(self, group: str) -> int:
        """How many people are in the user group."""
        with translated():
            answer = await self._client.usergroups_users_list(usergroup=group)
        return len(answer["users"])

    async def _by_id(self, channel: str) -> Room | None:
        answer = await self._client.conversations_info(channel=channel)
        return _room(answer["channel"])

    async def _all(self) -> AsyncIterator[Room]:
        async for channel in each_channel(self._client):
            yield _room(channel)


def _room(channel: Mapping[str, Any]) -> Room:
    return Room(
        id=str(channel.get("id")),
        name=str(channel.get("name")),
        is_member=bool(channel.get("is_member")),
        is_private=bool(channel.get("is_private")),
        is_archived=bool(channel.get("is_archived")),
    )


def _name(user: Mapping[str, Any]) -> str | None:
    return None if user.get("deleted") else str(user.get("real_name") or user.get("name") or user["id"])
