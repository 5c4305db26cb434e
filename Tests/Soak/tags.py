#!/usr/bin/env python3
"""A purge by tag of a tenth of many responses, while clients ask a hot URL: time, the hot URL's worst pause, what is left.

SOAK_TAGGED: how many responses; 20000 for a debug build.
"""

import os
import random
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory, disk_usage  # noqa: E402

RESPONSES = int(os.environ.get("SOAK_TAGGED", "1000000"))
TENTH = 10
CONNECTIONS = 4
PIPELINED = 16
LENGTH = 256
SAMPLES = 200
HOT = "/hot"


def tags(number):
    """Its own, one of ten, and that of all."""
    return f"item-{number} tenth-{number % TENTH} all"


class Origin:
    """Answers `/NUMBER` with the tags of the number, a thread for each connection."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.socket.accept()[0]
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        buffer = b""
        while piece := client.recv(65536):
            buffer += piece
            while b"\r\n\r\n" in buffer:
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                client.sendall(self.answer(head.split(b" ", 2)[1].decode()))

    @staticmethod
    def answer(path):
        named = "hot" if path == HOT else tags(int(path[1:]))
        head = f"HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nSurrogate-Key: {named}\r\nContent-Length: {LENGTH}\r\n\r\n"
        return head.encode() + path.encode().ljust(LENGTH, b".")


def answered(client):
    """The head, after the content was read."""
    answer = client.head()
    while client.content(65536):
        pass
    return answer


def get(client, base, path):
    client.send("GET", base + path)
    return answered(client)


def fill(daemon, base, numbers):
    def work(part):
        client = Client(daemon.port)
        for start in range(0, len(part), PIPELINED):
            group = part[start:start + PIPELINED]
            for number in group:
                client.send("GET", f"{base}/{number}")
            for number in group:
                assert answered(client).status == 200

    threads = [threading.Thread(target=work, args=(numbers[index::CONNECTIONS],)) for index in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class HotClient:
    """Asks one URL again and again, and keeps the time of each hit."""

    def __init__(self, daemon, base):
        self.client, self.base = Client(daemon.port), base
        self.times, self.misses, self.stops = [], 0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stops:
            began = time.perf_counter()
            self.misses += not get(self.client, self.base, HOT).is_hit
            self.times.append(time.perf_counter() - began)

    def stop(self):
        self.stops = True
        self.thread.join()


def purge(daemon, name, **options):
    return daemon.admin("/v1/purge", "POST", {"tags": [name]} | options)


def hits(daemon, base, numbers):
    client = Client(daemon.port)
    sample = random.sample(numbers, min(SAMPLES, len(numbers)))
    return sum(get(client, base, f"/{number}").is_hit for number in sample), len(sample)


with Directory() as directory:
    origin = Origin()
    base = f"http://127.0.0.1:{origin.port}"
    daemon = Daemon(directory + "/store")
    began = time.perf_counter()
    fill(daemon, base, range(RESPONSES))
    rate = RESPONSES / (time.perf_counter() - began)
    get(Client(daemon.port), base, HOT)
    size = disk_usage(daemon.store) / RESPONSES
    check(True, f"{RESPONSES:,} responses with three tags stored, {rate:,.0f} a second; {size:,.0f} bytes on disk for each")
    wanted = RESPONSES // TENTH

    began = time.perf_counter()
    preview = purge(daemon, "tenth-3", dryRun=True)["resources"]
    duration = time.perf_counter() - began
    check(preview == wanted, f"a dry run finds {preview:,} in {duration:.2f} s")

    hot = HotClient(daemon, base)
    time.sleep(2)
    usual, worst_before, before = statistics.median(hot.times), max(hot.times), len(hot.times)
    began = time.perf_counter()
    purged = purge(daemon, "tenth-3")["purged"]
    duration = time.perf_counter() - began
    hot.stop()
    worst = max(hot.times[before:])
    check(purged == wanted, f"the purge by tag of {purged:,} of {RESPONSES:,} takes {duration:.2f} s")
    check(hot.misses == 0, f"the hot URL stays a hit, {len(hot.times) - before:,} times meanwhile")
    check(
        worst < 0.25,
        f"its worst pause is {worst * 1000:.1f} ms, {worst_before * 1000:.1f} ms before; usually {usual * 1e6:.0f} µs",
    )
    check(purge(daemon, "tenth-3", dryRun=True)["resources"] == 0, "a dry run finds none any more")
    found, asked = hits(daemon, base, range(4, RESPONSES, TENTH))
    check(found == asked, f"of others {found} of {asked} are hits")
    found, asked = hits(daemon, base, range(3, RESPONSES, TENTH))
    check(found == 0, f"of those purged {found} of {asked} are")

    began = time.perf_counter()
    one = purge(daemon, f"item-{4}")["purged"]
    check(one == 1, f"a purge of one among the rest takes {(time.perf_counter() - began) * 1000:.0f} ms")
    daemon.stop()
finish()
