#!/usr/bin/env python3
"""Space at rest and speed with content compressed, and without: package files, JSON answers and pages, several rounds in turn.

SOAK_FILES: how many responses, 50,000 unless it says otherwise. SOAK_FOLDERS: where package files are, separated by colons.
SOAK_ROUNDS: how often each setting of `storage.compress` is tried. Every tenth file above 64 KiB has a second URL.
"""

import multiprocessing
import os
import random
import select
import socket
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import KIB, MIB, Directory, disk_usage  # noqa: E402
from harness.processes import processor_seconds  # noqa: E402

FILES = int(os.environ.get("SOAK_FILES", "50000"))
FOLDERS = os.environ.get("SOAK_FOLDERS", "/usr/lib/python3:/usr/share:/usr/include:/usr/lib").split(":")
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "3"))
SETTINGS = ["off", "auto", "all"]
LARGEST = 2 * MIB
SAMPLE = 1000
HOT = 100

TYPES = {
    "py": "text/x-python", "h": "text/x-c", "hpp": "text/x-c", "html": "text/html", "js": "application/javascript",
    "json": "application/json", "css": "text/css", "xml": "application/xml", "svg": "image/svg+xml", "txt": "text/plain",
    "md": "text/markdown", "rst": "text/plain", "png": "image/png", "gz": "application/gzip", "so": "application/octet-stream",
}
WORDS = "cache proxy store answer request origin field value list item page user name time order count state error".split()

context = multiprocessing.get_context("fork")


# Content


class Corpus:
    """Contents by number: a third package files, a third JSON, a third pages, as far as there are files."""

    def __init__(self, count):
        files = package_files(count // 3)
        made = count - len(files)
        self.parts = [("file", path) for path in files]
        self.parts += [("json" if number % 2 else "page", number) for number in range(made)]
        random.Random(1).shuffle(self.parts)
        large = [n for n, (kind, path) in enumerate(self.parts) if kind == "file" and os.path.getsize(path) > 64 * KIB]
        self.twins = large[::10]

    def __len__(self):
        return len(self.parts) + len(self.twins)

    def content(self, number):
        kind, what = self.parts[number if number < len(self.parts) else self.twins[number - len(self.parts)]]
        if kind == "file":
            with open(what, "rb") as file:
                return TYPES.get(what.rpartition(".")[2], "application/octet-stream"), file.read()
        if kind == "json":
            return "application/json", json_answer(what)
        return "text/html; charset=utf-8", page(what)


def package_files(count):
    """Files of installed packages, at most so many, of all sizes up to 2 MiB."""
    found = []
    for folder in FOLDERS:
        for path, _, names in os.walk(folder):
            for name in names:
                full = os.path.join(path, name)
                try:
                    if not os.path.islink(full) and 0 < os.path.getsize(full) <= LARGEST and os.access(full, os.R_OK):
                        found.append(full)
                except OSError:
                    pass
    random.Random(2).shuffle(found)
    return found[:count]


def json_answer(seed):
    """A page of a list, as an API answers: most between 2 and 60 KiB."""
    chance = random.Random(seed)
    items = []
    for number in range(int(8 * 2 ** (5 * chance.random()))):
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(3, 12)))
        items.append(
            f'{{"id":{seed * 1000 + number},"node_id":"{chance.randbytes(9).hex()}","name":"{chance.choice(WORDS)}-{number}",'
            f'"url":"https://api.web.example/v1/items/{seed * 1000 + number}","stars":{chance.randrange(99999)},'
            f'"created_at":"20{chance.randrange(10, 26)}-0{chance.randrange(1, 9)}-1{chance.randrange(9)}T12:00:00Z",'
            f'"private":{chance.choice(["true", "false"])},"description":"{words}"}}'
        )
    return f'{{"total_count":{len(items)},"items":[{",".join(items)}]}}'.encode()


