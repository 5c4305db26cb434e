#!/usr/bin/env python3
"""Cookies where a path names the origin: the jars of curl, Python and Chromium keep what two origins set apart.

Both origins share the proxy's own authority there (`/http://HOST/…`, `/NAME/…`), and a jar knows no more than that.
"""

import json
import os
import threading

from clients import PYTHON, Daemon, Directory, Origin, check, finish, has, run

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
LASTING = "Max-Age=600"
NAMES = ["sid", "__Host-csrf", "__Secure-token", "crossing", "default"]

JAR = """
import http.cookiejar, json, sys, urllib.request
jar = http.cookiejar.CookieJar()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar))
for url in sys.argv[1:]:
    opener.open(url).read()
print(json.dumps(sorted(cookie.name for cookie in jar)))
"""

REQUESTS = """
import json, sys, requests
session = requests.Session()
session.trust_env = False
for url in sys.argv[1:]:
    session.get(url).raise_for_status()
print(json.dumps(sorted(session.cookies.keys())))
"""


class Site:
    """An origin that sets cookies of every kind, and remembers which come back."""

    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        self.received = {}
        self.keys = {}
        self.moves = {}
        self.origin = Origin(self.script)

    def script(self, exchange):
        path = exchange.target.split("?")[0]
        with self.lock:
            self.received.setdefault(path, []).append(exchange.request["Cookie"])
            self.keys.setdefault(path, []).append(exchange.request["X-Api-Key"])
        fields = ["Cache-Control: no-store", "Content-Type: text/html"]
        if path.endswith("/login"):
            fields += [
                f"Set-Cookie: sid={self.name}; Path=/; Domain=127.0.0.1; HttpOnly; {LASTING}",
                f"Set-Cookie: __Host-csrf={self.name}; Path=/; Secure; {LASTING}",
                f"Set-Cookie: __Secure-token={self.name}; Path=/; Secure; {LASTING}",
                f"Set-Cookie: crossing={self.name}; Path=/; Secure; SameSite=None; {LASTING}",
                f"Set-Cookie: default={self.name}; Secure; {LASTING}",
                f"Set-Cookie: deep={self.name}; Path=/deep; {LASTING}",
            ]
        if path.endswith("/plant"):
            fields.append(f"Set-Cookie: planted={self.name}; Path=/; {LASTING}")
        if path in self.moves:
            return exchange.reply("302 Found", "Location: " + self.moves[path], *fields)
        return exchange.reply("200 OK", *fields, content=self.name.encode())

    def cookies(self, path):
        """The names and values of the last request for a path; None: there was none."""
        with self.lock:
            got = self.received.get(path)
        if not got:
            return None
        return dict(pair.split("=", 1) for pair in (got[-1] or "").split("; ") if "=" in pair)

    def expected(self, *more):
        return {name: self.name for name in [*NAMES, *more]}


def judge(name, one, other, only_path=""):
    """What both origins saw of a client that logged in at both, then asked each."""
    for site in (one, other):
        found = site.cookies("/echo")
        check(found == site.expected(), f"{name}: origin {site.name} gets its own cookies and no others: {found}")
    found = one.cookies("/deep/echo")
    check(found == one.expected("deep"), f"{name}: a cookie's own path counts: {found}")
    found = one.cookies("/deeper")
    check(found == one.expected(), f"{name}: and ends with a segment: {found}")


def chain(daemon, one, other, form):
    """The URLs of such a client."""
    url = {"prefix": lambda site, path: f"http://127.0.0.1:{daemon.port}/{site.origin.url(path)}"}.get(
        form, lambda site, path: f"http://127.0.0.1:{daemon.port}/{site.name}{path}"
    )
    return [
        url(one, "/login"), url(other, "/echo"), url(other, "/login"), url(one, "/echo"), url(other, "/echo"), url(one, "/deep/echo"), url(one, "/deeper"),
    ]


def first_visit(name, other):
    """The first request to the other origin came before it had set anything."""
    with other.lock:
        first = other.received.get("/echo", ["nothing asked"])[0]
    check(first is None, f"{name}: an origin that set no cookie gets none: {first}")


