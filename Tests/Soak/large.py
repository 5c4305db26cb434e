#!/usr/bin/env python3
"""Uploads of 2 GiB and a download larger than the store pass whole, in little memory; so it does to two clients at once."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402

UPLOAD = int(os.environ.get("SOAK_UPLOAD_MIB", "2048"))
DOWNLOAD = int(os.environ.get("SOAK_DOWNLOAD_MIB", "5120"))
SHARED = int(os.environ.get("SOAK_SHARED_MIB", "200"))
ALLOWED = 16 * MIB
TAIL = os.urandom(MIB - 8)


def block(index):
    return index.to_bytes(8, "big") + TAIL


def good_blocks(reader, count):
    for index in range(count):
        if reader.exactly(MIB) != block(index):
            return False
    return reader.content(1) == b""


def script(exchange):
    if exchange.method == "PUT":
        good = good_blocks(exchange.reader, UPLOAD)
        exchange.reply("201 Created" if good else "422 Unprocessable Content", content=b"done")
    elif exchange.target == "/chunked":
        exchange.head("200 OK", "Transfer-Encoding: chunked", "Cache-Control: max-age=600")
        for index in range(DOWNLOAD):
            exchange.socket.sendall(b"100000\r\n" + block(index) + b"\r\n")
        exchange.socket.sendall(b"0\r\n\r\n")
    else:
        exchange.head("200 OK", f"Content-Length: {DOWNLOAD * MIB}", "Cache-Control: max-age=600")
        for index in range(DOWNLOAD):
            exchange.socket.sendall(block(index))


class Memory:
    """The daemon's growth, sampled while a block runs."""

    def __init__(self, daemon):
        self.daemon = daemon

    def __enter__(self):
        self.base = self.most = self.daemon.memory()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.began = time.monotonic()
        self.thread.start()
        return self

    def run(self):
        while not self.ended.wait(0.02):
            self.most = max(self.most, self.daemon.memory())

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.began
        self.ended.set()
        self.thread.join()
        self.growth = self.most - self.base


def upload(daemon, origin, chunked):
    client = Client(daemon.port, timeout=120)
    fields = ["Transfer-Encoding: chunked"] if chunked else [f"Content-Length: {UPLOAD * MIB}"]
    with Memory(daemon) as memory:
        client.send("PUT", origin.url("/up"), fields)
        for index in range(UPLOAD):
            piece = block(index)
            client.socket.sendall(b"100000\r\n" + piece + b"\r\n" if chunked else piece)
        if chunked:
            client.socket.sendall(b"0\r\n\r\n")
        status = client.answer().status
    name = "chunked" if chunked else "with a length"
    check(status == 201, f"PUT of {UPLOAD} MiB {name}: {status} in {memory.seconds:.1f} s")
    check(memory.growth < ALLOWED, f"the daemon grew by {memory.growth / MIB:.1f} MiB")


def download(daemon, origin, target):
    client = Client(daemon.port, timeout=120)
    with Memory(daemon) as memory:
        client.send("GET", origin.url(target))
        status = client.head().status
        good = good_blocks(client, DOWNLOAD)
    check(status == 200 and good, f"GET {target} of {DOWNLOAD} MiB, larger than the store: {status} in {memory.seconds:.1f} s")
    check(memory.growth < ALLOWED, f"the daemon grew by {memory.growth / MIB:.1f} MiB")


class SharedOrigin:
    """Sends a body of SHARED MiB, from the place on that a range asks for; counts the bytes."""

    def __init__(self):
        self.sent = 0
        self.ranges = []
        self.origin = Origin(self.script)

    def script(self, exchange):
        tag = ['ETag: "one"'] if "tagged" in exchange.target else []
        chunked = "chunked" in exchange.target
        asked = exchange.request["Range"] if tag else None
        first = int(asked[6:-1]) if asked else 0
        self.ranges.append(asked)
        length = SHARED * MIB
        fields = ["Cache-Control: max-age=600", *tag]
        if asked:
            fields += [f"Content-Range: bytes {first}-{length - 1}/{length}", f"Content-Length: {length - first}"]
            exchange.head("206 Partial Content", *fields)
        elif chunked:
            exchange.head("200 OK", "Transfer-Encoding: chunked", *fields)
        else:
            exchange.head("200 OK", f"Content-Length: {length}", *fields)
        for index in range(first // MIB, SHARED):
            piece = block(index)[first % MIB if index == first // MIB else 0 :]
            if chunked and not asked:
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            exchange.socket.sendall(piece)
            self.sent += len(piece)
        if chunked and not asked:
            exchange.socket.sendall(b"0\r\n\r\n")


def shared(target, *words):
    """Two clients at once, of which one takes 50 MiB/s at most."""
    server = SharedOrigin()
    with Directory() as directory:
        daemon = Daemon(directory + "/store", "--set", "storage.limit=64MiB", *words)
        Client(daemon.port).get("http://127.0.0.1:1/")
        clients = [Client(daemon.port, timeout=120), Client(daemon.port, timeout=120, receive_buffer=65536)]
        whole = [False, False]

        def read(index):
            try:
                good = clients[index].head().status == 200
                for number in range(SHARED):
                    good = good and clients[index].exactly(MIB) == block(number)
                    if index:
                        time.sleep(0.02)
                whole[index] = good and clients[index].content(1) == b""
            except (OSError, EOFError, ValueError) as error:
                print(f"        client {index}: {error}")

        with Memory(daemon) as memory:
            for client in clients:
                client.send("GET", server.origin.url(target))
            threads = [threading.Thread(target=read, args=(index,)) for index in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        cost = f"{len(server.ranges)} requests, {server.sent / MIB:.0f} MiB of the origin's"
        check(all(whole), f"two clients of {target}, {SHARED} MiB, larger than the store: both whole; {cost}; {memory.seconds:.1f} s")
        check(memory.growth < ALLOWED, f"the daemon grew by {memory.growth / MIB:.1f} MiB")
        daemon.stop()


def main():
    for target in ("/tagged", "/tagged-chunked", "/plain", "/chunked"):
        shared(target)
    origin = Origin(script)
    with Directory() as directory:
        daemon = Daemon(directory + "/store", "--set", "storage.limit=512MiB")
        Client(daemon.port).get(origin.url("/") if DOWNLOAD < 8 else "http://127.0.0.1:1/")
        upload(daemon, origin, chunked=False)
        upload(daemon, origin, chunked=True)
        download(daemon, origin, "/length")
        download(daemon, origin, "/chunked")
        daemon.stop()


main()
finish()
