// Block Kit to DOM. `render(blocks, surface)` is a pure function of its arguments: the surface
// says who is reading (names, zone), what was typed so far, and where an act goes.
//
// surface = { world, form, place, act(element, block, value, node), errors }
//   world: { zone, userName, channelName, groupName, concerns }, see reader.js
//   form:  Map "block_id action_id" -> value, shared by all renderings of one message or view
//   place: "message" | "modal" | "home"

import { h } from "../dom.js";
import { actions, input } from "./inputs.js";
import { file, image, video } from "./media.js";
import { markdown } from "./markdown.js";
import { richText } from "./rich_text.js";
import { table } from "./table.js";
import { alert, context, divider, header, section } from "./text.js";

const BLOCKS = { section, header, divider, context, actions, input, image, video, file, markdown, table, alert, rich_text: richText };

export function unknown(type) {
  return h("div", { class: "block-unknown" }, `This block type is not shown here: ${type ?? "(no type)"}`);
}

export function renderBlock(block, surface) {
  const draw = BLOCKS[block?.type];
  const node = draw ? draw(block, surface) : unknown(block?.type);
  node.classList.add("block");
  node.dataset.block = block?.type ?? "";
  if (block?.block_id) node.dataset.blockId = block.block_id;
  return node;
}

export function render(blocks, surface) {
  return h("div", { class: `blocks blocks-${surface.place}` }, (blocks ?? []).map((block) => renderBlock(block, surface)));
}
