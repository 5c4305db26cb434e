#!/usr/bin/env python3
"""`respite record` and `replay`: a test suite of curl, Python (urllib, requests, httpx, aiohttp) and Node's fetch.

The suite is recorded, and then replayed in a namespace without a network. The cassette is compared with what HAR 1.2 asks
for, and searched for secrets.
"""

import itertools
import json
import os
import sys

from clients import PYTHON, Directory, Origin, binary, check, finish, has, run
from har import faults

SECRETS = {kind: f"planted-{kind}-8472" for kind in ("field", "query", "json", "event")}

SUITE = r'''
import asyncio, importlib.util, json, os, shutil, subprocess, sys, unittest, urllib.request

BASE = os.environ["BASE"]
CHANGED = os.environ.get("CHANGED")
SECRETS = json.loads(os.environ["SECRETS"])
HEADERS = {"X-Api-Key": SECRETS["field"]}


def question(client, number):
    """What test `number` of a client sends; one of them may be changed by a member."""
    word = CHANGED if CHANGED and (client, number) == ("urllib", 3) else "hello"
    return {"client": client, "messages": [{"role": "user", "content": word}], "n": number, "password": SECRETS["json"]}


def by_urllib(method, url, content):
    headers = {**HEADERS, "Content-Type": "application/json"} if content else HEADERS
    request = urllib.request.Request(url, method=method, data=content and json.dumps(content).encode(), headers=headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.status, response.read().decode()


def by_requests(method, url, content):
    import requests
    response = requests.request(method, url, json=content, headers=HEADERS, timeout=10)
    return response.status_code, response.text


def by_httpx(method, url, content):
    import httpx
    response = httpx.request(method, url, json=content, headers=HEADERS, timeout=10)
    return response.status_code, response.text


def by_aiohttp(method, url, content):
    import aiohttp

    async def ask():
        async with aiohttp.ClientSession(trust_env=True) as session:
            async with session.request(method, url, json=content, headers=HEADERS) as response:
                return response.status, await response.text()

    return asyncio.run(ask())


def by_fetch(method, url, content):
    script = """const [method, url, body, key] = process.argv.slice(1);
        const headers = { 'X-Api-Key': key, ...(body ? { 'Content-Type': 'application/json' } : {}) };
        fetch(url, { method, headers, body: body || undefined }).then(async (response) => {
            process.stdout.write(JSON.stringify([response.status, await response.text()]));
        });"""
    words = ["node", "-e", script, method, url, json.dumps(content) if content else "", SECRETS["field"]]
    return tuple(json.loads(subprocess.run(words, capture_output=True, text=True, timeout=20, check=True).stdout))


def by_curl(method, url, content):
    words = ["curl", "-sS", "-X", method, "-H", "X-Api-Key: " + SECRETS["field"], "-w", "\\n%{http_code}", url]
    if content:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(content)]
    text, _, status = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True).stdout.rpartition("\n")
    return int(status), text


CLIENTS = {"urllib": by_urllib, "curl": by_curl}
CLIENTS.update({name: globals()["by_" + name] for name in ("requests", "httpx", "aiohttp") if importlib.util.find_spec(name)})
if shutil.which("node"):
    CLIENTS["fetch"] = by_fetch


class Suite(unittest.TestCase):
    pass


def add(client, number, method, path, hasContent):
    def test(self):
        status, text = CLIENTS[client](method, BASE + path, question(client, number) if hasContent else None)
        self.assertEqual(status, 200, text)
        self.assertIn(path.partition("?")[0], text)

    setattr(Suite, f"test_{client}_{number}", test)


for client in CLIENTS:
    calls = [("GET", "/a"), ("GET", "/a"), ("GET", "/list?page=2&token=" + SECRETS["query"]), ("POST", "/v1/chat"),
             ("PUT", "/item"), ("DELETE", "/item"), ("POST", "/v1/stream"), ("POST", "/v1/chat")]
    for number, (method, path) in enumerate(calls):
        add(client, number, method, path, method in ("POST", "PUT"))

unittest.main(argv=["suite"])
'''


numbers = itertools.count(1)


