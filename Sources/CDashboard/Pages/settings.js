// The settings in force, and where each comes from.
import { get, query } from "./api.js";
import { failure, make, table } from "./dom.js";

const columns = [{ title: "Setting", class: "wide name" }, { title: "Value", isMain: true }, { title: "From", class: "wide" }];

function forURL(found) {
  const rows = found.values.map((one) => [one.name, make("code", {}, one.value ?? "–"), one.rule ?? one.origin]);
  const rules = found.rules.map((rule) => make("li", {}, make("b", {}, rule.name), ` (${rule.match}), ${rule.origin}`));
  return [
    make("p", {}, found.service ? `Service ${found.service.name}, ${found.service.base}. ` : "No service. ",
      rules.length === 0 ? "No rule is about this URL." : "Rules about it, in order:"),
    rules.length > 0 && make("ul", {}, rules),
    table("Settings for this URL", columns, rows, "All settings are the general ones."),
  ].filter(Boolean);
}

export async function settings(content, { visit, mayChange }) {
  content.append(make("h1", {}, "Settings"));
  if (!mayChange) {
    content.append(make("p", { class: "empty" }, "This session may not see settings: they may hold secrets. Log in with the admin token."));
    return;
  }
  const result = make("div", { role: "status" });
  const url = make("input", { id: "url", type: "url", placeholder: "http://example.org/page", spellcheck: "false", required: true });
  const form = make(
    "form",
    { class: "filter", submit: async (event) => {
      event.preventDefault();
      try {
        result.replaceChildren(...forURL(await get(`/v1/config?${query({ url: url.value.trim() })}`)));
      } catch (error) {
        result.replaceChildren(failure(error));
      }
    } },
    make("label", { for: "url" }, "What holds for a URL"),
    url,
    make("button", { type: "submit" }, "Show"),
  );
  const only = make("input", { type: "checkbox", id: "only", checked: true, change: () => fill() });
  const list = make("div");
  content.append(
    make("section", { class: "panel" }, form, result),
    make("p", { class: "switch" }, only, " ", make("label", { for: "only" }, "Only settings that differ from the defaults")),
    list,
  );
  const found = await get("/v1/config", { signal: visit.signal });

  function fill() {
    const rows = found.settings
      .filter((one) => !only.checked || one.origin !== "default")
      .map((one) => [make("code", {}, one.name), make("code", {}, one.value), one.origin]);
    list.replaceChildren(table("Settings in force", columns, rows, "All settings have their defaults."));
  }

  fill();
}
