// Fields to type in or tick: text, number, date, time, radio buttons, checkboxes.

import { freshId, h } from "../dom.js";
import { textObject } from "../mrkdwn.js";
import { chosen, keep } from "./form.js";

function watched(node, element, block, surface, read = () => node.value) {
  node.addEventListener("input", () => keep(surface, block, element, read()));
  return node;
}

function typed(type, extra = () => ({})) {
  return (element, block, surface) => {
    const value = chosen(surface, block, element, element.initial_value ?? "") ?? "";
    const node = h("input", { type, class: "field-input", value, placeholder: element.placeholder?.text, autocomplete: "off",
      maxlength: element.max_length, minlength: element.min_length, dataset: { actionId: element.action_id }, ...extra(element) });
    node.addEventListener("keydown", (event) => { if (event.key === "Enter" && block.type !== "input") surface.report(node, node.value); });
    node.addEventListener("change", () => { if (block.type === "input") surface.report(node, node.value); });
    return watched(node, element, block, surface);
  };
}

function multiline(element, block, surface) {
  const node = h("textarea", { class: "field-input", rows: 4, placeholder: element.placeholder?.text, maxlength: element.max_length, dataset: { actionId: element.action_id } });
  node.value = chosen(surface, block, element, element.initial_value ?? "") ?? "";
  return watched(node, element, block, surface);
}

const singleLine = typed("text");

export function textInput(element, block, surface) {
  return (element.multiline || element.type === "rich_text_input" ? multiline : singleLine)(element, block, surface);
}

export const emailInput = typed("email");
export const urlInput = typed("url");
export const numberInput = typed("text", (element) => ({ inputmode: element.is_decimal_allowed ? "decimal" : "numeric", "aria-valuemin": element.min_value, "aria-valuemax": element.max_value }));

export function nativePicker(type, initial) {
  return (element, block, surface) => {
    const value = chosen(surface, block, element, element[initial] ?? "") ?? "";
    const node = h("input", { type, class: "field-input picker", value, "aria-label": element.placeholder?.text, dataset: { actionId: element.action_id } });
    node.addEventListener("change", () => surface.report(node, node.value));
    return watched(node, element, block, surface);
  };
}

// The value is unix seconds; what is typed is in the acting person's zone.
export function dateTimePicker(element, block, surface) {
  const { zone } = surface.world;
  const value = chosen(surface, block, element, element.initial_date_time ?? null);
  const node = h("input", { type: "datetime-local", class: "field-input picker", value: value ? localOf(value, zone.tz) : "", dataset: { actionId: element.action_id } });
  const read = () => (node.value ? unixOf(node.value, zone.tz) : null);
  node.addEventListener("change", () => surface.report(node, read()));
  return watched(node, element, block, surface, read);
}

export function localOf(unix, tz) {
  const written = new Intl.DateTimeFormat("sv-SE", { timeZone: tz, dateStyle: "short", timeStyle: "short" }).format(new Date(unix * 1000));
  return written.replace(" ", "T");
}

export function unixOf(local, tz) {
  const naive = Date.parse(`${local}Z`) / 1000;
  const offset = Date.parse(`${localOf(naive, tz)}Z`) / 1000 - naive;
  return naive - offset;
}

function choice(type, name, option, checked, surface) {
  const id = freshId("choice");
  return h("div", { class: "choice" },
    h("input", { type, id, name, value: option.value, checked: checked || undefined, class: "choice-input" }),
    h("label", { for: id }, textObject(option.text, surface.world),
      option.description && h("span", { class: "choice-description" }, textObject(option.description, surface.world))));
}

function group(role, type, element, block, surface, current, read) {
  const name = freshId("group");
  const node = h("div", { class: "choices", role, dataset: { actionId: element.action_id } },
    (element.options ?? []).map((option) => choice(type, name, option, current.includes(option.value), surface)));
  node.addEventListener("change", () => {
    const value = read([...node.querySelectorAll("input:checked")].map((box) => box.value));
    keep(surface, block, element, value);
    surface.report(node, value);
  });
  return node;
}

export function radioButtons(element, block, surface) {
  const current = chosen(surface, block, element, element.initial_option?.value ?? null);
  return group("radiogroup", "radio", element, block, surface, [current], ([value]) => value ?? null);
}

export function checkboxes(element, block, surface) {
  const current = chosen(surface, block, element, element.initial_options?.map((option) => option.value) ?? []) ?? [];
  return group("group", "checkbox", element, block, surface, current, (values) => values);
}
