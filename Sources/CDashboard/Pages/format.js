// Numbers for people.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytes(count) {
  if (count === undefined || count === null) return "–";
  let value = count;
  let unit = 0;
  while (Math.abs(value) >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit]}`;
}

export const count = (number) => (number === undefined || number === null ? "–" : number.toLocaleString("en"));

export function rate(number) {
  if (!Number.isFinite(number)) return "–";
  if (number === 0) return "0";
  return number < 10 ? number.toFixed(1) : count(Math.round(number));
}

export const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %` : "–");

/** A time with its two largest units: `3 min 20 s`. */
export function duration(seconds) {
  if (seconds === undefined || seconds === null) return "–";
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let rest = Math.abs(Math.trunc(seconds));
  const words = [];
  for (const [unit, size] of parts) {
    const number = Math.floor(rest / size);
    rest -= number * size;
    if (number > 0 || (words.length === 0 && unit === "s")) words.push(`${number} ${unit}`);
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.join(" ");
}

/** Milliseconds as a time in its largest units. */
export function elapsed(milliseconds) {
  if (milliseconds === undefined) return "–";
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return milliseconds < 60000 ? `${(milliseconds / 1000).toFixed(1)} s` : duration(milliseconds / 1000);
}

/** Microseconds as milliseconds or seconds. */
export function milliseconds(microseconds) {
  const value = microseconds / 1000;
  if (value >= 1000) return `${(value / 1000).toFixed(value < 10000 ? 2 : 1)} s`;
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
