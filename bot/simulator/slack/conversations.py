"""conversations.*: finding channels, joining them, opening direct messages, reading back what was said."""

from collections.abc import Sequence

from .arguments import Arguments
from .errors import SlackError
from .methods import Method
from .paging import page
from .records import Json, Message
from .state import Desk
from .wire import channel_json, message_json
from .workspace import Channel

TYPES = {"public_channel": "channel", "im": "im", "private_channel": "private", "mpim": "mpim"}


def _scoped(desk: Desk, channel: Channel, what: str) -> None:
    needed = f"{'im' if channel.kind == 'im' else 'channels'}:{what}"
    if needed not in desk.scopes:
        raise SlackError("missing_scope", needed=needed, provided=",".join(sorted(desk.scopes)))


def _by_id(desk: Desk, args: Arguments) -> Channel:
    channel = desk.state.channels.get(args.required("channel", "channel_not_found"))
    if channel is None:
        raise SlackError("channel_not_found")
    return channel


def list_channels(desk: Desk, args: Arguments) -> Json:
    types = args.words("types") or ["public_channel"]
    if unknown := set(types) - set(TYPES):
        raise SlackError("invalid_types", errors=sorted(unknown))
    kinds = {TYPES[name] for name in types}
    channels = [channel for channel in desk.state.channels.values() if channel.kind in kinds]
    if args.flag("exclude_archived"):
        channels = [channel for channel in channels if not channel.is_archived]
    for kind in {channel.kind: channel for channel in channels}.values():
        _scoped(desk, kind, "read")
    found, cursor = page(channels, args)
    listed = [channel_json(desk.state, channel) for channel in found]
    return {"ok": True, "channels": listed, "response_metadata": {"next_cursor": cursor}}


def info(desk: Desk, args: Arguments) -> Json:
    channel = _by_id(desk, args)
    _scoped(desk, channel, "read")
    return {"ok": True, "channel": channel_json(desk.state, channel)}


def join(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    channel = _by_id(desk, args)
    if channel.kind != "channel":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise SlackError("is_archived")
    already: Json = {"warning": "already_in_channel"} if state.app.user_id in channel.members else {}
    joined = state.change_channel(channel, members=channel.members | {state.app.user_id})
    return {"ok": True, "channel": channel_json(state, joined)} | already


def open_direct(desk: Desk, args: Arguments) -> Json:
    users = args.words("users")
    if len(users) != 1:
        raise SlackError("users_list_not_supplied" if not users else "method_not_supported_for_channel_type")
    if desk.state.person(users[0]).is_deleted:
        raise SlackError("user_disabled")
    channel = desk.state.direct_channel(users[0])
    shown = channel_json(desk.state, channel) if args.flag("return_im") else {"id": channel.id}
    return {"ok": True, "channel": shown}


def members(desk: Desk, args: Arguments) -> Json:
    channel = _by_id(desk, args)
    _scoped(desk, channel, "read")
    found, cursor = page(sorted(channel.members), args)
    return {"ok": True, "members": found, "response_metadata": {"next_cursor": cursor}}


def _between(messages: Sequence[Message], args: Arguments) -> list[Message]:
    """The messages after `oldest` and before `latest` (the edges too when `inclusive`)."""
    oldest, latest = args.text("oldest", "0") or "0", args.text("latest") or "inf"
    try:
        low, high = float(oldest), float(latest)
    except ValueError:
        raise SlackError("invalid_ts_oldest") from None
    edges = {low, high} if args.flag("inclusive") else set()
    return [m for m in messages if low < float(m.ts) < high or float(m.ts) in edges]


def _readable(desk: Desk, args: Arguments) -> Channel:
    channel = _by_id(desk, args)
    _scoped(desk, channel, "history")
    if desk.state.app.user_id not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def _read(desk: Desk, messages: Sequence[Message], args: Arguments) -> Json:
    found, cursor = page(messages, args, most=999)
    with_metadata = args.flag("include_all_metadata")
    shown = [message_json(desk.state, message, with_metadata=with_metadata) for message in found]
    answer: Json = {"ok": True, "messages": shown, "has_more": bool(cursor)}
    return answer | ({"response_metadata": {"next_cursor": cursor}} if cursor else {})


def history(desk: Desk, args: Arguments) -> Json:
    """Newest first, without replies unless they were also sent to the channel."""
    channel = _readable(desk, args)
    spoken = [m for m in desk.state.visible(channel.id) if not m.is_reply or m.is_broadcast]
    return _read(desk, _between(spoken, args)[::-1], args)


def replies(desk: Desk, args: Arguments) -> Json:
    """The parent first, then its replies, oldest first."""
    channel = _readable(desk, args)
    ts = args.required("ts", "thread_not_found")
    parent = desk.state.messages[channel.id].get(ts)
    if parent is None or parent.is_deleted:
        raise SlackError("thread_not_found")
    parent = desk.state.messages[channel.id].get(parent.thread_ts or ts, parent)
    thread = [m for m in desk.state.visible(channel.id) if m.ts != parent.ts and m.thread_ts == parent.ts]
    return _read(desk, [parent, *_between(thread, args)], args)


METHODS = {
    "conversations.list": Method(list_channels),
    "conversations.info": Method(info),
    "conversations.join": Method(join, "channels:join"),
    "conversations.open": Method(open_direct, "im:write"),
    "conversations.members": Method(members),
    "conversations.history": Method(history),
    "conversations.replies": Method(replies),
}
