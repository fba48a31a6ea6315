// The blocks that are mostly words: section, header, divider, context, alert.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { textObject } from "../mrkdwn.js";
import { element } from "./elements.js";
import { picture } from "./media.js";

const FOLD_CHARACTERS = 700; // where Slack's clients put "see more", unless section.expand
const FOLD_LINES = 16;

function folds(block) {
  const text = block.text?.text ?? "";
  return !block.expand && (text.length > FOLD_CHARACTERS || text.split("\n").length > FOLD_LINES);
}

function foldable(body) {
  const more = h("button", { type: "button", class: "see-more", "aria-expanded": "false" }, "See more");
  const box = h("div", { class: "folded" }, body, more);
  more.addEventListener("click", () => {
    const open = box.classList.toggle("unfolded");
    more.textContent = open ? "See less" : "See more";
    more.setAttribute("aria-expanded", String(open));
  });
  return box;
}

export function section(block, surface) {
  const text = block.text && h("div", { class: "section-text" }, textObject(block.text, surface.world));
  const fields = block.fields?.length
    && h("div", { class: "fields" }, block.fields.map((field) => h("div", { class: "field" }, textObject(field, surface.world))));
  const accessory = block.accessory && h("div", { class: "accessory" }, element(block.accessory, block, surface));
  return h("div", { class: "section" }, h("div", { class: "section-body" }, text && (folds(block) ? foldable(text) : text), fields), accessory);
}

export function header(block, surface) {
  return h("h3", { class: "header" }, textObject(block.text, surface.world));
}

export const divider = () => h("hr", { class: "divider" });

export function context(block, surface) {
  return h("div", { class: "context" }, (block.elements ?? []).map((part) => (
    part.type === "image"
      ? picture(part, "context-image")
      : h("span", { class: "context-text" }, textObject(part, surface.world)))));
}

const ALERT_ICONS = { warning: "warning", error: "error", success: "check" };

export function alert(block, surface) {
  const level = block.level ?? "default";
  return h("div", { class: `alert alert-${level}`, role: "note" }, icon(ALERT_ICONS[level] ?? "info"),
    h("div", {}, textObject(typeof block.text === "string" ? { type: "mrkdwn", text: block.text } : block.text, surface.world)));
}