def page(seed):
    """A page of HTML, half of them indexes of package files with their digests, which no compression makes smaller."""
    chance = random.Random(seed)
    rows = []
    for number in range(int(10 * 2 ** (5 * chance.random()))):
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(5, 25)))
        if seed % 4 == 0:
            file = f"{chance.choice(WORDS)}-1.{number}.{chance.randrange(9)}-py3-none-any.whl"
            digest = chance.randbytes(32).hex()
            rows.append(f'<a href="../../packages/{digest[:2]}/{file}#sha256={digest}" data-requires-python="&gt;=3.8">{file}</a><br/>')
        else:
            rows.append(f'<div class="row"><h3><a href="/articles/{seed}/{number}">{chance.choice(WORDS)}</a></h3><p>{words}.</p></div>')
    return ("<!DOCTYPE html><html><head><title>List</title></head><body>\n" + "\n".join(rows) + "\n</body></html>\n").encode()


class CorpusOrigin:
    """Serves the contents, in a process of its own; connections are answered one after the other."""

    def __init__(self, corpus):
        self.corpus = corpus
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.socket.getsockname()[1]
        context.Process(target=self.run, daemon=True).start()

    def url(self, number):
        return f"http://127.0.0.1:{self.port}/{number}"

    def run(self):
        poll = select.epoll()
        poll.register(self.socket, select.EPOLLIN)
        clients = {}
        while True:
            for number, _ in poll.poll():
                if number == self.socket.fileno():
                    client, _ = self.socket.accept()
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    clients[client.fileno()] = client
                    poll.register(client, select.EPOLLIN)
                elif not self.answer(clients[number]):
                    poll.unregister(number)
                    clients.pop(number).close()

    def answer(self, client):
        try:
            received = client.recv(65536)
            if not received:
                return False
            media_type, content = self.corpus.content(int(received.split(b" ", 2)[1][1:]))
            head = f"HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nContent-Type: {media_type}\r\nContent-Length: {len(content)}\r\n\r\n"
            client.sendall(head.encode() + content)
            return True
        except OSError:
            return False


# Measuring


