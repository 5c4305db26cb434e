// Gets a session, by the code of a link or by a token, and then opens the dashboard.
import { hasSession, keepProof, openDashboard, send } from "./api.js";

const form = document.getElementById("form");
const message = document.getElementById("message");
const wrongName = "Under this name the browser does not say which page a request comes from, and then no session counts. "
  + "Open the dashboard by 127.0.0.1 or localhost.";

async function logIn(secret) {
  if (!window.isSecureContext) {
    // A link that is not sent can still be used under another name.
    message.textContent = wrongName;
    return;
  }
  message.textContent = "Logging in…";
  // The proof, if there is one, ends the session before this one.
  const response = await send("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(secret),
  }).catch(() => null);
  if (!response) {
    message.textContent = "The daemon does not answer.";
    return;
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const detail = answer.detail ?? `the daemon answers ${response.status}`;
    message.textContent = `${detail[0].toUpperCase()}${detail.slice(1)}.`;
    return;
  }
  try {
    keepProof(answer.proof);
  } catch {
    message.textContent = "The browser stores nothing for this page, so it cannot stay logged in. Allow it to store data for this address.";
    return;
  }
  if (await hasSession()) openDashboard();
  else message.textContent = wrongName;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ token: document.getElementById("token").value.trim() });
});
// Before, the browser itself would send the form, which the daemon refuses.
form.querySelector("button").disabled = false;

// The code stands behind the #, which browsers send to nobody. It goes from the address and the history at once.
const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code) {
  history.replaceState(null, "", "/login");
  logIn({ code });
} else if (await hasSession()) {
  // A link of another site led here: the browser kept the cookie to itself.
  openDashboard();
} else {
  document.getElementById("token").focus();
}
