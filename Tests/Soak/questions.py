#!/usr/bin/env python3
"""A URL with 100,000 questions (POST under key-body): memory and disk of each, look-ups, pages of ls, the purge of all.

SOAK_QUESTIONS: how many.
"""

import os
import random
import select
import socket
import statistics
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory, disk_usage  # noqa: E402

QUESTIONS = int(os.environ.get("SOAK_QUESTIONS", "100000"))
FEW = 1000
CONNECTIONS = 4
PIPELINED = 16
LENGTH = 256
LOOKUPS = 5000
PAGE = 1000

SETTINGS = """
[[rule]]
match = "http://127.0.0.1:{port}/ask"
methods = ["POST"]
key-body = true
ttl = "1d"
"""


def content(number):
    return f"question {number} ".encode().ljust(LENGTH, b"?")


class Origin:
    """Answers POST with the number of the question, on a thread of its own."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.count = 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        poll = select.epoll()
        poll.register(self.socket, select.EPOLLIN)
        clients = {}
        while True:
            for number, _ in poll.poll():
                if number == self.socket.fileno():
                    client = self.socket.accept()[0]
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    clients[client.fileno()] = [client, b""]
                    poll.register(client, select.EPOLLIN)
                    continue
                entry = clients[number]
                piece = entry[0].recv(65536)
                if not piece:
                    poll.unregister(number)
                    clients.pop(number)[0].close()
                    continue
                entry[1] += piece
                head, mark, body = entry[1].partition(b"\r\n\r\n")
                if not mark or len(body) < LENGTH:
                    continue
                entry[1] = body[LENGTH:]
                self.count += 1
                answer = (b"answer to " + body[:LENGTH])[:LENGTH]
                entry[0].sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % LENGTH + answer)


def ask(client, url, number):
    client.send("POST", url, [f"Content-Length: {LENGTH}"], content=content(number))


def answered(client):
    """The head, after the content was read."""
    answer = client.head()
    while client.content(65536):
        pass
    return answer


def fill(daemon, url, numbers):
    """Asks questions on some connections at once."""

    def work(part):
        client = Client(daemon.port)
        for start in range(0, len(part), PIPELINED):
            group = part[start:start + PIPELINED]
            for number in group:
                ask(client, url, number)
            for number in group:
                assert answered(client).status == 200

    threads = [threading.Thread(target=work, args=(numbers[index::CONNECTIONS],)) for index in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lookups(daemon, url, numbers):
    """The median time of a hit in microseconds, and whether all were hits."""
    client = Client(daemon.port)
    times, hits = [], 0
    for _ in range(LOOKUPS):
        began = time.perf_counter()
        ask(client, url, random.choice(numbers))
        hits += answered(client).is_hit
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6, hits == LOOKUPS


def listed(daemon, url):
    """How many questions all pages have, and the longest time of a page."""
    count, longest, cursor = 0, 0, ""
    while cursor is not None:
        began = time.perf_counter()
        filter = urllib.parse.quote(url, safe="")
        page = daemon.admin(f"/v1/resources?limit={PAGE}&filter={filter}" + (f"&cursor={cursor}" if cursor else ""))
        longest = max(longest, time.perf_counter() - began)
        count += len(page["resources"])
        cursor = page.get("next")
    return count, longest


with Directory() as directory:
    origin = Origin()
    url = f"http://127.0.0.1:{origin.port}/ask"
    with open(directory + "/respite.toml", "w") as file:
        file.write(SETTINGS.format(port=origin.port))
    daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
    few = range(FEW)
    fill(daemon, url, few)
    usual, all_hits = lookups(daemon, url, few)
    check(all_hits, f"{FEW:,} questions: a hit takes {usual:.0f} µs")
    memory, disk = daemon.own_memory(), disk_usage(daemon.store)

    began = time.perf_counter()
    fill(daemon, url, range(FEW, QUESTIONS))
    rate = (QUESTIONS - FEW) / (time.perf_counter() - began)
    check(origin.count == QUESTIONS, f"{QUESTIONS:,} questions asked, {rate:,.0f} a second; the origin got {origin.count:,}")
    each = (daemon.own_memory() - memory) / (QUESTIONS - FEW)
    check(each < 4096, f"{each:,.0f} bytes of memory for each, {LENGTH} of them content")
    many, all_hits = lookups(daemon, url, range(QUESTIONS))
    check(all_hits and many < 1.5 * usual, f"{QUESTIONS:,} questions: a hit takes {many:.0f} µs, {many / usual:.2f} times as long")

    count, longest = listed(daemon, url)
    # What changes between two pages may be on both.
    check(count >= QUESTIONS, f"ls has {count:,} in pages of {PAGE:,}, each within {longest * 1000:.0f} ms")
    size = (disk_usage(daemon.store) - disk) / (QUESTIONS - FEW)
    check(size < 8192, f"{size:,.0f} bytes on disk for each")

    began = time.perf_counter()
    purged = daemon.admin("/v1/purge", "POST", {"uri": url})["purged"]
    duration = time.perf_counter() - began
    check(purged >= QUESTIONS * 0.99, f"the purge of {purged:,} takes {duration:.2f} s")
    check(listed(daemon, url)[0] == 0, "nothing of them is left")
    client = Client(daemon.port)
    ask(client, url, 0)
    check(not answered(client).is_hit, "a question is asked anew")
    daemon.stop()
finish()
