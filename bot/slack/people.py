"""Who is who: a cloud user's Slack id, a person's groups, language and zone. Read from Slack, kept some minutes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

FRESH = timedelta(minutes=5)
TROUBLE = (SlackApiError, ClientError, TimeoutError)  # whatever a look-up may meet; it never costs the answer
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Profile:
    """What Slack says of a person. `is_guest` covers single- and multi-channel guests."""

    id: str
    name: str
    locale: str | None = None
    tz: str | None = None
    is_guest: bool = False


class SlackPeople:
    """Looks people up. `people` maps cloud users to Slack ids or e-mail addresses (setting access.people)."""

    def __init__(self, client: AsyncWebClient, people: Mapping[str, str], clock: Callable[[], datetime]) -> None:
        self._client = client
        self._people = dict(people)
        self._clock = clock
        self._ids: dict[str, str] = {owner: who for owner, who in people.items() if "@" not in who}
        self._profiles: dict[str, tuple[datetime, Profile]] = {}
        self._members: dict[str, tuple[datetime, frozenset[str]]] = {}

    def known_id(self, owner: str) -> str | None:
        """The Slack id if it is known already; asks nobody."""
        return self._ids.get(owner)

    def owners_of(self, user: str) -> frozenset[str]:
        """The cloud users that are known to be this person; asks nobody."""
        return frozenset(owner for owner, who in self._ids.items() if who == user)

    async def warm(self) -> None:
        """Resolve the configured e-mail addresses once, at start."""
        for owner in self._people:
            await self.slack_id(owner)

    async def slack_id(self, owner: str) -> str | None:
        """Who in Slack a cloud's user is; None where the settings do not say or Slack does not know."""
        who = self._people.get(owner)
        if who is None or owner in self._ids:
            return self._ids.get(owner)
        try:
            answer = await self._client.users_lookupByEmail(email=who)
        except TROUBLE as error:
            log.warning("owner not found in Slack", owner=owner, reason=_reason(error))
            return None
        self._ids[owner] = answer["user"]["id"]
        return self._ids[owner]

    async def is_in_any(self, user: str, groups: frozenset[str]) -> bool:
        """Whether the person belongs to one of the user groups; a group that cannot be read contains nobody."""
        for group in sorted(groups):
            if user in await self._members_of(group):
                return True
        return False

    def profile_at_hand(self, user: str) -> Profile | None:
        """The profile as last read, however old; asks nobody."""
        kept = self._profiles.get(user)
        return kept[1] if kept else None

    async def profile(self, user: str) -> Profile:
        """The person's profile; an empty one when Slack does not tell."""
        kept = self._profiles.get(user)
        if kept and self._clock() - kept[0] < FRESH:
            return kept[1]
        try:
            answer = await self._client.users_info(user=user, include_locale=True)
        except TROUBLE as error:
            log.warning("profile not read", reason=_reason(error))
            return kept[1] if kept else Profile(user, user)
        self._profiles[user] = (self._clock(), _profile(answer["user"]))
        return self._profiles[user][1]

    async def _members_of(self, group: str) -> frozenset[str]:
        kept = self._members.get(group)
        if kept and self._clock() - kept[0] < FRESH:
            return kept[1]
        try:
            answer = await self._client.usergroups_users_list(usergroup=group)
        except TROUBLE as error:
            log.warning("user group not read", group=group, reason=_reason(error))
            return kept[1] if kept else frozenset()
        self._members[group] = (self._clock(), frozenset(answer["users"]))
        return self._members[group][1]


def _reason(error: Exception) -> str:
    return str(error.response["error"]) if isinstance(error, SlackApiError) else type(error).__name__


def _profile(user: Mapping[str, object]) -> Profile:
    return Profile(
        id=str(user["id"]),
        name=str(user.get("real_name") or user.get("name") or user["id"]),
        locale=_text(user.get("locale")),
        tz=_text(user.get("tz")),
        is_guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
