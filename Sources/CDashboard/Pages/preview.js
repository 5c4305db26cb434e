// Stored content, safely: text stays text whatever it says, and only pictures become pictures, which run nothing.
import { check, send } from "./api.js";
import { failure, make } from "./dom.js";
import { bytes } from "./format.js";

const textLimit = 262144;
const imageLimit = 4194304;
const hexLimit = 2048;
const nodeLimit = 2000;
const images = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/svg+xml", "image/x-icon", "image/vnd.microsoft.icon"];

/** At most `limit` bytes of a response, and whether there are more. */
async function beginning(response, limit) {
  const reader = response.body.getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      break;
    }
  }
  const all = new Uint8Array(size);
  let place = 0;
  for (const chunk of chunks) {
    all.set(chunk, place);
    place += chunk.length;
  }
  return { content: all.subarray(0, limit), isCut: size > limit };
}

function isTextual(type) {
  return /^text\/|[/+](json|xml|javascript|ecmascript|x-javascript|x-www-form-urlencoded|yaml|toml|x-sh)$/.test(type);
}

function decoded(content, charset, isCut) {
  try {
    return new TextDecoder(charset || "utf-8", { fatal: false }).decode(content, { stream: isCut });
  } catch {
    return new TextDecoder().decode(content);
  }
}

function hex(content) {
  const lines = [];
  for (let start = 0; start < Math.min(content.length, hexLimit); start += 16) {
    const row = [...content.subarray(start, start + 16)];
    const numbers = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ").padEnd(47);
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${start.toString(16).padStart(6, "0")}  ${numbers}  ${text}`);
  }
  return make("pre", { class: "hex", tabindex: 0 }, lines.join("\n"));
}

/** A JSON value as a tree that opens and closes. */
function tree(value, name, budget, depth) {
  budget.left -= 1;
  const label = name === null ? [] : [make("span", { class: "key" }, name), ": "];
  if (budget.left < 0) return make("div", {}, "…");
  if (value === null || typeof value !== "object") {
    const kind = value === null ? "nothing" : typeof value;
    return make("div", {}, label, make("span", { class: kind }, JSON.stringify(value)));
  }
  const isList = Array.isArray(value);
  const members = isList ? value.map((one, index) => [String(index), one]) : Object.entries(value);
  const brackets = isList ? `[${members.length}]` : `{${members.length}}`;
  if (members.length === 0) return make("div", {}, label, isList ? "[]" : "{}");
  return make(
    "details",
    { open: depth < 2 },
    make("summary", {}, label, make("span", { class: "note" }, brackets)),
    members.slice(0, Math.max(0, budget.left) + 1).map(([key, one]) => tree(one, key, budget, depth + 1)),
  );
}

function dataURL(content, type) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(new Blob([content], { type }));
  });
}

function textual({ text, isJSON, isCut }) {
  if (isJSON && !isCut) {
    try {
      return make("div", { class: "tree" }, tree(JSON.parse(text), null, { left: nodeLimit }, 0));
    } catch {
      // Not JSON after all: it is shown as it is.
    }
  }
  return make("pre", { tabindex: 0 }, text);
}

/** The content of a stored response: `{ bytes, isCut, type, isImage, isJSON, text }`; text is undefined where it is none. */
export async function content(id, variant) {
  const field = variant.fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const [type, ...parameters] = field.toLowerCase().split(";").map((part) => part.trim());
  const charset = parameters.find((one) => one.startsWith("charset="))?.slice(8).replaceAll('"', "");
  const isImage = images.includes(type);
  const response = await check(await send(`/v1/resources/${encodeURIComponent(id)}/body?variant=${variant.number}`));
  const { content: bytes, isCut } = await beginning(response, isImage ? imageLimit : textLimit);
  const isText = isTextual(type) || (!type && !bytes.subarray(0, 512).some((byte) => byte < 9));
  const text = isText ? decoded(bytes, charset, isCut) : undefined;
  return { bytes, isCut, type, isImage, isJSON: /[/+]json$/.test(type), text };
}

/** An element that shows such a content. */
export async function preview(found) {
  const { bytes: content, isCut, type, isImage, text } = found;
  const note = isCut && make("p", { class: "note" }, `The first ${bytes(isImage || text !== undefined ? content.length : hexLimit)} of it.`);
  if (content.length === 0) return make("p", { class: "note" }, "It has no content.");
  if (isImage && !isCut) {
    const image = make("img", { src: await dataURL(content, type), alt: "The stored picture" });
    image.addEventListener("error", () => image.replaceWith(hex(content)));
    return make("div", { class: "picture" }, image);
  }
  return make("div", {}, text === undefined ? hex(content) : textual(found), note);
}

/** Says why a content cannot be shown. */
export const unreadable = (error) => failure(error.status ? error : "The content cannot be read as its fields say");
