// What the acting person has open: channel or app, tab, thread. Mirrored in the address, so
// that a reload or a copied link leads back to the same place.

import { appChannel, workspace } from "./state.js";

const asked = new URLSearchParams(location.search);

export const desk = {
  channel: asked.get("channel"),
  thread: asked.get("thread"),
  tab: asked.get("tab") ?? "messages",
  highlight: asked.get("message"),
  atEntry: "0", // the read mark when the channel was opened: where the "New" line goes
};

export const askedUser = asked.get("user");

let redraw = () => {};
let entered = () => {};

export function connectDesk(drawAll, onEnter) {
  redraw = drawAll;
  entered = onEnter;
}

export function address(place = desk) {
  const query = new URLSearchParams({ user: workspace.me, channel: place.channel ?? "" });
  if (place.tab === "home") query.set("tab", "home");
  if (place.thread) query.set("thread", place.thread);
  if (place.message) query.set("message", place.message);
  return `${location.pathname}?${query}`;
}

function settle() {
  history.replaceState(null, "", address());
  redraw();
}

export function openChannel(channel, { thread = null, highlight = null } = {}) {
  Object.assign(desk, { channel, thread, highlight, tab: "messages" });
  entered();
  settle();
}

export function openThread(ts) {
  desk.thread = ts;
  settle();
}

export function openTab(tab) {
  desk.tab = tab;
  desk.thread = null;
  settle();
}

// A place that exists for this person; the first channel when the wanted one does not.
export function stand() {
  const known = workspace.channels.get(desk.channel);
  if (!known || (known.kind !== "im" && !known.is_member)) {
    const first = [...workspace.channels.values()].find((channel) => channel.kind !== "im" && channel.is_member && !channel.is_archived);
    Object.assign(desk, { channel: first?.id ?? null, thread: null, tab: "messages" });
  }
  entered();
  history.replaceState(null, "", address());
}

export const onAppPage = () => Boolean(desk.channel) && desk.channel === appChannel()?.id;

// Links to messages of this workspace open here instead of a new window.
export function followPermalink(href) {
  const found = /\/archives\/([CDG][A-Z0-9]+)(?:\/p(\d{10})(\d{6}))?/.exec(href);
  if (!found || !workspace.channels.has(found[1])) return false;
  const ts = found[2] ? `${found[2]}.${found[3]}` : null;
  const thread = new URL(href, location.href).searchParams.get("thread_ts");
  openChannel(found[1], { thread, highlight: ts });
  return true;
}
