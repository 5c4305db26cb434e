"""Pages of the dashboard that change while somebody looks: sorting, origins, the log, the mode, a load under way."""

import json
import ssl
import threading

from clients import Client, Origin, check, run

MIB = 1 << 20


class Steps:
    """An origin whose content comes in pieces, each when the test says so."""

    def __init__(self, size, pieces):
        self.size = size
        self.pieces = pieces
        self.turns = threading.Semaphore(0)
        self.origin = Origin(self.serve)

    def serve(self, exchange):
        exchange.head("200 OK", f"Content-Length: {self.size}", "Cache-Control: max-age=600", "Content-Type: application/octet-stream")
        for _ in range(self.pieces):
            self.turns.acquire()
            exchange.socket.sendall(bytes(self.size // self.pieces))

    def go(self, count=1):
        self.turns.release(count)


def go(tab, page):
    tab.run(f"location.hash = {json.dumps(page)}")


def press(tab, name, inside="main"):
    tab.run(f"[...document.querySelectorAll('{inside} button')].find((one) => one.textContent.startsWith({json.dumps(name)})).click()")


def key(tab, name, code):
    for kind in ("keyDown", "keyUp"):
        text = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
        tab.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **text)


URLS = "[...document.querySelectorAll('td.main a')].map((one) => one.textContent)"


def sort(tab, daemon, origin):
    go(tab, "#/resources")
    tab.wait("document.querySelector('button.sort')")
    heading = "document.querySelector('button[data-order=size]')"
    tab.run(f"{heading}.focus()")
    key(tab, "Enter", 13)
    state = f"{heading}?.closest('th').ariaSort ?? {heading}?.closest('th').getAttribute('aria-sort')"
    check(tab.wait(f"({state}) === 'descending'"), "the Enter key on a heading sorts, and the heading says so")
    expected = [one["uri"] for one in daemon.admin("/v1/resources?sort=size&limit=50")["resources"]]
    check(tab.wait(f"JSON.stringify({URLS}) === {json.dumps(json.dumps(expected, separators=(',', ':')))}"), "the largest comes first, as the daemon sorts")
    check(tab.wait("document.activeElement.dataset?.order === 'size'"), "the heading keeps the focus")
    check("sort=size" in tab.run("location.hash"), "the address says the order")
    key(tab, "Enter", 13)
    check(tab.wait(f"({state}) === 'ascending'") and tab.wait(f"{URLS}[0] === {json.dumps(expected[-1])}"), "once more turns it")
    key(tab, "Enter", 13)
    check(tab.wait(f"({state}) === 'none'"), "and once more ends it")


def whole(tab, daemon, origin):
    """All that fit a filter about URLs are changed by one request, which the daemon looks at first."""
    go(tab, "#/resources?filter=%2Fmany-1")
    tab.wait("document.querySelectorAll('input[data-uri]').length === 3")
    press(tab, "Select all that fit")
    tab.wait("document.querySelector('.selection').textContent === 'All that fit are selected'")
    press(tab, "Invalidate")
    check(tab.wait("document.querySelector('dialog h2')?.textContent === 'Invalidate 3 resources?'"), "the daemon says what a filter is about")
    names = tab.run("[...document.querySelectorAll('dialog li')].map((one) => one.textContent)")
    check(sorted(names) == [origin.url(f"/many-{name}") for name in ("1", "10", "11")], f"and names the first: {names}")
    sent = len([one for one, _ in tab.requests() if one.endswith("/v1/invalidate")])
    tab.run("document.querySelector('dialog button.main').click()")
    tab.wait("!document.querySelector('dialog')")
    stale = daemon.admin("/v1/resources?filter=/many-1%20state:stale")["resources"]
    made = len([one for one, _ in tab.requests() if one.endswith("/v1/invalidate")]) - sent
    check(len(stale) == 3 and made == 1, f"one request invalidates them all: {len(stale)} in {made}")
    go(tab, "#/resources?filter=%2Fmany-1%20state%3Astale")
    tab.wait("document.querySelectorAll('input[data-uri]').length === 3")
    press(tab, "Select all that fit")
    check(tab.wait("document.querySelector('.selection').textContent === '3 resources selected'"), "where a filter is about states, too, the page selects them")


def certificate(directory):
    """A file with a certificate for localhost and its key, good for 30 days."""
    path = directory + "/origin.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
    done = run([*words, "-addext", "subjectAltName=DNS:localhost", "-out", path, "-keyout", path + ".key"])
    assert done.returncode == 0, done.stderr
    return path


def secure(path):
    """An origin that speaks TLS with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, path + ".key")
    return Origin(lambda exchange: exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"secure"), context=context, name="localhost")


def origins(tab, daemon, origin, secure, gone):
    Client(daemon.port).get(origin.url("/kept?one"))
    client = Client(daemon.port)
    client.send("GET", f"/https://localhost:{secure.port}/", ["Cache-Control: no-cache"], host=f"127.0.0.1:{daemon.port}")
    check(client.answer().content == b"secure", "an origin with TLS answers")
    client.close()
    go(tab, "#/origins")
    row = f"[...document.querySelectorAll('tbody tr')].find((one) => one.innerText.includes({json.dumps(origin.url('')) }))"
    check(tab.wait(f"{row}?.innerText.includes('up')"), "an origin with connections is there")
    tls = f"[...document.querySelectorAll('tbody tr')].find((one) => one.innerText.includes({json.dumps(secure.url(''))}))?.innerText"
    text = tab.wait(tls) or ""
    check("TLS 1.3, TLS_" in text and "localhost, by localhost, ends in 29 d" in text, f"one with TLS says what was agreed on, and when its certificate ends: {text!r}")
    for number in range(6):
        Client(daemon.port).get(f"{gone}/{number}")
    check(tab.wait(f"document.querySelector('main').innerText.includes({json.dumps(gone + ' is down since')})"), "one that goes down appears while somebody looks")
    check(tab.run(f"[...document.querySelectorAll('tbody tr')].find((one) => one.innerText.includes({json.dumps(gone)})).querySelector('.badge').textContent") == "down", "and its row says so")


def log(tab, daemon, origin):
    go(tab, "#/log")
    check(tab.wait("document.querySelectorAll('.lines li').length > 0"), "the log begins with earlier lines")
    shown = "[...document.querySelectorAll('.lines li:not([hidden]) .text')].map((one) => one.textContent)"
    tab.run("document.querySelector('details.panel').open = true")
    tab.run("document.getElementById('category-stateChanges').click()")
    check(tab.wait("document.getElementById('announcement').textContent === '1 category is logged'"), "a category is switched on")
    check(daemon.admin("/v1/log")["enabled"] == ["stateChanges"], "and the daemon logs it")
    Client(daemon.port).get(origin.url("/logged?token=s3cret"))
    check(tab.wait(f"({shown})[0]?.includes('/logged')"), "a line appears as it is written")
    check(not tab.run("document.body.innerText.includes('s3cret')"), "without the secret of its URL")
    set_filter = "document.getElementById('filter').value = {}, document.getElementById('filter').dispatchEvent(new Event('input'))"
    tab.run(set_filter.format("'category=stateChanges /logged'"))
    check(tab.wait(f"({shown}).length > 0 && ({shown}).every((one) => one.includes('/logged'))"), "the filter holds as it is typed")
    tab.run(set_filter.format("'no such word'"))
    check(tab.wait("document.querySelector('main').innerText.includes('No line fits the filter')"), "and says if nothing fits")
    tab.run(set_filter.format("''"))
    tab.run("document.getElementById('level').value = 'error', document.getElementById('level').dispatchEvent(new Event('change'))")
    check(tab.wait(f"({shown}).length === 0"), "a level hides what is less important")
    tab.run("document.getElementById('level').value = 'debug', document.getElementById('level').dispatchEvent(new Event('change'))")
    press(tab, "Pause")
    before = tab.run(f"({shown}).length")
    Client(daemon.port).get(origin.url("/paused"))
    check(tab.run(f"({shown}).length") == before, "a pause stops it")
    press(tab, "Go on")
    check(tab.wait(f"({shown}).some((one) => one.includes('/paused'))"), "and what came meanwhile follows")
    press(tab, "None")
    check(tab.wait("document.getElementById('announcement').textContent === '0 categories are logged'"), "a preset switches all off")
    check(daemon.admin("/v1/log")["enabled"] == [], "and the daemon logs nothing more of it")


def mode(tab, daemon, origin):
    go(tab, "#/")
    tab.wait("document.getElementById('mode')")
    choose = "document.getElementById('mode').value = '{0}', document.getElementById('mode').dispatchEvent(new Event('change'))"
    tab.run(choose.format("offline"))
    check(tab.wait("document.getElementById('announcement').textContent.startsWith('The network is offline')"), "the overview switches offline")
    client = Client(daemon.port)
    check(client.get(origin.url("/never-seen")).status == 504 and daemon.admin("/v1/mode")["mode"] == "offline", "and no origin is asked")
    tab.run(choose.format("auto"))
    check(tab.wait("document.getElementById('announcement').textContent.startsWith('The network is auto')"), "and back")
    check(client.get(origin.url("/never-seen")).status == 200, "and origins are asked again")
    client.close()


def load(tab, daemon):
    """The bar of a load of 200 MiB moves as its bytes come."""
    steps = Steps(200 * MIB, 20)
    go(tab, "#/")
    client = Client(daemon.port)
    asking = threading.Thread(target=lambda: client.get(steps.origin.url("/large")))
    asking.start()
    width = "Number(document.querySelector('.loads .bar .part, .loads .bar .full')?.getAttribute('width') ?? -1)"
    seen = []
    for count in (5, 5, 5):
        steps.go(count)
        least = 5 * (len(seen) + 1) * 5 - 1
        seen.append(tab.wait(f"{width} >= {least} && {width}", 40) or tab.run(width))
    check(seen == sorted(set(seen)) and 24 <= seen[0] < 30 and 74 <= seen[-1] < 80, f"the bar of a load of 200 MiB moves: {seen}")
    label = tab.run("document.querySelector('.loads .bar')?.getAttribute('aria-label')")
    check(label == f"{round(seen[-1])} % loaded", f"and says so: {label}")
    steps.go(5)
    asking.join(60)
    check(tab.wait("document.querySelector('main').innerText.includes('None at the moment')", 40), "it goes when the load has ended")
    client.close()
    check(tab.run("[...document.querySelectorAll('.tile')].find((one) => one.innerText.includes('Time saved')).title").startswith("The hits times"), "a title says how the time saved is reckoned")


def watch(tab, daemon):
    """The page of a resource shows what its next version changes."""
    values = {"/json": ("application/json", b'{"a": 1, "same": true, "list": [1, 2], "old": "x"}'), "/lines": ("text/plain", b"one\ntwo\nthree\n")}
    origin = Origin(lambda exchange: exchange.reply("200 OK", "Cache-Control: max-age=600", f"Content-Type: {values[exchange.target][0]}", content=values[exchange.target][1]))
    client = Client(daemon.port)
    for path, later, expected in (
        ("/json", b'{"a": 2, "same": true, "list": [1, 3, 4], "new key": null}', ["$.a: 1 → 2", "$.list[1]: 2 → 3", "$.list[2]: nothing → 4", '$.old: "x" → nothing', '$["new key"]: nothing → null']),
        ("/lines", b"one\n2\nthree\nfour\n", ["  one", "− two", "+ 2", "  three", "+ four"]),
    ):
        client.get(origin.url(path))
        one = daemon.admin(f"/v1/resources?filter={origin.url(path)}")["resources"][0]
        go(tab, "#/resources/" + one["id"])
        tab.wait(f"document.querySelector('h1')?.textContent === {json.dumps(origin.url(path))} && document.querySelector('.preview .content')?.innerText")
        values[path] = (values[path][0], later)
        client.send("GET", origin.url(path), ["Cache-Control: no-cache"])
        client.answer()
        found = tab.wait("document.querySelector('.changes .panel')?.innerText")
        lines = found.split("\n") if found else []
        check(found and set(expected) <= {line.rstrip() for line in lines}, f"a new version of {path} shows what differs: {lines}")
        check(tab.wait(f"document.querySelector('.preview .content').innerText.includes({json.dumps('four' if path == '/lines' else 'new key')})"), "and the page shows the new version")
    client.close()
