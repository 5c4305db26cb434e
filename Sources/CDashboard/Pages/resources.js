// What is stored, page by page, with the filter of `respite ls`.
import { get, query } from "./api.js";
import { announce, failure, make, table } from "./dom.js";
import { changeButtons } from "./changes.js";
import { bytes, count, duration, plural } from "./format.js";
import { Sorting } from "./sorting.js";
import { badge } from "./state.js";

const pageSize = 50;
/** The most resources that "select all" collects, where a filter is about more than URLs. */
const mostSelected = 2000;

const usual = [
  { title: "URL", isMain: true, order: "url" }, { title: "State", order: "state" },
  { title: "Status", isNumber: true, order: "status" }, { title: "Size", isNumber: true, order: "size" },
  { title: "Age", isNumber: true, order: "age" }, { title: "Fresh for", isNumber: true, order: "ttl" },
  { title: "Hits", isNumber: true, order: "hits" },
];

const lifetimeLeft = (one) => {
  if (one.ttlSeconds === undefined) return "–";
  return one.ttlSeconds > 0 ? duration(one.ttlSeconds) : `−${duration(one.ttlSeconds)}`;
};

export async function resources(content, { visit, parameters, mayChange }) {
  const filter = parameters.get("filter") ?? "";
  const sorting = new Sorting(parameters);
  /** The cursors of the pages up to this one. */
  let cursors = [undefined];
  const selected = new Map();
  /** Whether all that fit are selected, also those that no page has shown. */
  let isWhole = false;
  let page = { resources: [] };

  const input = make("input", {
    id: "filter", name: "filter", type: "search", value: filter, placeholder: "http://example.org/** status:404 state:stale",
    spellcheck: "false", autocomplete: "off", autocapitalize: "off",
  });
  const form = make(
    "form",
    { class: "filter", role: "search", submit: (event) => {
      event.preventDefault();
      const next = address(input.value.trim());
      if (location.hash === next) load(); else location.hash = next;
    } },
    make("label", { for: "filter" }, "Filter"),
    input,
    make("button", { type: "submit" }, "Show"),
    make("p", { class: "note" }, "A part of a URL, a pattern with *, ** or {a,b}, status:404, status:5xx, state:fresh, stale, loading or error; all must fit."),
  );
  const selection = make("span", { class: "selection", role: "status" });
  const actions = make("div", { class: "actions" });
  const trouble = make("div");
  const list = make("div");
  const pager = make("nav", { class: "pager", "aria-label": "Pages of the list" });
  content.append(make("h1", {}, "Resources"), form, actions, trouble, list, pager);

  const target = () => (isWhole ? { filter: filter || "**" } : { uris: [...selected.keys()] });

  function address(wanted) {
    const words = query({ filter: wanted, ...sorting.parameters });
    return `#/resources${words ? `?${words}` : ""}`;
  }

  function sort(order) {
    history.replaceState(null, "", address(filter));
    cursors = [undefined];
    load().then(() => list.querySelector(`button[data-order="${order}"]`)?.focus());
  }

  function mark() {
    const some = selected.size === 0 ? "Nothing is selected" : `${plural(selected.size, "resource")} selected`;
    selection.textContent = isWhole ? (filter ? "All that fit are selected" : "All are selected") : some;
    for (const button of actions.querySelectorAll("button.needs")) {
      // A refresh has no filter.
      button.disabled = isWhole ? button.dataset.kind === "refresh" : selected.size === 0;
    }
    for (const box of list.querySelectorAll("input[data-uri]")) box.checked = isWhole || selected.has(box.dataset.uri);
    const all = list.querySelector("input[data-all]");
    if (!all) return;
    const chosen = page.resources.filter((one) => isWhole || selected.has(one.uri)).length;
    all.checked = chosen > 0 && chosen === page.resources.length;
    all.indeterminate = chosen > 0 && chosen < page.resources.length;
  }

  function choose(one, isChosen) {
    if (isWhole) for (const other of page.resources) selected.set(other.uri, other.id);
    isWhole = false;
    if (isChosen) selected.set(one.uri, one.id); else selected.delete(one.uri);
  }

  async function selectAll() {
    let cursor;
    trouble.replaceChildren();
    // By a filter about URLs the daemon finds them itself.
    isWhole = !/(^| )(status|state):/.test(filter);
    if (isWhole) return mark();
    try {
      do {
        const found = await get(`/v1/resources?${query({ filter, limit: 1000, cursor })}`, { signal: visit.signal });
        for (const one of found.resources) if (selected.size < mostSelected) choose(one, true);
        cursor = found.next;
      } while (cursor && selected.size < mostSelected && !visit.isOver);
    } catch (error) {
      if (!visit.isOver) trouble.replaceChildren(failure(error));
    }
    mark();
    if (cursor) announce(`The first ${count(mostSelected)} are selected; there are more.`);
  }

  function row(one) {
    const box = mayChange && make("input", {
      type: "checkbox", "aria-label": `Select ${one.uri}`, "data-uri": one.uri,
      change: (event) => { choose(one, event.target.checked); mark(); },
    });
    const cells = [
      make("a", { href: `#/resources/${one.id}` }, one.uri), badge(one), one.status ?? "–", bytes(one.size),
      duration(one.ageSeconds), lifetimeLeft(one), one.hits === undefined ? "–" : count(one.hits),
    ];
    return mayChange ? [box, ...cells] : cells;
  }

  async function load() {
    try {
      page = await get(`/v1/resources?${query({ filter, ...sorting.parameters, limit: pageSize, cursor: cursors.at(-1) })}`, { signal: visit.signal });
    } catch (error) {
      if (!visit.isOver) list.replaceChildren(failure(error));
      return;
    }
    const all = make("input", {
      type: "checkbox", "aria-label": "Select all of this page", "data-all": true,
      change: (event) => { for (const one of page.resources) choose(one, event.target.checked); mark(); },
    });
    const columns = usual.map((column) => sorting.column(column, sort));
    if (mayChange) columns.unshift({ title: all, label: "", class: "box" });
    const empty = filter ? "Nothing that is stored fits the filter." : "Nothing is stored yet. Send a request through the proxy, and it appears here.";
    list.replaceChildren(table("Stored resources", columns, page.resources.map(row), page.next ? "Nothing on this page; go on to the next." : empty));
    const number = cursors.length;
    pager.replaceChildren(
      make("button", { type: "button", disabled: number === 1, click: () => { cursors.pop(); load(); } }, "Back"),
      make("span", {}, `Page ${number}`),
      make("button", { type: "button", disabled: !page.next, click: () => { cursors.push(page.next); load(); } }, "Next"),
    );
    pager.hidden = number === 1 && !page.next;
    mark();
    announce(`Page ${number}: ${plural(page.resources.length, "resource")}`);
  }

  if (mayChange) {
    const clear = () => { selected.clear(); isWhole = false; };
    const after = async () => { clear(); await load(); };
    const buttons = changeButtons(target, after);
    for (const button of buttons) button.classList.add("needs");
    actions.append(
      selection,
      ...buttons,
      make("button", { type: "button", class: "quiet", click: selectAll }, filter ? "Select all that fit" : "Select all"),
      make("button", { type: "button", class: "quiet needs", click: () => { clear(); mark(); } }, "Select none"),
    );
  }
  await load();
}
