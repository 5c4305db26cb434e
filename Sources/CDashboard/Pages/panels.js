// The panels of the overview: memory and store, origins, loads under way, the daemon.
import { bar, facts, make } from "./dom.js";
import { bytes, count, duration, percent, plural } from "./format.js";

export function spaces(status) {
  const { memory, store } = status;
  const part = (title, used, limit, note) => make(
    "div",
    { class: "space" },
    make("p", { class: "split" }, make("span", {}, title), make("b", {}, `${bytes(used)} of ${bytes(limit)}`)),
    bar(limit > 0 ? used / limit : 0, `${title}: ${percent(used, limit)} used`),
    make("p", { class: "note" }, note),
  );
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, "Memory and store"),
    part("Memory", memory.usedBytes, memory.limitBytes,
      `${plural(memory.entries, "response")}${memory.residentBytes ? `; the process takes ${bytes(memory.residentBytes)}` : ""}`),
    store
      ? part("Store", store.usedBytes, store.limitBytes,
        `${plural(store.entries, "response")}; ${store.state}${store.reason ? `: ${store.reason}` : ""}`)
      : make("p", { class: "note" }, "There is no store: nothing is kept on disk."),
  );
}

export function origins(status) {
  const down = status.outages.map((outage) => make(
    "li",
    { class: "bad" },
    make("b", {}, outage.origin), ` is down since ${outage.since}: ${outage.reason}. `,
    outage.attemptUnderWay ? "It is being asked again now." : `It is asked again in ${duration(outage.nextAttemptSeconds)}.`,
  ));
  const reuse = status.upstream.withoutReuse.map((one) => make(
    "li", {}, make("b", {}, one.origin), ` sent bytes behind a response: for ${duration(one.secondsLeft)} each request gets a new connection.`));
  const names = status.names.servers.filter((server) => server.complaint).map((server) => make(
    "li", { class: "bad" }, make("b", {}, `name server ${server.address}`), `: ${server.complaint}`));
  const notes = [...down, ...reuse, ...names];
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, make("a", { href: "#/origins" }, "Origins")),
    notes.length > 0 ? make("ul", { class: "notes" }, notes) : make("p", {}, "All origins that were asked answer."),
    facts([
      ["Connections", `${count(status.upstream.connections)}, ${count(status.upstream.idleConnections)} idle`],
      ["Requests that wait for one", count(status.upstream.waiting)],
      ["Look-ups of names", count(status.names.underWay)],
    ]),
  );
}

export function loads(listed) {
  const rows = listed.map((one) => make(
    "li",
    {},
    make("a", { href: `#/resources/${one.id}` }, one.uri),
    one.progress === undefined
      ? make("p", { class: "note" }, "size unknown")
      : bar(one.progress, `${Math.round(100 * one.progress)} % loaded`),
  ));
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, "Loads under way"),
    rows.length > 0 ? make("ul", { class: "loads" }, rows) : make("p", {}, "None at the moment."),
  );
}

export function daemon(status) {
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, "Daemon"),
    facts([
      ["Version", status.version],
      ["Runs for", duration(status.uptimeSeconds)],
      ["Network", status.mode],
      ["Clients connect to", status.listeners.join(", ")],
      ["Connections of clients", count(status.connections)],
      ["Tunnels", `${count(status.tunnels.open)} open, ${count(status.tunnels.opened)} since the start`],
    ]),
    status.remarks.length > 0 && make("ul", { class: "notes" }, status.remarks.map((warning) => make("li", {}, warning))),
  );
}