def answer(exchange):
    """Answers with the path, the method and a number that no two answers share."""
    content, number = exchange.reader.rest().decode(), next(numbers)
    if exchange.target == "/v1/stream":
        exchange.head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for event in ({"path": exchange.target, "number": number}, {"api_key": SECRETS["event"]}, {"echo": SECRETS["field"]}):
            piece = f"data: {json.dumps(event)}\n\n".encode()
            exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        exchange.socket.sendall(b"0\r\n\r\n")
        return
    text = json.dumps({"path": exchange.target, "method": exchange.method, "number": number, "echo": content}).encode()
    exchange.reply("200 OK", "Content-Type: application/json", f"Set-Cookie: session={SECRETS['json']}; Path=/", content=text)


def suite(directory, name, options, base, prefix=(), **variables):
    """Runs the suite, and gives the finished command."""
    kept = {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8", "TMPDIR": directory}
    words = [*prefix, binary(), name, *options, directory + "/api.har", "--", PYTHON, directory + "/suite.py"]
    return run(words, env={**kept, "BASE": base, "SECRETS": json.dumps(SECRETS), **variables})


def last(done):
    return [line for line in done.stderr.splitlines() if line.startswith("respite:")][-1:]


with Directory() as directory:
    if not has("curl"):
        sys.exit(0)
    with open(directory + "/suite.py", "w") as file:
        file.write(SUITE)
    origin = Origin(answer)
    base = origin.url("")

    recorded = suite(directory, "record", [], base)
    check(recorded.returncode == 0, f"the suite is recorded: {last(recorded)}" if recorded.returncode == 0 else recorded.stderr[-2000:])
    asked = origin.total()
    check(asked >= 16 and last(recorded) == [f"respite: recorded {asked} exchanges in {directory}/api.har"], f"{asked} exchanges are in the cassette")

    with open(directory + "/api.har") as file:
        text = file.read()
    wrong = faults(json.loads(text))
    check(not wrong, f"the cassette is HAR 1.2: {wrong[:3]}")
    found = [kind for kind, secret in SECRETS.items() if secret in text]
    check(not found, f"no secret is in the cassette: {found}")

    # A new network namespace has no way out; its loopback must be up, for the proxy.
    alone = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    if run([*alone, "true"]).returncode or not has("ip"):
        print("skipped: no namespace without a network can be made here")
        origin.server.shutdown()
        alone = []
    replayed = suite(directory, "replay", [], base, alone)
    check(replayed.returncode == 0, f"without a network the suite passes: {last(replayed)}" if replayed.returncode == 0 else replayed.stderr[-2000:])
    check(last(replayed) == [f"respite: replayed {asked} responses of {directory}/api.har"], f"each response was asked for: {last(replayed)}")

    changed = suite(directory, "replay", [], base, alone, CHANGED="bye")
    difference = '$.messages[0].content: recorded "hello", asked "bye"'
    check(changed.returncode == 1 and difference in changed.stderr, f"one changed member fails, and is named: {last(changed)}")
    check(origin.total() == asked, "no replay has asked the origin")

    # Paths of a rule; the value stands in the request and, as text in JSON, in the response.
    with open(directory + "/respite.toml", "w") as file:
        file.write('[[rule]]\nmatch = "http://*/v1/**"\nscrub = ["$..phone"]\n')
    def phone(name, number):
        curl = ["curl", "-sS", "-f", "-H", "Content-Type: application/json", "-d", json.dumps({"user": {"phone": number}}), base + "/v1/user"]
        return run([binary(), name, "--config", directory + "/respite.toml", directory + "/phone.har", "--", *curl], env={"PATH": os.environ["PATH"], "HOME": directory})
    check(phone("record", "planted-phone-1").returncode == 0, "an exchange is recorded under a rule with scrub")
    with open(directory + "/phone.har") as file:
        text = file.read()
    check("planted-phone" not in text and not faults(json.loads(text)), "what its paths find is not in the cassette")
    replayed = phone("replay", "planted-phone-2")
    check(replayed.returncode == 0 and origin.total() == asked + 1, f"requests that differ there alone are equal: {replayed.stderr}")
finish()
