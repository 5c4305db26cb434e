#!/usr/bin/env python3
"""10,000 idle connections and a new one; slow readers; a first address that swallows everything."""

import os
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import raise_descriptor_limit  # noqa: E402

IDLE = int(os.environ.get("SOAK_IDLE", "10000"))
READERS = int(os.environ.get("SOAK_READERS", "100"))
SIZE = 50 * MIB


def script(exchange):
    if exchange.target.startswith("/big"):
        control = "no-store" if "no-store" in exchange.target else "max-age=600"
        exchange.head("200 OK", f"Content-Length: {SIZE}", f"Cache-Control: {control}")
        for _ in range(50):
            exchange.socket.sendall(b"b" * MIB)
    else:
        exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"x" * 1024)


def ask(port, url):
    began = time.monotonic()
    client = Client(port)
    status = client.get(url).status
    client.close()
    return status, (time.monotonic() - began) * 1000


def idle(directory, origin):
    daemon = Daemon(directory + "/idle", "--set", "limits.max-connections-per-peer=20000", "--set", "limits.idle-timeout=10m")
    ask(daemon.port, origin.url("/x"))
    before = min(ask(daemon.port, origin.url("/x"))[1] for _ in range(10))
    base = daemon.memory()
    connections = []
    for index in range(IDLE):
        client = Client(daemon.port)
        if index % 2:
            client.get(origin.url("/x"))
        connections.append(client)
    answers = [ask(daemon.port, origin.url("/x")) for _ in range(10)]
    slowest = max(milliseconds for _, milliseconds in answers)
    growth = daemon.memory() - base
    check(all(status == 200 for status, _ in answers), f"a new client beside {len(connections)} idle connections is answered")
    check(slowest < before + 100, f"in {slowest:.1f} ms at most, {before:.1f} ms without them")
    check(growth / IDLE <= 2048, f"an idle connection costs {growth / IDLE:.0f} bytes of the daemon")
    alive = connections[-1].get(origin.url("/x")).status
    check(alive == 200, "an idle connection is still served")
    for connection in connections:
        connection.close()
    daemon.stop()


def slow_readers(directory, origin, name, target):
    words = ["--set", "limits.max-connections-per-peer=1000", "--set", "upstream.connections-per-origin=200"]
    daemon = Daemon(directory + "/" + name.replace(" ", "-"), *words)
    ask(daemon.port, origin.url("/x"))
    base = daemon.memory()
    readers = []
    for index in range(READERS):
        client = Client(daemon.port, receive_buffer=4096)
        client.send("GET", origin.url(target(index)))
        readers.append(client)
    for client in readers:
        client.head()
        client.exactly(1024)
    fast = Client(daemon.port)
    began = time.monotonic()
    fast.send("GET", origin.url(target(READERS)))
    fast.head()
    count = 0
    while piece := fast.content(MIB):
        count += len(piece)
    seconds = time.monotonic() - began
    most = max(daemon.memory() for _ in range(10))
    check(count == SIZE, f"{name}: a fast reader beside {READERS} slow ones gets {count // MIB} MiB in {seconds:.2f} s")
    check(most - base < 64 * MIB, f"{name}: the daemon grew by {(most - base) / MIB:.1f} MiB")
    for client in readers:
        client.close()
    daemon.kill()


def blackhole(directory):
    """The first address of a name has a full backlog: its SYNs get no answer."""
    hole = socket.socket()
    hole.bind(("127.0.0.2", 0))
    hole.listen(0)
    port = hole.getsockname()[1]
    fillers = []
    for _ in range(8):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(("127.0.0.2", port))
        fillers.append(filler)
    time.sleep(0.1)
    origin = Origin(script, host="127.0.0.3", port=port)
    words = ["--set", 'hosts={ "two.example" = ["127.0.0.2", "127.0.0.3"] }']
    daemon = Daemon(directory + "/hole", *words)
    direct = ask(daemon.port, origin.url("/direct"))[1]
    status, milliseconds = ask(daemon.port, f"http://two.example:{port}/x")
    check(status == 200, f"a name whose first address swallows everything: {status}")
    check(milliseconds - direct <= 300, f"delayed by {milliseconds - direct:.0f} ms")
    daemon.stop()


limit = raise_descriptor_limit()
check(limit - limit // 8 > IDLE + 100, f"descriptor limit {limit}")
origin = Origin(script)
with Directory() as directory:
    blackhole(directory)
    idle(directory, origin)
    slow_readers(directory, origin, "one stored URL", lambda _: "/big")
    slow_readers(directory, origin, "one unstored URL each", lambda index: f"/big/no-store/{index}")
finish()
