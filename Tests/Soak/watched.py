#!/usr/bin/env python3
"""1,000 listeners to events, one of which never reads, and a dashboard: what a hit takes then, and what memory.

Instructions are those that callgrind counts from where a head is complete to where its answer is in the buffer. What the
watchers are told costs time of its own, which is bound to them and not to a hit.
"""

import glob
import os
import selectors
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon, binary  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import raise_descriptor_limit  # noqa: E402

LISTENERS = int(os.environ.get("SOAK_LISTENERS", "1000"))
LOADS = int(os.environ.get("SOAK_LOADS", "5000"))
HITS = 1000
# What waits for one listener, at most (`limits.unsent-per-exchange`), and what all of them share.
UNSENT, SHARED = MIB // 4, 16 * MIB
# The Swift name of what answers a hit; callgrind knows it by its symbol.
FAST_PATH = "*8FastPathC6answer_6within*"


def script(exchange):
    control = "no-store" if "/load" in exchange.target else "max-age=86400"
    exchange.reply("200 OK", f"Cache-Control: {control}", content=b"x" * 1024)


class Listeners:
    """Streams of events, read by one thread; the last of them is never read."""

    def __init__(self, daemon, paths):
        self.selector, self.received = selectors.DefaultSelector(), 0
        self.clients = [self.open(daemon, path) for path in paths]
        for client in self.clients[:-1]:
            self.selector.register(client.socket, selectors.EVENT_READ)
        threading.Thread(target=self.read, daemon=True).start()

    def open(self, daemon, path):
        client = Client(daemon.admin_port, timeout=None)
        fields = [f"Authorization: Bearer {daemon.token}"]
        client.send("GET", path, fields, host=f"127.0.0.1:{daemon.admin_port}")
        return client

    def read(self):
        while True:
            for key, _ in self.selector.select():
                try:
                    count = len(key.fileobj.recv(262144))
                except OSError:
                    count = 0
                self.received += count
                if not count:
                    self.selector.unregister(key.fileobj)

    def catch_up(self):
        """Returns once nothing more comes."""
        known = None
        while known != self.received:
            known = self.received
            time.sleep(1)


class Dashboard:
    """Asks what the pages Overview and Live ask, as often."""

    def __init__(self, daemon):
        self.daemon, self.ended = daemon, threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.ended.wait(2):
            try:
                self.daemon.admin("/v1/status")
                self.daemon.admin("/v1/history")
            except OSError:
                return


def watch(daemon):
    listeners = Listeners(daemon, ["/v1/requests/stream"] + ["/v1/events"] * LISTENERS)
    return listeners, Dashboard(daemon)


class Counter:
    """Counts the instructions of a daemon that runs under callgrind."""

    def __init__(self, directory):
        self.files = directory + "/counted"
        self.command = directory + "/counting"
        stripped = directory + "/stripped"
        subprocess.run(["objcopy", "--strip-debug", binary(), stripped], check=True)
        with open(self.command, "w") as file:
            options = f"--collect-atstart=no '--toggle-collect={FAST_PATH}' --callgrind-out-file={self.files}"
            file.write(f'#!/bin/sh\nexec valgrind --tool=callgrind {options} {stripped} "$@"\n')
        os.chmod(self.command, 0o755)

    def total(self, daemon):
        """The instructions since the last call."""
        before = set(glob.glob(self.files + ".*"))
        subprocess.run(["callgrind_control", "--dump", str(daemon.process.pid)], check=True, capture_output=True)
        (new,) = set(glob.glob(self.files + ".*")) - before
        with open(new) as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(("summary:", "totals:")))

    def hit(self, daemon, url):
        client = Client(daemon.port, timeout=None)
        client.get(url)
        self.total(daemon)
        for _ in range(HITS):
            client.get(url)
        return self.total(daemon) / HITS


def count(directory, origin):
    counter = Counter(directory)
    os.environ["RESPITE"] = counter.command
    # To read all certificates of the system takes seconds here.
    certificates = {"SSL_CERT_FILE": "/dev/null", "SSL_CERT_DIR": directory}
    daemon = Daemon(directory + "/counted-store", loops=1, variables=certificates)
    url = origin.url("/hit")
    alone = counter.hit(daemon, url)
    listeners, dashboard = watch(daemon)
    watched = counter.hit(daemon, url)
    dashboard.ended.set()
    daemon.stop()
    check(0 < watched <= alone * 1.03, f"to answer a hit takes {watched:.0f} instructions beside {LISTENERS} listeners and a dashboard, {alone:.0f} alone")


def remember(directory, origin):
    daemon = Daemon(directory + "/store")
    client = Client(daemon.port, timeout=None)
    for number in range(2500):
        client.get(origin.url(f"/load/{number}"))
    before = daemon.own_memory()
    listeners, dashboard = watch(daemon)
    client.get(origin.url("/load"))
    opened = daemon.own_memory()
    for number in range(LOADS):
        client.get(origin.url(f"/load/{number}"))
    after = daemon.own_memory()
    bound = (LISTENERS + 1) * UNSENT + SHARED
    listeners.catch_up()
    read = daemon.own_memory()
    dashboard.ended.set()
    check(listeners.received > 0, f"{LOADS} loads were told to {LISTENERS} listeners: {listeners.received / MIB:.0f} MiB")
    told = f"{before / MIB:.0f} MiB alone, {opened / MIB:.0f} with the listeners, {after / MIB:.0f} after the loads, {read / MIB:.0f} once all but one have read"
    check(after - opened < bound and read - opened < SHARED, f"memory: {told}; {bound / MIB:.0f} may wait for them")
    daemon.stop()


def main():
    raise_descriptor_limit()
    with Directory() as directory:
        origin = Origin(script)
        remember(directory, origin)
        count(directory, origin)


if __name__ == "__main__":
    main()
    finish()
