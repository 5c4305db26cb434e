// Open tunnels.
import { get } from "./api.js";
import { failure, make, table } from "./dom.js";
import { bytes, count, duration, plural } from "./format.js";

const columns = [
  { title: "Destination", isMain: true }, { title: "Client" }, { title: "Route" }, { title: "State" },
  { title: "From client", isNumber: true }, { title: "To client", isNumber: true }, { title: "Age", isNumber: true },
  { title: "Idle", isNumber: true },
];

export async function tunnels(content, { visit }) {
  const summary = make("p", { class: "lead" });
  const list = make("div");
  content.append(make("h1", {}, "Tunnels"), summary, list);

  async function update() {
    try {
      const { tunnels: open, totals } = await get("/v1/tunnels?limit=500", { signal: visit.signal });
      if (visit.isOver) return;
      summary.textContent = `${plural(totals.open, "tunnel")} open, ${count(totals.opened)} since the start. `
        + `They carried ${bytes(totals.bytesUp)} from clients and ${bytes(totals.bytesDown)} to them, unread.`;
      summary.hidden = totals.opened === 0;
      const rows = open.map((one) => [
        one.target, one.client, one.route, one.state, bytes(one.bytesUp), bytes(one.bytesDown), duration(one.ageSeconds),
        duration(one.idleSeconds),
      ]);
      list.replaceChildren(table("Open tunnels", columns, rows, totals.opened === 0 ? "No tunnel was opened since the start." : "No tunnel is open."));
    } catch (error) {
      if (!visit.isOver) list.replaceChildren(failure(error));
    }
  }

  visit.every(2000, update);
}
