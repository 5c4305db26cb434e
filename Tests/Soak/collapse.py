#!/usr/bin/env python3
"""500 GETs by each of three routes on a cold URL share one load; a late client of a growing body gets its first byte."""

import os
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import raise_descriptor_limit  # noqa: E402

COUNT = int(os.environ.get("SOAK_CLIENTS", "1500"))
HALF = os.urandom(48 * 1024)
REST = os.urandom(48 * 1024)


def certificate(directory):
    """A certificate for 127.0.0.1 that vouches for itself: its file and a server's context with it."""
    path = directory + "/origin.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=soak", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path, "-out", path + ".crt"]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path + ".crt", path)
    return path + ".crt", context


def crowd(control, secure=False):
    everybody_has_half = threading.Event()

    def script(exchange):
        time.sleep(1)  # The slow origin of a cold burst: everybody has asked before its head.
        exchange.head("200 OK", f"Content-Length: {len(HALF) + len(REST)}", *control)
        exchange.socket.sendall(HALF)
        everybody_has_half.wait(60)
        exchange.socket.sendall(REST)

    name = ("with" if control else "without") + " Cache-Control" + (" over TLS" if secure else "")
    with Directory() as directory:
        authority, context = certificate(directory) if secure else (None, None)
        origin = Origin(script, context=context)
        daemon = Daemon(
            directory + "/store",
            *("--set", f"limits.max-connections-per-peer={COUNT * 2}"),
            *("--set", f"service.api.base={origin.url('/v1')}"),
            *(["--set", f'tls.ca-files=["{authority}"]'] if secure else []),
        )
        url = origin.url("/v1/cold")
        clients = [Client(daemon.port) for _ in range(COUNT)]
        began = time.monotonic()
        for index, client in enumerate(clients):
            if index % 3 == 2:
                client.send("GET", "/api/cold", host=f"127.0.0.1:{daemon.port}")
            elif index % 3 == 1:
                client.send("GET", "/" + url, host=f"127.0.0.1:{daemon.port}")
            else:
                client.send("GET", url, host=origin.authority)
        sent = time.monotonic() - began
        have_half = 0
        for client in clients:
            answer = client.head()
            have_half += answer.status == 200 and client.exactly(len(HALF)) == HALF
        check(have_half == COUNT, f"{name}: {have_half} of {COUNT} clients have half while the origin waits")
        resources = daemon.admin("/v1/resources")
        everybody_has_half.set()
        whole = sum(client.rest() == REST for client in clients)
        check(whole == COUNT, f"{name}: {whole} of {COUNT} bodies are identical, byte by byte (sent in {sent:.3f} s)")
        check(origin.count("/v1/cold") == 1, f"{name}: the origin saw {origin.count('/v1/cold')} request(s)")
        shown = [entry for entry in resources["resources"] if "/cold" in str(entry)]
        check(len(shown) == 1, f"{name}: /v1/resources shows {len(shown)} Resource(s)")
        daemon.stop()


def late_client():
    block = os.urandom(MIB)
    total, before = 200, 150
    joined = threading.Event()

    def script(exchange):
        exchange.head("200 OK", f"Content-Length: {total * MIB}", "Cache-Control: max-age=600")
        for index in range(total):
            if index == before:
                joined.wait(60)
            exchange.socket.sendall(index.to_bytes(8, "big") + block[8:])

    def blocks(client, first, last):
        return all(client.exactly(MIB) == index.to_bytes(8, "big") + block[8:] for index in range(first, last))

    origin = Origin(script)
    with Directory() as directory:
        daemon = Daemon(directory + "/store")
        url = origin.url("/growing")
        early = Client(daemon.port)
        early.send("GET", url, host=origin.authority)
        early.head()
        good = blocks(early, 0, before)
        late = Client(daemon.port)
        began = time.monotonic()
        late.send("GET", url, host=origin.authority)
        late.head()
        good = good and blocks(late, 0, 1)
        first = time.monotonic() - began
        good = good and blocks(late, 1, before)
        joined.set()
        good = good and blocks(early, before, total) and blocks(late, before, total)
        check(good, f"a late client of a growing body of {total} MiB gets all of it from byte 0 (first MiB in {first * 1000:.0f} ms)")
        check(origin.count("/growing") == 1, f"the origin saw {origin.count('/growing')} request(s) for it")
        memory = daemon.memory()
        check(memory < 96 * MIB, f"the daemon holds {memory // MIB} MiB")
        daemon.stop()


raise_descriptor_limit()
crowd(["Cache-Control: max-age=60"])
crowd([])
crowd(["Cache-Control: max-age=60"], secure=True)
late_client()
finish()
