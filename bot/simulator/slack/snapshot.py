"""Reading the workspace from outside: the fixed JSON of /sim/state, and the pieces of the page's live stream."""

from .records import Ephemeral, Json, Message, View
from .state import State
from .wire import file_json, reactions_json
from .workspace import Channel, Person


def state_json(state: State) -> Json:
    """Everything that people see, in the shape that scripts rely on."""
    return {
        "users": [{"id": person.id, "name": person.name} for person in state.people.values()],
        "channels": [_channel_state(state, channel) for channel in state.channels.values()],
        "ephemerals": {user: _whispers(state, user) for user in state.people},
        "views": {user: [view_page(view) for view in state.modals.get(user, ())] for user in state.people},
        "homes": {user: view_page(view) for user, view in state.homes.items()},
    }


def _channel_state(state: State, channel: Channel) -> Json:
    messages = [message_page(state, message) for message in state.visible(channel.id)]
    return {"id": channel.id, "name": channel.name, "messages": messages}


def _whispers(state: State, user: str) -> list[Json]:
    return [whisper_page(whisper) for whisper in state.ephemerals[user].values() if not whisper.is_deleted]


def message_page(state: State, message: Message) -> Json:
    about: Json = {"channel": message.channel, "ts": message.ts, "user": message.user}
    about |= {"text": message.text, "blocks": list(message.blocks)}
    about["files"] = [file_json(state, state.files[file]) for file in message.files]
    about["reactions"] = reactions_json(message)
    optional = {"thread_ts": message.thread_ts, "username": message.username, "edited": message.edited_ts}
    about |= {name: value for name, value in optional.items() if value}
    if message.is_broadcast:
        about["broadcast"] = True
    return about | ({"deleted": True} if message.is_deleted else {})


def whisper_page(whisper: Ephemeral) -> Json:
    about: Json = {"channel": whisper.channel, "ts": whisper.ts, "user": whisper.user}
    about |= {"text": whisper.text, "blocks": list(whisper.blocks)}
    if whisper.thread_ts:
        about["thread_ts"] = whisper.thread_ts
    return about | ({"deleted": True} if whisper.is_deleted else {})


def view_page(view: View) -> Json:
    """A view as a person sees it: its private_metadata is not for their eyes."""
    content = view.content
    about: Json = {"id": view.id, "callback_id": content.get("callback_id", ""), "type": content["type"]}
    about |= {name: content.get(name) for name in ("title", "submit", "close")}
    about |= {"blocks": view.blocks, "hash": view.hash, "values": view.entries}
    return about | ({"errors": view.errors} if view.errors else {})


def person_page(person: Person) -> Json:
    return {
        "id": person.id,
        "name": person.name,
        "real_name": person.real_name,
        "title": person.title,
        "tz": person.tz,
        "locale": person.locale,
        "is_bot": False,
        "is_restricted": person.is_restricted,
    }


def robot_page(user: str, name: str) -> Json:
    about = {"id": user, "name": name, "real_name": name, "tz": "UTC", "locale": "en-US"}
    return about | {"is_bot": True, "is_restricted": False}


def channel_page(channel: Channel, reader: str) -> Json:
    about: Json = {"id": channel.id, "name": channel.name, "kind": channel.kind, "topic": channel.topic}
    about |= {"purpose": channel.purpose, "is_archived": channel.is_archived}
    about["is_member"] = reader in channel.members
    return about | ({"user": channel.user} if channel.kind == "im" else {})
