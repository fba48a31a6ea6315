// The acting person's eyes: names, zone and what concerns them. This is the `world` that the
// renderers take, so that they stay free of the page's state.

import { workspace } from "./state.js";

const supportedZone = (tz) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: tz });
    return tz;
  } catch {
    return "UTC";
  }
};

const locale = (tag) => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en-US";
  } catch {
    return "en-US";
  }
};

export const person = (id) => workspace.users.get(id) ?? { id, name: id, real_name: id };

export function zoneOf(user) {
  return { tz: supportedZone(user?.tz ?? "UTC"), locale: locale(user?.locale ?? "en-US") };
}

export const displayName = (user) => user.real_name || user.name || user.id;

export function reader() {
  const me = person(workspace.me);
  return {
    me,
    zone: zoneOf(me),
    concerns: (id) => id === me.id || (workspace.usergroups.get(id)?.users ?? []).includes(me.id),
    userName: (id) => displayName(person(id)),
    channelName: (id) => workspace.channels.get(id)?.name ?? null,
    groupName: (id) => workspace.usergroups.get(id)?.handle ?? null,
    users: () => [...workspace.users.values()],
    channels: () => [...workspace.channels.values()].filter((channel) => channel.kind !== "im"),
  };
}

// Who may be played on this page, operators before guests.
export function people() {
  return [...workspace.users.values()].filter((user) => !user.is_bot).sort((one, other) => Number(Boolean(one.is_restricted)) - Number(Boolean(other.is_restricted)));
}

export function roleOf(user) {
  if (user.is_restricted) return user.title ? `${user.title} · guest account` : "Guest";
  return user.title || "Member";
}