def curl(daemon, directory):
    for form in ("prefix", "service"):
        one, other = sites(daemon)
        jar = f"{directory}/jar-{form}"
        for url in chain(daemon, one, other, form):
            run(["curl", "-sS", "--noproxy", "*", "-b", jar, "-c", jar, url])
        first_visit(f"curl, {form}", other)
        judge(f"curl, {form}", one, other)


def python(daemon):
    for kind, program in (("http.cookiejar", JAR), ("requests", REQUESTS)):
        if kind == "requests" and not has(modules=("requests",)):
            continue
        for form in ("prefix", "service"):
            one, other = sites(daemon)
            outcome = run([PYTHON, "-c", program, *chain(daemon, one, other, form)])
            first_visit(f"Python, {kind}, {form}", other)
            judge(f"Python, {kind}, {form}", one, other)
            names = set(json.loads(outcome.stdout or "[]"))
            check("sid" in names and "default" in names, f"Python, {kind}: a program finds its cookies by name: {sorted(names)}")


def redirects(daemon):
    """A credential given by hand stays with the origin it was given for."""
    for words in (["-H", "Cookie: own=secret"], ["-H", "X-Api-Key: secret"]):
        one, other = sites(daemon)
        one.moves["/away"] = other.origin.url("/echo")
        url = f"http://127.0.0.1:{daemon.port}/{one.origin.url('/away')}"
        location = run(["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{redirect_url}", *words, url]).stdout
        check(location.startswith("http://localhost:"), f"a redirect to another origin shows another host, {words[1][:6]}: {location}")
        got = one.received["/away"][-1], one.keys["/away"][-1]
        check("secret" in str(got), f"what a tool sends itself reaches the origin: {got}")
        run(["curl", "-sS", "--noproxy", "*", "-L", *words, url])
        if words[1].startswith("Cookie"):
            check(not other.cookies("/echo"), f"curl keeps its Cookie to itself: {other.cookies('/echo')}")


def chromium(daemon, program, directory):
    """One browser follows redirects through services of the two origins, behind a page of this machine that plants a cookie."""
    one, other = sites(daemon)
    plant = Site("plant")
    own = f"http://127.0.0.1:{daemon.port}"
    plant.moves["/plant"] = f"{own}/one/login"
    one.moves.update({"/login": "/echo", "/echo": "/deep/echo", "/deep/echo": "/deeper", "/deeper": f"{own}/two/first"})
    other.moves.update({"/first": "/login", "/login": "/echo", "/echo": f"{own}/one/last"})
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--dump-dom"]
    command += [f"--user-data-dir={directory}/profile", "--disable-background-networking", plant.origin.url("/plant")]
    outcome = run(command, timeout=90, env=dict(os.environ, HOME=directory))
    check(one.cookies("/last") is not None, f"Chromium went the whole way: {outcome.stdout[:200]}")
    check(other.cookies("/first") == {}, f"Chromium: neither a planted cookie nor origin one's reaches origin two: {other.cookies('/first')}")
    check(one.cookies("/last") == one.expected(), f"Chromium: origin one gets its own: {one.cookies('/last')}")
    judge("Chromium", one, other)


def sites(daemon):
    """Two origins that the daemon's services stand for, with nothing received."""
    for site in daemon.sites:
        site.received.clear()
        site.keys.clear()
        site.moves.clear()
    return daemon.sites


def main(directory):
    one, other = Site("one"), Site("two")
    with open(directory + "/respite.toml", "w") as file:
        for site in (one, other):
            file.write(f'[service.{site.name}]\nbase = "{site.origin.url("/")}"\n')
    daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
    daemon.sites = one, other
    curl(daemon, directory)
    python(daemon)
    redirects(daemon)
    program = next((name for name in CHROMIUM if run(["sh", "-c", f"command -v {name}"]).returncode == 0), None)
    if program or has(CHROMIUM[0]):
        chromium(daemon, program, directory)
    check(daemon.stop() == 0, "the daemon ended well")


with Directory() as scratch:
    main(scratch)
finish()
