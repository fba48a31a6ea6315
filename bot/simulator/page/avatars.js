// Faces: initials on a colour of the person's own; the app has a drawn one.

import { h } from "./dom.js";
import { botFace } from "./icons.js";
import { displayName, person } from "./reader.js";
import { isApp, workspace } from "./state.js";

const COLOURS = ["#2b6cb0", "#b7472a", "#2f855a", "#6b46c1", "#b83280", "#2c7a7b", "#975a16", "#4a5568", "#c05621", "#3c366b"];

// By place in the directory, so that nobody shares a colour in a small workspace.
function colourOf(id) {
  return COLOURS[Math.max(0, [...workspace.users.keys()].indexOf(id)) % COLOURS.length];
}

function initials(name) {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const latin = words.filter((word) => /^[A-Za-zÀ-ɏ]/.test(word));
  const letters = (latin.length ? latin : words).slice(0, 2).map((word) => [...word][0]);
  return letters.join("").toUpperCase() || "?";
}

export function avatar(id, size = "") {
  const user = person(id);
  if (isApp(id)) return h("span", { class: `avatar ${size}`, "aria-hidden": "true" }, botFace());
  return h("span", { class: `avatar ${size}`, "aria-hidden": "true", style: { "--face": colourOf(user.id) } }, initials(displayName(user)));
}
