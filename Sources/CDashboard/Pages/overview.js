// How the daemon is, and what it did lately.
import { get } from "./api.js";
import { failure, make } from "./dom.js";
import { chart } from "./chart.js";
import { bytes, count, elapsed, percent, plural, rate } from "./format.js";
import { modeChoice } from "./mode.js";
import { daemon, loads, origins, spaces } from "./panels.js";

const spans = [
  { seconds: 60, text: "minute", ago: "a minute ago", button: "1 min", series: 0 },
  { seconds: 3600, text: "hour", ago: "an hour ago", button: "1 h", series: 1 },
  { seconds: 86400, text: "24 hours", ago: "24 hours ago", button: "24 h", series: 2 },
];
const counters = ["hits", "loads", "passes", "failures", "refused", "bytesFromCache", "bytesFromOrigins"];

/** What happened per second between each two samples, with the age of the later one. */
function rates(samples, now) {
  const points = [];
  for (let index = 1; index < samples.length; index += 1) {
    const [earlier, later] = [samples[index - 1], samples[index]];
    const time = later.time - earlier.time;
    // Counters begin anew with the daemon.
    if (time <= 0 || later.hits < earlier.hits) continue;
    const point = { age: now - later.time };
    for (const name of counters) point[name] = Math.max(0, later[name] - earlier[name]) / time;
    points.push(point);
  }
  return points;
}

const sum = (samples, name) => (samples.length > 1 ? samples.at(-1)[name] - samples[0][name] : 0);

function tile(title, value, note, how) {
  return make("div", { class: "tile", title: how }, make("h2", {}, title), make("p", { class: "figure" }, value), make("p", { class: "note" }, note));
}

function tiles(status, lately, span) {
  const { traffic, savings } = status;
  const requests = ["hits", "loads", "passes", "failures", "refused"].reduce((total, name) => total + sum(lately, name), 0);
  const cached = sum(lately, "bytesFromCache");
  const sent = cached + sum(lately, "bytesFromOrigins");
  const period = lately.length > 1 ? lately.at(-1).time - lately[0].time : 0;
  const allBytes = traffic.bytesFromCache + traffic.bytesFromOrigins;
  const started = "since the start";
  return make(
    "section",
    { class: "tiles", "aria-label": "Figures" },
    tile("Hit ratio, requests", percent(sum(lately, "hits"), requests), `${percent(traffic.hits, traffic.requests)} ${started}`),
    tile("Hit ratio, bytes", percent(cached, sent), `${percent(traffic.bytesFromCache, allBytes)} ${started}`),
    tile("Requests per second", period > 0 ? rate(requests / period) : "–", `${count(traffic.requests)} ${started}`),
    tile(
      "Time saved",
      elapsed(traffic.savedMilliseconds),
      traffic.savedMilliseconds === undefined ? "needs a hit and a miss" : started,
      "The hits times the mean time of a miss, without the time of the hits themselves.",
    ),
    tile(
      "Bytes saved",
      bytes(savings.bytes),
      `${plural(savings.requests, "request")} that origins did not get${savings.since ? `, since ${savings.since.slice(5, 16)}` : ""}`,
    ),
  );
}

function charts(lately, span, now) {
  const points = rates(lately, now).filter((point) => point.age <= span.seconds + 1);
  const common = { span: span.seconds, spanText: span.text, begin: span.ago };
  return make(
    "div",
    { class: "pair" },
    chart({
      ...common,
      title: "Requests per second",
      points: points.map((point) => ({
        age: Math.min(point.age, span.seconds),
        values: [point.hits, point.loads + point.passes, point.failures + point.refused],
      })),
      series: [
        { name: "hits", class: "one" }, { name: "asked an origin", class: "two" }, { name: "failed or refused", class: "three" },
      ],
      format: rate,
    }),
    chart({
      ...common,
      title: "Bytes per second",
      points: points.map((point) => ({
        age: Math.min(point.age, span.seconds), values: [point.bytesFromCache, point.bytesFromOrigins],
      })),
      series: [{ name: "from the cache", class: "one" }, { name: "from origins", class: "two" }],
      format: (value) => bytes(Math.round(value)),
      base: 1024,
    }),
  );
}

export async function overview(content, { visit, mayChange }) {
  let span = spans[0];
  let recent = [];
  const figures = make("div");
  const graphs = make("div");
  const panels = make("div", { class: "panels" });
  const choice = make(
    "fieldset",
    { class: "choice" },
    make("legend", {}, "Period"),
    spans.map((one) => make(
      "label", {},
      make("input", { type: "radio", name: "span", checked: one === span, change: () => { span = one; update(); } }),
      make("span", {}, one.button))),
  );
  const trouble = make("div");
  const mode = mayChange ? await modeChoice(visit, trouble) : null;
  const controls = make("div", { class: "actions" }, mode && mode.element, choice);
  content.append(make("div", { class: "title" }, make("h1", {}, "Overview"), controls), trouble, figures, graphs, panels);

  let history = null;
  /** When the samples were asked for, on the page's clock. */
  let asked = 0;
  let loading = [];
  let turn = 0;

  const named = (columns, row) => {
    const sample = Object.fromEntries(columns.map((name, index) => [name, row[index]]));
    return { ...sample, time: sample.seconds };
  };

  async function update() {
    try {
      const options = { signal: visit.signal };
      // A list costs more than the figures, and a sample is kept every 5 s.
      if (turn % 3 === 0) {
        history = await get("/v1/history", options);
        asked = performance.now();
        loading = (await get("/v1/resources?filter=state:loading&limit=10", options)).resources;
      } else {
        // The bars move in between, too.
        const found = await Promise.all(loading.map((one) => get(`/v1/resources/${one.id}`, options).catch(() => null)));
        loading = found.filter((one) => one?.isLoading);
      }
      turn += 1;
      const status = await get("/v1/status", options);
      if (visit.isOver) return;
      if (mode && document.activeElement !== mode.select) mode.mark(status.mode);
      const now = history.now + (performance.now() - asked) / 1000;
      const current = { ...status.traffic, time: now };
      if (recent.length === 0 || now > recent.at(-1).time) recent.push(current);
      recent = recent.filter((sample) => now - sample.time <= 62);
      const kept = history.series[span.series].samples.map((row) => named(history.columns, row))
        .filter((sample) => now - sample.time <= span.seconds + history.series[span.series].stepSeconds);
      // The page's own samples are closer together than the daemon's. Two within a second would show a rate of nothing.
      const begin = span.series === 0 ? recent[0].time : now;
      const own = span.series === 0 ? recent : [current];
      const lately = [...kept.filter((sample) => sample.time < begin - 1), ...own];
      figures.replaceChildren(tiles(status, lately, span));
      graphs.replaceChildren(charts(lately, span, now));
      // Whoever has reached a link by the keyboard keeps it.
      if (!panels.contains(document.activeElement)) panels.replaceChildren(spaces(status), origins(status), loads(loading), daemon(status));
    } catch (error) {
      if (!visit.isOver) figures.replaceChildren(failure(error));
    }
  }

  visit.every(2000, update);
}
