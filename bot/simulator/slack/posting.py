"""The rules every new message passes, whoever brings it (chat.*, files, response_url): where the app may write, which
thread a reply lands in, what its blocks must be, and the ids Slack gives to blocks that have none."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from .blockkit import check_message
from .defects import Defect
from .errors import SlackError
from .limits import MESSAGE_TEXT_TOTAL
from .records import Json
from .state import Desk, State
from .workspace import Channel


def target(state: State, name: str) -> Channel:
    """The channel a post names: an id, a name, or a person (their direct messages)."""
    return state.direct_channel(name) if name in state.people else state.channel(name)


def may_post(desk: Desk, channel: Channel) -> None:
    """Raises is_archived, not_in_channel or restricted_action_read_only_channel."""
    if channel.is_archived:
        raise SlackError("is_archived")
    if desk.state.app.user_id not in channel.members and "chat:write.public" not in desk.scopes:
        raise SlackError("not_in_channel")
    if channel.posting == "read_only":
        raise SlackError("restricted_action_read_only_channel")


def landing_thread(state: State, channel: Channel, thread_ts: str) -> str | None:
    """Where a reply lands. A reply to a deleted parent lands in the channel itself, outside any thread. Raises
    thread_not_found, cannot_reply_to_message and the thread restrictions."""
    if not thread_ts:
        if channel.posting == "thread_only":
            raise SlackError("restricted_action_thread_only_channel")
        return None
    parent = state.messages[channel.id].get(thread_ts)
    if parent is None:
        raise SlackError("thread_not_found")
    if channel.posting == "no_threads":
        raise SlackError("restricted_action_non_threadable_channel")
    if thread_ts in channel.locked_threads:
        raise SlackError("restricted_action_thread_locked")
    if parent.is_reply:
        raise SlackError("cannot_reply_to_message")
    return None if parent.is_deleted else thread_ts


def accepted_blocks(state: State, blocks: Any, *, total: int | None = MESSAGE_TEXT_TOTAL) -> tuple[Json, ...]:
    """Blocks as they will be kept. Raises invalid_blocks_format, invalid_blocks or msg_blocks_too_long; `total` None
    for response_url posts, which have no total."""
    if blocks is None:
        return ()
    if not isinstance(blocks, list):
        raise SlackError("invalid_blocks_format")
    defects = check_message(blocks) or _unknown_files(state, blocks)
    if defects:
        raise SlackError("invalid_blocks", **complaint(defects))
    if total is not None and text_total(blocks) > total:
        raise SlackError("msg_blocks_too_long")
    return tuple(with_ids(state, blocks))


def _unknown_files(state: State, blocks: Sequence[Json]) -> list[Defect]:
    """Pictures by the id of a file that is not there, or that Slack has not examined yet."""
    pictures = ((place, (block.get("slack_file") or {}).get("id")) for place, block in enumerate(blocks))
    known = {file.id for file in state.files.values() if file.is_examined}
    return [
        Defect(f"/blocks/{place}/slack_file", "invalid slack file")
        for place, file_id in pictures
        if file_id is not None and file_id not in known
    ]


def complaint(defects: Sequence[Defect]) -> Json:
    sentences = [str(defect) for defect in defects]
    return {"errors": sentences, "response_metadata": {"messages": [f"[ERROR] {line}" for line in sentences]}}


def text_total(blocks: Sequence[Json]) -> int:
    """Characters of text over all blocks, which Slack limits per posted message (Slack reference §4.1)."""
    return sum(len(text) for text in _texts(list(blocks)))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)


def with_ids(state: State, blocks: Sequence[Json]) -> list[Json]:
    """A copy in which every block has a block_id and every element an action_id, as Slack keeps them."""
    kept = deepcopy(list(blocks))
    for block in kept:
        if not block.get("block_id"):
            block["block_id"] = state.new_id("", 5)
        for element in acting_elements(block):
            if not element.get("action_id"):
                element["action_id"] = state.new_id("", 5)
    return kept


def acting_elements(block: Json) -> list[Json]:
    """The elements of one block with which a person can do something."""
    found = [block[name] for name in ("accessory", "element") if isinstance(block.get(name), dict)]
    if block.get("type") in ("actions", "context_actions"):
        found += block.get("elements", [])
    if block.get("type") == "card":
        found += block.get("actions", [])
    children = block.get("child_blocks") or (block.get("elements", []) if block.get("type") == "carousel" else [])
    for child in children:
        found += acting_elements(child)
    return [element for element in found if element.get("type") != "image"]
