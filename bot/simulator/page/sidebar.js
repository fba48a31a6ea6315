// The workspace's side bar: channels and the app, with what is unread.

import { avatar } from "./avatars.js";
import { desk, onAppPage, openChannel } from "./desk.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { appChannel, workspace } from "./state.js";
import { unread } from "./unread.js";

function badge({ count, urgent }) {
  return count > 0 && h("span", { class: urgent ? "badge badge-urgent" : "badge", "aria-label": `${count} unread` }, count > 99 ? "99+" : String(count));
}

function row(channel, face, label, current) {
  const news = current ? { count: 0, urgent: false } : unread(channel);
  const classes = ["side-row", current && "current", news.count > 0 && "unread", channel.is_archived && "archived"].filter(Boolean).join(" ");
  return h("li", {}, h("button", { type: "button", class: classes, "aria-current": current ? "page" : undefined,
    dataset: { channel: channel.id, unread: news.count ? String(news.count) : undefined }, on: { click: () => openChannel(channel.id) } },
  h("span", { class: "side-face" }, face), h("span", { class: "side-name" }, label), badge(news)));
}

function section(title, rows) {
  return rows.length > 0 && h("section", { class: "side-section" }, h("h2", { class: "side-title" }, title), h("ul", { class: "side-list" }, rows));
}

function appRow() {
  const channel = appChannel();
  if (!channel) return [];
  return [row(channel, avatar(workspace.app.user_id, "avatar-small"), [workspace.app.name, " ", h("span", { class: "side-app" }, "APP")], onAppPage())];
}

export function drawSidebar(node) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.channel : null;
  const open = [...workspace.channels.values()].filter((channel) => channel.kind !== "im").filter((channel) => channel.id === desk.channel || (channel.is_member && !channel.is_archived))
    .sort((one, other) => one.name.localeCompare(other.name));
  const rows = open.map((channel) => row(channel, icon(channel.is_archived ? "archive" : "hash"), channel.name, channel.id === desk.channel));
  fill(node,
    h("div", { class: "side-head" }, h("span", { class: "team-mark", "aria-hidden": "true" }, (workspace.team.name || "?").charAt(0)), h("span", { class: "team-name" }, workspace.team.name)),
    h("div", { class: "side-scroll" }, section("Channels", rows), section("Direct messages", appRow())));
  if (focused) node.querySelector(`[data-channel="${focused}"]`)?.focus();
}
