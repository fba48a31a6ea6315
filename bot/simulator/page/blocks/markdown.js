// The markdown block: the common part of Markdown (headings, lists, fences, quotes, rules,
// tables, bold, italic, strike, code, links). Text stays text: no HTML is understood.

import { h } from "../dom.js";
import { link, plain } from "../mrkdwn.js";

const INLINE = /`([^`\n]+)`|\[([^\]\n]+)\]\(([^)\s]+)\)|\*\*([^\n]+?)\*\*|__([^\n]+?)__|~~([^\n]+?)~~|\*([^*\s][^*\n]*?)\*|(?<!\w)_([^_\s][^_\n]*?)_(?!\w)|(https?:\/\/[^\s<>()]+)/g;

export function spans(text) {
  const out = [];
  let done = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, label, url, strong, strong2, strike, em, em2, bare] = match;
    out.push(...plain(text.slice(done, match.index)));
    if (code) out.push(h("code", { class: "code" }, code));
    else if (label) out.push(link(url, h("span", {}, spans(label))));
    else if (strong ?? strong2) out.push(h("strong", {}, spans(strong ?? strong2)));
    else if (strike) out.push(h("s", {}, spans(strike)));
    else if (em ?? em2) out.push(h("em", {}, spans(em ?? em2)));
    else out.push(link(bare));
    done = match.index + whole.length;
  }
  out.push(...plain(text.slice(done)));
  return out;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function tableOf(lines) {
  const row = (line, tag) => h("tr", {}, cells(line).map((cell) => h(tag, { class: "align-left" }, spans(cell))));
  return h("div", { class: "table-scroll" }, h("table", { class: "table" },
    h("thead", {}, row(lines[0], "th")), h("tbody", {}, lines.slice(2).map((line) => row(line, "td")))));
}

function listOf(lines) {
  const ordered = /^\s*\d+[.)]/.test(lines[0]);
  return h(ordered ? "ol" : "ul", { class: "rich-list" }, lines.map((line) => {
    const [, indent, text] = /^(\s*)(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    return h("li", { class: indent.length > 1 ? "indent-1" : "" }, spans(text));
  }));
}

// Each rule: does the line start it, and which following lines belong to it.
const RULES = [
  { starts: (line) => /^#{1,6}\s/.test(line), draw: ([line]) => h("h4", { class: "md-heading" }, spans(line.replace(/^#+\s+/, ""))) },
  { starts: (line) => /^\s*([-*_])(\s*\1){2,}\s*$/.test(line), draw: () => h("hr", { class: "divider" }) },
  { starts: (line) => /^>/.test(line), more: (line) => /^>/.test(line), draw: (lines) => h("blockquote", { class: "quote" }, spans(lines.map((line) => line.replace(/^> ?/, "")).join("\n"))) },
  { starts: (line, next) => line.includes("|") && /^\s*\|?\s*:?-+/.test(next ?? "") && next.includes("|"), more: (line) => line.includes("|"), draw: tableOf },
  { starts: (line) => /^\s*([-*+]|\d+[.)])\s+/.test(line), more: (line) => /^\s*([-*+]|\d+[.)])\s+/.test(line), draw: listOf },
];

function paragraph(lines, from) {
  let end = from + 1;
  while (end < lines.length && lines[end].trim() && !lines[end].startsWith("```") && !RULES.some((rule) => rule.starts(lines[end], lines[end + 1]))) end += 1;
  return [h("p", { class: "md-paragraph" }, spans(lines.slice(from, end).join("\n"))), end];
}

function fence(lines, from) {
  let end = from + 1;
  while (end < lines.length && !lines[end].startsWith("```")) end += 1;
  return [h("pre", { class: "fence" }, lines.slice(from + 1, end).join("\n")), end + 1];
}

function next(lines, from) {
  if (!lines[from].trim()) return [null, from + 1];
  if (lines[from].startsWith("```")) return fence(lines, from);
  const rule = RULES.find((candidate) => candidate.starts(lines[from], lines[from + 1]));
  if (!rule) return paragraph(lines, from);
  let end = from + 1;
  while (rule.more && end < lines.length && rule.more(lines[end])) end += 1;
  return [rule.draw(lines.slice(from, end)), end];
}

export function markdown(block) {
  const lines = (block.text ?? "").split("\n");
  const out = [];
  for (let at = 0; at < lines.length;) {
    const [node, end] = next(lines, at);
    if (node) out.push(node);
    at = end;
  }
  return h("div", { class: "markdown" }, out);
}
