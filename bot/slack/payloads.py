"""What Slack sends, read into values once: commands, clicks, submissions, mentions, visits of the Home tab.

Nothing here raises for a missing field: an answer can be given to whoever asked, or nobody can be answered at all.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer belongs: a channel, a thread in it, and the address for private answers if Slack gave one.

    `is_fresh`: nobody has replied in the thread yet, and a private message there would be seen by nobody.
    """

    channel: str | None = None
    thread_ts: str | None = None
    response_url: str | None = None
    is_fresh: bool = False

    @property
    def is_direct(self) -> bool:
        """Whether it is a person's direct messages with the bot."""
        return (self.channel or "").startswith("D")


@dataclass(frozen=True, slots=True)
class Asked:
    """A command typed after `/gpu`, in a mention, or in a direct message. `key` is the same for a redelivery."""

    user: str
    text: str
    place: Place
    key: str
    trigger_id: str | None = None


@dataclass(frozen=True, slots=True)
class Clicked:
    """A button or menu entry pressed. `private` says that the message is only visible to the person."""

    user: str
    action: str
    value: str | None
    place: Place
    key: str
    trigger_id: str | None = None
    view_id: str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Submitted:
    """A dialog sent in: its metadata, the inputs as block id → text, and what stood in them when it was shown."""

    user: str
    callback: str
    metadata: str
    view_id: str
    inputs: Mapping[str, str]
    key: str
    shown: Mapping[str, str] = field(default_factory=dict)


def command(body: Body) -> Asked:
    place = Place(body.get("channel_id"), None, body.get("response_url"))
    key = f"command:{body.get('trigger_id')}"
    return Asked(str(body.get("user_id", "")), str(body.get("text") or ""), place, key, body.get("trigger_id"))


def mention(body: Body) -> Asked:
    """An app_mention event, or a direct message to the bot; the answer goes into the thread it stands in."""
    event = body.get("event") or {}
    direct = event.get("channel_type") == "im"
    thread = event.get("thread_ts") or (None if direct else event.get("ts"))
    text = str(event.get("text") or "")
    key = f"event:{event.get('channel')}:{event.get('ts')}"
    place = Place(event.get("channel"), thread, is_fresh="thread_ts" not in event)
    return Asked(str(event.get("user") or ""), text, place, key)


def click(body: Body) -> Clicked:
    action = (body.get("actions") or [{}])[0]
    container = body.get("container") or {}
    user = str((body.get("user") or {}).get("id", ""))
    return Clicked(
        user=user,
        action=str(action.get("action_id", "")),
        value=_chosen(action),
        place=_place(body, container),
        key=f"click:{user}:{action.get('action_id')}:{action.get('action_ts')}",
        trigger_id=body.get("trigger_id"),
        view_id=container.get("view_id"),
        private=bool(container.get("is_ephemeral")),
    )


def submission(body: Body) -> Submitted:
    view = body.get("view") or {}
    user = str((body.get("user") or {}).get("id", ""))
    inputs = {
        block: text
        for block, elements in ((view.get("state") or {}).get("values") or {}).items()
        for element in elements.values()
        if (text := _chosen(element)) is not None
    }
    return Submitted(
        user=user,
        callback=str(view.get("callback_id", "")),
        metadata=str(view.get("private_metadata") or ""),
        view_id=str(view.get("id", "")),
        inputs=inputs,
        key=f"submit:{user}:{view.get('id')}:{view.get('hash')}",
        shown=_shown(view.get("blocks") or ()),
    )


def _shown(blocks: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """What the inputs held at first, by block id."""
    elements = ((str(block.get("block_id")), block.get("element") or {}) for block in blocks)
    initial = ((block, element.get("initial_option") or element.get("initial_value")) for block, element in elements)
    return {block: str(one["value"] if isinstance(one, Mapping) else one) for block, one in initial if one}


def _place(body: Body, container: Mapping[str, Any]) -> Place:
    message = body.get("message") or {}
    channel = (body.get("channel") or {}).get("id") or container.get("channel_id")
    thread = message.get("thread_ts") or container.get("thread_ts")
    return Place(channel, thread, body.get("response_url"))


def _chosen(element: Mapping[str, Any]) -> str | None:
    option = element.get("selected_option")
    if isinstance(option, Mapping):
        return str(option.get("value", ""))
    value = element.get("value")
    return None if value is None else str(value)
