// The "are you sure?" dialog that Block Kit elements may ask for.

import { h } from "./dom.js";
import { textObject } from "./mrkdwn.js";

export function confirmed(asked, world) {
  return new Promise((resolve) => {
    const answer = (yes) => { dialog.close(); dialog.remove(); resolve(yes); };
    const style = asked.style === "danger" ? "button-danger" : "button-primary";
    const dialog = h("dialog", { class: "dialog confirm", dataset: { testid: "confirm" }, "aria-label": asked.title?.text ?? "Are you sure?" },
      h("h2", { class: "dialog-title" }, textObject({ type: "plain_text", ...asked.title }, world)),
      h("div", { class: "confirm-text" }, textObject(asked.text, world)),
      h("div", { class: "dialog-foot" },
        h("button", { type: "button", class: "button", dataset: { testid: "confirm-no" }, on: { click: () => answer(false) } }, asked.deny?.text ?? "Cancel"),
        h("button", { type: "button", class: `button ${style} filled`, dataset: { testid: "confirm-yes" }, autofocus: true, on: { click: () => answer(true) } }, asked.confirm?.text ?? "Confirm")));
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); answer(false); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
