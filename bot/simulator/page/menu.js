// A pop-up list beside a button: selects, overflow menus, the switch of persons. Arrow keys
// move, Enter picks, Escape closes and gives the focus back; long lists get a search field.

import { h, freshId } from "./dom.js";

const SEARCH_FROM = 8;
let open = null;

export function closeMenu(refocus = false) {
  if (!open) return;
  const { panel, anchor } = open;
  open = null;
  panel.remove();
  anchor.setAttribute("aria-expanded", "false");
  if (refocus) anchor.focus();
}

function place(panel, anchor) {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = box.bottom + 4 + height <= innerHeight || box.top < height;
  panel.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  panel.style.top = `${Math.max(8, below ? Math.min(box.bottom + 4, innerHeight - height - 8) : box.top - height - 4)}px`;
}

function row(item, pick) {
  return h("button", { type: "button", class: `menu-item ${item.className ?? ""}`, role: "option", tabindex: "-1", id: freshId("option"),
    "aria-selected": String(Boolean(item.selected)), dataset: { value: item.value, ...item.dataset }, on: { click: () => pick(item) } },
  item.content ?? item.label, item.description && h("span", { class: "menu-description" }, item.description));
}

function filled(list, items, query, pick) {
  const found = items.filter((item) => item.group || (item.search ?? "").toLowerCase().includes(query.toLowerCase()));
  list.replaceChildren(...found.map((item) => (item.group ? h("div", { class: "menu-group", role: "presentation" }, item.group) : row(item, pick))));
  if (!list.querySelector(".menu-item")) list.append(h("div", { class: "menu-empty" }, "No matches"));
}

function steps(event, panel) {
  const rows = [...panel.querySelectorAll(".menu-item")];
  const at = rows.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at < 0 ? rows.length - 1 : at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next !== undefined && rows.length) {
    event.preventDefault();
    rows[(next + rows.length) % rows.length].focus();
  } else if (event.key === "Enter" && at < 0 && rows.length) {
    event.preventDefault();
    rows[0].click();
  } else if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    closeMenu(true);
  } else if (event.key === "Tab") closeMenu(true);
}

// items: {label, value, description?, selected?, search, content?, className?} or {group: title}
export function openMenu(anchor, items, onPick, { label = "Options", className = "" } = {}) {
  const again = open?.anchor === anchor;
  closeMenu();
  if (again) return;
  const list = h("div", { class: "menu-list", role: "listbox", "aria-label": label });
  const pick = (item) => { closeMenu(true); onPick(item); };
  const search = items.length > SEARCH_FROM && h("input", { class: "menu-search", type: "text", placeholder: "Search", "aria-label": "Search the list",
    on: { input: (event) => filled(list, items, event.target.value, pick) } });
  const panel = h("div", { class: `menu ${className}`, on: { keydown: (event) => steps(event, panel) } }, search, list);
  filled(list, items, "", pick);
  // Inside a modal dialog everything outside is inert, so the list lives with its button.
  (anchor.closest("dialog") ?? document.body).append(panel);
  open = { panel, anchor };
  anchor.setAttribute("aria-expanded", "true");
  place(panel, anchor);
  (search || list.querySelector('[aria-selected="true"]') || list.querySelector(".menu-item"))?.focus();
}

document.addEventListener("pointerdown", (event) => {
  if (open && !open.panel.contains(event.target) && !open.anchor.contains(event.target)) closeMenu();
});
addEventListener("resize", () => closeMenu());
// Messages that arrive move the list under an open menu: it goes along instead of closing.
document.addEventListener("scroll", (event) => {
  if (open?.anchor.isConnected && !open.panel.contains(event.target)) place(open.panel, open.anchor);
}, true);
