#!/usr/bin/env python3
"""kill -9 at random instants while entries are written: what was called durable is there, nothing wrong is served.

With the word `crash`: a loop of 200 short rounds on one store, in which pages are read, changed by unsafe requests and
purged; after each kill every byte that is served is compared, and nothing older than the last change that was answered.
"""

import hashlib
import os
import random
import re
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402

IS_CRASH_LOOP = "crash" in sys.argv[1:]
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "200" if IS_CRASH_LOOP else "50"))
SEED = int(os.environ.get("SOAK_SEED", str(int(time.time()))))


def content(target):
    """The content of a URL: any size from nothing to two MiB, most of them small."""
    digest = hashlib.sha256(target.encode()).digest()
    kind = digest[0]
    size = int.from_bytes(digest[1:4], "big")
    size %= 4096 if kind < 200 else (200_000 if kind < 250 else 2 * MIB)
    return (digest * (size // 32 + 1))[:size]


def script(exchange):
    if exchange.target.startswith("/cut/"):
        exchange.head("200 OK", f"Content-Length: {MIB}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(b"x" * (MIB // 2))
        time.sleep(5)
        exchange.keep = False
        return
    exchange.reply("200 OK", "Cache-Control: max-age=86400", content=content(exchange.target))


class Round:
    def __init__(self, number, store, origin):
        self.number = number
        self.durable = []
        self.asked = []
        self.wrong = []
        self.daemon = Daemon(store)
        self.origin = origin
        self.events = self.daemon.events(b"durable", self.note)

    def note(self, event):
        for target in re.findall(rb'http:[^"\s]*?(/round/[0-9/]+)', event.replace(b"\\/", b"/")):
            self.durable.append(target.decode())

    def write(self, worker):
        try:
            client = Client(self.daemon.port)
            for number in range(1_000_000):
                target = f"/round/{self.number}/{worker}/{number}"
                self.asked.append(target)
                answer = client.get(self.origin.url(target))
                if answer.status != 200 or answer.content != content(target):
                    self.wrong.append(target)
        except (OSError, EOFError, ValueError):
            pass

    def begin_cut(self):
        client = Client(self.daemon.port)
        client.send("GET", self.origin.url(f"/cut/{self.number}"))
        client.head()
        client.exactly(MIB // 4)
        return client

    def run(self, seconds):
        cut = self.begin_cut()
        workers = [threading.Thread(target=self.write, args=(index,), daemon=True) for index in range(4)]
        began = time.monotonic()
        for worker in workers:
            worker.start()
        time.sleep(seconds)
        self.daemon.kill()
        self.seconds = time.monotonic() - began
        for worker in workers:
            worker.join()
        self.events.join(10)
        cut.close()


def verify(store, last, origin, chooser):
    """After a kill: every durable entry is a hit, whatever is served is right."""
    daemon = Daemon(store)
    client = Client(daemon.port)
    ready = None
    lost, wrong = [], []
    durable = set(last.durable)
    others = [target for target in last.asked if target not in durable]
    for target in list(durable) + chooser.sample(others, min(len(others), 50)):
        answer = client.get(origin.url(target), ["Cache-Control: only-if-cached"])
        ready = ready or time.monotonic() - daemon.started
        if answer.status == 200 and answer.content != content(target):
            wrong.append(target)
        if target in durable and not (answer.status == 200 and answer.is_hit):
            lost.append(target)
    cut = client.get(origin.url(f"/cut/{last.number}"), ["Cache-Control: only-if-cached"])
    daemon.kill()
    return lost, wrong, cut.status != 504, ready or 0


class Pages:
    """An origin's pages, each of which has a version that unsafe requests raise."""

    COUNT = 200

    def __init__(self):
        self.lock = threading.Lock()
        self.current = [0] * self.COUNT
        # The version of the last change whose answer a client has had.
        self.answered = [0] * self.COUNT
        self.loads = 0

    @staticmethod
    def content(number, version):
        return content(f"/page/{number}/{version}")

    def script(self, exchange):
        exchange.reader.rest()
        number = int(exchange.target.rsplit("/", 1)[1])
        with self.lock:
            if exchange.method != "GET":
                self.current[number] += 1
            else:
                self.loads += 1
            version = self.current[number]
        if exchange.method == "GET":
            fields = [f'ETag: "{version}"', "Cache-Control: max-age=86400", f"X-Version: {version}"]
            exchange.reply("200 OK", *fields, content=self.content(number, version))
        else:
            exchange.reply("200 OK", f"X-Version: {version}")

    def is_right(self, number, answer, least):
        """Whether these are the bytes of one version, not older than `least` nor newer than the origin's."""
        version = int(answer["X-Version"] or -1)
        return least <= version <= self.current[number] and answer.content == self.content(number, version)


class CrashRound:
    """Clients that read, change and purge until the daemon is gone."""

    def __init__(self, daemon, origin, pages, chooser):
        self.daemon, self.origin, self.pages = daemon, origin, pages
        self.wrong, self.bytes, self.bodies, self.changes = [], 0, 0, 0
        self.lock = threading.Lock()
        self.threads = [
            threading.Thread(target=self.work, args=(random.Random(chooser.random()), index), daemon=True)
            for index in range(4)
        ]

    def check(self, number, answer, least):
        with self.lock:
            self.bodies += 1
            self.bytes += len(answer.content)
            if answer.status != 200 or not self.pages.is_right(number, answer, least):
                self.wrong.append((number, answer.status, answer["X-Version"], least, answer["Cache-Status"]))

    def work(self, chooser, index):
        try:
            client = Client(self.daemon.port)
            while True:
                # Each page is changed by one client only: its own requests are in order.
                number = chooser.randrange(Pages.COUNT)
                url = self.origin.url(f"/page/{number}")
                kind = chooser.random()
                if kind < 0.8 or number % 4 != index:
                    least = self.pages.answered[number]
                    self.check(number, client.get(url), least)
                elif kind < 0.95:
                    client.send(chooser.choice(["POST", "PUT", "DELETE"]), url, ["Content-Length: 1"], content=b"x")
                    version = int(client.answer()["X-Version"])
                    self.pages.answered[number] = version
                    with self.lock:
                        self.changes += 1
                else:
                    self.daemon.admin("/v1/purge", "POST", {"uri": url})
        except (OSError, EOFError, ValueError, TypeError):
            pass

    def run(self, seconds):
        for thread in self.threads:
            thread.start()
        time.sleep(seconds)
        self.daemon.kill()
        for thread in self.threads:
            thread.join()

    def verify(self, daemon):
        """Everything that is served after the kill; how many pages came from the store."""
        client, hits = Client(daemon.port), 0
        for number in range(Pages.COUNT):
            answer = client.get(self.origin.url(f"/page/{number}"), ["Cache-Control: only-if-cached"])
            if answer.status == 504:
                continue
            hits += answer.is_hit
            self.check(number, answer, self.pages.answered[number])
        return hits


def crash_loop():
    chooser = random.Random(SEED)
    pages = Pages()
    origin = Origin(pages.script)
    wrong, count, bodies, changes, hits = [], 0, 0, 0, 0
    with Directory() as directory:
        store = directory + "/store"
        began = time.monotonic()
        daemon = Daemon(store)
        for number in range(ROUNDS):
            crash = CrashRound(daemon, origin, pages, chooser)
            crash.run(chooser.uniform(0.02, 0.6))
            daemon = Daemon(store)
            found = crash.verify(daemon)
            hits += found
            wrong += crash.wrong
            count += crash.bytes
            bodies += crash.bodies
            changes += crash.changes
            if number % 20 == 19 or crash.wrong:
                print(
                    f"round {number + 1}: {bodies} bodies, {count / MIB:.0f} MiB, {changes} changes, "
                    f"{found} pages of the store, {len(wrong)} wrong",
                    flush=True,
                )
        status = daemon.admin("/v1/status")["store"]
        daemon.kill()
    print(f"{ROUNDS} rounds in {time.monotonic() - began:.0f} s, {pages.loads} loads from the origin", flush=True)
    check(not wrong, f"of {bodies} bodies ({count} bytes) {len(wrong)} were wrong {wrong[:3]}")
    check(hits > 0 and changes > 0, f"{hits} pages came from the store after a kill; {changes} changes were answered")
    check(status["state"] == "ok", f"the store ends {status['state']}, {status['damaged']} damaged")


def main():
    print(f"seed {SEED}", flush=True)
    chooser = random.Random(SEED)
    origin = Origin(script)
    lost, wrong, cuts, durable, rates, starts = [], [], 0, 0, [], []
    with Directory() as directory:
        store = directory + "/store"
        for number in range(ROUNDS):
            last = Round(number, store, origin)
            last.run(chooser.uniform(0.3, 1.5))
            rates.append(len(last.asked) / last.seconds)
            durable += len(last.durable)
            wrong += last.wrong
            result = verify(store, last, origin, chooser)
            lost += result[0]
            wrong += result[1]
            cuts += result[2]
            starts.append(result[3])
            print(
                f"round {number}: {last.seconds:.2f} s, {rates[-1]:.0f} writes/s, {len(last.durable)} durable, "
                f"{len(result[0])} lost, {len(result[1])} wrong, first answer {starts[-1] * 1000:.0f} ms after exec",
                flush=True,
            )
    check(min(rates) >= 100, f"writes/s: least {min(rates):.0f}, mean {sum(rates) / len(rates):.0f}")
    check(durable > 0 and not lost, f"of {durable} entries called durable {len(lost)} were lost {lost[:3]}")
    check(not wrong, f"{len(wrong)} answers were wrong {wrong[:3]}")
    check(cuts == 0, f"{cuts} of {ROUNDS} responses cut by the kill became entries")


if IS_CRASH_LOOP:
    print(f"seed {SEED}", flush=True)
    crash_loop()
else:
    main()
finish()
