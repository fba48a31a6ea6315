// The head above the messages: name and topic of a channel, or the app with its two tabs.

import { openHome } from "./acts.js";
import { avatar } from "./avatars.js";
import { desk, onAppPage, openTab } from "./desk.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { inline } from "./mrkdwn.js";
import { reader } from "./reader.js";
import { workspace } from "./state.js";

function tab(name, title) {
  const selected = desk.tab === name;
  return h("button", { type: "button", role: "tab", class: "tab", "aria-selected": String(selected), tabindex: selected ? "0" : "-1", dataset: { testid: `${name}-tab` },
    on: { click: () => { openTab(name); if (name === "home") openHome(); } } }, title);
}

function steps(event) {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  const other = [...event.currentTarget.children].find((child) => child !== document.activeElement);
  other?.click();
  document.querySelector('.tab[aria-selected="true"]')?.focus();
}

function appHead() {
  return [
    h("div", { class: "head-line" }, avatar(workspace.app.user_id, "avatar-medium"), h("h1", { class: "head-name" }, workspace.app.name), h("span", { class: "app-badge" }, "APP")),
    h("div", { class: "tabs", role: "tablist", "aria-label": "App", on: { keydown: steps } }, tab("home", "Home"), tab("messages", "Messages")),
  ];
}

function channelHead(channel) {
  const about = channel.topic || channel.purpose;
  return h("div", { class: "head-line" }, icon(channel.is_archived ? "archive" : "hash", "head-hash"), h("h1", { class: "head-name" }, channel.name),
    about && h("span", { class: "head-topic" }, inline(about, reader())));
}

export function drawHead(node, onMenu) {
  const channel = workspace.channels.get(desk.channel);
  const focusedTab = node.contains(document.activeElement) && document.activeElement.getAttribute("role") === "tab";
  const menu = h("button", { type: "button", class: "icon-button menu-button", "aria-label": "Show channels", on: { click: onMenu } }, icon("menu"));
  fill(node, menu, channel && (onAppPage() ? appHead() : channelHead(channel)));
  if (focusedTab) node.querySelector('.tab[aria-selected="true"]')?.focus();
}

// What stands above the first message.
export function beginning(channel) {
  if (!channel) return [];
  const title = onAppPage() ? `This is the very beginning of your messages with ${workspace.app.name}.` : `# ${channel.name}`;
  const words = onAppPage() ? "Commands work here as in any channel, and nobody else reads along." : channel.purpose || channel.topic || "";
  return [h("div", { class: "beginning" }, h("h2", {}, title), words && h("p", {}, inline(words, reader())))];
}
