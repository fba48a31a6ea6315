"""Permalinks to incidents' cards. Slack makes them; one that was made stays good."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import DeliveryError
from bot.slack.channels import ChannelDirectory


class Cards(Protocol):
    async def card_of(self, incident_id: int) -> tuple[str, str] | None:
        """The channel as routed, and the ts."""
        ...


class CardLinks:
    """Implements the `Links` of answers."""

    def __init__(self, client: AsyncWebClient, channels: ChannelDirectory, cards: Cards) -> None:
        self._client = client
        self._channels = channels
        self._cards = cards
        self._made: dict[tuple[str, str], str] = {}

    async def links(self, incident_ids: Sequence[int]) -> Mapping[int, str]:
        """By incident id; an incident without a card, or with one that Slack does not find, is left out."""
        found = {}
        for incident_id in incident_ids:
            card = await self._cards.card_of(incident_id)
            link = await self._link(card) if card else None
            if link is not None:
                found[incident_id] = link
        return found

    async def _link(self, card: tuple[str, str]) -> str | None:
        if card not in self._made:
            channel, ts = card
            try:
                answer = await self._client.chat_getPermalink(
                    channel=await self._channels.id_of(channel), message_ts=ts
                )
            except (SlackApiError, DeliveryError, ClientError, TimeoutError):
                return None
            self._made[card] = answer["permalink"]
        return self._made[card]
