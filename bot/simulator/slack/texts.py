"""Text objects and rich text, as the Block Kit tables use them."""

from . import limits
from .shapes import Check, by_type, choice, flag, number, several, shape, string


def plain(most: int = limits.TEXT) -> Check:
    return by_type(lambda: {"plain_text": shape({"text": string(most, least=1)}, {"emoji": flag})}, "text type")


def text(most: int = limits.TEXT) -> Check:
    """plain_text or mrkdwn."""
    plain_text = shape({"text": string(most, least=1)}, {"emoji": flag})
    mrkdwn = shape({"text": string(most, least=1)}, {"verbatim": flag})
    return by_type(lambda: {"plain_text": plain_text, "mrkdwn": mrkdwn}, "text type")


STYLE = shape(
    {},
    dict.fromkeys(
        ("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"),
        flag,
    ),
)
STYLED = {"style": STYLE}
INLINE = {
    "text": shape({"text": string(least=1)}, STYLED),
    "link": shape({"url": string(limits.URL, least=1)}, STYLED | {"text": string(), "unsafe": flag}),
    "user": shape({"user_id": string(least=1)}, STYLED),
    "usergroup": shape({"usergroup_id": string(least=1)}, STYLED),
    "channel": shape({"channel_id": string(least=1)}, STYLED),
    "team": shape({"team_id": string(least=1)}, STYLED),
    "emoji": shape(
        {"name": string(least=1)}, STYLED | {"unicode": string(), "skin_tone": number(1, 6), "url": string()}
    ),
    "broadcast": shape({"range": choice("here", "channel", "everyone")}, STYLED),
    "color": shape({"value": string(least=1)}, STYLED),
    "date": shape(
        {"timestamp": number(), "format": string(least=1)}, STYLED | {"url": string(limits.URL), "fallback": string()}
    ),
}
inline = by_type(lambda: INLINE, "rich text element")
BORDER = {"border": number(0, 1)}
SECTION = shape({"elements": several(inline)})
PARTS = {
    "rich_text_section": SECTION,
    "rich_text_preformatted": shape({"elements": several(inline)}, BORDER | {"language": string()}),
    "rich_text_quote": shape({"elements": several(inline)}, BORDER),
    "rich_text_list": shape(
        {
            "style": choice("bullet", "ordered"),
            "elements": several(by_type(lambda: {"rich_text_section": SECTION}, "list item"), least=1),
        },
        BORDER | {"indent": number(0, limits.RICH_TEXT_INDENT), "offset": number(0)},
    ),
}
PART_LIST = several(by_type(lambda: PARTS, "rich text part"), least=1)
rich_text = by_type(lambda: {"rich_text": shape({"elements": PART_LIST}, {"block_id": string(limits.ID)})}, "type")
