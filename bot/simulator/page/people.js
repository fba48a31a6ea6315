// Who is acting: the switch of persons in the top bar, and the world's clock as they see it.

import { avatar } from "./avatars.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { openMenu } from "./menu.js";
import { displayName, people, person, roleOf, zoneOf } from "./reader.js";
import { workspace } from "./state.js";
import { clockTime, dayTitle, worldNow, worldSpeed } from "./time.js";

function card(user) {
  return h("span", { class: "person" }, avatar(user.id, "avatar-medium"),
    h("span", { class: "person-words" },
      h("span", { class: "person-name" }, displayName(user), user.is_restricted && h("span", { class: "guest-badge" }, "GUEST")),
      h("span", { class: "person-role" }, `${roleOf(user)} · ${clockTime(worldNow(), zoneOf(user))} ${user.tz?.split("/").pop().replace(/_/g, " ") ?? ""}`)));
}

export function drawSwitch(node, onSwitch) {
  const me = person(workspace.me);
  const entries = () => people().map((user) => ({ value: user.id, content: card(user), selected: user.id === workspace.me, search: `${user.name} ${displayName(user)}`, className: "menu-person", dataset: { user: user.id } }));
  const button = h("button", { type: "button", class: "person-switch", "aria-haspopup": "listbox", "aria-expanded": "false", dataset: { testid: "person-switch", user: me.id }, "aria-label": `Acting as ${displayName(me)}. Switch person`,
    on: { click: () => openMenu(button, entries(), (item) => onSwitch(item.value), { label: "Act as", className: "menu-people" }) } },
  avatar(me.id, "avatar-medium"),
  h("span", { class: "person-words" }, h("span", { class: "acting" }, "Acting as"), h("span", { class: "person-name" }, displayName(me))),
  icon("chevron"));
  fill(node, button);
}

export function drawClock(node) {
  const { zone } = { zone: zoneOf(person(workspace.me)) };
  const now = worldNow();
  const speed = worldSpeed();
  const text = `${dayTitle(now, zone)}, ${clockTime(now, zone)}`;
  const pace = speed === 0 ? "paused" : speed === 1 ? "" : `${speed}×`;
  fill(node, icon("clock"), h("span", { class: "clock-time" }, text), pace && h("span", { class: "clock-pace", title: `The simulated world runs ${speed} times as fast as ours` }, pace));
}
