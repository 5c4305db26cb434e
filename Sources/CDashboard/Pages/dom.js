// Elements from values. Text always becomes a text node: nothing that an origin or a client sent is markup here.

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

export const draw = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** Tells a screen reader what has changed. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

/** A list of terms and descriptions: `[term, description]` each. */
export const facts = (rows) =>
  make(
    "dl",
    { class: "facts" },
    rows.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([term, value]) =>
      make("div", {}, make("dt", {}, term), make("dd", {}, value)),
    ),
  );

const kind = (column) => [column.isNumber && "number", column.isMain && "main", column.class].filter(Boolean).join(" ");

/** One row of a table, with a text or element for each column. */
export const tableRow = (columns, cells) =>
  make("tr", { role: "row" }, cells.map((cell, index) =>
    make(
      "td",
      { role: "cell", class: kind(columns[index]) || null, "data-title": columns[index].label ?? columns[index].title },
      cell,
    )));

/**
 * A table. A column is `{ title, isNumber, isMain, sort }`, a row an array of texts or elements. `sort` is "ascending",
 * "descending" or "none" where the column can be sorted. Below a certain width CSS shows each row as a block, so the roles
 * are stated.
 */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return make("p", { class: "empty" }, empty);
  return make(
    "table",
    { role: "table" },
    make("caption", { class: "unseen" }, caption),
    make(
      "thead",
      { role: "rowgroup" },
      make("tr", { role: "row" }, columns.map((column) =>
        make("th", { role: "columnheader", scope: "col", class: kind(column) || null, "aria-sort": column.sort }, column.title))),
    ),
    make("tbody", { role: "rowgroup" }, rows.map((row) => tableRow(columns, row))),
  );
}

/** A bar that is filled to `fraction`. */
export function bar(fraction, label) {
  const width = Math.max(0, Math.min(1, fraction || 0)) * 100;
  return draw(
    "svg",
    { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", role: "img", "aria-label": label },
    draw("rect", { class: "rest", width: 100, height: 4 }),
    draw("rect", { class: width > 90 ? "full" : "part", width, height: 4 }),
  );
}

/** Says what went wrong where the content would be. */
export const failure = (error) => make("p", { class: "failure", role: "alert" }, `${error.message ?? error}.`);
