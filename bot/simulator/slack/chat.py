"""chat.*: posting, changing, deleting, whispering, linking. Permissions and blocks are checked in posting."""

from dataclasses import replace
from typing import Any

from .arguments import Arguments
from .errors import SlackError
from .limits import MARKDOWN_TEXT, MESSAGE_TEXT, UPDATE_TEXT
from .methods import Method
from .posting import accepted_blocks, landing_thread, may_post, target
from .records import Ephemeral, Json, Message
from .state import Desk
from .wire import message_json


def post_message(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    channel = target(state, args.required("channel", "channel_not_found"))
    may_post(desk, channel)
    text, blocks = _content(desk, args)
    thread_ts = landing_thread(state, channel, args.text("thread_ts"))
    message = state.keep(
        Message(
            channel=channel.id,
            ts=state.new_ts(),
            user=state.app.user_id,
            text=text[:MESSAGE_TEXT],
            blocks=blocks,
            thread_ts=thread_ts,
            is_broadcast=bool(thread_ts) and args.flag("reply_broadcast"),
            username=_username(desk, args),
            metadata=_metadata(args),
        )
    )
    if thread_ts:
        state.changed("message", channel.id, thread_ts)
    shown = message_json(state, message, with_metadata=True)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "message": shown}


def _content(desk: Desk, args: Arguments) -> tuple[str, tuple[Json, ...]]:
    """Text and blocks of a new message. Raises no_text and everything that is wrong with blocks."""
    if "attachments" in args and args.tree("attachments"):
        raise SlackError("invalid_attachments", errors=["this simulated Slack keeps no attachments, use blocks"])
    blocks = accepted_blocks(desk.state, args.tree("blocks", "invalid_blocks_format"))
    text = args.text("text")
    if "markdown_text" in args:
        if text or blocks:
            raise SlackError("markdown_text_conflict")
        text = args.text("markdown_text")
        if len(text) > MARKDOWN_TEXT:
            raise SlackError("msg_too_long")
    if not text.strip() and not blocks:
        raise SlackError("no_text")
    return text, blocks


def _username(desk: Desk, args: Arguments) -> str | None:
    if "username" not in args:
        return None
    if "chat:write.customize" not in desk.scopes:
        provided = ",".join(sorted(desk.scopes))
        raise SlackError("missing_scope", needed="chat:write.customize", provided=provided)
    return args.text("username")


def _metadata(args: Arguments) -> Json | None:
    metadata = args.record("metadata", "invalid_metadata_format")
    if not metadata:
        return None
    shaped = isinstance(metadata.get("event_type"), str) and isinstance(metadata.get("event_payload"), dict)
    if not shaped or set(metadata) - {"event_type", "event_payload"}:
        raise SlackError("invalid_metadata_format")
    return metadata


def update(desk: Desk, args: Arguments) -> Json:
    """Blocks and metadata that are not given stay as they are."""
    state = desk.state
    message = _own_message(desk, args, "cant_update_message")
    if state.channels[message.channel].is_archived:
        raise SlackError("is_inactive")
    window = state.edit_window_seconds
    if window is not None and state.seconds() - float(message.ts) > window:
        raise SlackError("edit_window_closed")
    changed = state.keep(replace(message, edited_ts=state.new_ts(), **_changes(desk, args, message)))
    shown = message_json(state, changed, with_metadata=True)
    return {"ok": True, "channel": message.channel, "ts": message.ts, "text": changed.text, "message": shown}


def _changes(desk: Desk, args: Arguments, message: Message) -> dict[str, Any]:
    given = args.tree("blocks", "invalid_blocks_format")
    blocks = message.blocks if given is None else accepted_blocks(desk.state, given)
    text = args.text("text", message.text if given is not None else "")
    if len(text) > UPDATE_TEXT:
        raise SlackError("msg_too_long")
    if not text.strip() and not blocks:
        raise SlackError("no_text")
    metadata = _metadata(args) if args.record("metadata", "invalid_metadata_format") is not None else message.metadata
    return {"text": text, "blocks": blocks, "metadata": metadata}


def _own_message(desk: Desk, args: Arguments, refusal: str) -> Message:
    """The app's message that the call names: channels by id only, as Slack has it."""
    channel = args.required("channel", "channel_not_found")
    if channel not in desk.state.channels:
        raise SlackError("channel_not_found")
    message = desk.state.message(channel, args.required("ts", "message_not_found"))
    if message.user != desk.state.app.user_id:
        raise SlackError(refusal)
    return message


def delete(desk: Desk, args: Arguments) -> Json:
    message = _own_message(desk, args, "cant_delete_message")
    desk.state.keep(replace(message, is_deleted=True))
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def post_ephemeral(desk: Desk, args: Arguments) -> Json:
    """In a thread that nobody has replied to yet an ephemeral is accepted and shown to nobody (Slack reference §1)."""
    state = desk.state
    channel = target(state, args.required("channel", "channel_not_found"))
    may_post(desk, channel)
    reader = args.required("user", "user_not_in_channel")
    if reader not in channel.members:
        raise SlackError("user_not_in_channel")
    text, blocks = _content(desk, args)
    thread_ts = landing_thread(state, channel, args.text("thread_ts"))
    ts = state.new_ts()
    if thread_ts is None or state.replies(channel.id, thread_ts):
        state.whisper(Ephemeral(reader, channel.id, ts, state.app.user_id, text, blocks, thread_ts))
    return {"ok": True, "message_ts": ts}


def get_permalink(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    channel = args.required("channel", "channel_not_found")
    if channel not in state.channels:
        raise SlackError("channel_not_found")
    message = state.message(channel, args.required("message_ts", "message_not_found"))
    link = f"{state.base_url}/archives/{channel}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel}"
    return {"ok": True, "channel": channel, "permalink": link}


METHODS = {
    "chat.postMessage": Method(post_message, "chat:write"),
    "chat.update": Method(update, "chat:write"),
    "chat.delete": Method(delete, "chat:write"),
    "chat.postEphemeral": Method(post_ephemeral, "chat:write"),
    "chat.getPermalink": Method(get_permalink),
}
