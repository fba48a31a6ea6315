// What a person has put into the fields of one message or view. Values outlive a re-rendering
// as long as block_id and action_id stay the same, as in Slack.

const keyOf = (block, element) => JSON.stringify([block.block_id ?? "", element.action_id ?? ""]);

export function chosen(surface, block, element, initial) {
  const key = keyOf(block, element);
  if (!surface.form.has(key)) surface.form.set(key, initial ?? null);
  return surface.form.get(key);
}

export const keep = (surface, block, element, value) => surface.form.set(keyOf(block, element), value);

const HELD = ["value", "selected_date", "selected_time", "selected_date_time", "selected_user", "selected_users", "selected_channel",
  "selected_channels", "selected_conversation", "selected_conversations"];

function heldValue(held) {
  if ("selected_option" in held) return held.selected_option?.value ?? null;
  if ("selected_options" in held) return held.selected_options.map((option) => option.value);
  return held[HELD.find((name) => name in held)] ?? null;
}

// A form from what the server remembers of a view (Slack's state.values), after a reload.
export function restored(values) {
  const form = new Map();
  for (const [block, fields] of Object.entries(values ?? {})) {
    for (const [action, held] of Object.entries(fields)) form.set(JSON.stringify([block, action]), heldValue(held));
  }
  return form;
}

// {block_id: {action_id: value}} of the fields that the blocks show now.
export function valuesOf(blocks, form) {
  const out = {};
  const take = (block, element) => {
    const key = keyOf(block, element ?? {});
    if (!element || !form.has(key)) return;
    out[block.block_id] = { ...out[block.block_id], [element.action_id]: form.get(key) };
  };
  for (const block of blocks ?? []) {
    [block.element, block.accessory, ...(block.type === "actions" ? block.elements ?? [] : [])].forEach((element) => take(block, element));
  }
  return out;
}

// What is missing before anything is sent: {block_id: sentence}.
export function missing(blocks, form) {
  const out = {};
  for (const block of blocks ?? []) {
    if (block.type !== "input" || block.optional) continue;
    const value = form.get(keyOf(block, block.element ?? {}));
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) out[block.block_id] = "Please complete this required field.";
  }
  return out;
}
