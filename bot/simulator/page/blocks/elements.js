// Elements that can stand in a section, an actions block or an input: each function takes
// (element, block, surface) and returns a node that reports acts to the surface.

import { confirmed } from "../confirm.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { openMenu } from "../menu.js";
import { plain, textObject } from "../mrkdwn.js";
import { picture } from "./media.js";
import { checkboxes, dateTimePicker, emailInput, nativePicker, numberInput, radioButtons, textInput, urlInput } from "./fields.js";
import { chosen, keep } from "./form.js";

// A person's act, after the confirm dialog that the element may ask for.
export async function act(element, block, surface, node, value) {
  if (element.confirm && !(await confirmed(element.confirm, surface.world))) return false;
  surface.act(element, block, value, node);
  return true;
}

function button(element, block, surface) {
  const node = h("button", { type: "button", class: `button ${element.style ? `button-${element.style}` : ""}`,
    "aria-label": element.accessibility_label, dataset: { actionId: element.action_id, value: element.value } },
  h("span", { class: "button-label" }, plain(element.text?.text ?? "", element.text?.emoji !== false)));
  node.addEventListener("click", async () => {
    if (node.classList.contains("busy")) return;
    const went = await act(element, block, surface, node, element.value);
    if (went && element.url) window.open(element.url, "_blank", "noopener,noreferrer");
  });
  return node;
}

function optionsOf(element) {
  const groups = element.option_groups ?? [{ options: element.options ?? [] }];
  return groups.flatMap((group) => [group.label && { group: group.label.text }, ...(group.options ?? [])].filter(Boolean));
}

function menuRow(option, selected) {
  if (option.group) return option;
  return { value: option.value, label: h("span", { class: "menu-label" }, plain(option.text?.text ?? "")), search: option.text?.text ?? "",
    description: option.description?.text, selected, option };
}

function overflow(element, block, surface) {
  const node = h("button", { type: "button", class: "button button-overflow", "aria-haspopup": "listbox", "aria-expanded": "false", "aria-label": "More actions",
    dataset: { actionId: element.action_id } }, icon("more"));
  const pick = async ({ option }) => {
    const went = await act(element, block, surface, node, option.value);
    if (went && option.url) window.open(option.url, "_blank", "noopener,noreferrer");
  };
  node.addEventListener("click", () => openMenu(node, (element.options ?? []).map((option) => menuRow(option, false)), pick, { label: "More actions" }));
  return node;
}

const directories = {
  users_select: (world) => world.users().map((user) => ({ value: user.id, text: { text: user.real_name || user.name } })),
  channels_select: (world) => world.channels().map((channel) => ({ value: channel.id, text: { text: `# ${channel.name}` } })),
};
directories.conversations_select = directories.channels_select;

function initialOf(element) {
  return element.initial_option?.value ?? element.initial_user ?? element.initial_channel ?? element.initial_conversation ?? null;
}

function select(element, block, surface) {
  const options = directories[element.type] ? directories[element.type](surface.world) : optionsOf(element);
  const face = h("span", { class: "select-face" });
  const node = h("button", { type: "button", class: "select", "aria-haspopup": "listbox", "aria-expanded": "false", dataset: { actionId: element.action_id } }, face, icon("chevron"));
  const show = (value) => {
    const option = options.find((candidate) => candidate.value === value);
    face.replaceChildren(...plain(option?.text?.text ?? element.placeholder?.text ?? "Select an option"));
    face.classList.toggle("placeholder", !option);
  };
  show(chosen(surface, block, element, initialOf(element)));
  node.addEventListener("click", () => openMenu(node, options.map((option) => menuRow(option, option.value === chosen(surface, block, element, null))), async ({ option }) => {
    const before = chosen(surface, block, element, null);
    keep(surface, block, element, option.value);
    show(option.value);
    if (reports(block) && !(await act(element, block, surface, node, option.value))) {
      keep(surface, block, element, before);
      show(before);
    }
  }, { label: element.placeholder?.text ?? "Options" }));
  return node;
}

function multiSelect(element, block, surface) {
  const kind = element.type.replace("multi_", "");
  const options = directories[kind] ? directories[kind](surface.world) : optionsOf(element).filter((option) => !option.group);
  const initial = element.initial_options?.map((option) => option.value) ?? element.initial_users ?? element.initial_channels ?? element.initial_conversations ?? [];
  const asChecks = { ...element, type: "checkboxes", options, initial_options: options.filter((option) => initial.includes(option.value)) };
  return h("div", { class: "multi-select" }, checkboxes(asChecks, block, surface));
}

function plainWords(element, block, surface) {
  return h("span", { class: "section-text" }, textObject(element, surface.world));
}

// Elements of an input block stay silent until submit, unless dispatch_action says otherwise.
export const reports = (block) => block.type !== "input" || block.dispatch_action === true;

const notShown = (element) => h("span", { class: "block-unknown" }, `This element is not shown here: ${element.type}`);

const ELEMENTS = {
  button, workflow_button: button, overflow,
  static_select: select, users_select: select, channels_select: select, conversations_select: select,
  multi_static_select: multiSelect, multi_users_select: multiSelect, multi_channels_select: multiSelect, multi_conversations_select: multiSelect,
  datepicker: nativePicker("date", "initial_date"), timepicker: nativePicker("time", "initial_time"), datetimepicker: dateTimePicker,
  radio_buttons: radioButtons, checkboxes,
  plain_text_input: textInput, rich_text_input: textInput, number_input: numberInput, email_text_input: emailInput, url_text_input: urlInput,
  image: (element) => picture(element, "thumbnail"),
  plain_text: plainWords, mrkdwn: plainWords,
};

export function element(part, block, surface) {
  const draw = ELEMENTS[part?.type];
  const listening = { ...surface, report: (node, value) => (reports(block) ? act(part, block, surface, node, value) : true) };
  return draw ? draw(part, block, listening) : notShown(part ?? {});
}
