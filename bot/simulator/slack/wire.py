"""How the simulated Slack spells its things in Web API answers and events: users, channels, messages, views, files."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from .records import Json, Message, StoredFile, View
from .state import State
from .workspace import Channel, Person, UserGroup


def user_json(state: State, person: Person, *, with_email: bool, with_locale: bool = False) -> Json:
    offset = datetime.now(ZoneInfo(person.tz)).utcoffset()
    profile: Json = {"real_name": person.real_name, "display_name": person.name, "title": person.title}
    if with_email:
        profile["email"] = person.email
    user: Json = {
        "id": person.id,
        "team_id": state.workspace.team_id,
        "name": person.name,
        "real_name": person.real_name,
        "deleted": person.is_deleted,
        "tz": person.tz,
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": profile,
        "is_bot": False,
        "is_app_user": False,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": False,
    }
    return user | ({"locale": person.locale} if with_locale else {})


def bot_user_json(state: State) -> Json:
    app = state.app
    return {
        "id": app.user_id,
        "team_id": state.workspace.team_id,
        "name": app.name,
        "real_name": app.name,
        "deleted": False,
        "tz": "America/Los_Angeles",
        "tz_offset": -28800,
        "profile": {"real_name": app.name, "display_name": app.name, "bot_id": app.bot_id, "api_app_id": app.id},
        "is_bot": True,
        "is_app_user": False,
        "is_restricted": False,
        "is_ultra_restricted": False,
    }


def channel_json(state: State, channel: Channel) -> Json:
    if channel.kind == "im":
        return {"id": channel.id, "is_im": True, "is_channel": False, "user": channel.user, "is_archived": False}
    return {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": True,
        "is_group": False,
        "is_im": False,
        "is_private": False,
        "is_archived": channel.is_archived,
        "is_member": state.app.user_id in channel.members,
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": "", "last_set": 0},
        "num_members": len(channel.members),
    }


def group_json(state: State, group: UserGroup, *, with_users: bool) -> Json:
    about: Json = {"id": group.id, "team_id": state.workspace.team_id, "is_usergroup": True}
    about |= {"handle": group.handle, "name": group.name, "date_delete": 0, "user_count": len(group.members)}
    return about | ({"users": list(group.members)} if with_users else {})


def message_json(state: State, message: Message, *, with_metadata: bool = False) -> Json:
    """A message as conversations.history gives it; metadata only when asked for."""
    wire: Json = {"type": "message", "ts": message.ts, "text": message.text, "team": state.workspace.team_id}
    wire |= _speaker(state, message) | _parts(state, message)
    if message.thread_ts:
        wire["thread_ts"] = message.thread_ts
    if message.is_broadcast:
        wire["subtype"] = "thread_broadcast"
    if message.edited_ts:
        wire["edited"] = {"user": message.user, "ts": message.edited_ts}
    if with_metadata and message.metadata:
        wire["metadata"] = message.metadata
    return wire | _thread(state, message)


def _speaker(state: State, message: Message) -> Json:
    app = state.app
    if message.user != app.user_id:
        return {"user": message.user}
    speaker: Json = {"user": app.user_id, "bot_id": app.bot_id, "app_id": app.id}
    return speaker | ({"username": message.username, "subtype": "bot_message"} if message.username else {})


def _parts(state: State, message: Message) -> Json:
    parts: Json = {}
    if message.blocks:
        parts["blocks"] = list(message.blocks)
    if message.files:
        parts["files"] = [file_json(state, state.files[file]) for file in message.files]
    if message.reactions:
        parts["reactions"] = reactions_json(message)
    return parts


def reactions_json(message: Message) -> list[Json]:
    return [{"name": name, "users": list(users), "count": len(users)} for name, users in message.reactions]


def _thread(state: State, message: Message) -> Json:
    replies = [] if message.is_reply else state.replies(message.channel, message.ts)
    if not replies:
        return {}
    users = list(dict.fromkeys(reply.user for reply in replies))
    about: Json = {"thread_ts": message.ts, "reply_count": len(replies), "reply_users": users}
    return about | {"reply_users_count": len(users), "latest_reply": replies[-1].ts}


def file_json(state: State, file: StoredFile) -> Json:
    about: Json = {
        "id": file.id,
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.mimetype if file.is_examined else "",
        "filetype": (file.name.rpartition(".")[2] or "text") if file.is_examined else "",
        "size": file.length,
        "created": file.created,
        "user": state.app.user_id,
        "url_private": f"{state.base_url}/sim/files/{file.id}",
        "permalink": f"{state.base_url}/sim/files/{file.id}",
    }
    return about | ({"alt_txt": file.alt_text} if file.alt_text else {}) | {"shares": _shares(file)}


def _shares(file: StoredFile) -> dict[str, Any]:
    public: dict[str, list[Json]] = {}
    for channel, ts in file.shares:
        public.setdefault(channel, []).append({"ts": ts})
    return {"public": public} if public else {}


def view_json(state: State, view: View) -> Json:
    """A view as Slack gives it to the app, with what the person has entered."""
    content = view.content
    about: Json = {
        "id": view.id,
        "team_id": state.workspace.team_id,
        "app_id": state.app.id,
        "app_installed_team_id": state.workspace.team_id,
        "bot_id": state.app.bot_id,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "hash": view.hash,
        "state": {"values": view.entries},
    }
    empty: Json = {"title": None, "submit": None, "close": None, "callback_id": "", "private_metadata": ""}
    empty |= {"external_id": "", "clear_on_close": False, "notify_on_close": False}
    return empty | content | about
