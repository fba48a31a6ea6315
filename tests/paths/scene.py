"""The whole product on the simulated clouds and Slack, and what people do and see there, for tests of whole paths."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from bot.app.bot import Bot, running
from bot.app.pulse import Pulse
from bot.config import Settings
from bot.demo import Stage
from bot.simulator.slack import Outcome, SlackServer, Timing, Workspace
from bot.simulator.slack.records import Ephemeral, Json, Message, View
from bot.simulator.world import World

T = TypeVar("T")
CHEN, LIWEI, ANNA, ZHANG, OMAR, GUEST = "U01CHEN", "U02LIWEI", "U03ANNA", "U04ZHANG", "U05OMAR", "U06GUEST"
ALERTS, OPS, NCCL, TRAINING = "gpu-alerts", "gpu-ops", "nccl", "training"
PULSE = Pulse(20.0)  # both the bot's pace and the one that Slack asks for are twenty times faster
WITHIN = 8.0  # real seconds that a condition may take on a busy machine


def quick_slack(world: World, workspace: Workspace | None = None) -> SlackServer:
    """A Slack whose pace is as fast as the bot's, with real time-outs for acknowledgements and triggers."""
    timing = Timing(trigger=3.0 * PULSE.speed)
    return SlackServer(workspace or Workspace.redwood(), clock=world.now, timing=timing, monotonic=PULSE.monotonic)


@dataclass(frozen=True, slots=True)
class Scene:
    """One workspace with its clouds. The bot comes and goes with `bot()`."""

    on: Stage
    settings: Settings

    @property
    def world(self) -> World:
        return self.on.world

    @property
    def slack(self) -> SlackServer:
        return self.on.slack

    @asynccontextmanager
    async def bot(self, **sections: Any) -> AsyncIterator[Bot]:
        """Run the bot for the block; `sections` replace those of the settings."""
        settings = self.settings.model_copy(update=sections)
        async with running(settings, self.world.now, PULSE) as bot:
            yield bot

    # -- what is seen

    def parents(self, channel: str) -> list[Message]:
        """The messages of the channel itself, oldest first."""
        return [one for one in self.slack.messages(channel) if not one.is_reply]

    def card(self, channel: str, about: str = "") -> Message:
        """The one card that tells of this."""
        (found,) = [one for one in self.parents(channel) if about in shown(one) and one.metadata]
        return found

    def again(self, message: Message) -> Message:
        """The message as it is now."""
        return next(one for one in self.slack.messages(message.channel) if one.ts == message.ts)

    def thread(self, card: Message) -> str:
        return "\n\n".join(shown(one) for one in self.slack.thread(card.channel, card.ts))

    def screen(self) -> dict[str, list[str]]:
        """Everything that stands in the channels."""
        places = {channel: self.slack.messages(channel) for channel in (ALERTS, OPS, NCCL, TRAINING)}
        return {
            channel: [f"{one.ts} {one.thread_ts} {shown(one)} {actions_of(one)}" for one in messages]
            for channel, messages in places.items()
        }

    # -- waiting

    async def until(self, condition: Callable[[], T], within: float = WITHIN) -> T:
        """Wait until the condition gives something; it may fail to find what it looks at until then."""
        deadline = time.monotonic() + within
        while True:
            try:
                found = condition()
            except (ValueError, StopIteration, KeyError, IndexError):
                found = None
            if found:
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {within} s:\n{self._told()}")
            await asyncio.sleep(0.01)

    async def card_in(self, channel: str, about: str = "") -> Message:
        return await self.until(lambda: self.card(channel, about))

    async def said_on(self, card: Message, *words: str) -> Message:
        """Wait until the card says all of this; the card then."""
        await self.until(lambda: all(word in shown(self.again(card)) for word in words))
        return self.again(card)

    async def said_below(self, card: Message, *words: str) -> str:
        await self.until(lambda: all(word in self.thread(card) for word in words))
        return self.thread(card)

    # -- what people do

    async def press(self, user: str, message: Message | Ephemeral, action: str, value: str | None = None) -> Outcome:
        """Click a button; `value` picks the entry of a menu or one of several buttons."""
        return await self.slack.people.click(user, message.channel, message.ts, action, value=value)

    async def whispered(self, user: str, doing: Any) -> Ephemeral:
        """What the person alone gets to see because of this."""
        before = {one.ts for one in self.slack.ephemerals(user)}
        await doing
        return await self.until(lambda: next(one for one in self.slack.ephemerals(user) if one.ts not in before))

    async def typed(self, user: str, text: str, channel: str = ALERTS) -> Ephemeral:
        """The private answer to a command."""
        return await self.whispered(user, self.slack.people.command(user, channel, text))

    async def dialog(self, user: str, kind: str, within: str = "") -> View:
        """The person's top dialog, once it is of this kind (`stop`, `mute`, `notice`) and says this."""
        return await self.until(
            lambda: next(
                one
                for one in self.slack.views(user)[-1:]
                if kind == one.content["callback_id"] and within in shown(one)
            )
        )

    async def asked_to_stop(self, user: str, card: Message) -> View:
        """The stop's question, once the job was read."""
        await self.press(user, card, "stop")
        return await self.dialog(user, "stop")

    async def submit(self, user: str, view: View, **values: str) -> Outcome:
        return await self.slack.people.submit(user, view.id, values)

    async def settled(self, bot: Bot) -> None:
        """Wait until every source was read twice more and nothing waits to be said."""
        places = (self.on.baidu.requests, self.on.alaya.requests, self.on.sysom.requests)
        before = [len(place) for place in places]
        await self.until(lambda: all(len(place) > n + 2 for place, n in zip(places, before, strict=True)))
        await bot.delivery.quiet()

    def stops(self) -> list[str]:
        """The requests to stop something that reached a cloud."""
        return [
            f"{seen.method} {seen.path}"
            for seen in (*self.on.baidu.requests, *self.on.alaya.requests)
            if seen.method != "GET" and "stop" in f"{seen.path}?{seen.query}".lower()
        ]

    def _told(self) -> str:
        return "\n".join(f"#{channel}: {line}" for channel, lines in self.screen().items() for line in lines)


def shown(what: Message | Ephemeral | View) -> str:
    """All words of its blocks, or of its text where it has none."""
    words = "\n".join(_words(list(what.blocks)))
    return words or (what.text if not isinstance(what, View) else "")


def actions_of(what: Message | Ephemeral | View) -> list[str]:
    """The action ids of its buttons and menus, in order."""
    return [str(one["action_id"]) for one in _elements(list(what.blocks))]


def button(what: Message | Ephemeral | View, action: str) -> Json:
    return next(one for one in _elements(list(what.blocks)) if one.get("action_id") == action)


def entry(what: Message | Ephemeral, word: str) -> str:
    """The value of the menu's entry with this word."""
    return next(str(one["value"]) for one in button(what, "more")["options"] if word in one["text"]["text"])


def _elements(blocks: list[Json]) -> list[Json]:
    found: list[Json] = []
    for block in blocks:
        found += [*block.get("elements", []), *(block[key] for key in ("accessory", "element") if key in block)]
    return [one for one in found if "action_id" in one]


def _words(what: Any) -> list[str]:
    if isinstance(what, Mapping):
        own = [what["text"]] if isinstance(what.get("text"), str) else []
        return own + [word for key, value in what.items() if key != "options" for word in _words(value)]
    return [word for one in what for word in _words(one)] if isinstance(what, list) else []
