// rich_text: sections, lists, quotes and preformatted text, with styled runs inside. Its text
// is raw: nothing in it is mrkdwn and no entity is decoded.

import { h } from "../dom.js";
import { emojiFromCodes } from "../emoji.js";
import { channelMention, dateToken, emoji, link, mention, plain, userMention } from "../mrkdwn.js";

const STYLES = [["code", "code"], ["strike", "s"], ["italic", "em"], ["bold", "strong"], ["underline", "u"]];

function styled(nodes, style = {}) {
  return STYLES.reduce((inner, [name, tag]) => (
    style[name] ? [h(tag, name === "code" ? { class: "code" } : {}, inner)] : inner), nodes);
}

function drawnEmoji(part) {
  const drawn = part.unicode && emojiFromCodes(part.unicode);
  return drawn ? h("span", { class: "emoji", role: "img", "aria-label": part.name, title: `:${part.name}:` }, drawn) : emoji(part.name);
}

const INLINE = {
  text: (part) => plain(part.text ?? "", false),
  link: (part) => [link(part.url, part.text || part.url)],
  emoji: (part) => [drawnEmoji(part)],
  user: (part, world) => [userMention(part.user_id, world)],
  usergroup: (part, world) => [mention(`@${world.groupName(part.usergroup_id) ?? part.usergroup_id}`, world.concerns(part.usergroup_id))],
  channel: (part, world) => [channelMention(part.channel_id, null, world)],
  broadcast: (part) => [mention(`@${part.range}`, true)],
  date: (part, world) => [dateToken({ unix: Number(part.timestamp), format: part.format ?? "", url: part.url, fallback: part.fallback }, world, false)],
  color: (part) => [h("span", { class: "swatch", style: { "--swatch": part.value } }), part.value],
};

export function runs(elements, world) {
  return (elements ?? []).flatMap((part) => {
    const draw = INLINE[part.type];
    return draw ? styled(draw(part, world), part.style) : [h("span", { class: "inline-unknown" }, `[${part.type}]`)];
  });
}

function list(part, world) {
  const ordered = part.style === "ordered";
  const properties = { class: `rich-list indent-${Math.min(part.indent ?? 0, 8)}`, start: ordered && part.offset ? part.offset + 1 : undefined };
  return h(ordered ? "ol" : "ul", properties, (part.elements ?? []).map((item) => h("li", {}, runs(item.elements, world))));
}

const PARTS = {
  rich_text_section: (part, world) => h("div", { class: "rich-section" }, runs(part.elements, world)),
  rich_text_list: list,
  rich_text_quote: (part, world) => h("blockquote", { class: "quote" }, runs(part.elements, world)),
  rich_text_preformatted: (part, world) => h("pre", { class: "fence" }, runs(part.elements, world)),
};

export function richText(block, surface) {
  return h("div", { class: "rich-text" }, (block.elements ?? []).map((part) => {
    const draw = PARTS[part.type];
    return draw ? draw(part, surface.world) : h("div", { class: "block-unknown" }, `Unknown rich text part: ${part.type}`);
  }));
}
