// The page: wires the stream to the parts, and draws again those that a frame touched.

import { beginning, drawHead } from "./channel.js";
import { Composer } from "./composer.js";
import { askedUser, connectDesk, desk, followPermalink, onAppPage, openChannel, stand } from "./desk.js";
import { drawHome, forgetHome } from "./home.js";
import { closeMenu } from "./menu.js";
import { MessageList } from "./messages.js";
import { Modal } from "./modal.js";
import { drawClock, drawSwitch } from "./people.js";
import { openHome } from "./acts.js";
import { reader } from "./reader.js";
import { drawSidebar } from "./sidebar.js";
import { appChannel, apply, channelMessages, threadsOf, workspace } from "./state.js";
import { Stream } from "./stream.js";
import { ThreadPanel } from "./thread.js";
import { dayOf, refreshTimes, setClock, worldNow } from "./time.js";
import { markRead, readMark, unread } from "./unread.js";

const TICK_MS = 1000;
const LAST_PERSON = "slack-sim.person";
const at = (selector) => document.querySelector(selector);

const list = new MessageList(at("#channel-scroller"));
const composer = new Composer(at("#composer"), { testid: "composer", sendTestid: "send", label: "Message" });
const thread = new ThreadPanel(at("#thread"));
const modal = new Modal();
const stream = new Stream({ onFrame: receive, onLink: linked });
let today = null;
let wasLinked = false;

function drawChannel(world) {
  const channel = workspace.channels.get(desk.channel);
  const home = onAppPage() && desk.tab === "home";
  at("#home").hidden = !home;
  at("#channel").hidden = home;
  at("#composer").hidden = home || !channel;
  if (home) drawHome(at("#home"), world);
  if (home || !channel) return;
  const messages = channelMessages(channel.id);
  list.show(`${workspace.me} ${channel.id}`, messages, { world, threads: threadsOf(channel.id), newFrom: desk.atEntry, lead: lead(channel), redraw: drawAll });
  composer.aim({ channel: channel.id }, {
    placeholder: onAppPage() ? `Message ${workspace.app.name}` : `Message #${channel.name}`,
    closed: channel.is_archived ? "You are viewing an archived channel." : null,
  });
  readIfSeen(channel.id);
}

let leadOf = { key: null, nodes: [] };
function lead(channel) {
  const key = JSON.stringify([workspace.me, channel.id, channel.topic, channel.purpose]);
  if (leadOf.key !== key) leadOf = { key, nodes: beginning(channel) };
  return leadOf.nodes;
}

function readIfSeen(channel) {
  if (!document.hidden) markRead(channel);
}

function drawTitle() {
  const urgent = [...workspace.channels.values()].filter((channel) => channel.id !== desk.channel).reduce((sum, channel) => sum + (unread(channel).urgent ? unread(channel).count : 0), 0);
  const name = onAppPage() ? workspace.app.name : `#${workspace.channels.get(desk.channel)?.name ?? ""}`;
  document.title = `${urgent ? `(${urgent}) ` : ""}${name} · ${workspace.team.name}`;
}

function drawAll() {
  if (!workspace.me) return;
  const world = reader();
  at("#app").hidden = false;
  drawHead(at("#head"), () => at("#app").classList.toggle("side-open"));
  drawChannel(world);
  thread.draw(world);
  at("#app").classList.toggle("with-thread", !at("#thread").hidden);
  drawSidebar(at("#sidebar"));
  drawTitle();
  showHighlight();
}

function showHighlight() {
  const node = desk.highlight && document.querySelector(`.message[data-ts="${CSS.escape(desk.highlight)}"]`);
  if (!node) return;
  desk.highlight = null;
  node.classList.add("highlight");
  node.scrollIntoView({ block: "center" });
}

function forgetDrawn() {
  list.forget();
  thread.forget();
  forgetHome();
  closeMenu();
}

function receive(frame) {
  setClock(frame.now, frame.speed);
  const former = workspace.me;
  const wasOnApp = onAppPage();
  const changed = apply(frame);
  if (frame.type === "full") {
    if (wasOnApp) desk.channel = appChannel()?.id ?? null;
    if (former !== workspace.me) stand();
    forgetDrawn();
    if (onAppPage() && desk.tab === "home" && former !== workspace.me) openHome();
  } else if (["users", "usergroups", "app"].some((key) => changed.has(key))) forgetDrawn();
  if (["users", "me"].some((key) => changed.has(key))) drawSwitch(at("#person"), switchTo);
  drawAll();
  if (changed.has("views") || frame.type === "full") modal.draw(reader());
  drawClock(at("#clock"));
}

function linked(up) {
  at("#link").hidden = up || !wasLinked;
  wasLinked ||= up;
}

// Who is acting at first: the address says, or the last choice in this browser, or the first person.
async function firstPerson() {
  const { users } = await (await fetch("/sim/state")).json();
  const known = (id) => users.some((user) => user.id === id);
  return [askedUser, localStorage.getItem(LAST_PERSON)].find(known) ?? users[0]?.id;
}

function switchTo(user) {
  localStorage.setItem(LAST_PERSON, user);
  stream.follow(user);
}

function enter() {
  desk.atEntry = desk.channel ? readMark(desk.channel) : "0";
  at("#app").classList.remove("side-open");
}

function tick() {
  if (!workspace.me) return;
  const { zone } = reader();
  drawClock(at("#clock"));
  refreshTimes(document, zone);
  const day = dayOf(worldNow(), zone);
  if (today !== null && day !== today) drawAll(); // "Today" has become "Yesterday"
  today = day;
}

// Links inside the workspace stay on the page.
document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || event.metaKey || event.ctrlKey) return;
  const { openChannel: channel } = anchor.dataset;
  if (channel && workspace.channels.has(channel)) openChannel(channel);
  else if (channel || !followPermalink(anchor.href)) {
    if (channel) event.preventDefault();
    return;
  }
  event.preventDefault();
});

at("#scrim").addEventListener("click", () => at("#app").classList.remove("side-open"));
document.addEventListener("visibilitychange", () => { if (!document.hidden) drawAll(); });
connectDesk(drawAll, enter);
setInterval(tick, TICK_MS);
stream.follow(await firstPerson());