def fill(daemon, origin, count):
    """Asks for every URL, on four connections of two processes; the seconds until all is at rest."""
    def push(first):
        clients = [Client(daemon.port) for _ in range(2)]
        numbers = range(first, count, 2)
        for at in range(0, len(numbers), 2):
            turn = list(zip(clients, numbers[at : at + 2]))
            for client, number in turn:
                client.send("GET", origin.url(number))
            for client, _ in turn:
                client.answer()

    began = time.monotonic()
    processes = [context.Process(target=push, args=(first,)) for first in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    while daemon.admin("/v1/status")["store"]["queued"]:
        time.sleep(0.05)
    return time.monotonic() - began


def look_ups(daemon, origin, corpus, numbers):
    """Hits from the store: the median time in microseconds; compares each content."""
    client = Client(daemon.port)
    times = []
    are_whole = True
    for number in numbers:
        began = time.perf_counter()
        answer = client.get(origin.url(number))
        times.append(time.perf_counter() - began)
        are_whole &= answer.is_hit and answer.content == corpus.content(number)[1]
    return statistics.median(times) * 1e6, are_whole


def hits(daemon, origin, numbers, windows=8, seconds=0.25):
    """Hits per second of a few URLs that memory, or the descriptor of a body file, has: those of the best window."""
    client = Client(daemon.port)
    for number in numbers:
        client.get(origin.url(number))
    best = 0
    for _ in range(windows):
        count = 0
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            client.get(origin.url(numbers[count % len(numbers)]))
            count += 1
        best = max(best, count / (time.monotonic() - began))
    return best


def measure(setting, corpus, origin):
    sizes = {number: len(corpus.content(number)[1]) for number in range(0, len(corpus), max(1, len(corpus) // 5000))}
    small = [number for number, size in sizes.items() if size <= 64 * KIB][:HOT]
    large = [number for number, size in sizes.items() if size > 64 * KIB][:8]
    sample = random.Random(3).sample(range(len(corpus)), min(SAMPLE, len(corpus)))
    words = ["--set", f"storage.compress={setting}", "--set", "storage.limit=64GiB"]
    with Directory() as directory:
        daemon = Daemon(directory + "/store", *words)
        result = {"fill": fill(daemon, origin, len(corpus)), "processor": processor_seconds(daemon.process.pid)}
        result["memory hits"] = hits(daemon, origin, small)
        result["sendfile hits"] = hits(daemon, origin, large) if large else 0
        # A start ends what is under way, and another shows what the first has saved.
        daemon.stop()
        result["disk"] = disk_usage(directory + "/store")
        daemon = Daemon(directory + "/store", *words, "--set", "memory.limit=1MiB")
        result["look-up"], result["whole"] = look_ups(daemon, origin, corpus, sample)
        store = daemon.admin("/v1/status")["store"]
        result["compressed"], result["shared"], result["entries"] = store["compressed"], store["shared"], store["entries"]
        result["damaged"] = store["damaged"]
        daemon.stop()
    return result


def main():
    corpus = Corpus(FILES)
    total = sum(len(corpus.content(number)[1]) for number in range(len(corpus)))
    kinds = {kind: sum(1 for one, _ in corpus.parts if one == kind) for kind in ("file", "json", "page")}
    print(f"{len(corpus)} responses, {total / MIB:.0f} MiB of content: {kinds}, {len(corpus.twins)} of them under a second URL")
    origin = CorpusOrigin(corpus)
    results = {setting: [] for setting in SETTINGS}
    for turn in range(ROUNDS):
        for setting in SETTINGS if turn % 2 == 0 else reversed(SETTINGS):
            result = measure(setting, corpus, origin)
            results[setting].append(result)
            compressed, shared = result["compressed"], result["shared"]
            print(
                f"{setting:5} {result['disk'] / MIB:8.1f} MiB at rest, filled in {result['fill']:6.1f} s ({len(corpus) / result['fill']:6.0f}/s, "
                f"{result['processor']:5.1f} s of processor), look-up {result['look-up']:5.0f} us, "
                f"{result['memory hits']:6.0f} hits/s from memory, {result['sendfile hits']:6.0f} by sendfile; "
                f"{compressed['entries']} compressed: {compressed['contentBytes'] / MIB:.1f} in {compressed['storedBytes'] / MIB:.1f} MiB; "
                f"{shared['bodies']} shared: {shared['savedBytes'] / MIB:.1f} MiB",
                flush=True,
            )

    def median(setting, name):
        return statistics.median(result[name] for result in results[setting])

    for setting in SETTINGS:
        check(all(one["whole"] for one in results[setting]), f"{setting}: every looked-up content is what the origin sent")
        check(all(one["damaged"] == 0 for one in results[setting]), f"{setting}: nothing is damaged")
        check(all(one["shared"]["bodies"] >= len(corpus.twins) for one in results[setting]), f"{setting}: second URLs share their bodies")
    check(all(one["compressed"]["entries"] == 0 for one in results["off"]), "off compresses nothing")
    share = median("auto", "disk") / median("off", "disk")
    check(share < 0.8, f"auto takes {100 * share:.1f}% of the space of off")
    check(median("all", "disk") <= median("auto", "disk"), f"all takes {100 * median('all', 'disk') / median('off', 'disk'):.1f}%")
    for name, least in [("memory hits", 0.9), ("sendfile hits", 0.9)]:
        # Other programs make a machine slower, never faster.
        rates = {setting: max(result[name] for result in results[setting]) for setting in SETTINGS}
        rate = rates["auto"] / max(1, rates["off"])
        check(rate > least or not rates["off"], f"auto has {100 * rate:.0f}% of the {name} per second of off")
    fills = {setting: min(result["fill"] for result in results[setting]) for setting in SETTINGS}
    rate = fills["off"] / fills["auto"]
    check(rate > 0.8, f"auto fills at {100 * rate:.0f}% of the rate of off")
    finish()


main()
