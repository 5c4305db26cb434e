// What differs between two versions of a content: JSON by paths, text by lines.
import { make } from "./dom.js";
import { bytes, plural } from "./format.js";

/** Differences that are shown; a long list helps nobody. */
const most = 200;
/** Lines between which a comparison line by line takes too long. */
const mostLines = 2000;

const isObject = (value) => value !== null && typeof value === "object";

/** The paths at which two JSON values differ: `{ path, before, after }`, undefined where one has nothing. */
export function paths(before, after, path = "$", found = []) {
  if (found.length >= most || Object.is(before, after)) return found;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ path, before, after });
    return found;
  }
  const isList = Array.isArray(before);
  const own = (value, key) => (Object.hasOwn(value, key) ? value[key] : undefined);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const name = isList ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    paths(own(before, key), own(after, key), path + name, found);
  }
  return found;
}

/** The lines that went and came: `{ sign, text }`, with the lines around them. */
export function lines(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [gone, come] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle = gone.length * come.length > mostLines ** 2
    ? [...gone.map((text) => ({ sign: "−", text })), ...come.map((text) => ({ sign: "+", text }))]
    : common(gone, come);
  const around = (texts) => texts.map((text) => ({ sign: " ", text }));
  return [...around(old.slice(Math.max(0, start - 2), start)), ...middle, ...around(old.slice(old.length - end, old.length - end + 2))];
}

/** Two lists of lines as one, by their longest common sequence. */
function common(gone, come) {
  const width = come.length + 1;
  const length = new Uint16Array((gone.length + 1) * width);
  for (let one = gone.length - 1; one >= 0; one -= 1) {
    for (let other = come.length - 1; other >= 0; other -= 1) {
      length[one * width + other] = gone[one] === come[other]
        ? length[(one + 1) * width + other + 1] + 1
        : Math.max(length[(one + 1) * width + other], length[one * width + other + 1]);
    }
  }
  const found = [];
  let [one, other] = [0, 0];
  while (one < gone.length || other < come.length) {
    if (one < gone.length && other < come.length && gone[one] === come[other]) {
      found.push({ sign: " ", text: gone[one] });
      one += 1;
      other += 1;
    } else if (other >= come.length || (one < gone.length && length[(one + 1) * width + other] >= length[one * width + other + 1])) {
      found.push({ sign: "−", text: gone[one] });
      one += 1;
    } else {
      found.push({ sign: "+", text: come[other] });
      other += 1;
    }
  }
  return found;
}

const parsed = (one) => {
  try {
    return one.isJSON ? { value: JSON.parse(one.text) } : null;
  } catch {
    return null;
  }
};

const word = (value) => (value === undefined ? "nothing" : JSON.stringify(value));

/** An element that shows what became of a content; null if nothing did. */
export function difference(before, after) {
  if (before.text === undefined || after.text === undefined) {
    const isSame = before.bytes.length === after.bytes.length && before.bytes.every((byte, place) => byte === after.bytes[place]);
    return isSame ? null : make("p", {}, `${bytes(before.bytes.length)} became ${bytes(after.bytes.length)}.`);
  }
  if (before.text === after.text) return null;
  const [old, now] = [parsed(before), parsed(after)];
  if (old && now) {
    const found = paths(old.value, now.value);
    if (found.length === 0) return make("p", {}, "It is written in another way, and says the same.");
    return make("div", {}, make("p", { class: "note" }, plural(found.length, "value differs", "values differ")),
      make("ul", { class: "paths" }, found.map((one) => make("li", {},
        make("code", { class: "key" }, one.path), ": ", make("del", {}, word(one.before)), " → ", make("ins", {}, word(one.after))))));
  }
  const found = lines(before.text, after.text);
  const names = { "+": "ins", "−": "del", " ": "span" };
  return make("pre", { class: "lines-diff", tabindex: 0 },
    found.slice(0, most).map((line) => make(names[line.sign], {}, `${line.sign} ${line.text}\n`)),
    found.length > most && `… ${plural(found.length - most, "line")} more`);
}
