// The table block: the first row is the head, columns align and wrap by column_settings.

import { h } from "../dom.js";
import { runs } from "./rich_text.js";

function content(cell, world) {
  if (cell?.type === "rich_text") return (cell.elements ?? []).map((part) => h("div", {}, runs(part.elements, world)));
  if (cell?.type === "raw_number") return cell.text ?? String(cell.value ?? "");
  return cell?.text ?? "";
}

function row(cells, tag, settings, world) {
  return h("tr", {}, cells.map((cell, index) => {
    const { align, is_wrapped: wrapped } = settings[index] ?? {};
    const side = align ?? (cell?.type === "raw_number" ? "right" : "left");
    return h(tag, { class: `align-${side}${wrapped ? " wrapped" : ""}`, scope: tag === "th" ? "col" : undefined }, content(cell, world));
  }));
}

export function table(block, surface) {
  const settings = block.column_settings ?? [];
  const [head = [], ...rest] = block.rows ?? [];
  return h("div", { class: "table-scroll", tabindex: "0", role: "group", "aria-label": "Table" },
    h("table", { class: "table" },
      h("thead", {}, row(head, "th", settings, surface.world)),
      h("tbody", {}, rest.map((cells) => row(cells, "td", settings, surface.world)))));
}
