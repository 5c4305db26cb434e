#!/usr/bin/env python3
"""Three daemons behind which a Redis Cluster of six servers is: one load for all, a purge that reaches all, and faults under load.

Names select phases: cold, purge, killed, paused, stopped. --clients: of each daemon in `cold`; --seconds: of load around a fault.
"""

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory  # noqa: E402
from harness.network import free_port  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import raise_descriptor_limit  # noqa: E402

DAEMONS = 3
SERVERS = 6
URLS = 400


class Cluster:
    """Three primaries, each with a replica, on loopback."""

    def __init__(self, directory):
        self.directory = directory
        self.ports = [free_port() for _ in range(SERVERS)]
        self.buses = [free_port() for _ in range(SERVERS)]
        self.processes = [self.start(index) for index in range(SERVERS)]
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        words = ["redis-cli", "--cluster", "create", *addresses, "--cluster-replicas", "1", "--cluster-yes"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        self.await_state()

    def start(self, index):
        folder = f"{self.directory}/redis-{index}"
        os.makedirs(folder, exist_ok=True)
        words = ["redis-server", "--port", str(self.ports[index]), "--cluster-port", str(self.buses[index])]
        words += ["--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-node-timeout", "1500", "--dir", folder]
        words += ["--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0", "--maxmemory", "256mb"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(1000):
            if self.ask(index, "PING") == "PONG":
                return process
            time.sleep(0.01)
        raise TimeoutError("redis-server does not answer")

    def ask(self, index, *words):
        done = subprocess.run(
            ["redis-cli", "-p", str(self.ports[index]), *words], capture_output=True, text=True, timeout=20
        )
        return done.stdout.strip()

    def await_state(self):
        """Until each server that runs says that all slots are served, and replicas follow their primaries."""
        for _ in range(3000):
            running = [index for index, process in enumerate(self.processes) if process.poll() is None]
            states = [self.ask(index, "CLUSTER", "INFO") for index in running]
            links = [self.ask(index, "INFO", "replication") for index in running]
            if all("cluster_state:ok" in state for state in states) and not any("link_status:down" in it for it in links):
                return
            time.sleep(0.02)
        raise TimeoutError("the cluster does not come up")

    def primary(self):
        """The index of a primary that has the most records."""
        running = [index for index, process in enumerate(self.processes) if process.poll() is None]
        primaries = [index for index in running if "role:master" in self.ask(index, "INFO", "replication")]
        return max(primaries, key=lambda index: int(self.ask(index, "DBSIZE").split()[-1]))

    def stop(self, number=signal.SIGTERM):
        for process in self.processes:
            process.send_signal(number)
        for process in self.processes:
            process.wait()

    def restart(self):
        self.processes = [self.start(index) for index in range(SERVERS)]


class Nodes:
    """The daemons, the cluster and the origin of a phase."""

    def __init__(self, directory, options, script, *words):
        self.cluster = Cluster(directory)
        self.origin = Origin(script)
        seeds = ", ".join(f'"127.0.0.1:{port}"' for port in self.cluster.ports[:3])
        words = ["--set", f"shared.cluster=[{seeds}]", "--set", f"shared.timeout={options.timeout}", *words]
        self.daemons = []
        for index in range(DAEMONS):
            os.makedirs(f"{directory}/node-{index}")
            self.daemons.append(Daemon(f"{directory}/node-{index}/store", *words))
        for daemon in self.daemons:
            self.await_metric(daemon, "respite_shared_following", 1)

    def metric(self, daemon, name):
        client = Client(daemon.admin_port)
        fields = [f"Authorization: Bearer {daemon.token}"]
        client.send("GET", "/metrics", fields, host=f"127.0.0.1:{daemon.admin_port}")
        lines = client.answer().content.decode().splitlines()
        client.close()
        return next((float(line.split(" ")[1]) for line in lines if line.startswith(name + " ")), 0)

    def await_metric(self, daemon, name, value):
        for _ in range(1000):
            if self.metric(daemon, name) >= value:
                return
            time.sleep(0.01)
        raise TimeoutError(f"{name} does not reach {value}")

    def close(self):
        for daemon in self.daemons:
            daemon.process.send_signal(signal.SIGCONT)
            daemon.kill()
        for process in self.cluster.processes:
            process.kill()
            process.wait()


# One load, one purge


def cold(directory, options):
    body = os.urandom(40_000)

    def script(exchange):
        time.sleep(1)
        exchange.reply("200 OK", "Cache-Control: max-age=600", content=body)

    nodes = Nodes(directory, options, script, "--set", f"limits.max-connections-per-peer={options.clients * 2}")
    try:
        url = nodes.origin.url("/cold")
        clients = [Client(daemon.port) for daemon in nodes.daemons for _ in range(options.clients)]
        began = time.monotonic()
        for client in clients:
            client.send("GET", url, host=nodes.origin.authority)
        answers = [client.answer() for client in clients]
        took = time.monotonic() - began
        right = sum(answer.status == 200 and answer.content == body for answer in answers)
        shared = sum("detail=shared" in (answer["Cache-Status"] or "") for answer in answers)
        asked = nodes.origin.count("/cold")
        check(right == len(clients), f"{right} of {len(clients)} clients got the whole response, all within {took:.2f} s")
        check(asked == 1, f"the origin saw {asked} request(s); {shared} response(s) came by the shared server")
    finally:
        nodes.close()


def purge(directory, options):
    version = [1]

    def script(exchange):
        exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"version %d" % version[0])

    nodes = Nodes(directory, options, script)
    try:
        url = nodes.origin.url("/page")
        clients = [Client(daemon.port) for daemon in nodes.daemons]
        worst = 0
        for round_number in range(20):
            old, new = b"version %d" % version[0], b"version %d" % (version[0] + 1)
            for client in clients:
                assert client.get(url).content == old, "the old response is not there"
            version[0] += 1
            nodes.daemons[round_number % DAEMONS].admin("/v1/purge", "POST", {"uri": url})
            done = time.monotonic()
            for client in clients:
                while client.get(url).content != new:
                    assert time.monotonic() < done + 5, "a node does not hear of the purge"
                worst = max(worst, time.monotonic() - done)
        check(worst * 1000 < options.latest, f"20 purges: each node's response was new {worst * 1000:.0f} ms after the purge at the latest")
        asked = nodes.origin.count("/page")
        check(asked <= 2 * 21, f"the origin saw {asked} requests for 21 versions")
    finally:
        nodes.close()


# Faults under load


class Load:
    """Clients that ask for random URLs of a set, and look at each byte."""

    def __init__(self, nodes, seed):
        self.nodes, self.lock = nodes, threading.Lock()
        self.samples, self.wrong, self.failed = [], 0, []
        self.ends = False
        self.threads = []
        for index, daemon in enumerate(nodes.daemons):
            for number in range(3):
                words = (daemon, random.Random(f"{seed} {index} {number}"))
                self.threads.append(threading.Thread(target=self.run, args=words))
        for thread in self.threads:
            thread.start()

    def run(self, daemon, rng):
        client = Client(daemon.port)
        while not self.ends:
            path = f"/{rng.randrange(URLS)}"
            began = time.monotonic()
            try:
                answer = client.get(self.nodes.origin.url(path))
                fault = None if answer.status == 200 else f"{answer.status} for {path}"
                is_wrong = fault is None and answer.content != content(path)
            except (OSError, EOFError, ValueError) as error:
                fault, is_wrong = f"{path}: {error!r}", False
                client = Client(daemon.port)
            with self.lock:
                self.samples.append((began, time.monotonic() - began))
                self.wrong += is_wrong
                if fault:
                    self.failed.append(fault)

    def end(self):
        self.ends = True
        for thread in self.threads:
            thread.join()

    def percentiles(self, first, last):
        """How many requests began between, and the median and 99th percentile of their milliseconds."""
        with self.lock:
            times = sorted(took * 1000 for began, took in self.samples if first <= began < last)
        if not times:
            return 0, 0, 0
        return len(times), times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]


