// Shows the page that the part of the address behind the # names.
import { get, logOut } from "./api.js";
import { failure, make } from "./dom.js";
import { live } from "./live.js";
import { log } from "./log.js";
import { origins } from "./origins.js";
import { overview } from "./overview.js";
import { resources } from "./resources.js";
import { resource } from "./resource.js";
import { settings } from "./settings.js";
import { tunnels } from "./tunnels.js";

const main = document.getElementById("main");
const pages = new Map(Object.entries({ "": overview, live, resources, origins, tunnels, log, settings }));
let leaving = null;

/** Work that ends when the person leaves the page. */
class Visit {
  constructor() {
    this.controller = new AbortController();
  }

  get signal() {
    return this.controller.signal;
  }

  get isOver() {
    return this.signal.aborted;
  }

  /** Calls `work` now and then at intervals, while somebody looks; a call ends before the next begins. */
  async every(milliseconds, work) {
    while (!this.isOver) {
      if (!document.hidden) await work();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }
}

async function show() {
  leaving?.controller.abort();
  const visit = new Visit();
  leaving = visit;
  const [path, text] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const page = name === "resources" && rest.length > 0 ? resource : pages.get(name);
  for (const link of document.querySelectorAll("nav a")) {
    const isCurrent = link.getAttribute("href") === `#/${name}`;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (isCurrent) link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  const content = make("div", { class: "page" });
  main.replaceChildren(content);
  if (!page) {
    content.append(make("h1", {}, "There is no such page"));
    return;
  }
  try {
    const session = await get("/v1/sessions");
    if (visit.isOver) return;
    await page(content, { visit, rest, parameters: new URLSearchParams(text ?? ""), mayChange: session.mayChange });
  } catch (error) {
    if (!visit.isOver) content.append(failure(error));
  }
  document.title = `${content.querySelector("h1")?.textContent ?? "Respite"} – Respite`;
}

window.addEventListener("hashchange", async () => {
  await show();
  main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
});
document.getElementById("skip").addEventListener("click", () => main.focus());
document.getElementById("logout").addEventListener("click", logOut);
show();
