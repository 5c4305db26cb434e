#!/usr/bin/env python3
"""The dashboard in Chromium: logging in, looking, changing; and what pages of others try.

With a directory as operand it leaves pictures of every page there, at two widths, light and dark.
"""

import http.server
import itertools
import json
import os
import struct
import sys
import threading
import zlib

import axe
import dashboard_pages
from browser_profile import CHROMIUM
from clients import Client, Daemon, Directory, Origin, binary, check, finish, free_port, run

HOSTILE = "/%3Cscript%3Edocument.title='ran'%3C/script%3E?q=\"><img src=x onerror=alert(1)>"


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(bytes((x * 2, 120, y * 2)) for x in range(96)) for y in range(64))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 64, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PICTURE = png()


def script(exchange):
    path = exchange.target.split("?")[0]
    kinds = {
        "/api": ("application/json", json.dumps({"name": "respite", "list": [1, 2, {"deep": True}], "markup": "<b>no</b>"}).encode()),
        "/picture": ("image/png", PICTURE),
        "/bytes": ("application/octet-stream", bytes(range(256)) * 4),
        "/page": ("text/html; charset=utf-8", b"<!doctype html><script>parent.ran = document.title = 'ran'</script><h1 id=injected>A page</h1>"),
        "/drawing": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><script>parent.ran = 1</script><rect width='60' height='40' fill='teal'/></svg>"),
    }
    kind, content = kinds.get(path, ("text/plain; charset=utf-8", b"some text <script>document.title = 'ran'</script>\n" * 20))
    age = "max-age=0" if path == "/old" else "max-age=600"
    exchange.reply("200 OK", f"Cache-Control: {age}", 'ETag: "1"', "X-Note: <script>alert(1)</script>", f"Content-Type: {kind}", content=content)


def link(daemon, directory):
    """The one-time link, as a person in a terminal gets it."""
    token = os.path.join(daemon.store, "admin-token")
    words = [binary(), "dashboard", "--print", "--admin", f"127.0.0.1:{daemon.admin_port}", "--token-file", token]
    done = run(words, env={"PATH": os.environ["PATH"], "HOME": directory, "XDG_CONFIG_HOME": directory + "/none", "XDG_RUNTIME_DIR": directory + "/none"})
    check(done.returncode == 0 and done.stdout.startswith(f"http://127.0.0.1:{daemon.admin_port}/login#code="), f"the command prints a link {done.stderr}")
    return done.stdout.strip()


def go(tab, page):
    tab.run(f"location.hash = {json.dumps(page)}")


def shows(tab, words, sentence, seconds=20):
    found = tab.wait(f"document.body && document.body.innerText.includes({json.dumps(words)})", seconds)
    return check(found, sentence if found else f"{sentence}: {tab.text()[:300]!r}")


def enter_token(tab, daemon):
    tab.wait("document.querySelector('#form button:enabled')")
    tab.run(f"document.getElementById('token').value = {json.dumps(daemon.token)}")
    tab.run("document.querySelector('button').click()")


def gone():
    """The URL of a port on which nothing listens."""
    return f"http://127.0.0.1:{free_port()}"


def early(browser, daemon):
    """The login page before its script has come: its button cannot be pressed."""
    tab = browser.tab(browser.context())
    tab.hold("*/assets/login.js")
    tab.open(f"http://127.0.0.1:{daemon.admin_port}/login")
    tab.wait("document.getElementById('token')")
    check(tab.held(1) == 1 and tab.run("document.querySelector('#form button').disabled"), "the button waits for the page's script")
    tab.run("document.querySelector('#form button').click()")
    tab.release()
    enter_token(tab, daemon)
    shows(tab, "Hit ratio, requests", "then it logs in")


def unlucky(browser, daemon):
    """Browsers in which no session can last say so."""
    tab = browser.tab(browser.context())
    tab.open(f"http://named.example:{daemon.admin_port}/login")
    tab.wait("document.getElementById('token')")
    enter_token(tab, daemon)
    shows(tab, "by 127.0.0.1 or localhost", "under a name of admin-hosts the page says how to open it")
    tab = browser.tab(browser.context())
    tab.call("Page.addScriptToEvaluateOnNewDocument", source="Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })")
    tab.open(f"http://127.0.0.1:{daemon.admin_port}/login")
    tab.wait("document.getElementById('token')")
    enter_token(tab, daemon)
    shows(tab, "stores nothing for this page", "with storage blocked the page says what is missing")


