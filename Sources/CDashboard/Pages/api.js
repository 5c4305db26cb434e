// Requests to the admin API. The browser adds the cookie of the session, and this module its other half, the proof: a
// browser sends cookies to every port of this machine, but keeps what a page stores for the page's own origin.

const proofKey = "respite-session";
const returnKey = "respite-return";

export const keepProof = (proof) => localStorage.setItem(proofKey, proof);

/** An answer other than 2xx; `message` is the sentence of the daemon. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function send(path, options = {}) {
  const headers = { ...options.headers, "Respite-Session": localStorage.getItem(proofKey) ?? "" };
  return fetch(path, { cache: "no-store", ...options, headers });
}

/** Whether this browser has a session. */
export async function hasSession() {
  if (!localStorage.getItem(proofKey)) return false;
  const response = await send("/v1/sessions").catch(() => null);
  return response?.ok ?? false;
}

/** Throws a `Refusal` unless the response is fine; without a session, opens the login page. */
export async function check(response) {
  if (response.ok) return response;
  if (response.status === 401) {
    sessionStorage.setItem(returnKey, location.hash);
    localStorage.removeItem(proofKey);
    location.replace("/login");
  }
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem.detail ?? `the daemon answers ${response.status}`);
}

export const get = async (path, options) => (await check(await send(path, options))).json();

export async function post(path, content) {
  const headers = content === undefined ? {} : { "Content-Type": "application/json" };
  const body = content === undefined ? undefined : JSON.stringify(content);
  return (await check(await send(path, { method: "POST", headers, body }))).json();
}

export async function logOut() {
  await post("/logout").catch(() => null);
  localStorage.removeItem(proofKey);
  location.replace("/login");
}

/** Opens the page at which a session was missing. */
export function openDashboard() {
  const hash = location.pathname === "/" && location.hash ? location.hash : (sessionStorage.getItem(returnKey) ?? "");
  sessionStorage.removeItem(returnKey);
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
