#!/usr/bin/env python3
"""The store stays under its cap at every instant; a flipped bit in a stored body is never served."""

import hashlib
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory, PeakUsage, disk_usage  # noqa: E402
from harness.origin import Origin  # noqa: E402

LIMIT = int(os.environ.get("SOAK_LIMIT_MIB", "64"))


def content(target):
    digest = hashlib.sha256(target.encode()).digest()
    size = int.from_bytes(digest[1:4], "big") % (60_000 if digest[0] < 170 else 1_500_000)
    return (digest * (size // 32 + 1))[:size]


def script(exchange):
    exchange.reply("200 OK", "Cache-Control: max-age=86400", content=content(exchange.target))


def push(daemon, origin, size):
    """Asks for new URLs on several connections until so many bytes have come."""
    lock = threading.Lock()
    state = {"next": 0, "bytes": 0, "wrong": 0}

    def work():
        client = Client(daemon.port)
        while True:
            with lock:
                if state["bytes"] >= size:
                    return
                target = f"/o/{state['next']}"
                state["next"] += 1
            answer = client.get(origin.url(target))
            with lock:
                state["bytes"] += len(answer.content)
                state["wrong"] += answer.content != content(target)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return state


def flip(store, chooser):
    """Flips one bit in every body file and a few hundred in the database; the file's header stays."""
    flipped = 0
    for folder, _, names in os.walk(store):
        for name in names:
            path = os.path.join(folder, name)
            size = os.path.getsize(path)
            is_body = "bodies" in folder[len(store):]
            is_database = name.endswith((".sqlite", ".sqlite3", ".db"))
            if size < 8192 or not (is_body or is_database):
                continue
            with open(path, "r+b") as file:
                for _ in range(1 if is_body else 300):
                    position = chooser.randrange(4096 * (not is_body), size)
                    file.seek(position)
                    byte = file.read(1)[0]
                    file.seek(position)
                    file.write(bytes([byte ^ 1 << chooser.randrange(8)]))
                    flipped += 1
    return flipped


def ask_all(daemon, origin, count):
    """Asks for every URL from the store alone; how many were right, wrong, cut and missing."""
    right, wrong, cut, missing = 0, 0, 0, 0
    client = Client(daemon.port)
    for number in range(count):
        target = f"/o/{number}"
        try:
            answer = client.get(origin.url(target), ["Cache-Control: only-if-cached"])
        except (OSError, EOFError, ValueError):
            cut += 1
            client = Client(daemon.port)
            continue
        if answer.status != 200:
            missing += 1
        elif answer.content == content(target):
            right += 1
        else:
            wrong += 1
    return right, wrong, cut, missing


def main():
    chooser = random.Random(int(os.environ.get("SOAK_SEED", "1")))
    limit = LIMIT * MIB
    with Directory() as directory:
        store = directory + "/store"
        words = ["--set", f"storage.limit={LIMIT}MiB", "--set", "memory.limit=4MiB"]
        os.mkdir(store, 0o700)
        # As fast as it can. The process is forked: nothing may have made a thread before.
        peak = PeakUsage(store, pause=0)
        origin = Origin(script)
        daemon = Daemon(store, *words)
        began = time.monotonic()
        state = push(daemon, origin, 3 * limit)
        seconds = time.monotonic() - began
        daemon.stop()
        most, samples = peak.end()
        check(state["wrong"] == 0, f"{state['next']} objects, {state['bytes'] / MIB:.0f} MiB pushed in {seconds:.1f} s, {state['wrong']} wrong")
        check(
            most <= limit,
            f"most ever on disk: {most / MIB:.2f} of {LIMIT} MiB ({samples} samples)",
        )
        daemon = Daemon(store, *words)
        right, wrong, cut, missing = ask_all(daemon, origin, state["next"])
        daemon.stop()
        kept = disk_usage(store)
        check(wrong == 0 and cut == 0 and right > 0, f"after a restart: {right} hits, {wrong} wrong, {cut} cut, {missing} evicted")
        check(kept > limit // 3, f"{kept / MIB:.1f} MiB are in use")

        flipped = flip(store, chooser)
        daemon = Daemon(store, *words)
        after = ask_all(daemon, origin, state["next"])
        again = ask_all(daemon, origin, state["next"])
        daemon.stop()
        check(after[1] == 0 and again[1] == 0, f"{flipped} bits flipped: {after[0]} hits, {after[1]} wrong, {after[2]} cut, {after[3]} misses")
        check(after[0] < right, f"the damage was found ({right - after[0]} entries), a second pass: {again}")


main()
finish()
