"""Where listeners take what they need: who asks and how to speak to them, the question's answer, the way back.

It is handed to listeners by closures: what goes through Bolt's own context is copied, or silently dropped.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError

from bot.domain.answers import Answer, TopologyView, UseView
from bot.domain.command import Command, parse
from bot.domain.ports import Incidents
from bot.domain.wording import Sentence
from bot.messages import Language, language_of
from bot.relay.act import Act
from bot.relay.ask import Ask
from bot.slack import charts, diagrams, fonts
from bot.slack.answering import Answering
from bot.slack.files import Uploads
from bot.slack.payloads import Place
from bot.slack.people import SlackPeople
from bot.slack.rendering import Rendered
from bot.slack.replies import Replies
from bot.slack.views import Views
from bot.slack.views.words import METRIC

SOON = 1.0  # seconds
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of an answer; `draw` takes tenths of a second and runs in a worker thread."""

    name: str
    title: str
    draw: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Reception:
    """`language` is for readers whose own is unknown; `wake` says that a channel may take messages again."""

    ask: Ask
    act: Act
    incidents: Incidents
    people: SlackPeople
    replies: Replies
    uploads: Uploads
    answering: Answering
    views: Mapping[Language, Views]
    language: Language
    command: str
    clock: Callable[[], datetime]
    wake: Callable[[str], Awaitable[None]]

    async def views_for(self, user: str) -> Views:
        """The views in the person's language."""
        profile = await self.people.profile(user)
        return self.views[language_of(profile.locale, self.language)]

    async def views_soon(self, user: str) -> Views:
        """The same, not waiting long for Slack: for dialogs, which must open within three seconds of the click."""
        try:
            return await asyncio.wait_for(self.views_for(user), SOON)
        except TimeoutError:
            return self.views_at_hand(user)

    def views_at_hand(self, user: str) -> Views:
        """The same without waiting for Slack: for what must be answered within three seconds."""
        profile = self.people.profile_at_hand(user)
        return self.views[language_of(profile.locale if profile else None, self.language)]

    def begin(self, what: str, key: str, user: str, place: Place, work: Callable[[], Awaitable[None]]) -> None:
        """Start the work of one delivery; its errors reach the person as private sentences."""

        async def tell(sentence: Sentence) -> None:
            await self.tell(user, place, sentence)

        self.answering.start(what, key, work, tell)

    async def tell(self, user: str, place: Place, sentence: Sentence) -> None:
        """A private sentence."""
        views = await self.views_for(user)
        await self.replies.privately(user, place, views.sentence(sentence))

    async def answer(self, user: str, text: str, *, private: bool = True) -> tuple[Answer, Rendered]:
        """Parse, ask, render. Raises `CommandError` for what cannot be understood."""
        command = parse(text)
        answer = await self.ask.answer(command, user)
        return answer, await self.render(user, command, answer, private=private, to_all=not private)

    async def render(
        self, user: str, command: Command, answer: Answer, *, private: bool, to_all: bool = False
    ) -> Rendered:
        """`to_all`: others read it as well, so it is in the language of the settings, as cards are."""
        views = self.views[self.language] if to_all else await self.views_for(user)
        rendered = views.answer(answer, self.clock(), command.text(), private)
        picture = await self._picture(user, answer, views) if fonts.available() else None
        return await self._with_picture(picture, rendered) if picture else rendered

    async def _picture(self, user: str, answer: Answer, views: Views) -> Picture | None:
        """What is better seen than read: use over time, and what talks to what."""
        if isinstance(answer, UseView) and any(one.samples for one in answer.series):
            zone = _zone((await self.people.profile(user)).tz)
            title = f"{answer.job.name or answer.job.id} · {views.words(METRIC[answer.metric])}"
            return Picture("usage.png", title, partial(charts.draw, answer.series, answer.window, zone, title))
        if isinstance(answer, TopologyView) and answer.topology.machines:
            title, remark = views.topology_caption(answer, len(diagrams.drawn(answer.topology)))
            return Picture("topology.png", title, partial(diagrams.draw, answer.topology, title, remark))
        return None

    async def _with_picture(self, picture: Picture, rendered: Rendered) -> Rendered:
        """Put above the answer's buttons; where it cannot be uploaded the answer is whole as well."""
        try:
            content = await asyncio.to_thread(picture.draw)
            file_id = await self.uploads.keep_picture(picture.name, picture.title, content)
        except (SlackApiError, ClientError, TimeoutError) as error:
            log.warning("picture not uploaded", name=picture.name, reason=str(error))
            return rendered
        image = {"type": "image", "slack_file": {"id": file_id}, "alt_text": picture.title[:2000]}
        return Rendered(rendered.text, (*rendered.blocks[:-1], image, *rendered.blocks[-1:]), rendered.file)


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
