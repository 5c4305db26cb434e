// One resource: its state, its stored responses, what a request would get, and its content.
import { get, query } from "./api.js";
import { facts, failure, make, table } from "./dom.js";
import { changeButtons } from "./changes.js";
import { bytes, capitalized, count, duration, plural } from "./format.js";
import { difference } from "./diff.js";
import { content as contentOf, preview, unreadable } from "./preview.js";
import { sentence } from "./state.js";
import { Stream } from "./stream.js";
import { timeline } from "./timeline.js";

/** The largest content that is shown without being asked for. */
const shownAtOnce = 262144;
/** Changes that are shown; older ones go. */
const mostChanges = 10;

const sources = {
  "s-maxage": "s-maxage of the response", "max-age": "max-age of the response", expires: "Expires of the response",
  heuristic: "our guess from Last-Modified", rule: "a rule", none: "nothing",
};

function extent(variant) {
  const [part] = variant.extents ?? [];
  return part && `bytes ${count(part.first)} to ${count(part.last)}${variant.total === undefined ? "" : ` of ${count(variant.total)}`}`;
}

function section(resource, variant, mayChange, known) {
  const source = sources[variant.lifetimeSource] ?? variant.lifetimeSource;
  const content = make("div", { class: "content" });
  const show = async (button) => {
    button.disabled = true;
    content.replaceChildren(await (known ? preview(known) : contentOf(resource.id, variant).then(preview)).catch(unreadable));
    button.remove();
  };
  const button = make("button", { type: "button", click: () => show(button) }, `Show content, ${bytes(variant.size)}`);
  const renditions = variant.renditions.map((one) =>
    `${one.contentType ?? "content"}${one.contentEncoding ? `, ${one.contentEncoding}` : ""}: ${bytes(one.size)}`);
  const title = resource.variants.length > 1 ? `Stored response ${variant.number + 1}` : "Stored response";
  const made = make(
    "section",
    { class: "panel" },
    make("h2", {}, title),
    timeline(variant),
    facts([
      ["Status", variant.status],
      ["Size", bytes(variant.size)],
      ["Part", extent(variant)],
      ["For", variant.partition === "shared" ? "everybody" : "one credential"],
      ["Differs by", variant.vary.join(", ")],
      ["Stored", variant.stored],
      ["Lifetime", `${duration(variant.lifetimeSeconds)}, from ${source}${variant.lifetimeRule ? ` ${variant.lifetimeRule}` : ""}`],
      ["Where", variant.in === "memory" ? "in memory" : "in the store"],
      ["Hits in memory", variant.hits === undefined ? undefined : count(variant.hits)],
      ["Renditions", renditions.join("; ")],
    ]),
    make(
      "details",
      {},
      make("summary", {}, plural(variant.fields.length, "field")),
      table("Fields", [{ title: "Name", class: "wide name" }, { title: "Value", isMain: true }], variant.fields, "None"),
    ),
    mayChange
      ? make("div", { class: "preview" }, make("h3", {}, "Content"), button, content)
      : make("p", { class: "note" }, "This session may not see content."),
  );
  if (mayChange && variant.number === 0 && variant.size <= shownAtOnce) show(button);
  return made;
}

const outcomes = {
  serve: "It would be served from the cache.",
  "serve-and-refresh": "It would be served from the cache, and validated in the background.",
  validate: "The origin would be asked whether it is still right.",
  load: "It would be loaded from the origin.",
  join: "It would follow the load that is under way.",
  pass: "It would pass through, without the store.",
  refuse: "It would be refused.",
  fail: "It would get the failure of the last load.",
};

function explained(explanation) {
  const [, ...lines] = explanation.text;
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, "What a request would get now"),
    make("p", {}, make("b", {}, outcomes[explanation.outcome] ?? explanation.outcome)),
    make("ul", { class: "reasons" }, explanation.reasons.map((reason) => make(
      "li", {}, `${capitalized(reason.sentence)}.`, reason.section && make("span", { class: "note" }, ` ${reason.section}`),
      reason.remedy && make("p", { class: "note" }, reason.remedy)))),
    make("details", {}, make("summary", {}, "All of the explanation"), make("pre", {}, lines.join("\n"))),
  );
}

/** Replaces what an element has; what was open stays open, and the focus stays on the button that has it. */
function replace(body, ...children) {
  const folds = () => [...body.querySelectorAll("details:not(.tree details)")];
  const open = folds().map((one) => one.open);
  const focused = body.contains(document.activeElement) && document.activeElement.textContent;
  body.replaceChildren(...children);
  folds().forEach((one, place) => { if (open[place]) one.open = true; });
  if (focused) [...body.querySelectorAll("button, summary, a")].find((one) => one.textContent === focused)?.focus();
}

export async function resource(content, { visit, rest, mayChange }) {
  const [id] = rest;
  const body = make("div");
  const changes = make("div", { class: "changes", role: "log", "aria-label": "Changes since this page was opened" });
  content.append(make("p", { class: "path" }, make("a", { href: "#/resources" }, "Resources")), body, changes);
  /** The content that was shown last. */
  let shown = null;
  let uri = null;

  /** Shows what became of the content since it was shown last. */
  function compare(latest) {
    const found = shown && latest && difference(shown, latest);
    shown = latest ?? shown;
    if (!found) return;
    changes.prepend(make("section", { class: "panel" },
      make("h2", {}, `What changed at ${new Date().toLocaleTimeString("en-GB")}`), found));
    while (changes.children.length > mostChanges) changes.lastChild.remove();
  }

  async function update() {
    let found;
    try {
      found = await get(`/v1/resources/${encodeURIComponent(id)}`, { signal: visit.signal });
    } catch (error) {
      if (visit.isOver) return;
      body.replaceChildren(make("h1", {}, "Resource"), error.status === 404
        ? make("p", { class: "empty" }, "Nothing is stored of this resource; it may have been purged.")
        : failure(error));
      return;
    }
    uri = found.uri;
    const { state, text } = sentence(found);
    const [first] = found.variants;
    const isShown = mayChange && first && first.size <= shownAtOnce;
    const [explanation, latest] = await Promise.all([
      get(`/v1/explain?${query({ url: found.uri })}`, { signal: visit.signal }).catch(() => null),
      isShown ? contentOf(found.id, first).catch(() => null) : null,
    ]);
    if (visit.isOver) return;
    const actions = mayChange && make("div", { class: "actions" }, changeButtons(() => ({ uris: [found.uri] }), update),
      make("button", { type: "button", class: "quiet", click: update }, "Look again"));
    replace(
      body,
      make("h1", { class: "uri" }, found.uri),
      make("p", { class: `standing ${state}`, role: "status" }, text),
      ...[actions || []].flat(),
      make("div", { class: "columns" },
        make("div", {}, found.variants.map((variant) => section(found, variant, mayChange, variant === first ? latest : null))),
        explanation ? explained(explanation) : make("div")),
    );
    compare(latest);
  }

  let pending = null;
  /** Looks again soon: several events of one load make one look. */
  function soon() {
    pending ??= setTimeout(async () => {
      pending = null;
      if (!visit.isOver) await update();
    }, 200);
  }

  await update();
  if (uri === null || visit.isOver) return;
  new Stream(visit, {
    path: () => `/v1/events?${query({ uri })}`,
    receive: (event) => { if (event !== "snapshot" && event !== "observerAdded") soon(); },
    begun: () => {},
    failed: () => {},
  }).restart();
}
