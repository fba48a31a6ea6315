"""Uploading in three steps: ask for an address, send exactly the announced bytes there, complete. A share appears in
the channel, and a message may show the file, a little after the completing call was answered, as it is in Slack."""

import mimetypes
from dataclasses import replace
from functools import partial
from typing import Any

from .arguments import Arguments
from .errors import SlackError
from .methods import Method
from .posting import accepted_blocks, landing_thread, may_post
from .records import Json, Message, StoredFile
from .state import Desk, State
from .wire import file_json


def get_upload_url(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    name, length = args.required("filename"), args.number("length", 0)
    if length < 1:
        raise SlackError("invalid_arguments", response_metadata={"messages": ["[ERROR] length must be at least 1"]})
    file = StoredFile(
        id=state.new_id("F"),
        name=name,
        length=length,
        created=int(state.seconds()),
        upload_token=state.new_id("", 24),
        alt_text=args.text("alt_txt") or args.text("alt_text"),
        mimetype=mimetypes.guess_type(name)[0] or "application/octet-stream",
    )
    state.files[file.id] = file
    return {"ok": True, "upload_url": f"{state.base_url}/upload/v1/{file.upload_token}", "file_id": file.id}


def receive_bytes(state: State, token: str, data: bytes) -> str | None:
    """Keep an upload's bytes. Returns what is wrong with them, or None."""
    for file in state.files.values():
        if file.upload_token == token and file.data is None:
            if len(data) != file.length:
                return f"length mismatch: announced {file.length}, received {len(data)}"
            state.files[file.id] = replace(file, data=data)
            return None
    return "no such upload"


def complete_upload(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    files = [_complete(state, entry) for entry in _entries(args)]
    channels = [args.text("channel_id")] if "channel_id" in args else args.words("channels")
    shares = [_share(desk, args, channel, files) for channel in channels]
    for file in files:
        state.files[file.id] = file
        state.timers.later(state.timing.share, partial(_examine, state, file.id))
    for share in shares:
        state.timers.later(state.timing.share, partial(_appear, state, share))
    return {"ok": True, "files": [file_json(state, file) for file in files]}


def _entries(args: Arguments) -> list[dict[str, Any]]:
    entries = args.tree("files")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise SlackError("invalid_arguments", response_metadata={"messages": ["[ERROR] files must be a list of files"]})
    return entries


def _complete(state: State, entry: dict[str, Any]) -> StoredFile:
    file = state.files.get(str(entry.get("id")))
    if file is None or file.data is None or file.is_complete:
        raise SlackError("file_not_found")
    return replace(file, is_complete=True, title=str(entry.get("title") or file.name))


def _share(desk: Desk, args: Arguments, channel_id: str, files: list[StoredFile]) -> Message:
    """The message that will show the files; its ts is given when it appears."""
    channel = desk.state.channels.get(channel_id)
    if channel is None:
        raise SlackError("channel_not_found")
    may_post(desk, channel)
    blocks = accepted_blocks(desk.state, args.tree("blocks", "invalid_blocks_format"))
    thread_ts = landing_thread(desk.state, channel, args.text("thread_ts"))
    text, ids = args.text("initial_comment"), tuple(file.id for file in files)
    return Message(channel.id, "", desk.state.app.user_id, text, blocks, thread_ts, files=ids)


def _examine(state: State, file_id: str) -> None:
    """Slack looks into a file before it knows its type and shows it in a message."""
    state.files[file_id] = replace(state.files[file_id], is_examined=True)
    state.changed("file", file_id)


def _appear(state: State, share: Message) -> None:
    message = replace(share, ts=state.new_ts())
    for file_id in message.files:
        file = state.files[file_id]
        state.files[file_id] = replace(file, shares=(*file.shares, (message.channel, message.ts)))
    state.keep(message)
    if message.thread_ts:
        state.changed("message", message.channel, message.thread_ts)


def info(desk: Desk, args: Arguments) -> Json:
    file = desk.state.files.get(args.required("file", "file_not_found"))
    if file is None or not file.is_complete:
        raise SlackError("file_not_found")
    return {"ok": True, "file": file_json(desk.state, file), "comments": []}


METHODS = {
    "files.getUploadURLExternal": Method(get_upload_url, "files:write"),
    "files.completeUploadExternal": Method(complete_upload, "files:write"),
    "files.info": Method(info, "files:read"),
}
