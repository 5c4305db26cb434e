// Gets a session, by the code of a link or by a token, and then opens the dashboard.
import { hasSession, keepProof, openDashboard } from "./api.js";

const form = document.getElementById("form");
const message = document.getElementById("message");

async function logIn(secret) {
  message.textContent = "Logging in…";
  const response = await fetch("/login", {
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
  keepProof(answer.proof);
  openDashboard();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ token: document.getElementById("token").value.trim() });
});

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
