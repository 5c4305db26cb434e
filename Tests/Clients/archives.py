#!/usr/bin/env python3
"""`respite export` and `import`: what one daemon has stored becomes a HAR file, and another one serves it offline."""

import gzip
import json
import os
import stat

import har
from clients import Client, Daemon, Directory, Origin, binary, check, finish, run

SECRETS = {kind: f"planted-{kind}-8472" for kind in ("authorization", "cookie", "query", "set-cookie")}
LARGE = bytes(range(256)) * 2048

PATHS = {
    "/text": (b"some text", {"Content-Type": "text/plain", "Cache-Control": "max-age=600"}),
    "/picture": (LARGE, {"Content-Type": "image/png", "Cache-Control": "max-age=600", "ETag": '"v1"'}),
    "/coded": (gzip.compress(b"text " * 99), {"Content-Type": "text/plain", "Content-Encoding": "gzip", "Cache-Control": "max-age=600"}),
    "/language": (b"hallo", {"Content-Type": "text/plain", "Cache-Control": "max-age=600", "Vary": "Accept-Language"}),
    "/missing": (b"none", {"Cache-Control": "max-age=600"}),
    "/mine": (b"hers alone", {"Cache-Control": "private, max-age=600", "Set-Cookie": "session=" + SECRETS["set-cookie"]}),
    "/list?api_key=" + SECRETS["query"]: (b"secret URL", {"Cache-Control": "max-age=600"}),
}


def answer(exchange):
    content, fields = PATHS[exchange.target]
    status = "404 Not Found" if exchange.target == "/missing" else "200 OK"
    exchange.reply(status, *(f"{name}: {value}" for name, value in fields.items()), content=content)


def get(daemon, url):
    client = Client(daemon.port)
    fields = ["Accept-Language: de"]
    if url.endswith("/mine"):
        fields += [f"Authorization: Bearer {SECRETS['authorization']}", f"Cookie: a={SECRETS['cookie']}"]
    client.send("GET", url, fields)
    return client.answer()


def respite(daemon, *words, **options):
    address = ["--admin", f"127.0.0.1:{daemon.admin_port}", "--store", daemon.store]
    return run([binary(), *words, *address], **options)


with Directory() as directory:
    origin = Origin(answer)
    base = origin.url("")
    urls = [base + path for path in PATHS]
    first = Daemon(directory + "/one/store")
    for url in urls:
        get(first, url)
    recent = json.loads(respite(first, "tail", "--har").stdout)
    wrong = har.faults(recent)
    check(len(recent["log"]["entries"]) == len(urls) and not wrong, f"the recent requests are HAR 1.2: {wrong[:3]}")
    private = respite(first, "export", "--har", "-", "--private").stdout
    check(len(json.loads(private)["log"]["entries"]) == 6, "standard output gets the file, with a private response")
    # With what is in memory, and with what is in the store alone.
    texts = []
    for turn in ("memory", "store"):
        path = f"{directory}/{turn}.har"
        done = respite(first, "export", "--har", path)
        check(done.returncode == 0 and "exported 5 responses" in done.stderr, f"exported from {turn}: {done.stderr.split(chr(10))[:3]}")
        # A response with Set-Cookie is never in the store.
        told = ["secret parameter", *(["private"] if turn == "memory" else [])]
        check(all(word in done.stderr for word in told), "what is left out is told")
        with open(path) as file:
            texts.append(file.read())
        check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "only its owner may read it")
        wrong = har.faults(json.loads(texts[-1]))
        check(not wrong, f"it is HAR 1.2: {wrong[:3]}")
        respite(first, "wipe", "**")
    entries = [sorted(entry["request"]["url"] for entry in json.loads(text)["log"]["entries"]) for text in texts]
    check(entries[0] == entries[1], "memory and store give the same")
    found = [kind for kind, secret in SECRETS.items() for text in [*texts, private] if secret in text]
    check(not found, f"no credential is in a file: {found}")
    first.stop()

    asked = origin.total()
    second = Daemon(directory + "/two/store", "--mode", "offline")
    done = respite(second, "import", directory + "/memory.har")
    check(done.returncode == 0 and "imported 5 of 5" in done.stdout, f"all is imported: {done.stdout}{done.stderr}")
    for path in ("/text", "/picture", "/coded", "/language", "/missing"):
        answer = get(second, base + path)
        check(answer.is_hit and answer.content == PATHS[path][0], f"{path} is served offline: {answer.status}")
    check(int(get(second, base + "/text")["Age"]) >= 0 and origin.total() == asked, "no origin was asked")
    done = respite(second, "import", "-", input=private)
    check(done.returncode == 0 and "credential" in done.stderr, f"a private response is not imported: {done.stderr[:200]}")
    check(get(second, base + "/mine").status == 504, "and nobody gets it")

    with open(directory + "/cut.har", "w") as file:
        file.write(texts[0][:2000])
    done = respite(second, "import", directory + "/cut.har")
    check(done.returncode == 1 and "line" in done.stderr and "cut off" in done.stderr, f"a cut file is refused with its place: {done.stderr}")
    with open(directory + "/newer.har", "w") as file:
        file.write(json.dumps({"log": {"version": "9.9", "entries": []}}))
    done = respite(second, "import", directory + "/newer.har")
    check(done.returncode == 1 and "9.9" in done.stderr, f"an unknown version is refused: {done.stderr}")
    second.stop()
finish()
