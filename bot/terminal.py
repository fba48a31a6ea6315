"""A message's blocks as plain text for a terminal: the answers of `gpubot ask`.

It knows the markup of the blocks and nothing of Slack itself; buttons that run a command are shown as that command.
"""

import html
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

Block = Mapping[str, Any]

_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])")
_DATE = re.compile(r"<!date\^(\d+)\^([^^|>]*)[^|>]*\|[^>]*>")
_LINK = re.compile(r"<(https?:[^|>]+)\|([^>]+)>")
_MENTION = re.compile(r"<([@#][A-Z0-9]+)(?:\|[^>]*)?>")
_RUNS_COMMAND = ("ask", "page_back", "page_on")


def written(blocks: Sequence[Block], zone: tzinfo, attachment: str | None = None) -> str:
    """The blocks from top to bottom, times in the zone; an attached text is written out in the place of its excerpt."""
    shown = [block for block in blocks if not (attachment and _is_excerpt(block))]
    parts = [part for block in shown if (part := "\n".join(_lines(block, zone)).rstrip())]
    return "\n\n".join([*parts, *([attachment.rstrip()] if attachment else [])])


def unwrapped(marked: str, zone: tzinfo) -> str:
    """The text without its markup: what stands in fences is set in by two blanks, code and bold are bare."""
    pieces = _FENCE.split(marked)
    bare = (_set_in(piece) if place % 2 else _bare(piece, zone) for place, piece in enumerate(pieces))
    return "\n".join(piece.strip("\n") for piece in bare if piece.strip())


def _lines(block: Block, zone: tzinfo) -> Iterable[str]:
    match block["type"]:
        case "header":
            yield f"== {block['text']['text']} =="
        case "section":
            yield from [unwrapped(block["text"]["text"], zone)] if "text" in block else []
            yield from (_field(one["text"], zone) for one in block.get("fields", ()))
            yield from _commands([block["accessory"]] if "accessory" in block else [])
        case "context":
            yield from (unwrapped(one["text"], zone) for one in block["elements"])
        case "actions":
            yield from _commands(block["elements"])


def _is_excerpt(block: Block) -> bool:
    text = str(block.get("text", {}).get("text", ""))
    return block["type"] == "section" and text.startswith("```")


def _field(marked: str, zone: tzinfo) -> str:
    label, _, value = unwrapped(marked, zone).partition("\n")
    return f"{label}: {value.replace(chr(10), ', ')}"


def _commands(elements: Iterable[Block]) -> Iterable[str]:
    for element in elements:
        if element.get("action_id") in _RUNS_COMMAND:
            yield f"  → {element['text']['text']}: gpubot ask {shlex.quote(element['value'])}"
        elif "url" in element:
            yield f"  → {element['text']['text']}: {element['url']}"


def _set_in(fenced: str) -> str:
    return "\n".join(f"  {html.unescape(line)}" for line in fenced.split("\n"))


def _bare(marked: str, zone: tzinfo) -> str:
    pieces = _CODE.split(marked)
    return html.unescape("".join(one if place % 2 else _plain(one, zone) for place, one in enumerate(pieces)))


def _plain(marked: str, zone: tzinfo) -> str:
    dated = _DATE.sub(lambda found: _local(found, zone), marked)
    return _BOLD.sub(r"\1", _MENTION.sub(r"\1", _LINK.sub(r"\2 (\1)", dated)))


def _local(token: re.Match[str], zone: tzinfo) -> str:
    at = datetime.fromtimestamp(int(token[1]), UTC).astimezone(zone)
    return f"{at:%Y-%m-%d %H:%M}" if "{date" in token[2] else f"{at:%H:%M}"
