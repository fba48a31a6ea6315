// A list of messages: grouped by author and day, drawn again only where something changed,
// and scrolled only for a reader who was at the bottom.

import { arrange, h } from "./dom.js";
import { icon } from "./icons.js";
import { dismissed, messageNode } from "./message.js";
import { isApp, workspace } from "./state.js";
import { dayOf, dayTitle } from "./time.js";

const GROUP_S = 300;
const PAGE = 150;
const BOTTOM_PX = 60;

export class MessageList {
  #cache = new Map();
  #shown = PAGE;
  #subject = null;
  #stick = true;

  constructor(scroller, { inThread = false } = {}) {
    this.scroller = scroller;
    this.inThread = inThread;
    this.jump = h("button", { type: "button", class: "jump", hidden: true, on: { click: () => this.toBottom() } }, icon("down"), "New messages");
    scroller.after(this.jump);
    scroller.addEventListener("scroll", () => {
      this.#stick = this.atBottom();
      if (this.#stick) this.jump.hidden = true;
    });
    // Pictures, previews and a growing composer change heights after the messages are drawn.
    const watch = new ResizeObserver(() => { if (this.#stick) this.scroller.scrollTop = this.scroller.scrollHeight; });
    watch.observe(scroller);
    this.inner = h("div", { class: "messages-inner" });
    scroller.append(this.inner);
    watch.observe(this.inner);
  }

  atBottom() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < BOTTOM_PX;
  }

  toBottom() {
    this.#stick = true;
    this.jump.hidden = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  forget() {
    this.#cache.clear();
  }

  // subject names what is listed; a new subject starts at the bottom with an empty cache.
  show(subject, messages, { world, threads = new Map(), newFrom = null, lead = [], redraw }) {
    const fresh = subject !== this.#subject;
    if (fresh) this.#start(subject);
    const stuck = fresh || this.#stick;
    const visible = messages.filter((message) => !dismissed.has(`${workspace.me} ${message.channel} ${message.ts}`));
    const latest = this.latest;
    const focus = this.#focused();
    const rows = this.#rows(visible, { world, threads, newFrom, redraw });
    arrange(this.inner, [...lead, ...this.#older(visible.length, redraw), ...rows]);
    this.#refocus(focus);
    this.latest = visible.at(-1)?.ts ?? "";
    if (stuck) this.toBottom();
    else if (this.latest > latest) this.jump.hidden = false;
  }

  #start(subject) {
    this.#subject = subject;
    this.#shown = PAGE;
    this.#cache.clear();
    this.latest = "";
    this.jump.hidden = true;
  }

  // A card that is drawn anew takes the keyboard's focus along to the same button.
  #focused() {
    const node = document.activeElement;
    const message = this.inner.contains(node) && node.closest(".message");
    return message ? { ts: message.dataset.ts, action: node.dataset.actionId } : null;
  }

  #refocus(focus) {
    if (!focus?.action || document.activeElement !== document.body) return;
    this.inner.querySelector(`[data-ts="${CSS.escape(focus.ts)}"] [data-action-id="${CSS.escape(focus.action)}"]`)?.focus({ preventScroll: true });
  }

  #older(count, redraw) {
    if (count <= this.#shown) return [];
    return [h("button", { type: "button", class: "button older", on: { click: () => { this.#shown += PAGE; redraw(); } } }, "Show older messages")];
  }

  #rows(messages, { world, threads, newFrom, redraw }) {
    const days = new Map();
    const seen = new Set();
    let before = null;
    let marked = false;
    for (const message of messages.slice(-this.#shown)) {
      const day = dayOf(Number(message.ts), world.zone);
      const newDay = day !== before?.day;
      if (newDay) days.set(day, this.inThread ? [] : [this.#day(seen, day, dayTitle(Number(message.ts), world.zone))]);
      const rows = days.get(day);
      const isNew = !marked && newFrom !== null && newFrom !== "0" && message.ts > newFrom && message.user !== workspace.me && !message.ephemeral;
      if (isNew) rows.push(this.#kept(seen, "new", "new", () => h("div", { class: "new-line", role: "separator" }, h("span", {}, "New"))));
      marked ||= isNew;
      const grouped = !newDay && !isNew && this.#follows(before.message, message);
      rows.push(this.#message(seen, message, { grouped, world, thread: threads.get(message.ts), redraw }));
      before = { message, day };
    }
    const groups = [...days].map(([day, rows]) => this.#group(seen, day, rows));
    [...this.#cache.keys()].filter((key) => !seen.has(key)).forEach((key) => this.#cache.delete(key));
    return groups;
  }

  // One box per day, so that a day's title sticks to the top only while that day is read.
  #group(seen, day, rows) {
    const group = this.#kept(seen, `group ${day}`, "", () => h("div", { class: this.inThread ? "" : "day-group" }));
    arrange(group, rows);
    return group;
  }

  #day(seen, day, title) {
    return this.#kept(seen, `day ${day}`, title, () => h("div", { class: "day", role: "separator", "aria-label": title }, h("span", { class: "day-title" }, title)));
  }

  #follows(before, message) {
    return before.user === message.user && before.username === message.username && !before.ephemeral && !message.ephemeral && !before.deleted
      && Number(message.ts) - Number(before.ts) < GROUP_S && !(isApp(message.user) && message.blocks?.length);
  }

  #message(seen, message, { grouped, world, thread, redraw }) {
    const line = thread && !this.inThread ? `${thread.count} ${thread.last}` : "";
    const mark = [message.source ?? message, `${grouped} ${line} ${world.me.id}`];
    return this.#kept(seen, `${message.ephemeral ? "private" : "message"} ${message.ts}`, mark, () => messageNode(message, world, {
      grouped, inThread: this.inThread, thread: this.inThread ? null : thread, hide: redraw,
    }));
  }

  #kept(seen, key, mark, draw) {
    seen.add(key);
    const held = this.#cache.get(key);
    const same = held && (Array.isArray(mark) ? mark.every((part, index) => part === held.mark[index]) : mark === held.mark);
    if (same) return held.node;
    const node = draw(mark);
    this.#cache.set(key, { mark, node });
    return node;
  }
}
