// Asks an origin through the prefix gateway by Node's fetch and prints the answers as JSON.
import { createHash } from "node:crypto";

const base = process.argv[2];
const digest = (content) => createHash("sha256").update(Buffer.from(content)).digest("hex");
const text = async (path, options) => (await fetch(base + path, options)).text();
const fetchBytes = async (path) => (await fetch(base + path)).arrayBuffer();

const found = {};
found["cached"] = await text("cached");
const again = await fetch(base + "cached");
found["again"] = await again.text();
found["again-status"] = again.headers.get("Cache-Status").includes("; hit") ? "hit" : "miss";
found["moved"] = await text("moved");
found["gzip"] = digest(await fetchBytes("gzip"));
found["posted"] = await text("echo", { method: "POST", body: "posted content" });
const parts = new ReadableStream({
    start(controller) {
        for (const part of ["part one, ", "part two"]) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
    },
});
found["chunked"] = await text("echo", { method: "POST", body: parts, duplex: "half" });
found["large"] = digest(await fetchBytes("large"));
found["large-again"] = digest(await fetchBytes("large"));
const validated = await fetch(base + "validated");
found["validated"] = await validated.text();
const second = await fetch(base + "validated", { headers: { "If-None-Match": validated.headers.get("ETag") } });
found["validated-again"] = second.status === 304 ? "validated answer" : String(second.status);
found["missing"] = (await fetch(base + "missing")).status;
try {
    found["cut"] = await text("cut");
} catch {
    found["cut"] = "error";
}
console.log(JSON.stringify(found));
