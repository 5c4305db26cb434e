// How the network is used: the mode of everything that has none of its own.
import { get, put } from "./api.js";
import { announce, failure, make } from "./dom.js";

const titles = {
  online: "origins are asked", auto: "origins are asked, and those that are down now and then",
  offline: "no origin is asked, and stored responses serve whatever their age", replay: "as offline, and ages stand still",
};

/** A choice of the mode; `trouble` shows why a change failed. */
export async function modeChoice(visit, trouble) {
  const found = await get("/v1/mode", { signal: visit.signal }).catch(() => null);
  if (!found) return null;
  const select = make("select", { id: "mode", change: async () => {
    try {
      mark((await put("/v1/mode", { mode: select.value })).mode);
      trouble.replaceChildren();
      announce(`The network is ${select.value}: ${titles[select.value]}`);
    } catch (error) {
      trouble.replaceChildren(failure(error));
    }
  } }, Object.entries(titles).map(([name, title]) => make("option", { value: name, title }, name)));
  const mark = (mode) => {
    select.value = mode;
    select.title = titles[mode] ?? "";
  };
  mark(found.mode);
  return { element: make("div", { class: "level" }, make("label", { for: "mode" }, "Network"), select), mark, select };
}
