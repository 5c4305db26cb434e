#!/usr/bin/env python3
"""kill -9 at random instants while entries are written: what was called durable is there, nothing wrong is served."""

import hashlib
import os
import random
import re
import threading
import time

from soak import MIB, Client, Daemon, Directory, Origin, check, finish

ROUNDS = int(os.environ.get("SOAK_ROUNDS", "50"))
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


main()
finish()