FALSE_PAGE = b"""<!doctype html><p id=p>a false page</p><script type=module>
await navigator.serviceWorker.register("/deep/worker.js", { scope: "/" });
await navigator.serviceWorker.ready;
document.getElementById("p").textContent = "a false page stays";
</script>"""
FALSE_WORKER = b"""self.onfetch = (event) => event.respondWith(new Response("a false answer"));
self.oninstall = () => self.skipWaiting();"""


def false_daemon(browser, daemon, directory):
    """A worker that another program left at our address goes when the daemon is back."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            is_worker = self.path == "/deep/worker.js"
            content = FALSE_WORKER if is_worker else FALSE_PAGE
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if is_worker else "text/html")
            self.send_header("Service-Worker-Allowed", "/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tab = browser.tab(browser.context())
    tab.open(f"http://127.0.0.1:{port}/")
    shows(tab, "a false page stays", "another program at our port leaves a worker behind")
    server.shutdown()
    server.server_close()
    second = Daemon(directory + "/second", "--admin", f"127.0.0.1:{port}")
    try:
        tab.open(f"http://127.0.0.1:{port}/login?first")
        tab.wait("document.readyState === 'complete'")
        for _ in range(20):
            tab.open(f"http://127.0.0.1:{port}/login")
            if tab.wait("document.body?.innerText.includes('Log in to the dashboard')", 1):
                break
        shows(tab, "Log in to the dashboard", "the daemon's answer removes it")
    finally:
        second.stop()


def log_in(browser, daemon, directory):
    url = link(daemon, directory)
    tab = browser.tab()
    tab.open(url)
    shows(tab, "Hit ratio, requests", "the link logs in and opens the overview")
    check(tab.run("location.href") == f"http://127.0.0.1:{daemon.admin_port}/", "no code is left in the address")
    code = url.split("=")[1]
    sent = tab.requests()
    check(len(sent) > 5 and not any(code in one for request in sent for one in request), "no address and no field that the browser sent has the code")
    thief = browser.tab(browser.context())
    thief.open(url)
    shows(thief, "has been used", "the same link used twice is refused")
    check(thief.run("location.pathname") == "/login", "and the second browser stays at the login page")
    thief.run("document.getElementById('token').value = 'wrong'")
    thief.run("document.querySelector('button').click()")
    shows(thief, "not the token", "a wrong token is refused")
    enter_token(thief, daemon)
    shows(thief, "Hit ratio, requests", "the right token logs in")
    go(thief, "#/constructor")
    shows(thief, "There is no such page", "a name that every object has is no page")
    thief.run("localStorage.setItem('respite-session', 'ended'), location.hash = '#/tunnels'")
    shows(thief, "The session has ended", "a page that is open says that its session has ended")
    asked = len(thief.requests())
    thief.wait("false", 5)
    check(thief.run("location.pathname") == "/" and len(thief.requests()) == asked, "it stays, and asks nothing more")
    thief.run("document.querySelector('#ended a').click()")
    thief.wait("location.pathname === '/login' && document.getElementById('token')")
    enter_token(thief, daemon)
    shows(thief, "No tunnel was opened", "logging in again leads back to the page")
    thief.run("document.getElementById('logout').click()")
    shows(thief, "Log in to the dashboard", "logging out leads to the login page")
    thief.open(f"http://127.0.0.1:{daemon.admin_port}/#/resources")
    shows(thief, "Log in to the dashboard", "and no page opens after that")
    return tab


def open_resource(tab, words, sentence):
    go(tab, "#/resources")
    found = tab.wait(f"[...document.querySelectorAll('td.main a')].find((a) => a.textContent.includes({json.dumps(words)}))?.getAttribute('href')")
    check(found, f"the list has {words}")
    go(tab, found or "#/")
    shows(tab, "What a request would get now", sentence)


def look(tab, daemon, origin):
    go(tab, "#/resources?filter=state%3Afresh")
    shows(tab, origin.url("/api"), "the list shows what is stored")
    check(not tab.run("document.body.innerText").count("/old\n"), "the filter leaves out what is stale")
    open_resource(tab, "/api", "a resource opens")
    shows(tab, '"respite"', "JSON is a tree")
    shows(tab, "It is up to date for another", "its state is in words")
    check(tab.run("document.querySelectorAll('.tree b').length") == 0, "markup in JSON is text")
    open_resource(tab, "/page", "a page of an origin opens as a resource")
    shows(tab, "<h1 id=injected>", "HTML is shown as text")
    check(tab.run("document.getElementById('injected') === null && window.ran === undefined"), "and does not run")
    open_resource(tab, "/picture", "a picture opens")
    check(tab.wait("document.querySelector('.picture img')?.naturalWidth") == 96, "and is shown")
    open_resource(tab, "/drawing", "a drawing with a script opens")
    check(tab.wait("document.querySelector('.picture img')?.naturalWidth") == 60 and tab.run("window.ran === undefined"), "and its script does not run")
    open_resource(tab, "/bytes", "bytes open")
    shows(tab, "000010  10 11 12", "bytes are shown as numbers")
    open_resource(tab, "onerror", "a URL with a script opens")
    check(tab.run("document.querySelectorAll('main img, main script').length") == 0, "and nothing of it is markup")
    check(tab.run("document.title") != "ran", "no script of a URL or a body has run")
    go(tab, "#/settings")
    shows(tab, "Only settings that differ", "the settings are shown")
    go(tab, "#/tunnels")
    shows(tab, "No tunnel was opened", "the tunnels are shown")
    complaints = tab.complaints()
    check(not complaints, f"the browser has nothing to complain about: {complaints}")


def follow(tab, daemon, origin):
    """Requests appear while somebody looks, and each says why it was what it was."""

    def ask(path):
        client = Client(daemon.port)
        client.get(origin.url(path))
        client.close()

    def urls():
        return tab.run("[...document.querySelectorAll('tbody a')].map((one) => one.textContent)") or []

    ask("/api")
    go(tab, "#/live")
    shows(tab, "Live, ", "the page of live requests opens")
    check(tab.wait(f"document.querySelector('tbody')?.innerText.includes({json.dumps(origin.url('/api'))})"), "it begins with earlier requests")
    ask("/live?one")
    check(tab.wait(f"document.querySelector('tbody a')?.textContent === {json.dumps(origin.url('/live?one'))}"), "a miss appears on top")
    ask("/live?one")
    found = tab.wait(f"document.querySelector('tbody tr .badge')?.textContent === 'hit' && document.querySelector('tbody a').textContent === {json.dumps(origin.url('/live?one'))}")
    check(found, "a hit appears live")
    tab.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Pause').click()")
    shows(tab, "Paused", "it can be paused")
    ask("/live?two")
    check(urls().count(origin.url("/live?two")) == 0, "and nothing moves meanwhile")
    tab.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Go on').click()")
    check(tab.wait(f"document.querySelector('tbody a').textContent === {json.dumps(origin.url('/live?two'))}"), "what came meanwhile follows")
    filter_by = "document.getElementById('filter').value = {}, document.getElementById('filter').dispatchEvent(new Event('input'))"
    tab.run(filter_by.format("'cache=hit /live'"))
    check(tab.wait("document.querySelectorAll('tbody tr').length === 1"), "the filter holds as it is typed")
    tab.run(filter_by.format("'cache=hot'"))
    shows(tab, "the filter is wrong at character 7: expected one of own, hit", "a wrong filter says where and what was expected")
    tab.run(filter_by.format("'cache=miss ?one'"))
    check(tab.wait("document.querySelectorAll('tbody tr').length === 1"), "the filter is mended")
    tab.run("document.querySelector('tbody a').click()")
    shows(tab, "Nothing was stored for this URI", "a request opens with its reason in words")
    check(tab.run("document.querySelector('h1').textContent") == "GET " + origin.url("/live?one"), "and names the request")
    go(tab, "#/live/zzzz")
    shows(tab, "there is no request `zzzz`", "a request that has gone says so")


def purge(tab, daemon, origin):
    go(tab, "#/resources?filter=%2Ftext")
    shows(tab, origin.url("/text-1"), "the filter finds three")
    check(tab.run("document.querySelector('.actions button').disabled"), "without a selection there is nothing to do")
    tab.run("document.querySelector('input[data-all]').click()")
    shows(tab, "3 resources selected", "all of them are selected")
    press = "[...document.querySelectorAll('button')].find((one) => one.textContent === {}).click()"
    tab.run(press.format("'Purge'"))
    shows(tab, "Purge 3 resources?", "a dialog asks first")
    names = tab.run("[...document.querySelectorAll('dialog li')].map((one) => one.textContent)")
    check(sorted(names) == [origin.url(f"/text-{number}") for number in range(3)], f"and names what would go: {names}")
    tab.run(press.format("'Cancel'"))
    stored = lambda: len(daemon.admin("/v1/resources?filter=/text")["resources"])  # noqa: E731
    tab.wait("!document.querySelector('dialog')")
    check(stored() == 3, "cancelling changes nothing")
    tab.run(press.format("'Purge'"))
    tab.wait("document.querySelector('dialog[open]')")
    tab.run("document.querySelector('dialog button.danger').click()")
    shows(tab, "Nothing that is stored fits", "the button purges, and the list shows it")
    check(stored() == 0, "they are gone")


def stop(tab, daemon):
    """Closing the dialog during a change leaves what is not begun as it is."""
    go(tab, "#/resources?filter=%2Fmany")
    tab.wait("document.querySelectorAll('input[data-uri]').length === 12")
    tab.run("document.querySelector('input[data-all]').click()")
    tab.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Purge').click()")
    tab.wait("document.querySelector('dialog[open]')")
    tab.hold("*/v1/purge*")
    tab.run("document.querySelector('dialog button.danger').click()")
    check(tab.run("document.querySelector('dialog button').textContent") == "Stop", "during a change the dialog has a button that stops it")
    # Four at once is what the page does.
    begun = tab.held(4)
    tab.run("document.querySelector('dialog button').click()")
    tab.release()
    tab.wait("!document.querySelector('dialog')")
    left = len(daemon.admin("/v1/resources?filter=/many")["resources"])
    check(begun == 4 and tab.held(0) == 4 and left == 8, f"the button leaves what is not begun: {left} of 12, {begun} were begun")


ATTACK = """<!doctype html><title>attack</title><p id=p>trying</p><iframe src="{admin}/"></iframe><script src="{admin}/assets/api.js" onload="ran = 1"></script>
<script type=module>
const admin = "{admin}", found = [];
const tries = [
  () => fetch(admin + "/v1/status", {{ credentials: "include" }}).then((one) => one.text()),
  () => fetch(admin + "/v1/status", {{ credentials: "include", headers: {{ "Respite-Session": "x" }} }}).then((one) => one.text()),
  () => fetch(admin + "/login", {{ method: "POST", credentials: "include", headers: {{ "Content-Type": "application/json" }}, body: "{{}}" }}).then((one) => one.text()),
  () => import(admin + "/assets/format.js").then(() => "imported"),
];
for (const one of tries) found.push(await one().catch(() => "nothing"));
const purge = (words) => fetch(admin + "/v1/purge", {{ method: "POST", credentials: "include", body: '{{"filter":"**"}}', ...words }}).catch(() => 0);
await purge({{ mode: "no-cors" }});
await purge({{ headers: {{ "Content-Type": "application/json" }} }});
document.getElementById("p").textContent = found.join();
</script><a id=link href="{admin}/">a link</a><a id=deep href="{admin}/#/tunnels">a page</a><a id=status href="{admin}/v1/status">another</a>"""


def attack(browser, daemon):
    admin = f"http://127.0.0.1:{daemon.admin_port}"

    def page(exchange):
        exchange.reply("200 OK", "Content-Type: text/html", content=ATTACK.format(admin=admin).encode())

    evil = Origin(page)
    port = evil.authority.rsplit(":", 1)[1]
    before = len(daemon.admin("/v1/resources")["resources"])
    for name, url in (("another site", f"http://evil.example:{port}/"), ("another port", f"http://127.0.0.1:{port}/")):
        tab = browser.tab()
        tab.open(url)
        found = tab.wait("document.getElementById('p')?.textContent.startsWith('nothing') && document.getElementById('p').textContent")
        check(found == "nothing,nothing,nothing,nothing", f"a page of {name} reads nothing: {found}")
        check(len(daemon.admin("/v1/resources")["resources"]) == before, f"a page of {name} purges nothing")
        check(tab.run("window.ran === undefined"), f"a page of {name} runs no module of ours")
        answers = tab.answers(admin)
        refused = {f"{admin}/", f"{admin}/assets/api.js", f"{admin}/v1/purge"}
        check(refused <= {one for one, _ in answers} and {status for _, status in answers} == {403}, f"frame, script and requests of {name} get 403: {answers}")
        tab.run("document.getElementById('status').click()")
        tab.wait(f"location.href.startsWith('{admin}') && document.readyState === 'complete' && document.body !== null")
        check("uptimeSeconds" not in (tab.text() or ""), f"a link of {name} opens no data")
        tab = browser.tab()
        tab.open(url)
        tab.wait("document.getElementById('link')")
        tab.run("document.getElementById('link').click()")
        shows(tab, "Hit ratio, requests", f"a link of {name} to the dashboard opens it for who is logged in")
        tab = browser.tab()
        tab.open(url)
        tab.wait("document.getElementById('deep')")
        tab.run("document.getElementById('deep').click()")
        shows(tab, "No tunnel was opened", f"and a link of {name} to one of its pages opens that page")
    tab = browser.tab()
    tab.open(f"http://rebound.example:{daemon.admin_port}/")
    shows(tab, "421", "a rebound name gets nothing")


def from_the_proxy(browser, daemon):
    tab = browser.tab()
    tab.open(f"http://127.0.0.1:{daemon.port}/")
    tab.wait("document.querySelector('a[rel=noreferrer]')")
    tab.run("document.querySelector('a[rel=noreferrer]').click()")
    shows(tab, "Hit ratio, requests", "the link on the proxy's own page leads to the dashboard")


def stolen_cookie(tab, daemon):
    cookies = tab.call("Network.getCookies", urls=[f"http://127.0.0.1:{daemon.admin_port}/"])["cookies"]
    [cookie] = [one for one in cookies if one["name"] == f"respite-{daemon.admin_port}"]
    check(cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["session"], "the cookie is closed to scripts and other sites")
    client = Client(daemon.admin_port)
    fields = [f"Cookie: {cookie['name']}={cookie['value']}", "Sec-Fetch-Site: same-origin"]
    client.send("GET", "/v1/status", fields, host=f"127.0.0.1:{daemon.admin_port}")
    check(client.answer().status == 401, "a server at another port that got the cookie can do nothing with it")


def keyboard(tab):
    go(tab, "#/")
    tab.wait("document.querySelector('.choice')")

    def press(key, code=None, **words):
        for kind in ("keyDown", "keyUp"):
            tab.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **words)

    tab.run("document.activeElement.blur(), window.scrollTo(0, 0)")
    reached = []
    for _ in range(15):
        press("Tab", windowsVirtualKeyCode=9)
        reached.append(tab.run("document.activeElement.id || document.activeElement.type || document.activeElement.textContent.trim().slice(0, 20)"))
    missing = {"skip", "Overview", "Live", "Resources", "Origins", "Tunnels", "Log", "Settings", "logout", "mode", "radio"} - set(reached)
    check(not missing, f"the Tab key reaches everything on the overview; missing: {missing}")
    tab.run("document.querySelector('.choice input').focus()")
    press("ArrowRight", windowsVirtualKeyCode=39)
    shows(tab, "an hour ago", "an arrow key changes the period")


def busy():
    """Gives the page of origins something to show; `main` sets what."""


def pages(daemon):
    """Every page, by a name."""
    ids = {one["uri"].rsplit("/", 1)[1]: one["id"] for one in daemon.admin("/v1/resources?limit=1000")["resources"]}
    return {"overview": "#/", "resources": "#/resources", "json": "#/resources/" + ids["api"], "picture": "#/resources/" + ids["picture"],
             "stale": "#/resources/" + ids["old"], "bytes": "#/resources/" + ids["bytes"], "tunnels": "#/tunnels", "settings": "#/settings", "live": "#/live", "origins": "#/origins", "log": "#/log",
             "request": "#/live/" + daemon.admin("/v1/requests?filter=cache=miss%20/api")["requests"][0]["id"]}  # fmt: skip


def open_page(tab, page):
    if page == "#/origins":
        busy()
    go(tab, page)
    tab.wait("document.querySelector('main h1') && !document.body.innerText.includes('Loading…')")
    tab.wait("false", 0.5)


def accessible(tab, daemon):
    """axe-core finds nothing on any page."""
    text = axe.script()
    if text is None:
        print("skipped: axe-core: pip cannot download axe-playwright-python")
        return
    for width, scheme in itertools.product((360, 1600), ("light", "dark")):
        tab.resize(width, 900, scheme)
        for name, page in pages(daemon).items():
            open_page(tab, page)
            found = axe.violations(tab, text)
            check(found == [], f"{name} at {width} px, {scheme}: axe-core finds no violation {found or ''}")
    tab.resize(1200, 900)


def pictures(tab, daemon, directory):
    os.makedirs(directory, exist_ok=True)
    for width, scheme in itertools.product((360, 1600), ("light", "dark")):
        tab.resize(width, 900, scheme)
        for name, page in pages(daemon).items():
            open_page(tab, page)
            wide = tab.run("document.documentElement.scrollWidth")
            check(wide <= width, f"{name} at {width} px does not scroll sideways ({wide})")
            tab.picture(f"{directory}/{name}-{width}-{scheme}.png")
    tab.resize(1600, 900)
    go(tab, "#/resources")
    tab.wait("document.querySelector('input[data-uri]')")
    tab.run("document.querySelector('input[data-all]').click()")
    tab.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Purge').click()")
    tab.wait("document.querySelector('dialog[open]')")
    tab.picture(f"{directory}/dialog-1600-light.png")
    tab.run("document.querySelector('dialog button').click()")


def main(directory):
    from chromium import Browser

    origin = Origin(script)
    certificate = dashboard_pages.certificate(directory)
    daemon = Daemon(directory + "/store", "--set", 'admin-hosts=["named.example"]', "--set", f'tls.ca-files=["{certificate}"]')
    secure = dashboard_pages.secure(certificate)
    for path in ["/api", "/picture", "/bytes", "/page", "/drawing", "/old", "/text-0", "/text-1", "/text-2", *(f"/many-{number}" for number in range(12))] * 2 + [HOSTILE.replace(" ", "%20")]:
        client = Client(daemon.port)
        status = client.get(origin.url(path)).status
        if status != 200:
            check(False, f"{path} is stored: {status}")
        client.close()
    down = gone()

    def ask():
        for url in [origin.url("/busy"), *(f"{down}/{number}" for number in range(6))]:
            client = Client(daemon.port)
            client.send("GET", url, ["Cache-Control: no-cache"])
            client.answer()
            client.close()
        client = Client(daemon.port)
        client.send("GET", f"/https://localhost:{secure.port}/", ["Cache-Control: no-cache"], host=f"127.0.0.1:{daemon.port}")
        client.answer()
        client.close()

    global busy
    busy = ask
    browser = Browser(directory, "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1, MAP named.example 127.0.0.1")
    try:
        tab = log_in(browser, daemon, directory)
        if len(sys.argv) > 1:
            pictures(tab, daemon, sys.argv[1])
            tab.resize(1200, 900)
        accessible(tab, daemon)
        keyboard(tab)
        look(tab, daemon, origin)
        follow(tab, daemon, origin)
        before = len(tab.complaints())
        dashboard_pages.sort(tab, daemon, origin)
        dashboard_pages.whole(tab, daemon, origin)
        dashboard_pages.origins(tab, daemon, origin, secure, gone())
        dashboard_pages.log(tab, daemon, origin)
        dashboard_pages.mode(tab, daemon, origin)
        dashboard_pages.watch(tab, daemon)
        dashboard_pages.load(tab, daemon)
        complaints = tab.complaints()[before:]
        check(not complaints, f"the browser still has nothing to complain about: {complaints}")
        purge(tab, daemon, origin)
        stop(tab, daemon)
        early(browser, daemon)
        unlucky(browser, daemon)
        false_daemon(browser, daemon, directory)
        stolen_cookie(tab, daemon)
        from_the_proxy(browser, daemon)
        attack(browser, daemon)
    finally:
        browser.close()
    check(daemon.stop() == 0, "the daemon ended well")


if CHROMIUM:
    with Directory() as scratch:
        main(scratch)
else:
    print("skipped: not installed: chromium")
finish()
