// The page's own line icons, drawn on a 20 × 20 grid.

import { svg } from "./dom.js";

const PATHS = {
  hash: "M8 3 6.5 17M13.5 3 12 17M3.5 7.5h14M2.5 12.5h14",
  chevron: "m5 7.5 5 5 5-5",
  back: "M12 4.5 6.5 10l5.5 5.5",
  close: "m5 5 10 10M15 5 5 15",
  eye: "M1.8 10S4.8 4.6 10 4.6 18.2 10 18.2 10 15.2 15.4 10 15.4 1.8 10 1.8 10Zm8.2 2.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2Z",
  reply: "M3 4.5h14v9.5H9.5L6 17v-3H3Z",
  link: "M8.2 11.8a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-.8.8M11.8 8.2a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l.8-.8",
  send: "M3.2 3.6 17.4 10 3.2 16.4 5.4 10Zm2.2 6.4h6",
  slash: "M4 3h12v14H4Zm7.5 3.5-3 7",
  at: "M13.2 10a3.2 3.2 0 1 1-6.4 0 3.2 3.2 0 0 1 6.4 0Zm0 0v1a2 2 0 0 0 4 0v-1a7.2 7.2 0 1 0-2.9 5.8",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  down: "M10 4v12m-5-5 5 5 5-5",
  download: "M10 3v9m-4-4 4 4 4-4M4 16.5h12",
  file: "M5 2.5h6.5L15.5 7v10.5H5Zm6.5 0V7h4",
  archive: "M2.5 4h15v3.5h-15Zm1.2 3.5V16h12.6V7.5M8 11h4",
  warning: "M10 3 18 16.8H2Zm0 5v4.2m0 2.2v.1",
  info: "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 9v5m0-7.6v.1",
  check: "m4 10.5 4 4 8-9",
  error: "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM7.2 7.2l5.6 5.6m0-5.6-5.6 5.6",
  home: "M3 9.5 10 3.5l7 6V17h-4.8v-4.5H7.8V17H3Z",
  clock: "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 5.8V10l3 2",
};

export function icon(name, className = "") {
  const path = svg("path", { d: PATHS[name] });
  return svg("svg", { viewBox: "0 0 20 20", class: `icon icon-${name} ${className}`, "aria-hidden": "true" }, path);
}

// The bot's face: a chip with a pulse running through it.
export function botFace() {
  return svg("svg", { viewBox: "0 0 36 36", class: "bot-face", "aria-hidden": "true" },
    svg("rect", { x: 0, y: 0, width: 36, height: 36, fill: "#12343b" }),
    svg("path", { d: "M13 4v4M18 4v4M23 4v4M13 28v4M18 28v4M23 28v4M4 13h4M4 18h4M4 23h4M28 13h4M28 18h4M28 23h4", stroke: "#5ec2a8", "stroke-width": 2, "stroke-linecap": "round" }),
    svg("rect", { x: 8.5, y: 8.5, width: 19, height: 19, rx: 4, fill: "#1f6f63", stroke: "#5ec2a8", "stroke-width": 1.5 }),
    svg("path", { d: "M11.5 18.5h3l2-5 3 9 2-4h3", fill: "none", stroke: "#fff", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" }));
}
