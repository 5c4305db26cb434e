#!/usr/bin/env python3
"""Memory after churn: what the process holds beside what its stored responses are charged for, at once and ten seconds later.

SOAK_LIMIT_MIB: the memory limit (64). Fifteen times as much goes through, of sizes that change from phase to phase.
"""

import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.network import free_port  # noqa: E402

from million import FastOrigin, Process, context  # noqa: E402

LIMIT = int(os.environ.get("SOAK_LIMIT_MIB", "64"))
# Sizes of the content: each phase is pushed through until it has replaced what was there three times.
TURNS = 3
PHASES = [(1024, 1024), (200, 2000), (16384, 65536), (200, 65536), (1024, 1024)]
CONNECTIONS = 16
# Seconds.
SETTLING = 10


class SizedOrigin(FastOrigin):
    """The path says how much: /SIZE/NUMBER."""

    def answer(self, target):
        return b"x" * int(target.split("/")[1])


def push(port, origin, sizes, total, seed):
    """Asks for new URLs until `total` bytes have come."""
    chooser = random.Random(seed)
    clients = [Client(port) for _ in range(CONNECTIONS)]
    number = seed << 32
    while total > 0:
        asked = []
        for client in clients:
            size = int(sizes[0] * (sizes[1] / sizes[0]) ** chooser.random())
            number += 1
            client.send("GET", origin.url(f"/{size}/{number}"))
            asked.append((client, size))
        for client, size in asked:
            if len(client.answer().content) != size:
                sys.exit("a wrong length")
            # What one costs beside its content.
            total -= size + 1200


def main():
    with Directory() as directory:
        origin = SizedOrigin(free_port())
        daemon = Process(directory + "/store", "--set", f"memory.limit={LIMIT}MiB", stores=False)
        daemon.connected().close()
        # With the code that it runs from now on.
        push(daemon.port, origin, (200, 65536), MIB, 0)
        time.sleep(SETTLING)
        beside = daemon.memory() - daemon.status()["memory"]["usedBytes"]
        print(f"        beside what is stored, at first: {beside / MIB:.1f} MiB resident")
        for phase, sizes in enumerate(PHASES):
            worker = context.Process(target=push, args=(daemon.port, origin, sizes, TURNS * LIMIT * MIB, phase + 1))
            worker.start()
            worker.join()
            memory = daemon.status()["memory"]
            at_once = (daemon.memory() - beside) / memory["usedBytes"]
            time.sleep(SETTLING)
            grown = daemon.memory() - beside
            ratio = grown / memory["usedBytes"]
            check(
                worker.exitcode == 0 and ratio <= 1.2,
                f"contents of {sizes[0]} to {sizes[1]} bytes: {memory['entries']} entries, {memory['usedBytes'] / MIB:.1f} MiB "
                f"accounted, {grown / MIB:.1f} MiB resident for it, ratio {ratio:.2f} (at once {at_once:.2f})",
            )
        daemon.stop()
        origin.process.kill()


if __name__ == "__main__":
    main()
    finish()
