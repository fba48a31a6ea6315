// The workspace as the server last described it to the acting person. `apply` folds a frame
// in and says what changed, so that only those parts of the page are drawn again.

const EMPTY = () => ({
  rev: 0, team: { name: "", domain: "" }, me: null, app: null, users: new Map(), usergroups: new Map(), channels: new Map(),
  messages: new Map(), ephemerals: new Map(), views: [], home: null, commands: [],
});

export const workspace = EMPTY();

export function forget() {
  Object.assign(workspace, EMPTY());
}

const DIRECTORIES = ["users", "usergroups", "channels"];
const PLAIN = ["team", "me", "app", "views", "home", "commands"];

function fold(entries, byChannel) {
  for (const entry of entries) {
    if (!byChannel.has(entry.channel)) byChannel.set(entry.channel, new Map());
    byChannel.get(entry.channel).set(entry.ts, entry);
  }
}

export function apply(frame) {
  if (frame.type === "full") forget();
  const changed = new Set(Object.keys(frame).filter((key) => key in workspace));
  workspace.rev = frame.rev;
  PLAIN.filter((key) => key in frame).forEach((key) => { workspace[key] = frame[key]; });
  DIRECTORIES.filter((key) => frame[key]).forEach((key) => frame[key].forEach((entry) => workspace[key].set(entry.id, entry)));
  fold(frame.messages ?? [], workspace.messages);
  fold(frame.ephemerals ?? [], workspace.ephemerals);
  if (frame.type === "full") ["views", "home"].forEach((key) => changed.add(key));
  return changed;
}

const byTs = (one, other) => (one.ts < other.ts ? -1 : one.ts > other.ts ? 1 : 0);

const all = (byChannel, channel) => [...(byChannel.get(channel)?.values() ?? [])];

const isReply = (entry) => Boolean(entry.thread_ts) && entry.thread_ts !== entry.ts;

// Messages of the channel itself. A deleted one stays as long as it has a thread.
export function channelMessages(channel) {
  const threads = new Set(all(workspace.messages, channel).filter((entry) => isReply(entry) && !entry.deleted).map((entry) => entry.thread_ts));
  const told = all(workspace.messages, channel).filter((entry) => (!isReply(entry) || entry.broadcast) && (!entry.deleted || threads.has(entry.ts)));
  const whispered = all(workspace.ephemerals, channel).filter((entry) => !isReply(entry) && !entry.deleted).map((entry) => ({ ...entry, ephemeral: true, source: entry }));
  return [...told, ...whispered].sort(byTs);
}

export function threadMessages(channel, parent) {
  const inside = (entry) => entry.thread_ts === parent && entry.ts !== parent && !entry.deleted;
  const whispered = all(workspace.ephemerals, channel).filter(inside).map((entry) => ({ ...entry, ephemeral: true, source: entry }));
  return [...all(workspace.messages, channel).filter(inside), ...whispered].sort(byTs);
}

export const messageAt = (channel, ts) => workspace.messages.get(channel)?.get(ts) ?? null;

// parent ts -> {count, last, users} for every thread of a channel, in one pass.
export function threadsOf(channel) {
  const threads = new Map();
  for (const reply of all(workspace.messages, channel).filter((entry) => isReply(entry) && !entry.deleted)) {
    const thread = threads.get(reply.thread_ts) ?? { count: 0, last: "", users: [] };
    thread.count += 1;
    if (reply.ts > thread.last) thread.last = reply.ts;
    if (!thread.users.includes(reply.user)) thread.users.push(reply.user);
    threads.set(reply.thread_ts, thread);
  }
  return threads;
}

// The acting person's direct messages with the app: the only ones a workspace of one app has.
export function appChannel() {
  const direct = [...workspace.channels.values()].filter((channel) => channel.kind === "im");
  return direct.find((channel) => [workspace.app?.user_id, workspace.me].includes(channel.user)) ?? null;
}

export const isApp = (user) => user === workspace.app?.user_id;
