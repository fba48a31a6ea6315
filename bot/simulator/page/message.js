// One message: face, name, time, content, files, reactions and the line about its thread.

import { address, desk, openThread } from "./desk.js";
import * as acts from "./acts.js";
import { avatar } from "./avatars.js";
import { render } from "./blocks/index.js";
import { sharedFile } from "./blocks/media.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { emoji, mrkdwn } from "./mrkdwn.js";
import { displayName, person } from "./reader.js";
import { isApp, workspace } from "./state.js";
import { clockTime, fullTime, writeToken } from "./time.js";

const forms = new Map(); // "channel ts" -> what was picked in a message's own fields

export const dismissed = new Set();

function formOf(message) {
  const key = `${workspace.me} ${message.channel} ${message.ts}`;
  if (!forms.has(key)) forms.set(key, new Map());
  return forms.get(key);
}

async function clicked(message, element, block, value, node) {
  node.classList.add("busy");
  node.classList.remove("failed");
  const answer = await acts.click({ channel: message.channel, ts: message.ts }, element, block, value);
  node.classList.remove("busy");
  node.classList.toggle("failed", acts.failed(answer));
}

function content(message, world) {
  if (message.deleted) return h("div", { class: "tombstone" }, "This message was deleted.");
  const act = (element, block, value, node) => clicked(message, element, block, value, node);
  const surface = { world, form: formOf(message), place: "message", act };
  const body = message.blocks?.length ? render(message.blocks, surface) : h("div", { class: "message-text" }, mrkdwn(message.text ?? "", world));
  if (message.edited) {
    const mark = h("span", { class: "edited", title: `Edited ${fullTime(Number(message.edited.ts ?? message.edited), world.zone)}` }, "(edited)");
    (body.lastElementChild?.matches(".block[data-block=section], .rich-text") ? body.lastElementChild : body).append(" ", mark);
  }
  return body;
}

function reactions(message, world) {
  if (!message.reactions?.length || message.deleted) return null;
  return h("div", { class: "reactions" }, message.reactions.map(({ name, users = [], count }) => (
    h("span", { class: `reaction ${users.includes(world.me.id) ? "reaction-mine" : ""}`, title: `${users.map(world.userName).join(", ")} reacted with :${name}:` },
      emoji(name), h("span", { class: "reaction-count" }, String(count ?? users.length))))));
}

const agoToken = (ts, world, before) => h("time", { dataset: { unix: Number(ts), format: `${before}{ago}` } }, writeToken(Number(ts), `${before}{ago}`, world.zone));

export function threadLine(message, thread, world) {
  const count = `${thread.count} ${thread.count === 1 ? "reply" : "replies"}`;
  return h("button", { type: "button", class: "thread-line", dataset: { testid: "thread-line" }, "aria-label": `${count}, view the thread`, on: { click: () => openThread(message.ts) } },
    h("span", { class: "thread-faces" }, thread.users.slice(0, 4).map((user) => avatar(user, "avatar-tiny"))),
    h("span", { class: "thread-count" }, count),
    h("span", { class: "thread-last" }, agoToken(thread.last, world, "Last reply ")),
    h("span", { class: "thread-view" }, "View thread"));
}

async function copyLink(message, node) {
  const place = { channel: message.channel, thread: message.thread_ts, message: message.ts };
  await navigator.clipboard?.writeText(location.origin + address(place)).catch(() => {});
  node.setAttribute("data-done", "Link copied");
  setTimeout(() => node.removeAttribute("data-done"), 1500);
}

function toolbar(message, inThread) {
  if (message.ephemeral || message.deleted) return null;
  const copy = h("button", { type: "button", class: "icon-button", title: "Copy link to message", "aria-label": "Copy link to message", on: { click: () => copyLink(message, copy) } }, icon("link"));
  const reply = !inThread && h("button", { type: "button", class: "icon-button", title: "Reply in thread", "aria-label": "Reply in thread", dataset: { testid: "reply-in-thread" },
    on: { click: () => openThread(message.thread_ts ?? message.ts) } }, icon("reply"));
  return h("div", { class: "toolbar", role: "toolbar", "aria-label": "Message actions" }, reply, copy);
}

const author = (message) => message.username || (isApp(message.user) ? workspace.app.name : displayName(person(message.user)));

function byline(message, world) {
  const unix = Number(message.ts);
  return h("div", { class: "byline" },
    h("span", { class: "author" }, author(message)),
    (isApp(message.user) || person(message.user).is_bot) && h("span", { class: "app-badge" }, "APP"),
    h("a", { class: "stamp", href: address({ channel: message.channel, message: message.ts }), title: fullTime(unix, world.zone), on: { click: (event) => event.preventDefault() } }, clockTime(unix, world.zone)));
}

function whisper(message, hide) {
  if (!message.ephemeral) return [null, null];
  const away = () => { dismissed.add(`${workspace.me} ${message.channel} ${message.ts}`); hide(); };
  return [
    h("div", { class: "whisper" }, icon("eye"), "Only visible to you"),
    h("div", { class: "whisper-foot" }, "This is a private answer. ", h("button", { type: "button", class: "link-button", dataset: { testid: "dismiss" }, on: { click: away } }, "Dismiss")),
  ];
}

// options: {grouped, thread, inThread, hide}
export function messageNode(message, world, { grouped = false, thread = null, inThread = false, hide = () => {} } = {}) {
  const speaker = message.user ?? workspace.app?.user_id;
  const spoken = { ...message, user: speaker };
  const [eye, foot] = whisper(message, hide);
  const gutter = grouped
    ? h("span", { class: "gutter-time" }, clockTime(Number(message.ts), world.zone))
    : avatar(speaker);
  const classes = ["message", grouped && "grouped", message.ephemeral && "ephemeral", message.deleted && "deleted",
    desk.highlight === message.ts && "highlight"].filter(Boolean).join(" ");
  return h("article", { class: classes, dataset: { ts: message.ts, messageChannel: message.channel, testid: message.ephemeral ? "ephemeral" : "message" }, "aria-label": `${author(spoken)} at ${clockTime(Number(message.ts), world.zone)}` },
    h("div", { class: "gutter" }, gutter),
    h("div", { class: "message-body" }, eye, !grouped && byline(spoken, world), content(message, world),
      (message.files ?? []).map(sharedFile), reactions(message, world), foot, thread && threadLine(message, thread, world)),
    toolbar(message, inThread));
}
