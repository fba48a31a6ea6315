// What each person has read, kept in this browser per person and channel, and the private
// answers they dismissed.

import { channelMessages, workspace } from "./state.js";
import { worldNow } from "./time.js";

const AHEAD_S = 3600; // a mark beyond the present belongs to an earlier run of the world

const load = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
};

const marksKey = () => `slack-sim.read.${workspace.team.domain}.${workspace.me}`;

export function readMark(channel) {
  const mark = load(marksKey())[channel] ?? "0";
  return Number(mark) > worldNow() + AHEAD_S ? "0" : mark;
}

export function markRead(channel) {
  const latest = channelMessages(channel).at(-1)?.ts;
  if (!latest || latest <= readMark(channel)) return false;
  localStorage.setItem(marksKey(), JSON.stringify({ ...load(marksKey()), [channel]: latest }));
  return true;
}

const mentions = (message) => {
  const written = `${message.text ?? ""}${JSON.stringify(message.blocks ?? [])}`;
  const groups = [...workspace.usergroups.values()].filter((group) => group.users?.includes(workspace.me)).map((group) => `<!subteam^${group.id}`);
  return [`<@${workspace.me}>`, "<!here", "<!channel", "<!everyone", ...groups].some((mark) => written.includes(mark));
};

// {count, urgent}: urgent when the person is mentioned, or it is a direct message.
export function unread(channel) {
  const mark = readMark(channel.id);
  const fresh = channelMessages(channel.id).filter((message) => message.ts > mark && message.user !== workspace.me && !message.deleted && !message.ephemeral);
  return { count: fresh.length, urgent: channel.kind === "im" ? fresh.length > 0 : fresh.some(mentions) };
}
