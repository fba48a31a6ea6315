// The modals an app opens for a person: the top of the stack as a dialog, with what was typed
// kept while the app changes the view, errors beside their fields, and a submit that waits.

import * as acts from "./acts.js";
import { avatar } from "./avatars.js";
import { missing, restored, valuesOf } from "./blocks/form.js";
import { render } from "./blocks/index.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { plain } from "./mrkdwn.js";
import { workspace } from "./state.js";

const textOf = (part) => (typeof part === "string" ? part : part?.text ?? "");

const GENERAL = "general"; // errors that belong to no field

export class Modal {
  #forms = new Map(); // view id -> its form
  #errors = {};
  #view = null;
  #waiting = false;
  #depth = 0;

  constructor() {
    this.dialog = h("dialog", { class: "dialog modal", dataset: { testid: "modal" } });
    this.dialog.addEventListener("cancel", (event) => { event.preventDefault(); this.#close(); });
    this.dialog.addEventListener("keydown", (event) => this.#key(event));
    document.body.append(this.dialog);
  }

  draw(world) {
    const view = workspace.views?.at(-1) ?? null;
    [...this.#forms.keys()].filter((id) => !workspace.views?.some((open) => open.id === id)).forEach((id) => this.#forms.delete(id));
    if (!view) {
      this.#view = null;
      if (this.dialog.open) this.dialog.close();
      return;
    }
    if (this.#same(view)) return; // nothing new to see: leave the person's typing alone
    const another = view.id !== this.#view?.id;
    if (another || view.hash !== this.#view.hash) this.#waiting = false;
    this.#errors = { ...(view.errors ?? (another || view.hash !== this.#view?.hash ? {} : this.#errors)) };
    this.#view = view;
    this.world = world;
    this.#show(another);
  }

  #same(view) {
    const face = (shown) => JSON.stringify([shown.id, shown.hash, shown.errors ?? {}, shown.blocks]);
    const same = this.#view !== null && this.#depth === workspace.views.length && face(view) === face(this.#view) && !this.#waiting;
    this.#depth = workspace.views.length;
    return same;
  }

  #form() {
    if (!this.#forms.has(this.#view.id)) this.#forms.set(this.#view.id, restored(this.#view.values));
    return this.#forms.get(this.#view.id);
  }

  #show(another) {
    const focus = another ? null : this.#focused();
    const scroll = this.dialog.querySelector(".dialog-body")?.scrollTop ?? 0;
    this.dialog.setAttribute("aria-label", textOf(this.#view.title));
    this.dialog.dataset.viewId = this.#view.id;
    this.dialog.dataset.callbackId = this.#view.callback_id ?? "";
    fill(this.dialog, this.#head(), this.#body(), this.#foot());
    if (!this.dialog.open) this.dialog.showModal();
    if (another) this.#first();
    else {
      this.dialog.querySelector(".dialog-body").scrollTop = scroll;
      this.#refocus(focus);
    }
  }

  #head() {
    const deep = workspace.views.length > 1;
    return h("header", { class: "dialog-head" },
      deep ? h("button", { type: "button", class: "icon-button", "aria-label": "Back", dataset: { testid: "modal-back" }, on: { click: () => this.#close() } }, icon("back")) : avatar(workspace.app?.user_id, "avatar-medium"),
      h("h2", { class: "dialog-title" }, plain(textOf(this.#view.title))),
      h("button", { type: "button", class: "icon-button", "aria-label": "Close", dataset: { testid: "modal-close" }, on: { click: () => this.#close() } }, icon("close")));
  }

  #body() {
    const act = (element, block, value, node) => this.#clicked(element, block, value, node);
    const surface = { world: this.world, form: this.#form(), place: "modal", act, errors: this.#errors };
    const stray = Object.entries(this.#errors).filter(([id]) => !this.#view.blocks?.some((block) => block.block_id === id && block.type === "input"));
    return h("div", { class: "dialog-body" }, stray.length > 0 && h("div", { class: "alert alert-error", role: "alert" }, icon("error"), h("div", {}, stray.map(([, text]) => h("div", {}, text)))),
      render(this.#view.blocks, surface));
  }

  #foot() {
    const submit = textOf(this.#view.submit);
    return h("footer", { class: "dialog-foot" },
      h("button", { type: "button", class: "button", dataset: { testid: "modal-cancel" }, on: { click: () => this.#close() } }, plain(textOf(this.#view.close) || (submit ? "Cancel" : "Close"))),
      submit && h("button", { type: "button", class: `button button-primary filled ${this.#waiting ? "busy" : ""}`, disabled: this.#waiting, dataset: { testid: "modal-submit" }, on: { click: () => this.#submit() } }, h("span", { class: "button-label" }, plain(submit))));
  }

  async #clicked(element, block, value, node) {
    node.classList.add("busy");
    await acts.click({ view_id: this.#view.id }, element, block, value);
    node.classList.remove("busy");
  }

  async #submit() {
    const view = this.#view;
    const incomplete = missing(view.blocks, this.#form());
    if (Object.keys(incomplete).length) return this.#fail(incomplete);
    this.#waiting = true;
    this.#errors = {};
    this.#show(false);
    const answer = await acts.submit(view.id, valuesOf(view.blocks, this.#form()));
    this.#waiting = false;
    if (view.id !== this.#view?.id) return undefined;
    const errors = answer.errors && Object.keys(answer.errors).length ? answer.errors : null;
    if (errors) return this.#fail(errors);
    if (acts.failed(answer)) return this.#fail({ [GENERAL]: `We had some trouble connecting. Try again? (${acts.sentence(answer.error ?? "operation_timeout")})` });
    return this.#show(false);
  }

  #fail(errors) {
    this.#errors = errors;
    this.#show(false);
    const wrong = this.dialog.querySelector(".input-wrong");
    wrong?.querySelector("input, textarea, button")?.focus();
    wrong?.scrollIntoView({ block: "nearest" });
  }

  async #close() {
    if (this.#view) await acts.closeView(this.#view.id);
  }

  #key(event) {
    if (event.key !== "Enter" || event.isComposing || !this.#view?.submit) return;
    const typing = event.target.matches("input.field-input") || (event.target.matches("textarea") && (event.metaKey || event.ctrlKey));
    if (!typing || this.#waiting) return;
    event.preventDefault();
    this.#submit();
  }

  #first() {
    const field = this.dialog.querySelector(".dialog-body :is(input, textarea, .select)") ?? this.dialog.querySelector('[data-testid="modal-submit"]') ?? this.dialog.querySelector('[data-testid="modal-close"]');
    field?.focus();
  }

  #focused() {
    const node = document.activeElement;
    if (!this.dialog.contains(node)) return null;
    const { actionId, testid } = node.dataset;
    return { selector: actionId ? `[data-action-id="${CSS.escape(actionId)}"]` : testid && `[data-testid="${testid}"]`, start: node.selectionStart, end: node.selectionEnd };
  }

  #refocus(focus) {
    const node = focus?.selector && this.dialog.querySelector(focus.selector);
    if (!node) return;
    node.focus();
    if (typeof focus.start === "number" && node.setSelectionRange) node.setSelectionRange(focus.start, focus.end);
  }
}
