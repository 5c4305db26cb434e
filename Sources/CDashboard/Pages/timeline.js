// The life of a stored response as a line.
import { draw, make } from "./dom.js";
import { duration } from "./format.js";

/** How long it is fresh, and where now is. */
export function timeline(variant) {
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
