"""reactions.* and the little of bookmarks.* that a bot keeps a channel tidy with."""

from dataclasses import replace

from .arguments import Arguments
from .errors import SlackError
from .methods import Method
from .records import Json, Message
from .state import Desk


def _reacted(desk: Desk, args: Arguments) -> tuple[Message, str]:
    channel = args.required("channel", "channel_not_found")
    if channel not in desk.state.channels:
        raise SlackError("channel_not_found")
    message = desk.state.message(channel, args.required("timestamp", "no_item_specified"))
    return message, args.required("name", "invalid_name")


def add(desk: Desk, args: Arguments) -> Json:
    message, name = _reacted(desk, args)
    me = desk.state.app.user_id
    users = dict(message.reactions)
    if me in users.get(name, ()):
        raise SlackError("already_reacted")
    if message.thread_ts in desk.state.channels[message.channel].locked_threads:
        raise SlackError("thread_locked")
    users[name] = (*users.get(name, ()), me)
    desk.state.keep(replace(message, reactions=tuple(users.items())))
    return {"ok": True}


def remove(desk: Desk, args: Arguments) -> Json:
    message, name = _reacted(desk, args)
    me = desk.state.app.user_id
    users = dict(message.reactions)
    if me not in users.get(name, ()):
        raise SlackError("no_reaction")
    users[name] = tuple(user for user in users[name] if user != me)
    desk.state.keep(replace(message, reactions=tuple((n, u) for n, u in users.items() if u)))
    return {"ok": True}


def add_bookmark(desk: Desk, args: Arguments) -> Json:
    channel = args.required("channel_id", "channel_not_found")
    if channel not in desk.state.channels:
        raise SlackError("channel_not_found")
    bookmark = {
        "id": desk.state.new_id("Bk"),
        "channel_id": channel,
        "title": args.required("title"),
        "link": args.text("link"),
        "type": args.required("type", "invalid_bookmark_type"),
    }
    desk.state.bookmarks.setdefault(channel, []).append(bookmark)
    return {"ok": True, "bookmark": bookmark}


def list_bookmarks(desk: Desk, args: Arguments) -> Json:
    return {"ok": True, "bookmarks": desk.state.bookmarks.get(args.text("channel_id"), [])}


METHODS = {
    "reactions.add": Method(add, "reactions:write"),
    "reactions.remove": Method(remove, "reactions:write"),
    "bookmarks.add": Method(add_bookmark, "bookmarks:write"),
    "bookmarks.list": Method(list_bookmarks, "bookmarks:read"),
}
