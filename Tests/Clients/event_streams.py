#!/usr/bin/env python3
"""Streams that a rule records: 100 clients (Python's http.client) join one, and stored ones are replayed.

The scripted origin sends the last event of a stream only when all clients have the first one.
"""

import concurrent.futures
import http.client
import json
import threading
import time

from clients import Client, Daemon, Directory, Origin, check, finish

CLIENTS = 100
EVENTS = 6
PAUSE = 0.25

gates = {}
lock = threading.Lock()


def gate(path):
    """Opens when the clients of a path have seen its first event."""
    with lock:
        return gates.setdefault(path, threading.Event())


def chunk(text):
    return b"%x\r\n%s\r\n" % (len(text), text)


def script(exchange):
    content = exchange.reader.rest() if exchange.method == "POST" else b""
    lines = exchange.target.startswith("/lines")
    exchange.head("200 OK", "Content-Type: " + ("application/x-ndjson" if lines else "text/event-stream"),
                  "Cache-Control: no-cache", "Transfer-Encoding: chunked")
    for number in range(EVENTS):
        if number == 1:
            gate(exchange.target).wait(60)
        if number:
            time.sleep(PAUSE)
        if exchange.target == "/cut" and number == 2:
            exchange.keep = False
            exchange.socket.close()
            return
        event = json.dumps({"number": number, "asked": content.decode()})
        exchange.socket.sendall(chunk((event + "\n" if lines else f"data: {event}\n\n").encode()))
    exchange.socket.sendall(b"0\r\n\r\n")


def ask(port, origin, path, content="question", method="POST", fields=(), first=lambda: None):
    """The status of the cache, and each line of the stream with the seconds since its head."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=90)
    sent = {"Content-Type": "application/json", **dict(fields)} if method == "POST" else dict(fields)
    connection.request(method, origin.url(path), content if method == "POST" else None, sent)
    response = connection.getresponse()
    head = time.monotonic()
    lines = []
    while line := response.readline():
        if line.strip():
            lines.append((line, time.monotonic() - head))
            if len(lines) == 1:
                first()
    status = response.getheader("Cache-Status") or ""
    connection.close()
    return status, lines


def texts(answer):
    return [line for line, _ in answer[1]]


def together(count, port, origin, path, **options):
    """What so many clients get that ask at once; the stream goes on when each has its first event."""
    seen = threading.Semaphore(0)

    def watch():
        for _ in range(count):
            if not seen.acquire(timeout=60):
                return
        gate(path).set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda _: ask(port, origin, path, first=seen.release, **options), range(count)))
    watcher.join()
    return answers


def settings(origin):
    base = origin.url("")
    common = 'ttl = "1h"\ncache-even = ["no-cache"]\n'
    keyed = 'methods = ["POST"]\nkey-body = true\n'
    rules = [(path, keyed + common) for path in ("/v1/**", "/lines/**", "/cut")]
    rules += [("/recorded", keyed + common + 'replay-pace = "recorded"\n'), ("/fast", keyed + common + "replay-pace = 4.0\n")]
    rules += [("/feed", common + "record-streams = true\n")]
    return "".join(f'[[rule]]\nmatch = "{base}{path}"\n{text}\n' for path, text in rules)


def is_whole(answer):
    return len(answer[1]) == EVENTS


with Directory() as directory:
    origin = Origin(script)
    with open(directory + "/respite.toml", "w") as file:
        file.write(settings(origin))
    store = directory + "/store"
    words = ("--config", directory + "/respite.toml")
    daemon = Daemon(store, *words)

    answers = together(CLIENTS, daemon.port, origin, "/v1/chat")
    check(origin.count("/v1/chat") == 1, f"{CLIENTS} clients of one POST stream: {origin.count('/v1/chat')} request to the origin")
    check(gate("/v1/chat").is_set() and all(is_whole(one) for one in answers), "each had the first event before the origin sent the last")
    check(len({tuple(texts(one)) for one in answers}) == 1, "all got the same events in the same order")
    other = ask(daemon.port, origin, "/v1/chat", content="another")
    check(origin.count("/v1/chat") == 2 and b"another" in other[1][0][0], "another question has a stream of its own")

    again = ask(daemon.port, origin, "/v1/chat")
    check(origin.count("/v1/chat") == 2 and "; hit" in again[0] and texts(again) == texts(answers[0]), "the second run asks the origin nothing, and gets the same events")

    for path, name in (("/lines/a", "JSON lines"), ("/feed", "a GET with record-streams")):
        method = "GET" if path == "/feed" else "POST"
        fields = (("Accept", "text/event-stream"),) if path == "/feed" else ()
        joined = together(5, daemon.port, origin, path, method=method, fields=fields)
        stored = ask(daemon.port, origin, path, method=method, fields=fields)
        same = len({tuple(texts(one)) for one in [*joined, stored]}) == 1
        check(origin.count(path) == 1 and same and "; hit" in stored[0], f"{name}: joined and stored, {origin.count(path)} request")

    gate("/cut").set()
    for number in (1, 2):
        # Its lines alone would not tell: http.client takes the end of the connection for that of the lines.
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=90)
        connection.request("POST", origin.url("/cut"), "question", {"Content-Type": "application/json"})
        try:
            connection.getresponse().read()
            check(False, "a cut stream looks whole")
        except (http.client.IncompleteRead, ConnectionError):
            check(origin.count("/cut") == number, "a cut stream is seen as cut, and not stored")

    gate("/plain").set()
    gate("/feedless").set()
    for path, method in (("/plain", "POST"), ("/feedless", "GET")):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            plain = list(pool.map(lambda _: ask(daemon.port, origin, path, method=method), range(3)))
        check(origin.count(path) == 3 and all(is_whole(one) for one in plain), f"without a rule nothing collapses: {origin.count(path)} requests for 3 clients by {method}")

    for path, speed in (("/recorded", 1), ("/fast", 4)):
        gate(path).set()
        first = ask(daemon.port, origin, path)
        if path == "/recorded":
            check(daemon.stop() == 0, "the daemon restarts between a stream and its replay")
            daemon = Daemon(store, *words)
        replayed = ask(daemon.port, origin, path)
        whole = replayed[1][-1][1] if is_whole(replayed) else 0
        ratio = whole * speed / first[1][-1][1]
        check(origin.count(path) == 1 and texts(replayed) == texts(first), f"{path}: the replay has the events of the origin")
        check(0.5 < ratio < 2, f"{path}: replayed in {whole:.2f} s, recorded in {first[1][-1][1]:.2f} s: {ratio:.3f} of what speed {speed} asks for")

    client = Client(daemon.port)
    client.send("POST", origin.url("/recorded"), ["Content-Type: application/json", "Content-Length: 8"], content=b"question")
    client.head()
    client.close()
    check(is_whole(ask(daemon.port, origin, "/v1/chat")), "a client that leaves its replay harms nobody")
    daemon.stop()
finish()
