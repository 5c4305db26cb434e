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

/**
 * Shows which resources a change is about, and makes it if the person says so.
 *
 * Returns whether anything was changed.
 */
export function change(kind, uris) {
  const { verb, done, says, isDangerous } = kinds[kind];
  const things = plural(uris.length, "resource");
  return new Promise((resolve) => {
    let hasChanged = false;
    /** What is not begun; closing the dialog empties it. */
    const waiting = [...uris];
    let running = null;
    const outcome = make("div", { role: "status" });
    const cancel = make("button", { type: "button", click: () => dialog.close() }, "Cancel");
    const go = make("button", { type: "button", class: isDangerous ? "danger" : "main", click: run }, `${verb} ${things}`);
    const dialog = make(
      "dialog",
      { "aria-labelledby": "dialog-title", close: leave },
      make("h2", { id: "dialog-title" }, `${verb} ${things}?`),
      make("p", {}, says),
      make("ul", { class: "uris" }, uris.slice(0, shown).map((uri) => make("li", {}, uri))),
      uris.length > shown && make("p", { class: "note" }, `and ${plural(uris.length - shown, "other")}`),
      outcome,
      make("div", { class: "buttons" }, cancel, go),
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
        for (let uri = waiting.shift(); uri !== undefined; uri = waiting.shift()) {
          try {
            await post(`/v1/${kind}`, { uri });
            count += 1;
          } catch (error) {
            failures.push(`${uri}: ${error.message}`);
          }
          hasChanged = true;
          outcome.textContent = `${count + failures.length} of ${uris.length}`;
        }
      }
      running = Promise.all([work(), work(), work(), work()]);
      await running;
      const rest = uris.length - count - failures.length;
      const text = `${plural(count, "resource")} ${done}${rest > 0 ? `, ${rest} left as they are` : ""}`;
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

/** Buttons for all changes of the resources that `selected` returns; `after` runs when something has changed. */
export function changeButtons(selected, after) {
  return Object.entries(kinds).map(([kind, { verb }]) => make(
    "button",
    { type: "button", click: async () => { if (selected().length > 0 && (await change(kind, selected()))) await after(kind); } },
    verb,
  ));
}
