// Short notices that something did not work. They leave by themselves, or by a click.

import { h } from "./dom.js";
import { icon } from "./icons.js";

const SHOWN_MS = 8000;

export function toast(text, { detail } = {}) {
  const close = () => node.remove();
  const node = h("div", { class: "toast", role: "alert", dataset: { testid: "toast" } }, icon("warning"),
    h("div", { class: "toast-text" }, h("strong", {}, text), detail && h("span", {}, detail)),
    h("button", { type: "button", class: "icon-button", "aria-label": "Dismiss", on: { click: close } }, icon("close")));
  // An open modal lies in the browser's top layer; a toast outside it would be covered.
  const dialogs = document.querySelectorAll("dialog[open]");
  (dialogs[dialogs.length - 1] ?? document.querySelector("#toasts")).append(node);
  setTimeout(close, SHOWN_MS);
}
