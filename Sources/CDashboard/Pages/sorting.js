// Column headings that sort a table.
import { make } from "./dom.js";

/** Orders that begin with the largest number; the others begin with A. */
const fromLargest = new Set(["size", "age", "ttl", "hits"]);

/** An order of the API and its direction; an empty order is the daemon's own. */
export class Sorting {
  constructor(parameters) {
    this.order = parameters.get("sort") ?? "";
    this.isReversed = this.order !== "" && parameters.get("reverse") === "true";
  }

  get parameters() {
    return { sort: this.order, reverse: this.isReversed ? "true" : undefined };
  }

  /** The first time by this order, the second time the other way round, the third time in none. */
  turn(order) {
    const isSame = this.order === order;
    this.order = isSame && this.isReversed ? "" : order;
    this.isReversed = isSame && !this.isReversed && this.order !== "";
  }

  /** The column with a button as heading; `act` runs when somebody presses it. */
  column(column, act) {
    const { order, title } = column;
    if (!order) return column;
    const isDown = fromLargest.has(order) !== this.isReversed;
    const isOn = this.order === order;
    const click = () => {
      this.turn(order);
      act(order);
    };
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, isOn ? (isDown ? "▼" : "▲") : "");
    return {
      ...column,
      label: title,
      sort: isOn ? (isDown ? "descending" : "ascending") : "none",
      title: make("button", { type: "button", class: "sort", "data-order": order, click }, title, arrow),
    };
  }
}
