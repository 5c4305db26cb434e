// Origins: their connections, TLS, limits, and those that are down.
import { get, query } from "./api.js";
import { failure, make, table } from "./dom.js";
import { count, duration, plural } from "./format.js";

const columns = [
  { title: "Origin", isMain: true, class: "part" }, { title: "State" }, { title: "In use", isNumber: true }, { title: "Idle", isNumber: true },
  { title: "Waiting", isNumber: true }, { title: "TLS", class: "wide" }, { title: "Limits", class: "wide" },
];
/** A certificate that ends within this time is worth a word, in seconds. */
const soon = 14 * 86400;

const badge = (kind, text) => make("span", { class: `badge ${kind}` }, text);

function state(one) {
  if (one.isDown) return badge("error", "down");
  if (one.pause) return badge("stale", "asked for a pause");
  return badge("fresh", "up");
}

function security(one) {
  if (!one.tls) return one.origin.startsWith("https:") ? "–" : "none";
  const { version, cipher, certificate } = one.tls;
  const made = [make("p", { class: "note" }, `${version.replace("TLSv", "TLS ")}, ${cipher}`)];
  if (certificate) {
    const { subject, issuer, ends, secondsLeft } = certificate;
    const time = secondsLeft < 0 ? `ended ${duration(secondsLeft)} ago` : `ends in ${duration(secondsLeft)}`;
    made.push(make("p", { class: secondsLeft < soon ? "note bad" : "note", title: ends }, `${subject}, by ${issuer}, ${time}`));
  }
  return made;
}

function limits(one) {
  const made = [];
  if (one.rateLimit) {
    const { name, requests, intervalSeconds, burst, waitSeconds } = one.rateLimit;
    made.push(`${plural(requests, "request")} in ${duration(intervalSeconds)}, ${count(burst)} at once, by ${name}`);
    if (waitSeconds > 0) made.push(`the next one waits ${duration(waitSeconds)}`);
  }
  if (one.pause) made.push(`${one.pause.reason}, ${duration(one.pause.secondsLeft)} left`);
  if (one.quotaIsScarce) made.push("its quota is nearly used up");
  return made.length > 0 ? made.map((text) => make("p", { class: "note" }, text)) : "–";
}

const outage = (one) => make(
  "li",
  { class: "bad" },
  make("b", {}, one.origin), ` is down since ${one.since}: ${one.reason}. `,
  `${plural(one.attempts, "attempt")} failed. `,
  one.attemptUnderWay ? "It is being asked again now." : `It is asked again in ${duration(one.nextAttemptSeconds)}.`,
);

export async function origins(content, { visit }) {
  const summary = make("p", { class: "lead" });
  const down = make("div");
  const list = make("div");
  content.append(make("h1", {}, "Origins"), summary, down, list);

  async function update() {
    try {
      const { origins: found } = await get(`/v1/origins?${query({ limit: 500 })}`, { signal: visit.signal });
      if (visit.isOver) return;
      const sum = (name) => found.reduce((total, one) => total + one[name], 0);
      const open = sum("connections");
      summary.textContent = `${plural(open, "connection")} to ${plural(found.length, "origin")}: `
        + `${count(open - sum("idleConnections"))} in use, ${count(sum("idleConnections"))} idle. `
        + `${plural(sum("waiting"), "request waits", "requests wait")} for one.`;
      summary.hidden = found.length === 0;
      const outages = found.flatMap((one) => one.outages);
      down.replaceChildren(outages.length > 0 ? make("section", { class: "panel" }, make("h2", {}, "Down"), make("ul", { class: "notes" }, outages.map(outage))) : "");
      const rows = found.map((one) => [
        make("a", { href: `#/resources?${query({ filter: `${one.origin}/**` })}` }, one.origin), state(one),
        count(one.connections - one.idleConnections), count(one.idleConnections), count(one.waiting), security(one), limits(one),
      ]);
      // Whoever has reached a link by the keyboard keeps it.
      if (!list.contains(document.activeElement)) {
        list.replaceChildren(table("Origins", columns, rows, "There is no connection to any origin now, and none is down."));
      }
    } catch (error) {
      if (!visit.isOver) down.replaceChildren(failure(error));
    }
  }

  visit.every(2000, update);
}
