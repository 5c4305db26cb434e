// Changes of stored responses: what they would be is shown first, and a button then makes them.
import { post } from "./api.js";
import { announce, failure, make } from "./dom.js";
import { plural } from "./format.js";

const shown = 20;
const kinds = {
  purge: {
    verb: "Purge", done: "purged", isDangerous: true,
    says: "They go from memory and store. The next request loads them anew.",
  },
  invalidate: {
    verb: "Invalidate", done: "invalidated",
    says: "They become stale. Before the next use the origin is asked whether they are still right.",
  },
  refresh: { verb: "Refresh", done: "refreshed", says: "They are loaded now, or validated if that is enough." },
};

/** What a change would be about, as the daemon says it: how many resources, and the first of them. */
async function look(kind, { filter, uris }) {
  if (filter) {
    const { resources, first } = await post(`/v1/${kind}`, { filter, dryRun: true });
    return { size: resources, first };
  }
  // A refresh changes nothing before it has loaded, and a long list is as it was just shown.
  if (kind === "refresh" || uris.length > shown) return { size: uris.length, first: uris.slice(0, shown) };
  const found = await Promise.all(uris.map((uri) => post(`/v1/${kind}`, { uri, dryRun: true })));
  return { size: found.reduce((sum, one) => sum + one.resources, 0), first: found.flatMap((one) => one.first) };
}

/** The requests that make a change. */
const orders = ({ filter, uris }) => (filter ? [{ filter }] : uris.map((uri) => ({ uri })));

/**
 * Shows which resources a change is about, and makes it if the person says so.
 *
 * `target` is `{ filter }` or `{ uris }`. Returns whether anything was changed.
 */
export async function change(kind, target) {
  const { verb, done, says, isDangerous } = kinds[kind];
  let found;
  try {
    found = await look(kind, target);
  } catch (error) {
    found = { size: 0, first: [], error };
  }
  const { size, first, error } = found;
  const things = plural(size, "resource");
  return new Promise((resolve) => {
    let hasChanged = false;
    /** What is not begun; closing the dialog empties it. */
    const waiting = orders(target);
    const total = waiting.length;
    let running = null;
    const outcome = make("div", { role: "status" }, error && failure(error));
    const cancel = make("button", { type: "button", click: () => dialog.close() }, size === 0 ? "Close" : "Cancel");
    const go = make("button", { type: "button", class: isDangerous ? "danger" : "main", click: run }, `${verb} ${things}`);
    const dialog = make(
      "dialog",
      { "aria-labelledby": "dialog-title", close: leave },
      make("h2", { id: "dialog-title" }, size === 0 ? `Nothing to ${verb.toLowerCase()}` : `${verb} ${things}?`),
      make("p", {}, size > 0 ? says : !error && "Nothing of this is stored any more."),
      size > 0 && make("ul", { class: "uris" }, first.map((uri) => make("li", {}, uri))),
      size > first.length && make("p", { class: "note" }, `and ${plural(size - first.length, "other")}`),
      outcome,
      make("div", { class: "buttons" }, cancel, size > 0 && go),
    );

    async function leave() {
      waiting.length = 0;
      await running;
      dialog.remove();
      resolve(hasChanged);
    }

    async function run() {
      go.disabled = true;
      cancel.textContent = "Stop";
      let count = 0;
      const failures = [];
      async function work() {
        for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
          try {
            await post(`/v1/${kind}`, order);
            count += 1;
          } catch (error) {
            failures.push(`${order.uri ?? order.filter}: ${error.message}`);
          }
          hasChanged = true;
          outcome.textContent = `${count + failures.length} of ${total}`;
        }
      }
      running = Promise.all([work(), work(), work(), work()]);
      await running;
      const rest = total - count - failures.length;
      const changed = plural(target.filter && count > 0 ? size : count, "resource");
      const text = `${changed} ${done}${rest > 0 ? `, ${rest} left as they are` : ""}`;
      announce(text);
      if (failures.length === 0) return dialog.close();
      outcome.replaceChildren(make("p", {}, text), ...failures.slice(0, 5).map((one) => failure(one)));
      cancel.textContent = "Close";
      go.remove();
    }

    document.body.append(dialog);
    dialog.showModal();
    cancel.focus();
  });
}

/** Buttons for all changes of what `target` returns; `after` runs when something has changed. */
export function changeButtons(target, after) {
  const click = (kind) => async () => {
    const chosen = target();
    if ((chosen.filter || chosen.uris.length > 0) && (await change(kind, chosen))) await after(kind);
  };
  return Object.entries(kinds).map(([kind, { verb }]) =>
    make("button", { type: "button", "data-kind": kind, click: click(kind) }, verb));
}
