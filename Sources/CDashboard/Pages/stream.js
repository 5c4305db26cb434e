// Server-sent events, read by fetch: an EventSource sends no field, and so no proof of the session.
import { check, send } from "./api.js";

/** Calls `receive` with name, id and data of each event of a response, until it ends. */
async function read(response, receive) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = (rest + piece.value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").filter((line) => !line.startsWith(":")).map((line) => line.split(/: ?(.*)/s, 2)));
      if (fields.data !== undefined) receive(fields.event, fields.id, JSON.parse(fields.data));
    }
  }
}

/**
 * A stream that is followed while somebody looks, and goes on behind the last event when it was cut.
 *
 * `path` returns where to ask, given the last event's id; `receive` gets each event; `begun` runs when the answer has
 * come, and `failed` when there is none.
 */
export class Stream {
  constructor(visit, { path, receive, begun, failed }) {
    Object.assign(this, { visit, path, receive, begun, failed });
    this.isPaused = false;
    this.last = undefined;
    this.current = new AbortController();
    document.addEventListener("visibilitychange", () => this.restart(), { signal: visit.signal });
  }

  restart() {
    this.current.abort();
    this.current = new AbortController();
    if (!this.isPaused && !document.hidden && !this.visit.isOver) this.#follow();
  }

  async #follow() {
    const signal = AbortSignal.any([this.visit.signal, this.current.signal]);
    try {
      const headers = this.last === undefined ? {} : { "Last-Event-ID": this.last };
      const response = await check(await send(this.path(this.last), { headers, signal }));
      this.begun();
      await read(response, (event, id, data) => {
        this.last = id ?? this.last;
        this.receive(event, data);
      });
      throw new Error("the daemon has ended the stream");
    } catch (error) {
      if (signal.aborted) return;
      this.failed(error);
      // A wrong filter or right stays wrong; a daemon that is gone comes back.
      if (error.status === undefined || error.status >= 500) setTimeout(() => signal.aborted || this.restart(), 2000);
    }
  }
}
