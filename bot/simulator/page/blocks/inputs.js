// The blocks that ask: a row of actions, and one labelled input with hint and error.

import { freshId, h } from "../dom.js";
import { plain } from "../mrkdwn.js";
import { element } from "./elements.js";

export function actions(block, surface) {
  return h("div", { class: "actions" }, (block.elements ?? []).map((part) => element(part, block, surface)));
}

function labelled(field, label, described) {
  const focusable = field.matches("input, textarea, button") ? field : null;
  if (focusable) focusable.id ||= freshId("field");
  else field.setAttribute("aria-labelledby", label.id);
  if (focusable) label.setAttribute("for", focusable.id);
  if (described) (focusable ?? field).setAttribute("aria-describedby", described);
}

export function input(block, surface) {
  const field = element(block.element, block, surface);
  const error = surface.errors?.[block.block_id];
  const label = h("label", { class: "input-label", id: freshId("label") }, plain(block.label?.text ?? ""), block.optional && h("span", { class: "input-optional" }, " (optional)"));
  const note = error
    ? h("p", { class: "input-error", id: freshId("note"), role: "alert" }, error)
    : block.hint && h("p", { class: "input-hint", id: freshId("note") }, plain(block.hint.text ?? ""));
  labelled(field, label, note?.id);
  if (error) field.setAttribute("aria-invalid", "true");
  return h("div", { class: `input${error ? " input-wrong" : ""}` }, label, field, note);
}
