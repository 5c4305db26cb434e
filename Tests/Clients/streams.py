#!/usr/bin/env python3
"""Connections that stay: WebSocket clients and event streams by every route.

The far end sends the next message only when the client has reported the one before: nothing may be held back.
"""

import asyncio
import base64
import hashlib
import os
import threading

from clients import PYTHON, Daemon, Directory, Origin, check, finish, has, proxied, run

HERE = os.path.dirname(os.path.abspath(__file__))
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
EVENTS = 5


class Streams:
    """An origin with a WebSocket that echoes, and a stream that sends event n+1 once `/seen/n` was asked for."""

    def __init__(self):
        self.seen = {}
        self.origin = Origin(self.script)

    def gate(self, name):
        return self.seen.setdefault(name, threading.Event())

    def script(self, exchange):
        path = exchange.target
        if path.startswith("/socket"):
            return self.socket(exchange)
        if path.startswith("/seen/"):
            self.gate(path[6:]).set()
            return exchange.reply("204 No Content", "Cache-Control: no-store")
        if path.startswith("/events"):
            return self.events(exchange)
        return exchange.reply("404 Not Found")

    def events(self, exchange):
        name = exchange.target.partition("?")[2]
        exchange.head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for number in range(EVENTS):
            event = f"id: {number}\ndata: number {number}\n\n".encode()
            exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            if not self.gate(f"{name}-{number}").wait(20):
                raise EOFError("nobody saw the event")
        exchange.socket.sendall(b"0\r\n\r\n")

    def socket(self, exchange):
        """RFC 6455, as far as an echo needs it."""
        key = exchange.request["Sec-WebSocket-Key"]
        if (exchange.request["Upgrade"] or "").lower() != "websocket" or not key:
            return exchange.reply("426 Upgrade Required", "Upgrade: websocket", "Connection: upgrade")
        accept = base64.b64encode(hashlib.sha1(key.encode() + MAGIC).digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: " + accept]
        # The first message comes with the head: it must not be lost.
        exchange.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + self.frame(1, b"welcome"))
        exchange.keep = False
        while True:
            opcode, payload = self.read(exchange.reader)
            exchange.socket.sendall(self.frame(opcode, payload))
            if opcode == 8:
                return None

    @staticmethod
    def frame(opcode, payload):
        count = len(payload)
        if count < 126:
            return bytes([0x80 | opcode, count]) + payload
        if count < 65536:
            return bytes([0x80 | opcode, 126]) + count.to_bytes(2, "big") + payload
        return bytes([0x80 | opcode, 127]) + count.to_bytes(8, "big") + payload

    @staticmethod
    def read(reader):
        def take(count):
            while len(reader.buffer) < count:
                reader._fill()
            return reader._take(count)

        first, second = take(2)
        count = second & 127
        if count > 125:
            count = int.from_bytes(take(2 if count == 126 else 8), "big")
        mask = take(4)
        payload = take(count)
        key = (mask * (count // 4 + 1))[:count]
        return first & 15, (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(count, "big") if count else b""


def main(directory):
    streams = Streams()
    configuration = directory + "/respite.toml"
    with open(configuration, "w") as file:
        file.write(f'[service.streams]\nbase = "{streams.origin.url("/")}"\n')
    daemon = Daemon(directory + "/store", "--config", configuration)
    own = f"127.0.0.1:{daemon.port}"
    bases = {
        "forward": (streams.origin.authority, f"http://{own}"),
        "prefix": (f"{own}/{streams.origin.url('')}", ""),
        "service": (f"{own}/streams", ""),
        "service host": (f"streams.localhost:{daemon.port}", ""),
    }
    for name, (base, proxy) in bases.items():
        words = [PYTHON, os.path.join(HERE, "stream.py"), base, proxy, name.replace(" ", "-")]
        outcome = run(words, timeout=60)
        for line in outcome.stdout.splitlines():
            kind, _, rest = line.partition(" ")
            check(kind == "ok", f"{name}: {rest}")
        check(outcome.returncode == 0, f"{name}: {outcome.stderr.strip()[-500:] or 'the client ended well'}")
    if has("curl"):
        asyncio.run(curl(streams, daemon))
    check(daemon.stop() == 0, "the daemon ended well")


async def curl(streams, daemon):
    """curl -N prints each event when it comes."""
    url = streams.origin.url("/events?curl")
    process = await asyncio.create_subprocess_exec("curl", "-sSN", url, stdout=asyncio.subprocess.PIPE, env=proxied(daemon))
    seen = 0
    while line := await asyncio.wait_for(process.stdout.readline(), 20):
        if line.startswith(b"data:"):
            streams.gate(f"curl-{seen}").set()
            seen += 1
    check(seen == EVENTS and await process.wait() == 0, f"curl -N got {seen} events one by one")


if has(modules=["aiohttp", "websockets"]):
    with Directory() as scratch:
        main(scratch)
finish()
