// One resource: its state, its stored responses, what a request would get, and its content.
import { get, query } from "./api.js";
import { draw, facts, failure, make, table } from "./dom.js";
import { changeButtons } from "./changes.js";
import { bytes, capitalized, count, duration, plural } from "./format.js";
import { preview } from "./preview.js";
import { sentence } from "./state.js";

/** The largest content that is shown without being asked for. */
const shownAtOnce = 262144;

/** The life of a stored response as a line: how long it is fresh, and where now is. */
function timeline(variant) {
  const { ageSeconds: age, lifetimeSeconds: lifetime } = variant;
  const end = Math.max(lifetime, age, 1) * 1.08;
  const x = (seconds) => (1000 * Math.min(seconds, end)) / end;
  const label = lifetime > 0
    ? `Stored ${duration(age)} ago; fresh for ${duration(lifetime)} altogether${age > lifetime ? `; stale for ${duration(age - lifetime)}` : ""}.`
    : `Stored ${duration(age)} ago; it was stale at once.`;
  return make(
    "figure",
    { class: "timeline" },
    draw(
      "svg",
      { viewBox: "0 0 1000 30", preserveAspectRatio: "none", role: "img", "aria-label": label },
      draw("rect", { class: "stale", x: 0, y: 11, width: 1000, height: 8 }),
      draw("rect", { class: "fresh", x: 0, y: 11, width: x(lifetime), height: 8 }),
      draw("line", { class: "now", x1: x(age), x2: x(age), y1: 2, y2: 28 }),
    ),
    make("figcaption", {}, label),
  );
}

const sources = {
  "s-maxage": "s-maxage of the response", "max-age": "max-age of the response", expires: "Expires of the response",
  heuristic: "our guess from Last-Modified", rule: "a rule", none: "nothing",
};

function extent(variant) {
  const [part] = variant.extents ?? [];
  return part && `bytes ${count(part.first)} to ${count(part.last)}${variant.total === undefined ? "" : ` of ${count(variant.total)}`}`;
}

function section(resource, variant, mayChange) {
  const source = sources[variant.lifetimeSource] ?? variant.lifetimeSource;
  const content = make("div", { class: "content" });
  const show = async (button) => {
    button.disabled = true;
    content.replaceChildren(await preview(resource.id, variant));
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

export async function resource(content, { visit, rest, mayChange }) {
  const [id] = rest;
  const body = make("div");
  content.append(make("p", { class: "path" }, make("a", { href: "#/resources" }, "Resources")), body);

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
    const { state, text } = sentence(found);
    const explanation = await get(`/v1/explain?${query({ url: found.uri })}`, { signal: visit.signal }).catch(() => null);
    if (visit.isOver) return;
    const actions = mayChange && make("div", { class: "actions" }, changeButtons(() => [found.uri], update),
      make("button", { type: "button", class: "quiet", click: update }, "Look again"));
    body.replaceChildren(
      make("h1", { class: "uri" }, found.uri),
      make("p", { class: `standing ${state}` }, text),
      ...[actions || []].flat(),
      make("div", { class: "columns" },
        make("div", {}, found.variants.map((variant) => section(found, variant, mayChange))),
        explanation ? explained(explanation) : make("div")),
    );
  }

  await update();
}
