#!/usr/bin/env python3
"""Tunnels of CONNECT: memory of idle ones, a side that takes nothing, and CPU per GiB beside HAProxy (if installed).

Environment: TUNNELS (1000 idle ones), GIBIBYTES (4 through each proxy), ROUNDS (3).
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import GIB, MIB, Directory  # noqa: E402
from harness.network import connected, free_port  # noqa: E402
from harness.processes import processor_seconds, raise_descriptor_limit  # noqa: E402

IDLE = int(os.environ.get("TUNNELS", "1000"))
GIBIBYTES = float(os.environ.get("GIBIBYTES", "4"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PIECE = memoryview(bytes(1 << 20))


class Far:
    """A far end: reads a line with a number, and sends so many bytes; without one it waits."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.socket.getsockname()[1]
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            left = int(connection.makefile("rb").readline() or b"0")
            while left > 0:
                left -= connection.send(PIECE[: min(left, len(PIECE))])
        except (OSError, ValueError):
            pass
        finally:
            connection.close()


def tunnel(daemon, far, receive_buffer=None):
    client = Client(daemon.port, receive_buffer=receive_buffer)
    client.send("CONNECT", f"127.0.0.1:{far.port}", host=f"127.0.0.1:{far.port}")
    assert client.head().status == 200
    return client


def idle(daemon, far):
    warm = [tunnel(daemon, far) for _ in range(50)]
    before = daemon.own_memory()
    clients = [tunnel(daemon, far) for _ in range(IDLE)]
    each = (daemon.own_memory() - before) / IDLE
    open_now = daemon.admin("/v1/status")["tunnels"]["open"]
    check(open_now == IDLE + 50, f"{open_now} tunnels are open, says the status")
    listed = daemon.admin("/v1/tunnels?limit=100000")["tunnels"]
    check(len(listed) == open_now and listed[0]["target"] == f"127.0.0.1:{far.port}", "and all are listed")
    check(each < 16 * 1024, f"an idle tunnel takes {each:.0f} bytes of the daemon's memory")
    for client in warm + clients:
        client.socket.close()


def slow(daemon, far):
    before = daemon.own_memory()
    clients = [tunnel(daemon, far, receive_buffer=4096) for _ in range(100)]
    for client in clients:
        client.socket.sendall(b"%d\n" % (64 * MIB))
    seen, last = -1, 0
    while seen != last:
        seen = last
        time.sleep(1)
        last = daemon.admin("/v1/status")["tunnels"]["bytesDown"]
    grown = daemon.own_memory() - before
    check(grown < 100 * 400 * 1024, f"100 clients that take nothing of 64 MiB each: the daemon grew by {grown / MIB:.1f} MiB")
    for client in clients:
        client.socket.close()


def sink(connection, count):
    room = bytearray(1 << 20)
    while count > 0:
        got = connection.recv_into(room)
        assert got, "cut"
        count -= got


def figure(process, connect):
    """CPU seconds of `process` for one GiB that comes through a connection."""
    count = int(GIBIBYTES * GIB)
    connection = connect()
    before = processor_seconds(process.pid)
    began = time.monotonic()
    connection.sendall(b"%d\n" % count)
    sink(connection, count)
    took = time.monotonic() - began
    connection.close()
    return (processor_seconds(process.pid) - before) / GIBIBYTES, count / took / MIB


def haproxy(directory, far, splice):
    port = free_port()
    path = os.path.join(directory, f"haproxy{int(splice)}.cfg")
    with open(path, "w") as file:
        file.write("global\n  nbthread 1\n  maxconn 2000\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n"
                   "  timeout server 60s\n" + ("  option splice-auto\n" if splice else "")
                   + f"listen tunnel\n  bind 127.0.0.1:{port}\n  server far 127.0.0.1:{far.port}\n")
    process = subprocess.Popen(["haproxy", "-db", "-q", "-f", path])
    connected(port, process).close()
    return process, port


def throughput(directory, daemon, far):
    targets = {"respite": (daemon.process, lambda: tunnel(daemon, far).socket)}
    peers = []
    if shutil.which("haproxy"):
        for name, splice in (("haproxy", False), ("haproxy with splice-auto", True)):
            process, port = haproxy(directory, far, splice)
            peers.append(process)
            targets[name] = (process, lambda port=port: socket.create_connection(("127.0.0.1", port)))
    else:
        print("skipped: haproxy is not installed")
    figures = {name: [] for name in targets}
    for number in range(ROUNDS):
        order = list(targets) if number % 2 == 0 else list(reversed(targets))
        for name in order:
            seconds, speed = figure(*targets[name])
            figures[name].append(seconds)
            print(f"        {name}: {seconds:.3f} CPU seconds per GiB, {speed:.0f} MiB/s", flush=True)
    medians = {name: statistics.median(values) for name, values in figures.items()}
    for process in peers:
        process.terminate()
    for name in list(medians)[1:]:
        ratio = medians["respite"] / medians[name]
        if name == "haproxy":
            check(ratio <= 1.1, f"CPU seconds per GiB: {ratio:.2f} x those of {name}")
        else:
            print(f"        CPU seconds per GiB: {ratio:.2f} x those of {name}")


raise_descriptor_limit()
with Directory() as directory:
    far = Far()
    words = ["--set", f"access.connect-ports=[{far.port}]"]
    daemon = Daemon(os.path.join(directory, "store"), *words, loops=1)
    idle(daemon, far)
    slow(daemon, far)
    throughput(directory, daemon, far)
    check(daemon.stop() == 0, "the daemon ends in order")
finish()
