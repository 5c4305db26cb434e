#!/usr/bin/env python3
"""The transformer pipeline at size: 1 GiB of gzip decoded for three followers at once, within 32 MiB of memory."""

import os
import sys
import threading
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import GIB, MIB, Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402

PIECE = os.urandom(MIB // 8) * 8  # 1 MiB that gzip makes an eighth of, or a little more
SIZE = GIB


def gzip_pieces():
    """1 GiB as a gzip stream, made while it is sent."""
    coder = zlib.compressobj(1, zlib.DEFLATED, 31)
    for _ in range(SIZE // MIB):
        piece = coder.compress(PIECE)
        if piece:
            yield piece
    yield coder.flush()


def script(exchange):
    exchange.head("200 OK", "Content-Encoding: gzip", "Content-Type: text/plain", "Transfer-Encoding: chunked", "Cache-Control: max-age=60")
    for piece in gzip_pieces():
        exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    exchange.socket.sendall(b"0\r\n\r\n")


def read(daemon, url, outcomes, cut, barrier):
    client = Client(daemon.port, timeout=300)
    barrier.wait()
    client.send("GET", url)
    answer = client.head()
    total = 0
    crc = 0
    coded = answer["Content-Encoding"]
    try:
        while piece := client.content(MIB):
            total += len(piece)
            crc = zlib.crc32(piece, crc)
    except (EOFError, OSError):
        return cut.append(total)
    return outcomes.append((answer.status, coded, total, crc))


def watch(daemon, most, ended):
    while not ended.wait(0.05):
        most[0] = max(most[0], daemon.memory())


with Directory() as directory:
    expected = 0
    for _ in range(SIZE // MIB):
        expected = zlib.crc32(PIECE, expected)
    origin = Origin(script)
    configuration = directory + "/respite.toml"
    with open(configuration, "w") as file:
        file.write(f'[limits]\ndecoded-size = "4GiB"\n[[rule]]\nmatch = "http://{origin.authority}/**"\ntransform = [{{ decode = "all" }}]\n')
    for store in ("store", "none"):
        place = store if store == "none" else f"{directory}/{store}"
        daemon = Daemon(place, "--config", configuration, "--set", f'admin-token-file="{directory}/token"')
        before = daemon.memory()
        most = [before]
        ended = threading.Event()
        watcher = threading.Thread(target=watch, args=(daemon, most, ended))
        watcher.start()
        outcomes = []
        cut = []
        barrier = threading.Barrier(3)
        target = origin.url(f"/{store}")
        readers = [threading.Thread(target=read, args=(daemon, target, outcomes, cut, barrier)) for _ in range(3)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        ended.set()
        watcher.join()
        whole = [outcome == (200, None, SIZE, expected) for outcome in outcomes]
        # Without a store there is only a window: a reader that falls out of it is cut, visibly.
        right = whole == [True] * 3 if store != "none" else whole.count(True) >= 1 and len(outcomes) + len(cut) == 3
        check(right, f"{store}: of three followers {whole.count(True)} read 1 GiB of decoded content, {len(cut)} fell behind and were cut")
        check(origin.count(f"/{store}") == 1, f"{store}: the origin was asked {origin.count(f'/{store}')} time(s)")
        growth = (most[0] - before) / MIB
        check(growth < 32, f"{store}: the daemon's memory grew by {growth:.1f} MiB at most")
        daemon.stop()
finish()
