// The thread beside the channel: the parent, its replies, and a composer of its own.

import { fill, h } from "./dom.js";
import { desk, openThread } from "./desk.js";
import { icon } from "./icons.js";
import { Composer } from "./composer.js";
import { messageNode } from "./message.js";
import { MessageList } from "./messages.js";
import { messageAt, threadMessages, workspace } from "./state.js";

export class ThreadPanel {
  constructor(node) {
    this.node = node;
    this.where = h("span", { class: "thread-where" });
    const close = h("button", { type: "button", class: "icon-button", "aria-label": "Close the thread", title: "Close", dataset: { testid: "thread-close" }, on: { click: () => openThread(null) } }, icon("close"));
    this.scroller = h("div", { class: "scroller", tabindex: "0", role: "log", "aria-label": "Thread" });
    const composer = h("div", { class: "composer" });
    fill(node, h("header", { class: "thread-head" }, h("h2", {}, "Thread"), this.where, close), h("div", { class: "list" }, this.scroller), composer);
    this.list = new MessageList(this.scroller, { inThread: true });
    this.composer = new Composer(composer, { testid: "thread-composer", sendTestid: "thread-send", label: "Reply" });
    node.addEventListener("keydown", (event) => { if (event.key === "Escape") openThread(null); });
  }

  draw(world) {
    const open = Boolean(desk.thread) && Boolean(messageAt(desk.channel, desk.thread));
    const opened = open && this.node.hidden;
    this.node.hidden = !open;
    if (!open) return;
    const channel = workspace.channels.get(desk.channel);
    this.where.textContent = channel.kind === "im" ? workspace.app.name : `# ${channel.name}`;
    this.#messages(world);
    this.composer.aim({ channel: desk.channel, thread: desk.thread }, { placeholder: "Reply…", closed: channel.is_archived ? "This channel is archived." : null });
    if (opened) this.composer.focus();
  }

  #messages(world) {
    const replies = threadMessages(desk.channel, desk.thread);
    const told = replies.filter((reply) => !reply.ephemeral).length;
    const parent = this.#parent(messageAt(desk.channel, desk.thread), world);
    const count = told > 0 ? `${told} ${told === 1 ? "reply" : "replies"}` : "";
    this.count ??= h("div", { class: "thread-divider" });
    fill(this.count, h("span", {}, count));
    this.list.show(`${workspace.me} ${desk.channel} ${desk.thread}`, replies, { world, lead: [parent, this.count], redraw: () => this.draw(world) });
  }

  #parent(message, world) {
    if (this.drawn?.message !== message || this.drawn.me !== world.me.id) {
      this.drawn = { message, me: world.me.id, node: messageNode(message, world, { inThread: true }) };
    }
    return this.drawn.node;
  }

  forget() {
    this.drawn = null;
    this.list.forget();
  }
}

