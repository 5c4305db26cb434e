#!/usr/bin/env python3
"""The script for automatic proxy configuration: in the engine of Node, and in Chromium.

Node runs it with nothing but the language, as the oldest clients do. Chromium loads it from the daemon, and then reaches one
site by the proxy and another without. A page of another site must not read it.
"""

import json
import os

from browser_profile import CHROMIUM
from clients import Client, Daemon, Directory, Origin, check, finish, has, run

SETTINGS = """
[pac]
direct = ["corp.example", "*.lan.example", "10.0.0.0/8", "192.168.1.128/25", "2001:db8::/33", "203.0.113.7"]
"""

DIRECT = [
    "localhost", "LOCALHOST", "api.localhost", "127.0.0.1", "127.255.0.9", "[::1]", "::1", "0:0:0:0:0:0:0:1", "printer", "intranet.",
    "corp.example", "www.corp.example", "WWW.Corp.Example.", "a.lan.example", "a.b.lan.example", "10.0.0.1", "10.255.255.255",
    "192.168.1.128", "192.168.1.255", "[2001:db8::1]", "2001:db8:7fff::", "203.0.113.7", "::ffff:10.1.2.3", "::ffff:a01:203",
]  # fmt: skip
PROXIED = [
    "other.example", "notcorp.example", "corp.example.other.example", "lan.example", "128.0.0.1", "11.0.0.1", "192.168.1.127",
    "192.168.2.128", "[2001:db8:8000::1]", "2001:db9::", "203.0.113.8", "::2", "::ffff:11.1.2.3", "127.0.0.1.example", "1.localhost.example",
]  # fmt: skip

RUN = """
const vm = require("vm"), {script, hosts} = JSON.parse(require("fs").readFileSync(0, "utf8")), context = vm.createContext({});
vm.runInContext(script, context);
console.log(JSON.stringify(hosts.map((host) => vm.runInContext(`FindProxyForURL("http://h/", ${JSON.stringify(host)})`, context))));
"""


def fetch(daemon, path="/proxy.pac", host=None):
    client = Client(daemon.port)
    client.send("GET", path, host=host or f"127.0.0.1:{daemon.port}")
    return client.answer()


def in_node(daemon):
    script = fetch(daemon).content.decode()
    done = run(["node", "-e", RUN], input=json.dumps({"script": script, "hosts": DIRECT + PROXIED}))
    found = dict(zip(DIRECT + PROXIED, json.loads(done.stdout or "[]")))
    wrong = [host for host in DIRECT if found.get(host) != "DIRECT"]
    wrong += [host for host in PROXIED if found.get(host) != f"PROXY 127.0.0.1:{daemon.port}"]
    check(found and not wrong, f"node: {len(found)} hosts go where they should; wrong: {wrong} {done.stderr[-300:]}")
    strict = run(["node", "-e", '"use strict";\n' + script + '\nFindProxyForURL("", "a.b");'])
    check(strict.returncode == 0, f"node: the script is fine by strict rules, too: {strict.stderr[-300:]}")


def in_chromium(daemon, direct, parent, directory):
    def open_page(name, url, *words):
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += [f"--user-data-dir={directory}/{name}", "--disable-background-networking", "--dump-dom", *words]
        # Or else the browser itself keeps pages from this machine: we are what has to refuse them.
        command += ["--disable-features=LocalNetworkAccessChecks", url]
        return run(command, timeout=90, env=dict(os.environ, HOME=directory)).stdout

    script = f"--proxy-pac-url=http://127.0.0.1:{daemon.port}/proxy.pac"
    for turn in range(2):
        dom = open_page(f"proxied-{turn}", "http://web.example/page", script)
        check("by the proxy" in dom, f"chromium, a site by the proxy, turn {turn}: {dom[:200]}")
    check(parent.count("http://web.example/page") == 1, "chromium: two browsers, and the origin was asked once")
    rules = "--host-resolver-rules=MAP www.corp.example 127.0.0.1"
    dom = open_page("direct", f"http://www.corp.example:{direct.port}/page", script, rules)
    check("without it" in dom, f"chromium, a site without the proxy: {dom[:200]}")
    # No browser runs the script for a page, whoever's it is.
    page = f"http://evil.example:{direct.port}/attack"
    dom = open_page("attack", page, "--host-resolver-rules=MAP evil.example 127.0.0.1")
    check("nothing was read" in dom and "corp.example" not in dom, f"chromium, a page of another site reads nothing: {dom[:300]}")


def main(directory):
    parent = Origin(lambda exchange: exchange.reply("200 OK", "Cache-Control: max-age=600", "Content-Type: text/html", content=b"by the proxy"))
    daemon = None

    def script(exchange):
        content = b"without it"
        if exchange.target == "/attack":
            url = f"http://127.0.0.1:{daemon.port}/proxy.pac"
            content = (
                f'<!DOCTYPE html><script src="{url}"></script><p id="p"></p>'
                '<script>document.getElementById("p").textContent = typeof names === "undefined" ? "nothing was read" : names.join()</script>'
            ).encode()
        exchange.reply("200 OK", "Cache-Control: no-store", "Content-Type: text/html", content=content)

    direct = Origin(script)
    with open(directory + "/respite.toml", "w") as file:
        file.write(f'[upstream]\nproxy = "http://{parent.authority}"\n' + SETTINGS)
    daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
    check(fetch(daemon, host="wpad.example").status == 421, "a foreign name is refused")
    if has("node"):
        in_node(daemon)
    if CHROMIUM:
        in_chromium(daemon, direct, parent, directory)
    check(daemon.stop() == 0, "the daemon ended well")


with Directory() as scratch:
    main(scratch)
finish()
