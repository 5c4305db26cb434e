#!/usr/bin/env python3
"""Headless Chromium through the proxy, and pages that try to use it for what they may not."""

import json
import os
import queue
import subprocess

from clients import Daemon, Directory, Origin, check, finish, has, run

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
TOKEN = "Bearer browser-secret"

PAGE = """<!DOCTYPE html><title>page</title><link rel=stylesheet href=/style.css><script src=/script.js></script>
<img src=/image.svg>
<script>onload = () => fetch("/report", {method: "POST", body: JSON.stringify({script: window.ran,
    width: document.images[0].naturalWidth, colour: getComputedStyle(document.body).color})})</script>"""

ATTACK = """<!DOCTYPE html><title>attack</title><script>
const found = {};
async function attempt(name, url, options) {
    try {
        const answer = await fetch(url, options);
        found[name] = answer.type === "opaque" ? "opaque" : answer.status + " " + (await answer.text());
    } catch (error) { found[name] = "refused"; }
}
function socket(name, url) {
    return new Promise((done) => {
        const socket = new WebSocket(url);
        socket.onopen = () => { found[name] = "open"; done(); };
        socket.onerror = () => { found[name] = "refused"; done(); };
    });
}
(async () => { for (const [name, url, options] of TARGETS) {
        if (url.startsWith("ws:")) await socket(name, url); else await attempt(name, url, options);
    }
    await fetch("/report", {method: "POST", body: JSON.stringify(found)}); })();
</script>"""


class Site:
    """Pages, what they need, and an API that wants a token."""

    def __init__(self):
        self.origin = Origin(self.script)
        self.targets = []
        self.authorized = []
        self.reports = queue.Queue()

    def script(self, exchange):
        path = exchange.target.split("?")[0]
        fresh = "Cache-Control: max-age=600"
        if path == "/page":
            return exchange.reply("200 OK", fresh, "Content-Type: text/html", content=PAGE.encode())
        if path == "/style.css":
            return exchange.reply("200 OK", fresh, "Content-Type: text/css", content=b"body { color: rgb(1, 2, 3) }")
        if path == "/script.js":
            return exchange.reply("200 OK", fresh, "Content-Type: text/javascript", content=b"window.ran = 42")
        if path == "/image.svg":
            image = b'<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>'
            return exchange.reply("200 OK", fresh, "Content-Type: image/svg+xml", content=image)
        if path == "/attack":
            content = ATTACK.replace("TARGETS", json.dumps(self.targets)).encode()
            return exchange.reply("200 OK", "Cache-Control: no-store", "Content-Type: text/html", content=content)
        if path == "/report":
            self.reports.put(json.loads(exchange.reader.rest()))
            return exchange.reply("204 No Content")
        if path.startswith("/api/"):
            self.authorized.append((path, exchange.request["Authorization"] == TOKEN))
            if exchange.request["Authorization"] != TOKEN:
                return exchange.reply("401 Unauthorized", "WWW-Authenticate: Bearer", content=b"who are you")
            cors = ("Access-Control-Allow-Origin: *", "Access-Control-Allow-Methods: *")
            return exchange.reply("200 OK", "Cache-Control: public, max-age=600", *cors, content=b"the secret")
        return exchange.reply("404 Not Found")


class Browser:
    def __init__(self, program, directory):
        self.program = program
        self.directory = directory
        self.count = 0

    def command(self, url, *words):
        """A browser with a profile of its own."""
        self.count += 1
        command = [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += [f"--user-data-dir={self.directory}/profile-{self.count}", "--disable-background-networking"]
        # Or else pages wait for somebody to allow requests to this machine: we are what has to refuse them.
        command += ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"]
        return [*command, *words, url]

    def environment(self):
        return dict(os.environ, HOME=self.directory)

    def open(self, url, *words):
        """The DOM of a page once it has loaded."""
        return run(self.command(url, "--dump-dom", *words), timeout=90, env=self.environment()).stdout

    def report(self, site, url, *words):
        """What a page's own script reports to the site; the browser stays until then."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        browser = subprocess.Popen(self.command(url, *words), env=self.environment(), **quiet)
        try:
            return site.reports.get(timeout=90)
        except queue.Empty:
            return {"report": "none"}
        finally:
            browser.terminate()
            browser.wait()


def visit(browser, site, daemon):
    proxy = [f"--proxy-server=http://127.0.0.1:{daemon.port}", "--proxy-bypass-list=<-loopback>"]
    for turn in range(2):
        found = browser.report(site, site.origin.url("/page"), *proxy)
        right = {"script": 42, "width": 7, "colour": "rgb(1, 2, 3)"}
        check(found == right, f"a page with script, style and image, turn {turn}: {found}")
    counts = [site.origin.count(path) for path in ("/page", "/style.css", "/script.js", "/image.svg")]
    check(counts == [1, 1, 1, 1], f"two browsers, and the origin was asked {counts} times")


def attack(browser, site, daemon):
    own = f"http://127.0.0.1:{daemon.port}"
    site.targets = [
        ["service by path", f"{own}/api/secret", {}],
        ["service by path, blind", f"{own}/api/blind", {"mode": "no-cors"}],
        ["service by host", f"http://api.localhost:{daemon.port}/secret", {}],
        ["prefix", f"{own}/{site.origin.url('/api/prefix')}", {}],
        ["post", f"{own}/api/post", {"method": "POST", "mode": "no-cors", "body": "x"}],
        ["socket", f"ws://127.0.0.1:{daemon.port}/api/socket", {}],
        ["admin", f"http://127.0.0.1:{daemon.admin_port}/v1/resources", {}],
    ]
    # The page's site is another one than the proxy's.
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1"
    found = browser.report(site, f"http://evil.example:{site.origin.port}/attack", rules)
    for name, _, _ in site.targets:
        said = found.get(name, "nothing: " + str(found))
        check(said in ("refused", "opaque") or said.startswith("403"), f"a page of another origin, {name}: {said[:300]}")
    check(not any(right for _, right in site.authorized), "no request of that page reached the origin with the token")
    dom = browser.open(f"http://rebound.example:{daemon.port}/api/secret", rules)
    check("the secret" not in dom and "421" in dom, "a name that was made to point here gets 421 (DNS rebinding)")
    dom = browser.open(f"{own}/{site.origin.url('/page')}")
    check("/script.js" not in dom and "localhost" in dom, "a document by the prefix route is refused, and the page names the alternative")
    dom = browser.open(f"http://api.localhost:{daemon.port}/secret")
    check("the secret" in dom, "the user's own visit to the service's host is answered")
    dom = browser.open(own + "/")
    check("<h1" in dom and "curl" in dom, "the landing page")


def main(program, directory):
    site = Site()
    with open(directory + "/token", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(TOKEN + "\n")
    with open(directory + "/respite.toml", "w") as file:
        file.write(f'[service.api]\nbase = "{site.origin.url("/api/")}"\nheaders = {{ Authorization = {{ file = "{directory}/token" }} }}\n')
    daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
    browser = Browser(program, directory)
    visit(browser, site, daemon)
    attack(browser, site, daemon)
    check(daemon.stop() == 0, "the daemon ended well")


program = next((name for name in CHROMIUM if run(["sh", "-c", f"command -v {name}"]).returncode == 0), None)
if program or has(CHROMIUM[0]):
    with Directory() as scratch:
        main(program, scratch)
finish()
