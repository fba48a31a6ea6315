// What the composer offers while a person types: slash commands, their sub-commands, people
// and emoji. Pure: text and caret in, suggestions out.

import { emojiNames, emojiOf } from "./emoji.js";
import { displayName } from "./reader.js";

const MOST = 10;

// A command may list its sub-commands; otherwise its usage hint ("help | jobs [--mine] | …") does.
export function subCommands(command) {
  if (command.subcommands?.length) return command.subcommands.map(({ name, hint, usage_hint: usage, description }) => ({ name, hint: hint ?? usage ?? "", description: description ?? "" }));
  return (command.usage_hint ?? "").split("|").map((part) => part.trim().replace(/^\[([^\]]*)\]$/, "$1")).filter((part) => /^[a-z]/i.test(part))
    .map((part) => ({ name: part.split(/\s/)[0], hint: part.split(/\s+/).slice(1).join(" "), description: "" }));
}

function commandItems(text, commands) {
  return commands.filter((command) => command.command.startsWith(text)).map((command) => ({
    insert: `${command.command} `, from: 0, title: command.command, hint: command.usage_hint, description: command.description, kind: "command",
  }));
}

function subItems(text, commands) {
  const found = /^(\/\S+)\s+(\S*)$/.exec(text);
  const command = found && commands.find((candidate) => candidate.command === found[1]);
  if (!command) return [];
  return subCommands(command).filter((sub) => sub.name.startsWith(found[2].toLowerCase())).map((sub) => ({
    insert: `${found[1]} ${sub.name} `, from: 0, title: `${found[1]} ${sub.name}`, hint: sub.hint, description: sub.description, kind: "command", whole: found[2] === sub.name,
  }));
}

function peopleItems(before, users, appId) {
  const found = /(?:^|\s)@([\p{L}\p{N}._-]*)$/u.exec(before);
  if (!found) return [];
  const wanted = found[1].toLowerCase();
  return users.filter((user) => !user.is_bot || user.id === appId).filter((user) => user.name.toLowerCase().startsWith(wanted) || displayName(user).toLowerCase().split(/\s+/).some((word) => word.startsWith(wanted)))
    .sort((one, other) => Number(other.id === appId) - Number(one.id === appId))
    .map((user) => ({ insert: `@${user.name} `, from: before.length - found[1].length - 1, title: displayName(user), hint: user.name, kind: "person", user: user.id }));
}

function emojiItems(before) {
  const found = /(?:^|\s):([a-z0-9_+-]{2,})$/.exec(before);
  if (!found) return [];
  return emojiNames(found[1]).map((name) => ({ insert: `${emojiOf(name)} `, from: before.length - found[1].length - 1, title: `:${name}:`, face: emojiOf(name), kind: "emoji" }));
}

export function suggestions(text, caret, { commands, users, appId, slash }) {
  const before = text.slice(0, caret);
  if (slash && caret === text.length && text.startsWith("/")) {
    const items = text.includes(" ") ? subItems(text, commands) : commandItems(text, commands);
    return items.length === 1 && items[0].whole ? [] : items.slice(0, 20);
  }
  const items = peopleItems(before, users, appId);
  return (items.length ? items : emojiItems(before)).slice(0, MOST);
}

// What is sent: special characters escaped, "@name" of a known person as a mention.
export function encode(text, users) {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return escaped.replace(/(^|[\s(])@([\w.-]*\w)/g, (whole, lead, name) => {
    const user = users.find((candidate) => candidate.name === name);
    return user ? `${lead}<@${user.id}>` : whole;
  });
}
