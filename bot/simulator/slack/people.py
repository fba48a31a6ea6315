"""What persons do in the simulated workspace: type commands, click, fill in forms, talk, open the Home tab. Each call
behaves as Slack's own client would, waits for the app's acknowledgement, and shows what Slack shows when none comes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import payloads
from .deliveries import Acknowledgement, Deliveries
from .entries import entry, find_element, values
from .errors import PersonError, SlackError
from .modals import Modals
from .outcome import Outcome
from .records import Ephemeral, Json, Message, View
from .response_urls import Origin, ResponseUrls
from .state import State
from .triggers import Triggers
from .wire import view_json
from .workspace import Channel, Person

SLACKBOT = "USLACKBOT"


class People:
    """The persons' calls. People and channels by id or name. Raises PersonError for what a client would not allow."""

    def __init__(self, state: State, deliveries: Deliveries, triggers: Triggers, response_urls: ResponseUrls) -> None:
        self._state = state
        self._deliveries = deliveries
        self._triggers = triggers
        self._response_urls = response_urls
        self._modals = Modals(state, deliveries, triggers)

    def _person(self, name: str) -> Person:
        for person in self._state.people.values():
            if name.removeprefix("@") in (person.id, person.name):
                return person
        raise PersonError(f"nobody here is {name!r}")

    def _channel(self, name: str, person: Person) -> Channel:
        """A channel that this person is in; "@gpubot" is their direct messages with the app."""
        app = self._state.app
        if name in (app.user_id, app.name, f"@{app.name}"):
            return self._state.direct_channel(person.id)
        found = self._state.find_channel(name)
        if found is None:
            raise PersonError(f"there is no channel {name!r}")
        if person.id not in found.members:
            raise PersonError(f"{person.real_name} is not in {found.name}")
        return found

    async def command(self, user: str, channel: str, text: str) -> Outcome:
        """`text` with or without the command itself in front. Slack offers commands nowhere but in a channel's box."""
        person = self._person(user)
        place = self._channel(channel, person)
        command, argument = self._command(text)
        if place.is_archived:
            raise PersonError(f"{place.name} is archived")
        payload = payloads.command_payload(self._state, person, place, command, argument)
        origin = Origin(person.id, place.id)
        payload |= {"trigger_id": self._triggers.issue(person.id), "response_url": self._response_urls.issue(origin)}
        ack = await self._deliveries.once("slash_commands", payload)
        if ack.acknowledged:
            return self._said(origin, ack)
        self._slackbot(person, place, f'{command} failed with the error "{ack.error}"')
        return Outcome.of(ack)

    def _command(self, text: str) -> tuple[str, str]:
        known = [command.command for command in self._state.app.commands]
        head, _, rest = text.strip().partition(" ")
        if not head.startswith("/"):
            return known[0], text.strip()
        if head not in known:
            raise PersonError(f"{head} is not a valid command")
        return head, rest.strip()

    def _said(self, origin: Origin, ack: Acknowledgement) -> Outcome:
        """Show what the app put into its acknowledgement of a command."""
        body = {"text": ack.payload} if isinstance(ack.payload, str) else ack.payload
        if not isinstance(body, dict) or not (body.get("text") or body.get("blocks")):
            return Outcome.of(ack)
        try:
            self._response_urls.say(origin, body)
        except SlackError as error:
            return replace(Outcome.of(ack), ok=False, error=error.error)
        return Outcome.of(ack)

    def _slackbot(self, person: Person, channel: Channel, text: str) -> None:
        state = self._state
        state.whisper(Ephemeral(person.id, channel.id, state.new_ts(), SLACKBOT, text))

    async def click(
        self,
        user: str,
        channel: str = "",
        ts: str = "",
        action_id: str = "",
        *,
        block_id: str = "",
        value: Any = None,
        view_id: str = "",
    ) -> Outcome:
        """Press, choose or enter. `value` picks the option of a menu, is what goes into a field, or tells apart buttons
        that share an action_id. A confirmation dialog counts as confirmed."""
        person = self._person(user)
        if view_id:
            return await self._click_in_view(person, view_id, action_id, block_id, value)
        message = self._message(person, channel, ts)
        block, element = find_element(message.blocks, action_id, block_id, value)
        entered = self._entered(element, value)
        held = self._remember(person, message, block, element, entered)
        action = payloads.action(block, element, entered, self._state.new_ts())
        payload = payloads.message_actions(self._state, person, message, action, values(message.blocks, held))
        ephemeral = isinstance(message, Ephemeral)
        origin = Origin(person.id, message.channel, message.ts, ephemeral, message.thread_ts)
        payload |= {"trigger_id": self._triggers.issue(person.id), "response_url": self._response_urls.issue(origin)}
        ack = await self._deliveries.once("interactive", payload)
        if not ack.acknowledged:
            place = self._state.channels[message.channel]
            self._slackbot(person, place, f"{self._state.app.name} did not react to the click ({ack.error})")
        return Outcome.of(ack)

    def _message(self, person: Person, channel: str, ts: str) -> Message | Ephemeral:
        """The message with this ts that the person sees: their own ephemeral, or one in the channel."""
        whisper = self._state.ephemerals[person.id].get(ts)
        if whisper is not None and not whisper.is_deleted:
            return whisper
        place = self._channel(channel, person)
        try:
            return self._state.message(place.id, ts)
        except SlackError:
            raise PersonError(f"there is no message {ts} in {place.name}") from None

    def _entered(self, element: Json, value: Any) -> Json | None:
        if element["type"] == "button":
            return None
        if value is None and element["type"] == "overflow":
            raise PersonError("an overflow menu needs a value: which option is chosen?")
        return entry(element, value, self._state.suggestions.get(element["action_id"], []))

    def _remember(
        self, person: Person, message: Message | Ephemeral, block: Json, element: Json, entered: Json | None
    ) -> Json:
        """What the person has entered into this message so far."""
        held = self._state.message_entries.setdefault((person.id, f"{message.channel}/{message.ts}"), {})
        if entered is not None and payloads.holds_state(element):
            held.setdefault(block["block_id"], {})[element["action_id"]] = entered
        return held

    async def _click_in_view(self, person: Person, view_id: str, action_id: str, block_id: str, value: Any) -> Outcome:
        view = self._modals.view(person, view_id)
        block, element = find_element(view.blocks, action_id, block_id, value)
        entered = self._entered(element, value)
        if entered is not None and payloads.holds_state(element):
            kept = {name: dict(fields) for name, fields in view.entries.items()}
            kept.setdefault(block["block_id"], {})[element["action_id"]] = entered
            view = self._modals.keep_view(replace(view, entries=kept))
        action = payloads.action(block, element, entered, self._state.new_ts())
        payload = payloads.view_actions(self._state, person, self._modals.with_values(view), action)
        payload["trigger_id"] = self._triggers.issue(person.id, self._in_modal(view))
        return Outcome.of(await self._deliveries.once("interactive", payload))

    def _in_modal(self, view: View) -> str | None:
        return None if view.content["type"] == "home" else view.id

    async def submit(self, user: str, view_id: str, given: Json | None = None) -> Outcome:
        """Fill in a modal and press its submit button. What Slack's client refuses itself never reaches the app."""
        return await self._modals.submit(self._person(user), view_id, given or {})

    async def close(self, user: str, view_id: str) -> Outcome:
        """Cancel the top modal (all of them when it says clear_on_close)."""
        return await self._modals.close(self._person(user), view_id)

    async def suggest(
        self, user: str, action_id: str, value: str, *, channel: str = "", ts: str = "", view_id: str = ""
    ) -> Outcome:
        """Type into an external select; the answer's `options` can then be chosen."""
        person = self._person(user)
        place, blocks = self._place(person, channel, ts, view_id)
        block, element = find_element(blocks, action_id, "", None)
        if "external_select" not in element["type"]:
            raise PersonError(f"{action_id} is a {element['type']}, which asks nobody for its options")
        payload = payloads.suggestion(self._state, person, place, block, element, value)
        ack = await self._deliveries.once("interactive", payload)
        body = ack.payload if isinstance(ack.payload, dict) else {}
        groups = body.get("option_groups") or []
        options = [option for group in groups for option in group["options"]] or body.get("options") or []
        self._state.suggestions[action_id] = options
        return Outcome.of(ack, options=options, **({"option_groups": groups} if groups else {}))

    def _place(self, person: Person, channel: str, ts: str, view_id: str) -> tuple[Json, Sequence[Json]]:
        if view_id:
            view = self._modals.view(person, view_id)
            container = {"type": "view", "view_id": view.id}
            return {"container": container, "view": view_json(self._state, view)}, view.blocks
        message = self._message(person, channel, ts)
        container = {"type": "message", "message_ts": message.ts, "channel_id": message.channel}
        return {"container": container, "channel": {"id": message.channel}}, message.blocks

    async def say(self, user: str, channel: str, text: str, thread_ts: str = "") -> Outcome:
        """Write a message; the app hears of it when it is mentioned, or addressed in its direct messages."""
        person = self._person(user)
        place = self._channel(channel, person)
        self._may_write(place, thread_ts)
        app = self._state.app
        told = text.replace(f"@{app.name}", f"<@{app.user_id}>").replace(f"<<@{app.user_id}>>", f"<@{app.user_id}>")
        message = self._state.keep(
            Message(place.id, self._state.new_ts(), person.id, told, thread_ts=thread_ts or None)
        )
        if thread_ts:
            self._state.changed("message", place.id, thread_ts)
        return await self._tell(message, place)

    def _may_write(self, place: Channel, thread_ts: str) -> None:
        if place.is_archived:
            raise PersonError(f"{place.name} is archived")
        if thread_ts and thread_ts in place.locked_threads:
            raise PersonError("this thread is locked")
        parent = self._state.messages[place.id].get(thread_ts)
        if thread_ts and (parent is None or parent.is_deleted or parent.is_reply):
            raise PersonError(f"there is no thread {thread_ts} in {place.name}")

    async def _tell(self, message: Message, place: Channel) -> Outcome:
        more = {"ts": message.ts, "channel": place.id}
        for name, kind in self._heard(message, place):
            if name in self._state.app.events:
                ack = await self._deliveries.event(payloads.spoken(self._state, message, kind))
                return Outcome.of(ack, **more)
        return Outcome(True, more=more)

    def _heard(self, message: Message, place: Channel) -> list[tuple[str, str]]:
        """The subscriptions under which the app may hear of a message, and the kind of event each brings."""
        app = self._state.app
        if place.kind == "im":
            return [("message.im", "message")]
        if app.user_id not in place.members:
            return []
        mentioned: list[tuple[str, str]] = (
            [("app_mention", "app_mention")] if f"<@{app.user_id}>" in message.text else []
        )
        return [*mentioned, ("message.channels", "message")]

    async def home(self, user: str) -> Outcome:
        """Open the app's Home tab."""
        person = self._person(user)
        if "app_home_opened" not in self._state.app.events:
            return Outcome(True)
        channel = self._state.direct_channel(person.id)
        event = payloads.home_opened(self._state, person, channel, self._state.homes.get(person.id))
        return Outcome.of(await self._deliveries.event(event))

    def change_channel(self, channel: Channel, *, by: str = "", **changes: Any) -> Channel:
        """Archive, rename, lock, invite the app…: any field of Channel. The app hears that it was invited, and of an
        unarchived channel that it is in. `by` is a person's id, by default an administrator's."""
        changed = self._state.change_channel(channel, **changes)
        me, by = self._state.app.user_id, by or next(iter(self._state.people))
        if me in changed.members and me not in channel.members:
            self._announce(payloads.joined(self._state, changed, by))
        if me in changed.members and channel.is_archived and not changed.is_archived:
            self._announce(payloads.unarchived(self._state, changed, by))
        return changed

    def _announce(self, event: Json) -> None:
        if event["type"] in self._state.app.events:
            self._deliveries.announce(event)

    def delete(self, channel: str, ts: str) -> Outcome:
        """Delete a message as a person who may (an administrator)."""
        place = self._state.find_channel(channel)
        message = self._state.messages[place.id].get(ts) if place else None
        if message is None or message.is_deleted:
            raise PersonError(f"there is no message {ts} in {channel}")
        self._state.keep(replace(message, is_deleted=True))
        return Outcome(True)
