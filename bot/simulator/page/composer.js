// Where a person writes: a message, a reply, or a slash command. Enter sends, Shift+Enter
// breaks the line, drafts stay with their channel and person.

import { command, say } from "./acts.js";
import { avatar } from "./avatars.js";
import { encode, suggestions } from "./completion.js";
import { fill, freshId, h } from "./dom.js";
import { icon } from "./icons.js";
import { workspace } from "./state.js";
import { toast } from "./toast.js";

const TALLEST_PX = 240;
const drafts = new Map();

export class Composer {
  #place = null; // {channel, thread}
  #items = [];
  #active = 0;
  #silenced = null; // the text for which Escape closed the list

  constructor(node, { testid, sendTestid, label }) {
    const listId = freshId("suggestions");
    this.list = h("div", { class: "suggestions", id: listId, role: "listbox", "aria-label": "Suggestions", hidden: true, dataset: { testid: testid.replace("composer", "suggestions") } });
    this.field = h("textarea", { class: "composer-field", rows: 1, "aria-label": label, role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": listId, spellcheck: "false", dataset: { testid },
      on: { input: () => this.#typed(), keydown: (event) => this.#key(event), blur: () => this.#offer([]), click: () => this.#suggest() } });
    this.send = h("button", { type: "button", class: "send", "aria-label": "Send", title: "Send", dataset: { testid: sendTestid }, on: { click: () => this.#send() } }, icon("send"));
    const insert = (text) => h("button", { type: "button", class: "icon-button", title: text === "/" ? "Slash command" : "Mention someone", "aria-label": text === "/" ? "Slash command" : "Mention someone",
      on: { mousedown: (event) => event.preventDefault(), click: () => this.#insert(text) } }, icon(text === "/" ? "slash" : "at"));
    this.box = h("div", { class: "composer-box" }, this.field, h("div", { class: "composer-tools" }, insert("/"), insert("@"), h("span", { class: "composer-hint" }, h("b", {}, "Shift + Enter"), " for a new line"), this.send));
    this.note = h("div", { class: "composer-note", hidden: true });
    fill(node, this.list, this.box, this.note);
  }

  // place: {channel, thread?}; closed: a sentence instead of the field, or null.
  aim(place, { placeholder, closed = null }) {
    const key = this.#keyOf(place);
    if (key !== this.#keyOf(this.#place)) {
      this.#place = place;
      this.field.value = drafts.get(key) ?? "";
      this.#offer([]);
    }
    this.field.placeholder = placeholder;
    this.box.hidden = Boolean(closed);
    this.note.hidden = !closed;
    this.note.textContent = closed ?? "";
    this.#fit();
  }

  focus() {
    this.field.focus();
  }

  #keyOf(place) {
    return place && `${workspace.me} ${place.channel} ${place.thread ?? ""}`;
  }

  #fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, TALLEST_PX)}px`;
    this.send.disabled = !this.field.value.trim();
  }

  #typed() {
    drafts.set(this.#keyOf(this.#place), this.field.value);
    this.#silenced = null;
    this.#fit();
    this.#suggest();
  }

  #insert(text) {
    this.field.focus();
    if (text === "/" && this.field.value) return;
    const pad = this.field.value && !/\s$/.test(this.field.value) ? " " : "";
    this.field.setRangeText(pad + text, this.field.selectionEnd, this.field.selectionEnd, "end");
    this.#typed();
  }

  #suggest() {
    if (this.#silenced === this.field.value || document.activeElement !== this.field) return;
    const users = [...workspace.users.values()];
    this.#offer(suggestions(this.field.value, this.field.selectionEnd, { commands: workspace.commands, users, appId: workspace.app?.user_id, slash: true }));
  }

  #offer(items) {
    this.#items = items;
    this.#active = 0;
    this.#draw();
  }

  #draw() {
    const open = this.#items.length > 0;
    this.list.hidden = !open;
    this.field.setAttribute("aria-expanded", String(open));
    if (!open) this.field.removeAttribute("aria-activedescendant");
    fill(this.list, this.#items.map((item, index) => this.#row(item, index)));
    if (!open) return;
    const active = this.list.children[this.#active];
    this.field.setAttribute("aria-activedescendant", active.id);
    active.scrollIntoView({ block: "nearest" });
  }

  #row(item, index) {
    const face = item.kind === "person" ? avatar(item.user, "avatar-small") : item.kind === "emoji" ? h("span", { class: "emoji" }, item.face) : avatar(workspace.app?.user_id, "avatar-small");
    return h("div", { class: "suggestion", role: "option", id: freshId("suggestion"), "aria-selected": String(index === this.#active),
      on: { mousedown: (event) => { event.preventDefault(); this.#take(item); }, mousemove: () => { if (this.#active !== index) { this.#active = index; this.#draw(); } } } },
    face, h("span", { class: "suggestion-title" }, item.title), item.hint && h("span", { class: "suggestion-hint" }, item.hint),
    item.description && h("span", { class: "suggestion-description" }, item.description));
  }

  #take(item) {
    this.field.setRangeText(item.insert, item.from, this.field.selectionEnd, "end");
    this.#typed();
  }

  #key(event) {
    if (event.isComposing) return; // Enter that ends an input method's composition is not "send"
    const open = this.#items.length > 0;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (open && steps[event.key]) {
      event.preventDefault();
      this.#active = (this.#active + steps[event.key] + this.#items.length) % this.#items.length;
      this.#draw();
    } else if (open && (event.key === "Tab" || (event.key === "Enter" && !this.#complete()))) {
      event.preventDefault();
      this.#take(this.#items[this.#active]);
    } else if (open && event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#silenced = this.field.value;
      this.#offer([]);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#send();
    }
  }

  // Enter on a command that stands there whole sends it; on a beginning it completes it.
  #complete() {
    const typed = this.field.value.trim();
    const item = this.#items[this.#active];
    return item.kind === "command" && this.#active === 0 && typed === item.insert.trim();
  }

  async #send() {
    const text = this.field.value.trim();
    if (!text) return;
    const place = this.#place;
    const known = workspace.commands.some((entry) => entry.command === text.split(/\s/)[0]);
    if (known && place.thread) {
      toast(`${text.split(/\s/)[0]} cannot be used in threads.`, { detail: `Slack runs no slash commands there. Mention @${workspace.app?.name} instead.` });
      return;
    }
    this.field.value = "";
    this.#typed();
    this.#offer([]);
    if (known) await command(place.channel, text);
    else if (/^\/[\p{L}\p{N}_-]+(\s|$)/u.test(text)) toast(`${text.split(/\s/)[0]} is not a valid command.`);
    else await say(place.channel, encode(text, [...workspace.users.values()]), place.thread);
  }
}
