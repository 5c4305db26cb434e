// Requests to the admin API. The browser adds the cookie of the session, and this module its other half, the proof: a
// browser sends cookies to every port of this machine, but keeps what a page stores for the page's own origin.

const proofKey = "respite-session";
const returnKey = "respite-return";

let hasEnded = false;

/** Throws if the browser stores nothing for this page. */
export const keepProof = (proof) => localStorage.setItem(proofKey, proof);

/** What is stored, or an empty text. */
function stored(storage, key) {
  try {
    return window[storage].getItem(key) ?? "";
  } catch {
    // A browser that stores nothing throws already when it is asked.
    return "";
  }
}

/** An answer other than 2xx; `message` is the sentence of the daemon. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function send(path, options = {}) {
  if (hasEnded) throw new Refusal(401, "the session has ended");
  const headers = { ...options.headers, "Respite-Session": stored("localStorage", proofKey) };
  return fetch(path, { cache: "no-store", ...options, headers });
}

/** Whether this browser has a session. */
export async function hasSession() {
  if (!stored("localStorage", proofKey)) return false;
  const response = await send("/v1/sessions").catch(() => null);
  return response?.ok ?? false;
}

/**
 * Says that there is no session, and asks for nothing more.
 *
 * It does not open the login page. While the daemon is down, another program may hold its port, and a page of that
 * program's own must not come here unasked.
 */
function endSession() {
  hasEnded = true;
  try {
    sessionStorage.setItem(returnKey, location.hash);
    localStorage.removeItem(proofKey);
  } finally {
    document.getElementById("ended").hidden = false;
  }
}

/** Throws a `Refusal` unless the response is fine. */
export async function check(response) {
  if (response.ok) return response;
  if (response.status === 401) {
    endSession();
    throw new Refusal(401, "the session has ended");
  }
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem.detail ?? `the daemon answers ${response.status}`);
}

export const get = async (path, options) => (await check(await send(path, options))).json();

async function change(method, path, content) {
  const headers = content === undefined ? {} : { "Content-Type": "application/json" };
  const body = content === undefined ? undefined : JSON.stringify(content);
  return (await check(await send(path, { method, headers, body }))).json();
}

export const post = (path, content) => change("POST", path, content);
export const put = (path, content) => change("PUT", path, content);

export async function logOut() {
  await post("/logout").catch(() => null);
  if (stored("localStorage", proofKey)) localStorage.removeItem(proofKey);
  location.replace("/login");
}

/** Opens the page at which a session was missing. */
export function openDashboard() {
  const hash = location.pathname === "/" && location.hash ? location.hash : stored("sessionStorage", returnKey);
  if (stored("sessionStorage", returnKey)) sessionStorage.removeItem(returnKey);
  if (location.pathname === "/" && hash) {
    history.replaceState(null, "", `/${hash}`);
    location.reload();
  } else {
    location.replace(`/${hash}`);
  }
}

export const query = (parameters) =>
  Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
