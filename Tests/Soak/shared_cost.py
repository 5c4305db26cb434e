#!/usr/bin/env python3
"""What a miss costs with a shared server, beside one without, and beside a GET of that server from this machine.

Prints the daemon's CPU for each request, times of requests, and the server's memory, network and CPU for each of them.
--requests: of each kind; --size: bytes of content; --followers: connections that wait for a purge.
"""

import argparse
import csv
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory  # noqa: E402
from harness.network import free_port  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import processor_seconds  # noqa: E402


class Server:
    """A redis-server on loopback."""

    def __init__(self, directory):
        self.port = free_port()
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", directory]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while self.ask("PING").strip() != "PONG":
            time.sleep(0.01)

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True).stdout

    def facts(self):
        lines = (line.split(":", 1) for line in self.ask("INFO", "everything").splitlines() if ":" in line)
        facts = dict(lines)
        names = ["used_memory", "total_net_input_bytes", "total_net_output_bytes"]
        figures = {name: int(facts[name]) for name in names}
        figures["cpu"] = float(facts["used_cpu_sys"]) + float(facts["used_cpu_user"])
        return figures

    def benchmark(self):
        """The median and the 99th percentile of a GET, in milliseconds."""
        words = ["redis-benchmark", "-p", str(self.port), "-t", "get", "-n", "20000", "-c", "1", "--csv"]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        row = next(csv.DictReader(output.splitlines()))
        return float(row["p50_latency_ms"]), float(row["p99_latency_ms"])


def follow(server, count):
    """What each of so many connections that wait for the next purge costs the server, and what telling each costs."""
    before = server.facts()
    command = b"*6\r\n$5\r\nXREAD\r\n$5\r\nBLOCK\r\n$5\r\n60000\r\n$7\r\nSTREAMS\r\n$17\r\nrespite:{purges}x\r\n$1\r\n$\r\n"
    connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
    for connection in connections:
        connection.sendall(command)
    time.sleep(1)
    waiting = server.facts()
    url = "http://origin.example/" + "a" * 60
    server.ask("XADD", "respite:{purges}x", "*", "p", "1-0", "n", "0" * 16, "c", "1", "k", "purge", "v", url)
    told = sum(bool(connection.recv(4096)) for connection in connections)
    after = server.facts()
    memory = (waiting["used_memory"] - before["used_memory"]) / count
    sent = (after["total_net_output_bytes"] - waiting["total_net_output_bytes"]) / count
    check(told == count, f"{told} connections hear of a purge: each takes {memory:.0f} B of memory, {sent:.0f} B and {(after['cpu'] - waiting['cpu']) * 1e6 / count:.0f} µs")


def run(daemon, origin, prefix, count):
    """Asks for so many URLs, one after another; CPU for each in µs, and p50 and p99 in milliseconds."""
    client = Client(daemon.port)
    times, began = [], processor_seconds(daemon.process.pid)
    for number in range(count):
        start = time.monotonic()
        assert client.get(origin.url(f"/{prefix}/{number}")).status == 200
        times.append((time.monotonic() - start) * 1000)
    used = (processor_seconds(daemon.process.pid) - began) * 1e6 / count
    client.close()
    times.sort()
    return used, times[count // 2], times[count * 99 // 100]


def line(name, figures):
    print(f"        {name:34} {figures[0]:6.0f} µs CPU, p50 {figures[1]:.2f} ms, p99 {figures[2]:.2f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--followers", type=int, default=1000)
    parser.add_argument("--size", type=int, default=2000)
    options = parser.parse_args()
    body = os.urandom(options.size // 2).hex().encode()

    def script(exchange):
        exchange.reply("200 OK", "Cache-Control: max-age=600", content=body)

    with Directory() as directory:
        server, origin = Server(directory), Origin(script)
        words = ["--set", f"shared.url=redis://127.0.0.1:{server.port}", "--set", "shared.timeout=1s"]
        daemons = []
        try:
            for index, more in enumerate([[], words, words]):
                os.makedirs(f"{directory}/{index}")
                daemons.append(Daemon(f"{directory}/{index}/store", *more))
            for daemon in daemons:
                run(daemon, origin, "warm", 200)
            alone = run(daemons[0], origin, "a", options.requests)
            before = server.facts()
            asking = run(daemons[1], origin, "a", options.requests)
            time.sleep(1)
            filled = server.facts()
            found = run(daemons[2], origin, "a", options.requests)
            read = server.facts()
            get = server.benchmark()
            line("a miss without a shared server", alone)
            line("a miss that asks and fills it", asking)
            line("a response from it", found)
            print(f"        a GET by redis-benchmark: p50 {get[0]:.2f} ms, p99 {get[1]:.2f} ms")
            check(origin.count("/a/0") == 2, "the second node asked the shared server alone")
            for name, one, two in [("a fill", before, filled), ("a look-up that finds", filled, read)]:
                each = {key: (two[key] - one[key]) / options.requests for key in one}
                print(
                    f"        the server for {name}: memory {each['used_memory']:.0f} B, in {each['total_net_input_bytes']:.0f} B, "
                    f"out {each['total_net_output_bytes']:.0f} B, CPU {each['cpu'] * 1e6:.0f} µs"
                )
            follow(server, options.followers)
        finally:
            for daemon in daemons:
                daemon.kill()
            server.process.kill()
            server.process.wait()
    finish()


main()
