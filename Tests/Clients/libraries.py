#!/usr/bin/env python3
"""HTTP clients and libraries, each with the same questions: curl, wget, requests, httpx, aiohttp, Node's fetch.

Each gets a cacheable answer twice (the second a hit), follows a redirect, reads a compressed answer, posts with a known
and an unknown length, reads a large answer whole, asks conditionally, and sees an answer that was cut off as an error.
"""

import gzip
import hashlib
import json
import os

from clients import PYTHON, Daemon, Directory, Origin, check, finish, has, proxied, run

HERE = os.path.dirname(os.path.abspath(__file__))
LARGE = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(100_000))
DIGEST = hashlib.sha256(LARGE).hexdigest()
TEXT = b"some text, again and again. " * 300


def script(exchange):
    path = exchange.target.split("?")[0].rsplit("/", 1)[1]
    if path == "cached":
        return exchange.reply("200 OK", "Cache-Control: max-age=600", "Content-Type: text/plain", content=b"cached answer")
    if path == "moved":
        return exchange.reply("302 Found", "Location: " + exchange.target.replace("moved", "cached"))
    if path == "gzip":
        fields = ("Cache-Control: max-age=600", "Vary: Accept-Encoding", "Content-Type: text/plain")
        if "gzip" in (exchange.request["Accept-Encoding"] or ""):
            return exchange.reply("200 OK", "Content-Encoding: gzip", *fields, content=gzip.compress(TEXT))
        return exchange.reply("200 OK", *fields, content=TEXT)
    if path == "echo":
        content = exchange.reader.rest()
        return exchange.reply("200 OK", content=hashlib.sha256(content).hexdigest().encode())
    if path == "large":
        return exchange.reply("200 OK", "Cache-Control: max-age=600", 'ETag: "large"', content=LARGE)
    if path == "validated":
        if exchange.request["If-None-Match"] == '"v"':
            return exchange.head("304 Not Modified", 'ETag: "v"', "Cache-Control: no-cache")
        return exchange.reply("200 OK", 'ETag: "v"', "Cache-Control: no-cache", content=b"validated answer")
    if path == "cut":
        exchange.head("200 OK", "Content-Length: 1000", "Cache-Control: max-age=600")
        exchange.socket.sendall(b"x" * 500)
        exchange.keep = False
        return None
    return exchange.reply("404 Not Found", content=b"none")


EXPECTED = {
    "cached": "cached answer",
    "again": "cached answer",
    "again-status": "hit",
    "moved": "cached answer",
    "gzip": hashlib.sha256(TEXT).hexdigest(),
    "posted": hashlib.sha256(b"posted content").hexdigest(),
    "chunked": hashlib.sha256(b"part one, part two").hexdigest(),
    "large": DIGEST,
    "large-again": DIGEST,
    "validated": "validated answer",
    "validated-again": "validated answer",
    "missing": 404,
    "cut": "error",
}


def reported(name, outcome):
    """What a client's program printed: one JSON object."""
    try:
        return json.loads(outcome.stdout)
    except ValueError:
        check(False, f"{name}: {outcome.stderr.strip()[-600:] or outcome.stdout[:200]}")
        return {}


def compare(name, origin, found, leave_out=()):
    """Checks what a client found."""
    expected = {key: value for key, value in EXPECTED.items() if key not in leave_out}
    wrong = {key: found.get(key) for key, value in expected.items() if found.get(key) != value}
    check(not wrong, f"{name}: {wrong or str(len(expected)) + ' answers as they should be'}")
    once = [path for path in ("cached", "large") if origin.count(f"/{name}/{path}") != 1]
    return check(not once, f"{name}: the origin was asked once for what may be reused{': not ' + str(once) if once else ''}")


def curl(name, origin, daemon, directory):
    def ask(path, *words):
        url = origin.url(f"/{name}/{path}")
        return run(["curl", "-sS", "--max-time", "30", *words, url], env=proxied(daemon))

    digests = []
    for _ in range(2):
        ask("large", "-o", directory + "/curl")
        with open(directory + "/curl", "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    upload = run(["sh", "-c", f"printf 'part one, part two' | curl -sS -T - -X POST '{origin.url(f'/{name}/echo')}'"], env=proxied(daemon))
    tag = directory + "/etag"
    validated = ask("validated", "--etag-save", tag).stdout
    again = ask("validated", "--etag-compare", tag, "-w", "%{http_code}")
    return {
        "cached": ask("cached").stdout,
        "again": ask("cached").stdout,
        "again-status": "hit" if "; hit" in ask("cached", "-I").stdout else "miss",
        "moved": ask("moved", "-L").stdout,
        "gzip": hashlib.sha256(ask("gzip", "--compressed").stdout.encode()).hexdigest(),
        "posted": ask("echo", "-d", "posted content").stdout,
        "chunked": upload.stdout,
        "large": digests[0],
        "large-again": digests[1],
        "validated": validated,
        "validated-again": "validated answer" if again.stdout == "304" else again.stdout,
        "missing": int(ask("missing", "-o", "/dev/null", "-w", "%{http_code}").stdout),
        "cut": "error" if ask("cut").returncode == 18 else "whole",
    }


def wget(name, origin, daemon, directory):
    def ask(path, *words):
        url = origin.url(f"/{name}/{path}")
        return run(["wget", "-q", "-O", "-", "--tries=1", "--timeout=30", *words, url], env=proxied(daemon))

    digests = []
    for _ in range(2):
        ask("large", "-O", directory + "/wget")
        with open(directory + "/wget", "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    return {
        "cached": ask("cached").stdout,
        "again": ask("cached").stdout,
        "again-status": "hit" if "; hit" in ask("cached", "-S").stderr else "miss",
        "moved": ask("moved").stdout,
        "gzip": hashlib.sha256(ask("gzip", "--compression=auto").stdout.encode()).hexdigest(),
        "posted": ask("echo", "--post-data=posted content").stdout,
        "large": digests[0],
        "large-again": digests[1],
        "validated": ask("validated").stdout,
        "validated-again": ask("validated").stdout,
        "missing": 404 if ask("missing").returncode == 8 else 0,
        "cut": "error" if ask("cut").returncode else "whole",
    }


def python(library):
    def start(name, origin, daemon, directory):
        words = [PYTHON, os.path.join(HERE, "ask.py"), library, f"http://127.0.0.1:{daemon.port}", origin.url(f"/{name}/")]
        return reported(name, run(words, env=proxied(daemon)))

    return start


def node(name, origin, daemon, directory):
    # Node's fetch knows no proxy: it takes the prefix gateway.
    base = f"http://127.0.0.1:{daemon.port}/" + origin.url(f"/{name}/")
    return reported(name, run(["node", os.path.join(HERE, "ask.mjs"), base]))


CLIENTS = [
    ("curl", curl, ["curl"], [], ()),
    ("wget", wget, ["wget"], [], ("chunked",)),
    ("requests", python("requests"), [], ["requests"], ()),
    ("httpx", python("httpx"), [], ["httpx"], ()),
    ("aiohttp", python("aiohttp"), [], ["aiohttp"], ()),
    ("fetch", node, ["node"], [], ()),
]

with Directory() as directory:
    origin = Origin(script)
    daemon = Daemon(directory + "/store")
    for name, client, programs, modules, leave_out in CLIENTS:
        if has(*programs, modules=modules):
            compare(name, origin, client(name, origin, daemon, directory), leave_out)
    check(daemon.stop() == 0, "the daemon ended well")
finish()
