// The daemon's log as it is written, and what of the core's work goes into it.
import { get, put, query } from "./api.js";
import { announce, failure, make } from "./dom.js";
import { plural } from "./format.js";
import { Stream } from "./stream.js";

/** Lines that are kept; older ones go. */
const mostLines = 1000;
const levels = ["error", "warning", "info", "debug"];
const choices = { error: "errors", warning: "warnings and errors", info: "all but debug", debug: "all" };
const kinds = { error: "error", warning: "stale", info: "loading", debug: "plain" };

const titles = {
  network: "requests to origins", networkDetails: "their fields and sizes", pipeline: "transformations",
  stateChanges: "changes of state", observers: "observers", staleness: "why a load was made", cache: "reads and writes of the store",
  configuration: "which settings apply",
};

function row(line) {
  const time = `${new Date(line.time).toLocaleTimeString("en-GB")}.${line.time.slice(20, 23)}`;
  return make("li", { "data-level": line.level },
    make("time", { datetime: line.time }, time), make("span", { class: `badge ${kinds[line.level] ?? "plain"}` }, line.level),
    make("span", { class: "text" }, line.text));
}

/** Switches for what the core logs. */
async function categories(visit) {
  const found = await get("/v1/log", { signal: visit.signal });
  const trouble = make("div");
  const boxes = found.categories.map((name) => make("input", { type: "checkbox", id: `category-${name}`, value: name, change: apply }));
  const mark = (enabled) => { for (const box of boxes) box.checked = enabled.includes(box.value); };

  async function apply() {
    try {
      const enabled = boxes.filter((box) => box.checked).map((box) => box.value);
      mark((await put("/v1/log", { enabled })).enabled);
      trouble.replaceChildren();
      announce(`${plural(enabled.length, "category is", "categories are")} logged`);
    } catch (error) {
      trouble.replaceChildren(failure(error));
    }
  }

  const choose = (names) => { mark(names); return apply(); };
  mark(found.enabled);
  return make("details", { class: "panel" },
    make("summary", {}, "What of the core's work is logged"),
    make("p", { class: "note" }, "The level is the setting log.level; these lines come at any level."),
    make("div", { class: "categories" }, boxes.map((box) => make("p", { class: "switch" }, box,
      make("label", { for: box.id }, box.value, make("span", { class: "note" }, ` ${titles[box.value] ?? ""}`))))),
    make("div", { class: "actions" }, Object.entries(found.presets).map(([name, names]) =>
      make("button", { type: "button", click: () => choose(names) }, name.charAt(0).toUpperCase() + name.slice(1)))),
    trouble);
}

export async function log(content, { visit, parameters, mayChange }) {
  content.append(make("h1", {}, "Log"));
  if (!mayChange) {
    content.append(make("p", { class: "empty" }, "This session may not see the log: its lines may show settings. Log in with the admin token."));
    return;
  }
  const input = make("input", { id: "filter", type: "search", value: parameters.get("filter") ?? "", spellcheck: "false", autocomplete: "off", placeholder: "category=cache origin", input: choose });
  const level = make("select", { id: "level", change: choose }, levels.map((name) => make("option", { value: name, selected: name === (parameters.get("level") ?? "debug") }, choices[name])));
  const pause = make("button", { type: "button", "aria-pressed": "false", click: () => { stream.isPaused = !stream.isPaused; restart(); } });
  const clear = make("button", { type: "button", class: "quiet", click: () => { list.replaceChildren(); show(); } }, "Clear");
  const state = make("span", { class: "selection", role: "status" });
  const trouble = make("div");
  const empty = make("p", { class: "empty" });
  const list = make("ol", { class: "lines", tabindex: 0, "aria-label": "Lines of the log, the newest first" });
  const stream = new Stream(visit, {
    path: () => "/v1/log/stream",
    begun: () => { trouble.replaceChildren(); show(); },
    failed: (error) => { trouble.replaceChildren(failure(error)); show(); },
    receive: (event, data) => {
      if (event === "line") add(data);
      else if (event === "gap") list.prepend(make("li", { class: "gap" }, "Some lines are missing here."));
      show();
    },
  });

  function add(line) {
    const made = row(line);
    made.hidden = !fits(made);
    list.prepend(made);
    while (list.children.length > mostLines) list.lastChild.remove();
  }

  function fits(one) {
    if (!one.dataset.level) return true;
    const text = one.textContent.toLowerCase();
    return levels.indexOf(one.dataset.level) <= levels.indexOf(level.value)
      && input.value.toLowerCase().split(" ").every((word) => text.includes(word));
  }

  function show() {
    const shown = list.querySelectorAll("li:not([hidden])").length;
    list.hidden = shown === 0;
    empty.hidden = shown > 0 || trouble.children.length > 0;
    empty.textContent = list.children.length > 0 ? "No line fits the filter." : "Nothing has been logged yet.";
    pause.textContent = stream.isPaused ? "Go on" : "Pause";
    pause.setAttribute("aria-pressed", String(stream.isPaused));
    state.textContent = stream.isPaused ? "Paused" : `Live, ${plural(shown, "line")} shown`;
  }

  function choose() {
    for (const one of list.children) one.hidden = !fits(one);
    const words = query({ filter: input.value.trim(), level: level.value === "debug" ? undefined : level.value });
    history.replaceState(null, "", `#/log${words ? `?${words}` : ""}`);
    show();
  }

  function restart() {
    show();
    stream.restart();
  }

  content.append(
    make("form", { class: "filter three", role: "search", submit: (event) => event.preventDefault() },
      make("label", { for: "filter" }, "Filter"), input,
      make("div", { class: "level" }, make("label", { for: "level" }, "Show"), level),
      make("p", { class: "note" }, "Words that a line has, all of them.")),
    await categories(visit),
    make("div", { class: "actions" }, state, pause, clear), trouble, empty, list,
  );
  const { lines } = await get("/v1/log/lines", { signal: visit.signal });
  for (const line of lines) add(line);
  stream.last = lines.at(-1)?.id;
  restart();
}
