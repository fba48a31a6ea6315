// Building DOM from data. Foreign text only ever becomes a text node or an attribute value;
// nothing on this page parses HTML, so nothing that a job prints can become markup.

const SVG = "http://www.w3.org/2000/svg";

function setProperty(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "class") node.setAttribute("class", value);
  else if (name === "dataset") Object.entries(value).forEach(([key, entry]) => {
    if (entry !== undefined && entry !== null) node.dataset[key] = entry;
  });
  else if (name === "on") Object.entries(value).forEach(([event, listen]) => node.addEventListener(event, listen));
  else if (name === "style") Object.entries(value).forEach(([key, entry]) => node.style.setProperty(key, entry));
  else if (name === "value") node.value = value;
  else node.setAttribute(name, value === true ? "" : String(value));
}

export function h(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  Object.entries(properties ?? {}).forEach(([name, value]) => setProperty(node, name, value));
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function svg(tag, properties = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  Object.entries(properties).forEach(([name, value]) => node.setAttribute(name, String(value)));
  node.append(...children);
  return node;
}

// Puts `wanted` into `parent` in order, moving and removing as little as possible, so that
// focus, hover, open menus and scroll positions of untouched nodes survive an update.
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  [...parent.childNodes].forEach((child) => keep.has(child) || child.remove());
  let cursor = parent.firstChild;
  for (const node of wanted) {
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

// Only schemes a chat client would follow; "javascript:" and friends become plain text.
export function safeUrl(url) {
  try {
    const parsed = new URL(url, location.href);
    return ["http:", "https:", "mailto:", "tel:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

let serial = 0;
export const freshId = (prefix) => `${prefix}-${(serial += 1)}`;
