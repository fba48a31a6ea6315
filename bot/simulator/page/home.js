// The app's Home tab, as the app last published it for this person.

import * as acts from "./acts.js";
import { render } from "./blocks/index.js";
import { fill, h } from "./dom.js";
import { workspace } from "./state.js";

const form = new Map();
let drawn = null;

async function clicked(view, element, block, value, node) {
  node.classList.add("busy");
  const answer = await acts.click({ view_id: view.id }, element, block, value);
  node.classList.remove("busy");
  node.classList.toggle("failed", acts.failed(answer));
}

export function forgetHome() {
  drawn = null;
}

export function drawHome(node, world) {
  const view = workspace.home?.view ?? workspace.home;
  if (drawn && drawn.view === view && drawn.me === world.me.id) return;
  if (drawn?.me !== world.me.id) form.clear();
  drawn = { view, me: world.me.id };
  if (!view?.blocks) {
    fill(node, h("div", { class: "empty" }, h("h2", {}, "Nothing here yet"), h("p", {}, `${workspace.app?.name ?? "The app"} has not set up its Home tab for you.`)));
    return;
  }
  const act = (element, block, value, target) => clicked(view, element, block, value, target);
  fill(node, h("div", { class: "home-inner" }, render(view.blocks, { world, form, place: "home", act })));
}
