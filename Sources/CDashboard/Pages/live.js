// Requests as they are answered, and one of them with its reasons.
import { get, query } from "./api.js";
import { facts, failure, make, table, tableRow } from "./dom.js";
import { bytes, capitalized, milliseconds, plural } from "./format.js";
import { Stream } from "./stream.js";

/** Rows that are kept; older ones go. */
const mostRows = 300;
/** Requests from before the visit. */
const earlier = 50;

const columns = [
  { title: "Time" }, { title: "Method" }, { title: "URL", isMain: true }, { title: "Status", isNumber: true },
  { title: "Cache" }, { title: "Size", isNumber: true }, { title: "Took", isNumber: true },
];

const kinds = { hit: "fresh", stale: "stale", error: "error", refused: "error", revalidated: "fresh", collapsed: "fresh", miss: "loading" };
const outcome = (one) => make("span", { class: `badge ${kinds[one.cache] ?? "plain"}` }, one.cache);
const time = (one) => `${new Date(one.time).toLocaleTimeString("en-GB")}.${one.time.slice(20, 23)}`;
const took = (one) => milliseconds(one.durationMicroseconds);

const row = (one) => tableRow(columns, [
  time(one), one.method, make("a", { href: `#/live/${one.id}` }, one.url), one.status || "–", outcome(one), bytes(one.bytes), took(one),
]);

export async function live(content, { visit, parameters, rest }) {
  if (rest.length > 0) return one(content, visit, rest[0]);
  let filter = parameters.get("filter") ?? "";
  const stream = new Stream(visit, {
    path: (last) => `/v1/requests/stream?${query({ filter, last: last === undefined ? earlier : undefined })}`,
    begun: () => { trouble.replaceChildren(); show(); },
    failed: (error) => { trouble.replaceChildren(failure(error)); show(); },
    receive,
  });

  const input = make("input", {
    id: "filter", name: "filter", type: "search", value: filter, placeholder: "cache=miss status=4xx slower=250ms example.org",
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", input: () => typed(),
  });
  const form = make(
    "form",
    { class: "filter", role: "search", submit: (event) => { event.preventDefault(); choose(); } },
    make("label", { for: "filter" }, "Filter"),
    input,
    make("p", { class: "note" }, "A part of a URL, a pattern, status=404, status=5xx, cache=hit,miss, method=POST, client=ADDRESS, service=NAME or slower=250ms; all must fit."),
  );
  const pause = make("button", { type: "button", "aria-pressed": "false", click: () => { stream.isPaused = !stream.isPaused; restart(); } }, "Pause");
  const clear = make("button", { type: "button", class: "quiet", click: () => { body.replaceChildren(); show(); } }, "Clear");
  const state = make("span", { class: "selection", role: "status" });
  const trouble = make("div");
  const list = table("Requests, the newest first", columns, [[]], "");
  const body = list.querySelector("tbody");
  body.replaceChildren();
  const empty = make("p", { class: "empty" }, "No request yet. Send one through the proxy, and it appears here.");
  content.append(make("h1", {}, "Live"), form, make("div", { class: "actions" }, state, pause, clear), trouble, empty, list);

  function show() {
    const count = body.children.length;
    list.hidden = count === 0;
    empty.hidden = count > 0 || trouble.children.length > 0;
    empty.textContent = filter ? "No request fits the filter yet." : "No request yet. Send one through the proxy, and it appears here.";
    pause.textContent = stream.isPaused ? "Go on" : "Pause";
    pause.setAttribute("aria-pressed", String(stream.isPaused));
    state.textContent = stream.isPaused ? "Paused" : `Live, ${plural(count, "request")} shown`;
  }

  function receive(event, data) {
    if (event === "request") {
      body.prepend(row(data));
    } else if (event === "gap") {
      body.prepend(make("tr", { role: "row" }, make("td", { role: "cell", class: "gap", colspan: columns.length }, "Some requests are missing here: they came faster than they were read.")));
    } else if (data.detail) {
      throw new Error(data.detail);
    }
    while (body.children.length > mostRows) body.lastChild.remove();
    show();
  }

  function restart() {
    show();
    stream.restart();
  }

  function choose() {
    if (filter === input.value.trim()) return;
    filter = input.value.trim();
    history.replaceState(null, "", `#/live${filter ? `?${query({ filter })}` : ""}`);
    body.replaceChildren();
    stream.last = undefined;
    restart();
  }

  let pending;
  function typed() {
    clearTimeout(pending);
    pending = setTimeout(() => visit.isOver || choose(), 250);
  }

  restart();
}

// Each part of the request to the origin that took time.
function upstream(found) {
  const parts = [["queue", "waited"], ["name", "name"], ["connect", "connect"], ["handshake", "TLS"], ["firstByte", "first byte"]];
  const known = parts.filter(([name]) => found[`${name}Microseconds`] !== undefined);
  return known.map(([name, word]) => `${word} ${milliseconds(found[`${name}Microseconds`])}`).join(", ") || undefined;
}

async function one(content, visit, id) {
  content.append(make("p", { class: "path" }, make("a", { href: "#/live" }, "Live")));
  let found;
  try {
    found = await get(`/v1/requests/${encodeURIComponent(id)}`, { signal: visit.signal });
  } catch (error) {
    if (!visit.isOver) content.append(make("h1", {}, "Request"), failure(error));
    return;
  }
  const isWhole = found.method === "GET" && !/[…*{}\s]/.test(found.url);
  const head = found.headMicroseconds === undefined ? undefined : milliseconds(found.headMicroseconds);
  content.append(
    make("h1", { class: "uri" }, `${found.method} ${found.url}`),
    make("div", { class: "columns" },
      make("section", { class: "panel" }, make("h2", {}, "What happened"), facts([
        ["Answered", `${new Date(found.time).toLocaleString("en-GB")}, to ${found.client ?? "a Unix socket"}${found.user ? ` (${found.user})` : ""}`],
        ["Status", found.status || "none"],
        ["Cache", outcome(found)],
        ["Cache-Status", found.cacheStatus],
        ["Reason", found.reason],
        ["Rule", found.rule],
        ["Route", found.service ? `${found.route}, service ${found.service}` : found.route],
        ["First byte after", head],
        ["At the origin", upstream(found)],
        ["Took", took(found)],
        ["Sent", bytes(found.bytes)],
        ["Received", bytes(found.requestBytes)],
        ["Complete", found.isComplete ? "yes" : "no: the client or the origin ended it early"],
      ])),
      make("section", { class: "panel" }, make("h2", {}, "Why"),
        found.reasons.length === 0
          ? make("p", {}, "It needed no decision: a stored response was fresh.")
          : make("ul", { class: "reasons" }, found.reasons.map((reason) => make(
            "li", {}, `${capitalized(reason.sentence)}.`, reason.section && make("span", { class: "note" }, ` ${reason.section}`),
            reason.remedy && make("p", { class: "note" }, reason.remedy)))),
        isWhole && make("p", {}, make("a", { href: `#/resources?${query({ filter: found.url })}` }, "What is stored now of this URL")))),
  );
}
