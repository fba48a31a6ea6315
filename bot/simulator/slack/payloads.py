"""The payloads that tell an app what a person did, field by field as Slack sends them (Slack reference §1 and §7)."""

from typing import Any

from .entries import FIELDS, STATELESS
from .records import Ephemeral, Json, Message, View
from .state import State
from .wire import message_json, view_json
from .workspace import Channel, Person


def team(state: State) -> Json:
    return {"id": state.workspace.team_id, "domain": state.workspace.domain}


def user(state: State, person: Person) -> Json:
    team_id = state.workspace.team_id
    return {"id": person.id, "username": person.name, "name": person.name, "team_id": team_id}


def _channel_name(channel: Channel) -> str:
    return "directmessage" if channel.kind == "im" else channel.name


def _interaction(state: State, person: Person, kind: str) -> Json:
    return {
        "type": kind,
        "user": user(state, person),
        "team": team(state),
        "api_app_id": state.app.id,
        "token": "verification-token",
        "enterprise": None,
        "is_enterprise_install": False,
    }


def command_payload(state: State, person: Person, channel: Channel, command: str, text: str) -> Json:
    """Without trigger_id and response_url, which their issuers add. All values are strings, as in form encoding."""
    return {
        "token": "verification-token",
        "api_app_id": state.app.id,
        "team_id": state.workspace.team_id,
        "team_domain": state.workspace.domain,
        "channel_id": channel.id,
        "channel_name": _channel_name(channel),
        "user_id": person.id,
        "user_name": person.name,
        "command": command,
        "text": text,
        "is_enterprise_install": "false",
    }


def message_actions(state: State, person: Person, message: Message | Ephemeral, action: Json, values: Json) -> Json:
    """block_actions on a message. Slack gives the message itself only where everybody sees it."""
    channel = state.channels[message.channel]
    ephemeral = isinstance(message, Ephemeral)
    container: Json = {"type": "message", "message_ts": message.ts, "channel_id": channel.id}
    container["is_ephemeral"] = ephemeral
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    payload = _interaction(state, person, "block_actions") | {"container": container}
    payload["channel"] = {"id": channel.id, "name": _channel_name(channel)}
    if isinstance(message, Message):
        payload["message"] = message_json(state, message, with_metadata=True)
    return payload | {"state": {"values": values}, "actions": [action]}


def view_actions(state: State, person: Person, view: View, action: Json) -> Json:
    """block_actions in a modal or on the Home tab: a view, and neither channel, message nor response_url."""
    payload = _interaction(state, person, "block_actions")
    payload["container"] = {"type": "view", "view_id": view.id}
    return payload | {"view": view_json(state, view), "actions": [action]}


def view_submission(state: State, person: Person, view: View) -> Json:
    return _interaction(state, person, "view_submission") | {"view": view_json(state, view), "response_urls": []}


def view_closed(state: State, person: Person, view: View, *, is_cleared: bool) -> Json:
    return _interaction(state, person, "view_closed") | {"view": view_json(state, view), "is_cleared": is_cleared}


def suggestion(state: State, person: Person, place: Json, block: Json, element: Json, typed: str) -> Json:
    """block_suggestion; `place` holds container and channel, message or view."""
    about = {"action_id": element["action_id"], "block_id": block["block_id"], "value": typed}
    return _interaction(state, person, "block_suggestion") | place | about


def action(block: Json, element: Json, entered: Json | None, action_ts: str) -> Json:
    """The one entry of `actions`."""
    kind = str(element["type"])
    about: Json = {"type": kind, "action_id": element["action_id"], "block_id": block["block_id"]}
    about["action_ts"] = action_ts
    shown = ("text", "value", "style", "url", "placeholder", "confirm") if kind == "button" else ()
    about |= {name: element[name] for name in shown if name in element}
    return about | (entered or {})


def holds_state(element: Json) -> bool:
    return element["type"] in FIELDS and element["type"] not in STATELESS


def spoken(state: State, message: Message, kind: str) -> Json:
    """A `message` or `app_mention` event."""
    channel = state.channels[message.channel]
    event: Json = {"type": kind, "user": message.user, "ts": message.ts, "text": message.text}
    event |= {"team": state.workspace.team_id, "channel": channel.id, "event_ts": message.ts}
    event["blocks"] = [_plain_rich_text(message.text)]
    if message.thread_ts:
        event["thread_ts"] = message.thread_ts
        event["parent_user_id"] = state.messages[channel.id][message.thread_ts].user
    if kind == "message":
        event["channel_type"] = channel.kind
    return event


def _plain_rich_text(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "block_id": "said", "elements": [section]}


def unarchived(state: State, channel: Channel, by: str) -> Json:
    return {"type": "channel_unarchive", "channel": channel.id, "user": by, "event_ts": state.new_ts()}


def joined(state: State, channel: Channel, by: str) -> Json:
    """The app itself is a member from now on, invited by a person."""
    event: Json = {"type": "member_joined_channel", "user": state.app.user_id, "channel": channel.id}
    event |= {"channel_type": "C", "team": state.workspace.team_id, "inviter": by}
    return event | {"event_ts": state.new_ts()}


def home_opened(state: State, person: Person, channel: Channel, view: View | None) -> Json:
    event: Json = {"type": "app_home_opened", "user": person.id, "channel": channel.id, "tab": "home"}
    known: dict[str, Any] = {"view": view_json(state, view)} if view else {}
    return event | {"event_ts": state.new_ts()} | known
