#!/usr/bin/env python3
"""A store with a million entries: filling, start, look-ups, listings, purge of a tenth by a pattern, cap; and the loops' pauses meanwhile.

SOAK_ENTRIES: how many. SOAK_STORE: a folder that outlives the run; one that is full already is not filled again.
"""

import multiprocessing
import os
import random
import select
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import RunningDaemon, binary, environment  # noqa: E402
from harness.disk import MIB, Directory, PeakUsage, disk_usage  # noqa: E402
from harness.network import free_port  # noqa: E402

ENTRIES = int(os.environ.get("SOAK_ENTRIES", "1000000"))
GROUPS = 10
STARTS = 20
PIPELINED = 16
CONNECTIONS = 8
LENGTH = 256

context = multiprocessing.get_context("fork")


def path(number):
    return f"/g{number % GROUPS}/{number}"


def content(target):
    return (target * (LENGTH // len(target) + 1))[:LENGTH].encode()


class FastOrigin:
    """Answers any number of requests for small cacheable content, in a process of its own."""

    def __init__(self, port):
        self.socket = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.port = self.socket.getsockname()[1]
        self.process = context.Process(target=self.run, daemon=True)
        self.process.start()

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def answer(self, target):
        return content(target)

    def run(self):
        self.socket.setblocking(False)
        poll = select.epoll()
        poll.register(self.socket, select.EPOLLIN)
        clients = {}
        head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nContent-Type: text/plain\r\nContent-Length: "
        while True:
            for number, _ in poll.poll():
                if number == self.socket.fileno():
                    client, _ = self.socket.accept()
                    client.setblocking(True)
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    clients[client.fileno()] = client
                    poll.register(client, select.EPOLLIN)
                    continue
                client = clients[number]
                try:
                    received = client.recv(65536)
                    if received:
                        # The proxy sends one request at a time, in one piece.
                        target = received.split(b" ", 2)[1].decode()
                        body = self.answer(target)
                        client.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
                        continue
                except OSError:
                    pass
                poll.unregister(number)
                clients.pop(number).close()


class Process(RunningDaemon):
    """The daemon on ports known beforehand, so that nothing of the start is spent on reading its log."""

    def __init__(self, store, *words, stores=True):
        listener, admin = free_port(), free_port()
        self.port, self.admin_port = listener, admin
        home = os.path.dirname(store)
        command = [binary(), "serve", "--listen", f"127.0.0.1:{listener}", "--admin", f"127.0.0.1:{admin}"]
        self.token_file = home + "/token"
        command += ["--store", store if stores else "none", "--set", f'admin-token-file="{self.token_file}"', "--loops", "2", *words]
        self.log = open(home + "/log", "ab")
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, env=environment(home), stderr=self.log, stdout=subprocess.DEVNULL)

    def connected(self):
        while True:
            try:
                return Client(self.port)
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    sys.exit("the daemon ended")
                time.sleep(0.0002)

    def status(self):
        return self.admin("/v1/status")

    def settled(self):
        """The status once nothing waits for the store, nor is being written."""
        before = None
        while True:
            store = (status := self.status())["store"]
            if store["queued"] == 0 and store["entries"] == before:
                return status
            before = store["entries"]
            time.sleep(1)


def push(port, origin, first, last, step):
    """Asks for the URLs of a range, many at a time on each of a few connections; in a process of its own."""
    clients = [Client(port).socket for _ in range(CONNECTIONS)]
    numbers = list(range(first, last, step))
    parts = [numbers[at : at + PIPELINED] for at in range(0, len(numbers), PIPELINED)]
    for at in range(0, len(parts), CONNECTIONS):
        turn = list(zip(clients, parts[at : at + CONNECTIONS]))
        for client, part in turn:
            client.sendall("".join(f"GET {origin.url(path(n))} HTTP/1.1\r\nHost: h\r\n\r\n" for n in part).encode())
        for client, part in turn:
            received = b""
            while received.count(b"HTTP/1.1 200 OK\r\n") < len(part) or not received.endswith(content(path(part[-1]))):
                piece = client.recv(262144)
                if not piece:
                    sys.exit("the daemon closed")
                received += piece


def push_all(daemon, origin, first, last, workers=2):
    began = time.monotonic()
    processes = [context.Process(target=push, args=(daemon.port, origin, first + w, last, workers)) for w in range(workers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    seconds = time.monotonic() - began
    return all(process.exitcode == 0 for process in processes), seconds


class Watcher:
    """Asks for a hot URL every millisecond, over connections that fall to both loops, in a process of its own."""

    def __init__(self, port, url):
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=self.run, args=(port, url, theirs), daemon=True)
        self.process.start()
        self.ours.recv()

    def run(self, port, url, pipe):
        try:
            os.nice(-10)
        except OSError:
            pass
        clients = [Client(port) for _ in range(8)]
        for client in clients:
            client.get(url)
        request = f"GET {url} HTTP/1.1\r\nHost: h\r\n\r\n".encode()
        pipe.send("ready")
        times = []
        turn = 0
        next_turn = time.monotonic()
        while not pipe.poll():
            client = clients[turn % len(clients)].socket
            turn += 1
            began = time.monotonic()
            client.sendall(request)
            received = client.recv(65536)
            while len(received.partition(b"\r\n\r\n")[2]) < LENGTH:
                received += client.recv(65536)
            times.append(time.monotonic() - began)
            next_turn = max(next_turn + 0.001, time.monotonic())
            time.sleep(max(0, next_turn - time.monotonic()))
        pipe.send(sorted(times))

    def end(self):
        self.ours.send("end")
        times = self.ours.recv()
        self.process.join()
        return Pauses(times)


class Pauses:
    def __init__(self, times):
        self.worst = times[-1]
        self.text = f"median {milliseconds(times, 0.5)}, 99.9 % {milliseconds(times, 0.999)}, worst {self.worst * 1000:.1f} ms of {len(times)}"


def milliseconds(times, share):
    return f"{times[min(len(times) - 1, int(len(times) * share))] * 1000:.2f} ms"


def forget_pages(store):
    """Has the system forget what it holds of the store's files in memory."""
    for folder, _, names in os.walk(store):
        for path in filter(os.path.isfile, (os.path.join(folder, name) for name in names)):
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def starts(store, origin, cold):
    """Seconds from exec to the first answer out of the store, sorted."""
    times = []
    for _ in range(STARTS):
        if cold:
            forget_pages(store)
        target = path(random.randrange(ENTRIES))
        daemon = Process(store)
        client = daemon.connected()
        answer = client.get(origin.url(target), ["Cache-Control: only-if-cached"])
        times.append(time.monotonic() - daemon.started)
        if answer.status != 200 or answer.content != content(target):
            check(False, f"{target} is answered by {answer.status}")
        daemon.stop()
    return sorted(times)


def look_ups(daemon, urls, status):
    """Seconds of each look-up, one after the other, sorted."""
    client = daemon.connected()
    times = []
    for url in urls:
        began = time.monotonic()
        answer = client.get(url, ["Cache-Control: only-if-cached"])
        times.append(time.monotonic() - began)
        if answer.status != status:
            check(False, f"{url} is answered by {answer.status}")
    return sorted(times)


class Seeker:
    """Looks up stored URLs that are not in memory, one after the other, in a process of its own."""

    def __init__(self, daemon, urls):
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=self.run, args=(daemon.port, urls, theirs), daemon=True)
        self.process.start()

    def run(self, port, urls, pipe):
        client = Client(port)
        times = []
        hits = 0
        for url in urls:
            if pipe.poll():
                break
            began = time.monotonic()
            answer = client.get(url, ["Cache-Control: only-if-cached"])
            times.append(time.monotonic() - began)
            hits += answer.status == 200
            time.sleep(0.002)
        pipe.send((sorted(times), hits))

    def end(self):
        self.ours.send("end")
        times, hits = self.ours.recv()
        self.process.join()
        return times, hits


def tell_store(daemon):
    store = daemon.status()["store"]
    names = "longestWriteMicroseconds", "longestLookUpMicroseconds"
    if all(name in store for name in names):
        write, look_up = (store[name] / 1000 for name in names)
        print(f"        the store's writer paused for {write:.1f} ms at most, a look-up took {look_up:.1f} ms at most", flush=True)


def fill(store, origin):
    daemon = Process(store)
    daemon.connected().close()
    hot = origin.url("/hot")
    watcher = Watcher(daemon.port, hot)
    held = daemon.status()["store"]["entries"]
    whole, seconds = push_all(daemon, origin, 0, ENTRIES)
    status = daemon.settled()
    pauses = watcher.end()
    entries = status["store"]["entries"]
    check(whole and status["store"]["refused"] == 0, f"filling: {entries - held} entries in {seconds:.0f} s, {(entries - held) / seconds:.0f}/s, {status['store']['refused']} refused")
    check(entries >= ENTRIES, f"{entries} entries take {status['store']['usedBytes'] / MIB:.0f} MiB on disk")
    print(f"        hot URL while filling: {pauses.text}")
    used, resident = status["memory"]["usedBytes"], daemon.memory()
    print(f"        memory: {used / MIB:.0f} MiB accounted, {resident / MIB:.0f} MiB resident, ratio {resident / used:.2f}")
    tell_store(daemon)
    daemon.stop()


def start(store, origin):
    for cold in (False, True):
        times = starts(store, origin, cold)
        name = "nothing of it in the page cache" if cold else "page cache warm"
        check(
            times[STARTS // 2] <= 0.1,
            f"first answer after exec, {name}: median {times[STARTS // 2] * 1000:.1f} ms, "
            f"{times[0] * 1000:.1f} to {times[-1] * 1000:.1f} ms of {STARTS}",
        )


def look_up(daemon, origin):
    chosen = random.sample(range(ENTRIES), min(5000, ENTRIES // 4))
    present = look_ups(daemon, [origin.url(path(n)) for n in chosen], 200)
    absent = look_ups(daemon, [origin.url(f"/absent/{n}") for n in chosen], 504)
    hits = look_ups(daemon, [origin.url(path(n)) for n in chosen], 200)
    for name, times in (("present", present), ("absent", absent), ("present in memory", hits)):
        print(f"        look-up, {name}: median {milliseconds(times, 0.5)}, 99 % {milliseconds(times, 0.99)}, worst {milliseconds(times, 1)}")
    check(present[len(present) // 2] < 0.005, "a look-up in the store takes less than 5 ms")


def pages(daemon, query):
    """All pages of a listing, and the seconds of each."""
    found, times, cursor = [], [], ""
    while True:
        began = time.monotonic()
        page = daemon.admin(f"/v1/resources?{query}{cursor}")
        times.append(time.monotonic() - began)
        found += page["resources"]
        if "next" not in page:
            return found, times
        cursor = "&cursor=" + urllib.parse.quote(page["next"])


def listing(daemon, origin):
    """What the pages and `ls` ask for: the first page, one of a kind among all, the largest."""
    watcher, memory = Watcher(daemon.port, origin.url("/hot")), daemon.memory()
    firsts = []
    for _ in range(20):
        began = time.monotonic()
        page = daemon.admin("/v1/resources?limit=100")
        firsts.append(time.monotonic() - began)
    firsts.sort()
    check(len(page["resources"]) == 100 and firsts[len(firsts) // 2] < 0.1, f"first page of a listing: median {milliseconds(firsts, 0.5)}, worst {milliseconds(firsts, 1)}")
    wanted = origin.url(f"/g{(ENTRIES - 1) % GROUPS}/{ENTRIES - 1}")
    began = time.monotonic()
    found, times = pages(daemon, "filter=" + urllib.parse.quote(f"http://*/*/{ENTRIES - 1}"))
    seconds = time.monotonic() - began
    check([one["uri"] for one in found] == [wanted] and seconds < 1, f"one resource by a pattern among all: {seconds:.2f} s, {len(times)} pages, worst {max(times) * 1000:.0f} ms")
    began = time.monotonic()
    page = daemon.admin("/v1/resources?limit=100&sort=size")
    seconds = time.monotonic() - began
    check(len(page["resources"]) == 100, f"the hundred largest: {seconds:.2f} s")
    pauses = watcher.end()
    print(f"        hot URL meanwhile: {pauses.text}")
    print(f"        memory: {(daemon.memory() - memory) / MIB:+.0f} MiB resident")


def warm(daemon, origin):
    """Has as much in memory as fits."""
    whole, seconds = push_all(daemon, origin, 0, ENTRIES // 5)
    memory = daemon.status()["memory"]
    check(whole, f"{ENTRIES // 5} asked for again in {seconds:.0f} s: {memory['entries']} are in memory")


def purge(daemon, origin):
    hot = origin.url("/hot")
    daemon.connected().get(hot)
    others = [origin.url(path(n)) for n in random.sample(range(ENTRIES), min(20000, ENTRIES // 4)) if n % GROUPS != 3]
    watcher, seeker = Watcher(daemon.port, hot), Seeker(daemon, others)
    time.sleep(0.5)
    before = daemon.status()["store"]["entries"]
    began = time.monotonic()
    answer = daemon.admin("/v1/purge", "POST", {"filter": origin.url("/g3/**")})
    seconds = time.monotonic() - began
    pauses, (times, found) = watcher.end(), seeker.end()
    left = before - daemon.status()["store"]["entries"]
    check(answer["purged"] == left == ENTRIES // GROUPS, f"purge by a pattern: {answer['purged']} of {before} in {seconds:.1f} s")
    print(f"        hot URL meanwhile: {pauses.text}")
    check(found == len(times), f"{found} of {len(times)} others found in the store meanwhile, worst {milliseconds(times, 1)}")
    gone = look_ups(daemon, [origin.url(path(n)) for n in range(3, ENTRIES // 100, GROUPS)], 504)
    check(len(gone) > 0, f"none of {len(gone)} purged ones is found")
    tell_store(daemon)


def cap(store, origin):
    limit = (disk_usage(store) // MIB + 24) * MIB
    daemon = Process(store, "--set", f"storage.limit={limit // MIB}MiB", "--set", "memory.limit=32MiB")
    daemon.connected().close()
    watcher, sampler = Watcher(daemon.port, origin.url("/hot")), PeakUsage(store)
    count = ENTRIES // 5
    whole, seconds = push_all(daemon, origin, ENTRIES, ENTRIES + count)
    status = daemon.settled()
    pauses, (most, samples) = watcher.end(), sampler.end()
    evicted = status["store"]["evictions"]
    check(whole and evicted > 0, f"at the cap: {count} more in {seconds:.0f} s, {count / seconds:.0f}/s, {evicted} evicted, {status['store']['refused']} refused")
    check(most <= limit, f"most ever on disk: {most / MIB:.2f} of {limit / MIB:.0f} MiB ({samples} samples)")
    print(f"        hot URL meanwhile: {pauses.text}")
    tell_store(daemon)
    daemon.stop()


def main():
    random.seed(int(os.environ.get("SOAK_SEED", "1")))
    kept = os.environ.get("SOAK_STORE")
    with Directory() as directory:
        store = directory + "/store"
        if kept and os.path.exists(kept):
            # URLs hold the origin's port.
            origin = FastOrigin(int(open(kept + "/port").read()))
            shutil.copytree(kept + "/store", store)
        else:
            origin = FastOrigin(free_port())
            os.mkdir(store, 0o700)
            fill(store, origin)
            if kept:
                shutil.copytree(store, kept + "/store")
                with open(kept + "/port", "w") as file:
                    file.write(str(origin.port))
        start(store, origin)
        daemon = Process(store)
        look_up(daemon, origin)
        listing(daemon, origin)
        warm(daemon, origin)
        purge(daemon, origin)
        daemon.stop()
        cap(store, origin)
        origin.process.kill()


if __name__ == "__main__":
    main()
    finish()