def content(path):
    size = 2000 if int(path[1:]) % 20 else 90_000
    return (hashlib.sha256(path.encode()).hexdigest() * (size // 64 + 1))[:size].encode()


def faulty(name, fault):
    """A phase with a fault in the middle of a load."""

    def phase(directory, options):
        def script(exchange):
            time.sleep(0.02)
            exchange.reply("200 OK", "Cache-Control: max-age=2", content=content(exchange.target))

        nodes = Nodes(directory, options, script)
        try:
            load = Load(nodes, options.seed)
            time.sleep(options.seconds)
            middle, asked = time.monotonic(), nodes.origin.total()
            lost = sum(nodes.metric(daemon, "respite_shared_leases_lost_total") for daemon in nodes.daemons)
            sentence = fault(nodes)
            time.sleep(options.seconds)
            load.end()
            before = load.percentiles(0, middle)
            after = load.percentiles(middle, time.monotonic())
            origin = nodes.origin.total()
            lost = sum(nodes.metric(daemon, "respite_shared_leases_lost_total") for daemon in nodes.daemons) - lost
            check(not load.failed, f"{name}: no request failed, of {before[0] + after[0]} ({', '.join(load.failed[:3])})")
            check(load.wrong == 0, f"{name}: no byte was wrong")
            print(f"        {sentence}")
            print(f"        before: {before[0]} requests, p50 {before[1]:.1f} ms, p99 {before[2]:.1f} ms, origin {asked}")
            print(f"        since:  {after[0]} requests, p50 {after[1]:.1f} ms, p99 {after[2]:.1f} ms, origin {origin - asked}")
            print(f"        leases lost: {lost:.0f}")
        finally:
            nodes.close()

    return phase


def kill_primary(nodes):
    index = nodes.cluster.primary()
    nodes.cluster.processes[index].kill()
    nodes.cluster.processes[index].wait()
    began = time.monotonic()
    nodes.cluster.await_state()
    return f"a primary was killed; the cluster was whole again {time.monotonic() - began:.1f} s later"


def pause_node(nodes):
    process = nodes.daemons[1].process
    process.send_signal(signal.SIGSTOP)
    time.sleep(10)
    process.send_signal(signal.SIGCONT)
    return "a daemon stood still for 10 s"


def stop_cluster(nodes):
    nodes.cluster.stop()
    time.sleep(5)
    nodes.cluster.restart()
    nodes.cluster.await_state()
    return "all servers were stopped for 5 s, and came back empty"


PHASES = {
    "cold": cold,
    "purge": purge,
    "killed": faulty("primary killed", kill_primary),
    "paused": faulty("node paused", pause_node),
    "stopped": faulty("cluster stopped", stop_cluster),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--timeout", default="50ms", help="of look-ups on the cluster")
    parser.add_argument("--latest", type=float, default=100, help="milliseconds after a purge")
    parser.add_argument("--seed", default="1")
    parser.add_argument("phases", nargs="*", metavar="PHASE")
    options = parser.parse_args()
    raise_descriptor_limit()
    unknown = [name for name in options.phases if name not in PHASES]
    if unknown:
        parser.error(f"no phase {unknown[0]}; there are {', '.join(PHASES)}")
    for name in options.phases or PHASES:
        print(f"-- {name}", flush=True)
        with Directory() as directory:
            PHASES[name](directory, options)
    finish()


main()
