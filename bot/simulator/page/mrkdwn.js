// Slack's mrkdwn to DOM: fences, quotes, code, bold, italic, strike, links, mentions, date
// tokens and emoji. Entities are decoded once and only in text; whatever is not understood
// stays on screen as the text it was.

import { h, safeUrl } from "./dom.js";
import { emojiOf } from "./emoji.js";
import { capital, fullTime, writeToken } from "./time.js";

const FENCE = /```\n?([\s\S]*?)\n?```/g;
const SPECIAL = /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]+):(?::skin-tone-\d:)?|https?:\/\/[^\s<>|`]+|[*_~]/g;
const WORD = /[\p{L}\p{N}]/u;
const MARKS = { "*": "strong", _: "em", "~": "s" };

export const decode = (text) => text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);

export function emoji(name) {
  const drawn = emojiOf(name);
  return drawn ? h("span", { class: "emoji", role: "img", "aria-label": name, title: `:${name}:` }, drawn) : `:${name}:`;
}

export function link(url, label) {
  const href = safeUrl(url);
  return href ? h("a", { href, target: "_blank", rel: "noopener noreferrer", class: "link" }, label ?? url) : h("span", {}, label ?? url);
}

export function mention(text, mine) {
  return h("span", { class: mine ? "mention mention-me" : "mention" }, text);
}

export function userMention(id, world) {
  return h("span", { class: world.concerns(id) ? "mention mention-me" : "mention", dataset: { user: id } }, `@${world.userName(id)}`);
}

export function channelMention(id, label, world) {
  const name = world.channelName(id) ?? label ?? id;
  return h("a", { class: "mention", href: `?channel=${id}`, dataset: { openChannel: id } }, `#${name}`);
}

export function dateToken({ unix, format, url, fallback }, world, first) {
  const text = writeToken(unix, format, world.zone);
  if (text === null) return fallback ?? "";
  const starts = first && format.startsWith("{date");
  const dataset = { unix, format, capital: starts ? "1" : undefined };
  const node = h("time", { dataset, title: fullTime(unix, world.zone) }, starts ? capital(text) : text);
  return url ? link(url, node) : node;
}

function special(body, world, first) {
  const [target, fallback] = body.split(/\|(.*)/s);
  const [kind, unix, format, url] = target.slice(1).split("^");
  if (kind === "date") {
    return dateToken({ unix: unix ? Number(unix) : NaN, format: decode(format ?? ""), url, fallback: decode(fallback ?? "") }, world, first);
  }
  if (kind === "subteam") return mention(`@${world.groupName(unix) ?? fallback?.replace(/^@/, "") ?? unix}`, world.concerns(unix));
  if (["here", "channel", "everyone"].includes(kind)) return mention(`@${kind}`, true);
  return decode(fallback ?? `<${body}>`);
}

function angle(body, world, first) {
  const [target, label] = body.split(/\|(.*)/s);
  if (/^@[UWB][A-Z0-9]+$/.test(target)) return userMention(target.slice(1), world);
  if (/^#[CDG][A-Z0-9]+$/.test(target)) return channelMention(target.slice(1), label, world);
  if (target.startsWith("!subteam^")) return special(`!subteam^${target.slice(9)}${label ? `|${label}` : ""}`, world, first);
  if (target.startsWith("!")) return special(body, world, first);
  if (/^(https?:|mailto:|tel:)/i.test(target)) {
    return link(decode(target), label ? inline(label, { ...world, plain: true }) : decode(target).replace(/^mailto:/, ""));
  }
  return decode(`<${body}>`);
}

function bareUrl(url) {
  const trimmed = url.replace(/[.,;:!?)\]'"*_~]+$/, "");
  return [link(decode(trimmed)), url.slice(trimmed.length)];
}

// A mark opens at a word's edge before a non-space and closes after one, on the same line.
function closing(text, at, mark) {
  if (WORD.test(text[at - 1] ?? " ") || /\s/.test(text[at + 1] ?? " ") || text[at + 1] === mark) return -1;
  for (let end = text.indexOf(mark, at + 2); end > 0; end = text.indexOf(mark, end + 1)) {
    if (text.slice(at, end).includes("\n")) return -1;
    if (!/\s/.test(text[end - 1]) && !WORD.test(text[end + 1] ?? " ")) return end;
  }
  return -1;
}

function plainText(text) {
  return decode(text).split("\n").flatMap((line, index) => (index ? [h("br"), line] : [line]));
}

function piece(match, text, world) {
  const [whole, code, body, name] = match;
  const at = match.index;
  if (code !== undefined) return [[h("code", { class: "code" }, decode(code))], at + whole.length];
  if (body !== undefined) return [[angle(body, world, at === 0)], at + whole.length];
  if (name !== undefined) return [[emoji(name)], at + whole.length];
  if (whole.startsWith("http")) return [world.plain || world.verbatim ? [decode(whole)] : bareUrl(whole), at + whole.length];
  const end = closing(text, at, whole);
  if (end < 0) return [[whole], at + 1];
  return [[h(MARKS[whole], {}, inline(text.slice(at + 1, end), world))], end + 1];
}

// One run of text without fences or quotes, as a list of nodes and strings.
export function inline(text, world) {
  const out = [];
  let done = 0;
  SPECIAL.lastIndex = 0;
  for (let match = SPECIAL.exec(text); match; match = SPECIAL.exec(text)) {
    out.push(...plainText(text.slice(done, match.index)));
    const [nodes, next] = piece(match, text, world);
    out.push(...nodes);
    done = next;
    SPECIAL.lastIndex = next;
  }
  out.push(...plainText(text.slice(done)));
  return out.filter((node) => node !== "");
}

function paragraphs(text, world) {
  const out = [];
  const groups = text.split(/((?:^(?:&gt;|>).*(?:\n|$))+)/m);
  groups.forEach((group, index) => {
    if (index % 2) out.push(h("blockquote", { class: "quote" }, inline(group.replace(/^(?:&gt;|>) ?/gm, "").replace(/\n$/, ""), world)));
    else if (group !== "") out.push(...inline(index + 1 < groups.length ? group.replace(/\n$/, "") : group, world));
  });
  return out;
}

export function mrkdwn(text, world) {
  const out = [];
  (text ?? "").split(FENCE).forEach((part, index) => {
    if (index % 2) out.push(h("pre", { class: "fence" }, fenced(part, world)));
    else out.push(...paragraphs(index ? part.replace(/^\n/, "") : part, world));
  });
  return out;
}

// Inside a fence Slack still resolves <…> but no marks; text from outside arrives escaped.
function fenced(text, world) {
  return text.split(/<([^<>\n]+)>/).map((part, index) => (index % 2 ? angle(part, world) : decode(part)));
}

// A text object of Block Kit. plain_text is literal but for emoji.
export function textObject(object, world) {
  if (!object) return [];
  if (object.type === "mrkdwn") return mrkdwn(object.text, { ...world, verbatim: object.verbatim });
  return plain(object.text ?? "", object.emoji !== false);
}

export function plain(text, emojis = true) {
  return text.split(/(:[a-z0-9_+'-]+:|\n)/).map((part) => {
    if (part === "\n") return h("br");
    const name = part.length > 2 && part.startsWith(":") && part.endsWith(":") ? part.slice(1, -1) : null;
    return emojis && name && emojiOf(name) ? emoji(name) : part;
  });
}
