// Pictures, videos and files, in blocks and below messages.

import { h, safeUrl } from "../dom.js";
import { icon } from "../icons.js";
import { plain } from "../mrkdwn.js";

const PREVIEW_BYTES = 20000;

export const fileUrl = (id) => `/sim/files/${encodeURIComponent(id)}`;

export function sourceOf(part) {
  if (part.image_url) return safeUrl(part.image_url);
  if (part.slack_file?.id) return fileUrl(part.slack_file.id);
  return part.slack_file?.url ? safeUrl(part.slack_file.url) : null;
}

export function picture(part, className) {
  const source = sourceOf(part);
  if (!source) return h("span", { class: "picture-missing" }, part.alt_text || "picture");
  const node = h("img", { class: className, src: source, alt: part.alt_text ?? "", loading: "lazy" });
  node.addEventListener("error", () => node.replaceWith(h("span", { class: "picture-missing" }, part.alt_text || "picture")));
  return node;
}

export function image(block) {
  const title = block.title && h("figcaption", { class: "image-title" }, plain(block.title.text ?? ""));
  const opened = h("a", { href: sourceOf(block), target: "_blank", rel: "noopener noreferrer", class: "image-link" }, picture(block, "image"));
  return h("figure", { class: "image-block" }, title, opened);
}

export function video(block) {
  return h("figure", { class: "image-block" }, h("figcaption", { class: "image-title" }, plain(block.title?.text ?? "Video")),
    h("a", { class: "link", href: safeUrl(block.title_url ?? block.video_url ?? ""), target: "_blank", rel: "noopener noreferrer" }, "Open the video"));
}

export function file(block) {
  const id = block.file_id ?? block.external_id;
  return h("div", { class: "file-card" }, icon("file"), h("a", { class: "link", href: fileUrl(id), target: "_blank" }, `File ${id}`));
}

export function sizeText(bytes) {
  if (!Number.isFinite(bytes)) return "";
  const units = ["bytes", "kB", "MB", "GB"];
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${power ? (bytes / 1000 ** power).toFixed(bytes / 1000 ** power < 10 ? 1 : 0) : bytes} ${units[power]}`;
}

const isText = (shared) => /^text\/|json|xml|yaml|x-sh|javascript/.test(shared.mimetype ?? "");
const isPicture = (shared) => /^image\//.test(shared.mimetype ?? "");

async function preview(shared, into) {
  const answer = await fetch(fileUrl(shared.id));
  const text = answer.ok ? (await answer.text()).slice(0, PREVIEW_BYTES) : "The file could not be read.";
  into.textContent = text;
  into.parentElement.classList.toggle("short", text.split("\n").length <= 8);
}

function textPreview(shared) {
  const body = h("pre", { class: "file-text", tabindex: "0", "aria-label": `Beginning of ${shared.name}` }, "Loading…");
  const more = h("button", { type: "button", class: "see-more", "aria-expanded": "false" }, "Show more");
  const box = h("div", { class: "file-preview" }, body, more);
  more.addEventListener("click", () => {
    const open = box.classList.toggle("unfolded");
    more.textContent = open ? "Show less" : "Show more";
    more.setAttribute("aria-expanded", String(open));
  });
  preview(shared, body).catch(() => { body.textContent = "The file could not be read."; });
  return box;
}

function fileHead(shared) {
  return h("div", { class: "file-head" }, h("span", { class: "file-icon" }, icon("file")),
    h("span", { class: "file-names" },
      h("span", { class: "file-title" }, shared.title || shared.name),
      h("span", { class: "file-meta" }, [shared.name !== shared.title && shared.title ? shared.name : null, sizeText(shared.size)].filter(Boolean).join(" · "))),
    h("a", { class: "icon-button", href: fileUrl(shared.id), download: shared.name ?? "", "aria-label": `Download ${shared.name}`, title: "Download" }, icon("download")));
}

// A file shared in a message.
export function sharedFile(shared) {
  if (isPicture(shared)) return image({ slack_file: { id: shared.id }, alt_text: shared.title ?? shared.name, title: { text: shared.title || shared.name } });
  return h("div", { class: "file-box", dataset: { file: shared.id } }, fileHead(shared), isText(shared) && textPreview(shared));
}
