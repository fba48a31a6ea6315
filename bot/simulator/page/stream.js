// The live link to the server: one WebSocket per acting person, opened again with a growing
// pause when it breaks.

const PAUSES = [300, 1000, 2000, 5000];

export class Stream {
  #user = null;
  #socket = null;
  #attempt = 0;
  #timer = null;

  constructor({ onFrame, onLink }) {
    this.onFrame = onFrame;
    this.onLink = onLink;
    addEventListener("online", () => this.#retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#retryNow());
  }

  follow(user) {
    this.#user = user;
    this.#attempt = 0;
    this.#open();
  }

  #retryNow() {
    if (this.#timer === null) return;
    this.#attempt = 0;
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const former = this.#socket;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/sim/stream?user=${encodeURIComponent(this.#user)}`);
    this.#socket = socket;
    former?.close();
    socket.addEventListener("message", (event) => this.#receive(socket, JSON.parse(event.data)));
    socket.addEventListener("close", () => this.#lost(socket));
  }

  #receive(socket, frame) {
    if (socket !== this.#socket) return;
    if (frame.type === "full") {
      this.#attempt = 0;
      this.onLink(true);
    }
    this.onFrame(frame);
  }

  #lost(socket) {
    if (socket !== this.#socket) return;
    this.onLink(false);
    this.#timer = setTimeout(() => this.#open(), PAUSES[Math.min(this.#attempt, PAUSES.length - 1)]);
    this.#attempt += 1;
  }
}
