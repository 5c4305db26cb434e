// Charts of what happened over time, as SVG. The axes are text of the page, so that they do not stretch.
import { draw, make } from "./dom.js";

/** The next number of the form 1, 2 or 5 times a power of `base`. */
function ceiling(value, base) {
  if (!(value > 0)) return 1;
  const power = base ** Math.floor(Math.log(value) / Math.log(base));
  for (const factor of base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]) {
    if (factor * power >= value) return factor * power;
  }
  return base * power;
}

/**
 * A chart of areas on top of each other.
 *
 * points: `{ age, values }`, the age in seconds before now, oldest first; series: `{ name, class }` for each of the values.
 */
export function chart({ title, points, series, span, format, base = 10, spanText, begin }) {
  const totals = points.map((point) => point.values.reduce((sum, value) => sum + value, 0));
  const top = ceiling(Math.max(...totals, 0), base);
  const x = (age) => 600 * (1 - age / span);
  const y = (value) => 100 - (100 * value) / top;
  const shapes = [];
  let below = points.map(() => 0);
  series.forEach((one, index) => {
    const above = below.map((value, place) => value + points[place].values[index]);
    const upper = points.map((point, place) => `${x(point.age).toFixed(1)},${y(above[place]).toFixed(2)}`);
    const lower = points.map((point, place) => `${x(point.age).toFixed(1)},${y(below[place]).toFixed(2)}`).reverse();
    // A series in which nothing happened would hide the line below it.
    if (points.length > 1 && points.some((point) => point.values[index] > 0)) {
      shapes.push(draw("polygon", { class: `area ${one.class}`, points: [...upper, ...lower].join(" ") }));
      shapes.push(draw("polyline", { class: `line ${one.class}`, points: upper.join(" ") }));
    }
    below = above;
  });
  const grid = [0, 50, 100].map((height) => draw("line", { class: "grid", x1: 0, x2: 600, y1: height, y2: height }));
  const latest = points.at(-1);
  const summary = latest
    ? `${title}: now ${series.map((one, index) => `${one.name} ${format(latest.values[index])}`).join(", ")}; at most ${format(Math.max(...totals))} in the last ${spanText}.`
    : `${title}: no samples yet.`;
  return make(
    "figure",
    { class: "chart" },
    make(
      "figcaption",
      {},
      make("h3", {}, title),
      make("ul", { class: "legend" }, series.map((one, index) =>
        make("li", { class: one.class }, one.name, " ", make("b", {}, latest ? format(latest.values[index]) : "–")))),
    ),
    make(
      "div",
      { class: "plot" },
      make("div", { class: "scale", "aria-hidden": "true" }, [top, top / 2, 0].map((value) => make("span", {}, format(value)))),
      draw("svg", { viewBox: "0 0 600 100", preserveAspectRatio: "none", role: "img", "aria-label": summary }, grid, shapes),
    ),
    make("div", { class: "times", "aria-hidden": "true" }, make("span", {}, begin), make("span", {}, "now")),
  );
}
