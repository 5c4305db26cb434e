"""One client of the streams program: WebSocket by aiohttp (and by websockets without a proxy), events by aiohttp.

Words: authority and path of the base, the proxy or nothing, a name. Prints one line per finding. Names below `localhost`
are looked up as browsers do it: they are this machine.
"""

import asyncio
import os
import socket
import sys

import aiohttp
import websockets

base, proxy, name = sys.argv[1:]
LARGE = os.urandom(300_000)


def tell(holds, sentence):
    print(("ok " if holds else "no ") + sentence, flush=True)


class Resolver(aiohttp.abc.AbstractResolver):
    async def resolve(self, host, port=0, family=socket.AF_INET):
        return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0}]

    async def close(self):
        pass


async def socket_by_aiohttp(session):
    async with session.ws_connect(f"http://{base}/socket", proxy=proxy or None, max_msg_size=1 << 24) as socket:
        tell((await socket.receive()).data == "welcome", "a message that came with the 101 is there (aiohttp)")
        for text in ("one", "two", "three"):
            await socket.send_str(text)
            tell((await socket.receive()).data == text, f"the echo of {text}")
        await socket.send_bytes(LARGE)
        tell((await socket.receive()).data == LARGE, "the echo of 300,000 bytes")
        await socket.close()
        tell(socket.close_code == 1000, "the close handshake")


async def socket_by_websockets():
    port = int(base.split("/")[0].split(":")[1])
    async with websockets.connect(f"ws://{base}/socket", host="127.0.0.1", port=port, max_size=1 << 24) as socket:
        tell(await socket.recv() == "welcome", "a message that came with the 101 is there (websockets)")
        await socket.send(LARGE)
        tell(await socket.recv() == LARGE, "the echo of 300,000 bytes")


async def events(session):
    seen = 0
    fields = {"Accept": "text/event-stream"}
    async with session.get(f"http://{base}/events?{name}", proxy=proxy or None, headers=fields) as answer:
        async for line in answer.content:
            if line.startswith(b"data:"):
                async with session.get(f"http://{base}/seen/{name}-{seen}", proxy=proxy or None) as noted:
                    assert noted.status == 204
                seen += 1
    tell(seen == 5, f"{seen} events one by one")


async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Resolver()), timeout=aiohttp.ClientTimeout(30)) as session:
        await events(session)
        await socket_by_aiohttp(session)
    if not proxy:
        await socket_by_websockets()


asyncio.run(main())
