#!/usr/bin/env python3
"""Uploads of 2 GiB and a download larger than the store pass whole, in little memory."""

import os
import threading
import time

from soak import MIB, Client, Daemon, Directory, Origin, check, finish

UPLOAD = int(os.environ.get("SOAK_UPLOAD_MIB", "2048"))
DOWNLOAD = int(os.environ.get("SOAK_DOWNLOAD_MIB", "5120"))
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


def main():
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
