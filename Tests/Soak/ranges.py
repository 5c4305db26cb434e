#!/usr/bin/env python3
"""Random ranges of files beside the files themselves: one after another, 16 connections at once, across kills, evictions and changes.

--count: ranges of the first two phases, a fifth of it in the others; --size: MiB of the file; --seed; names select phases.
"""

import argparse
import collections
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory, disk_usage  # noqa: E402
from harness.ranged import BROKEN, RandomRanges, RangeOrigin, Representation, complaint, random_content, ratio  # noqa: E402

CONNECTIONS = 16
FILES = 16
KILLS = 10
CHANGES = 20
SMALLEST_STORE = 32 * MIB


class Files:
    """Files by their path, made from the seed; `change` gives one other bytes, another length and another tag."""

    def __init__(self, seed, length):
        self.seed, self.length, self.lock = seed, length, threading.Lock()
        self.kept = {}

    def versions(self, path):
        with self.lock:
            if path not in self.kept:
                self.kept[path] = [self.version(path, 1, self.length)]
            return self.kept[path]

    def version(self, path, number, length):
        return Representation(random_content(f"{self.seed} {path} {number}", length), f'"{number}"')

    def pick(self, path):
        return self.versions(path)[-1]

    def forget(self, path):
        with self.lock:
            del self.kept[path]

    def change(self, path, length):
        versions = self.versions(path)
        versions.append(self.version(path, len(versions) + 1, length))


class Tally:
    """What was asked and how the answers were, of some threads together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kinds, self.statuses = collections.Counter(), collections.Counter()
        self.bytes, self.hits, self.broken, self.wrong = 0, 0, 0, []

    def note(self, kind, asked, answer, fault):
        with self.lock:
            self.kinds[kind] += 1
            self.statuses[answer.status] += 1
            self.bytes += len(answer.content)
            self.hits += answer.is_hit
            if fault:
                self.wrong.append((asked, fault))

    def broke(self):
        with self.lock:
            self.broken += 1

    def report(self, name):
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kinds.items()))
        statuses = ", ".join(f"{count:,} × {status}" for status, count in sorted(self.statuses.items()))
        check(not self.wrong, f"{name}: {kinds}; {statuses}; {self.bytes:,} bytes, {self.hits:,} hits, {len(self.wrong)} answers wrong {self.wrong[:3]}")


class Phase:
    """A daemon with an empty store before files of one size."""

    def __init__(self, directory, options, share=1, *words, length=None):
        self.seed, self.length, self.words = options.seed, length or options.length // share, words
        self.store = f"{directory}/{random.getrandbits(64):x}/store"
        os.makedirs(os.path.dirname(self.store))
        self.files, self.tally = Files(self.seed, self.length), Tally()
        self.origin = RangeOrigin(self.files.pick)
        self.start()

    def start(self):
        self.daemon = Daemon(self.store, *self.words)

    def ask(self, client, path, kind, value):
        """One request; its answer, judged by the version whose tag it has. Raises if it is cut."""
        fields = [f"Range: {value}"] if value else []
        answer = client.get(self.origin.url(path), fields)
        faults = [complaint(answer, value, version) for version in self.files.versions(path)]
        self.tally.note(kind, value, answer, None if None in faults else faults[-1])
        return answer

    def run(self, count, paths=("/file",), goes_on=True, seed=0):
        """So many ranges one after another on one connection; a cut answer ends it unless it goes on then."""
        ranges = RandomRanges(f"{self.seed} {seed}", self.length)
        client = None
        for _ in range(count):
            kind, value = ranges.next()
            try:
                client = client or Client(self.daemon.port)
                self.ask(client, ranges.chooser.choice(paths), kind, value)
            except BROKEN:
                self.tally.broke()
                client = None
                if not goes_on:
                    return

    def leave(self, count, seed):
        """As many ranges, of whose answers only some bytes are read; then the connection is closed."""
        ranges = RandomRanges(f"{self.seed} {seed}", self.length)
        content = self.files.pick("/file").content
        for _ in range(count):
            kind, value = ranges.next()
            client = Client(self.daemon.port)
            client.send("GET", self.origin.url("/file"), [f"Range: {value}"])
            answer = client.head()
            answer.content = client.exactly(int(int(answer["Content-Length"]) * ranges.chooser.random()))
            client.close()
            first = int(answer["Content-Range"].split()[1].split("-")[0]) if answer["Content-Range"] else None
            is_right = answer.status == 206 and (first is None or content.startswith(answer.content, first))
            self.tally.note(kind, value, answer, None if is_right else "other bytes")

    def start_runs(self, connections, count, *rest):
        """The same on some connections, each with other ranges; returns their threads."""
        return self.start_threads(connections, lambda index: self.run(count, *rest, seed=index))

    @staticmethod
    def start_threads(connections, work):
        threads = [threading.Thread(target=work, args=(index,)) for index in range(connections)]
        for thread in threads:
            thread.start()
        return threads

    def wholes(self, paths=("/file",)):
        """Asks for the whole of each path; whether it is a hit afterwards, and the origin is not asked any more."""
        for path in paths:
            self.ask(Client(self.daemon.port), path, "whole", None)
        # What a client has had may still be on its way into the store.
        for _ in range(3):
            sent = self.origin.sent
            again = [self.ask(Client(self.daemon.port), path, "whole", None) for path in paths]
            if self.origin.sent == sent and all(answer.is_hit for answer in again):
                return True
        return False

    def end(self, name, allowed_cuts=0):
        self.tally.report(name)
        check(self.tally.broken <= allowed_cuts, f"{name}: {self.tally.broken} answers were cut")
        check(self.daemon.stop() == 0, f"{name}: the daemon ended well")


def one_after_another(directory, options):
    measure(Phase(directory, options), "one after another", 1, options.count, 1.02)


def side_by_side(directory, options):
    measure(Phase(directory, options), f"{CONNECTIONS} connections", CONNECTIONS, options.count // CONNECTIONS, 1.1)


def measure(phase, name, connections, count, allowed):
    """Ranges of one file, then the whole of it: what the origin has sent for all of that."""
    began = time.monotonic()
    for thread in phase.start_runs(connections, count):
        thread.join()
    seconds = time.monotonic() - began
    sent, requests = phase.origin.sent, len(phase.origin.requests)
    print(f"        {name}: {ratio(sent, phase.length)}, in {requests} requests, {seconds:.1f} s")
    is_hit = phase.wholes()
    check(is_hit, f"{name}: the whole is a hit in the end")
    check(phase.origin.sent <= allowed * phase.length, f"{name}, ranges and then the whole: {ratio(phase.origin.sent, phase.length)}, {allowed} allowed")
    phase.end(name)


def left(directory, options):
    """Clients that leave while their answers come, as players of videos do."""
    phase = Phase(directory, options)
    for thread in phase.start_threads(CONNECTIONS, lambda index: phase.leave(options.count // 5 // CONNECTIONS, index)):
        thread.join()
    sent = phase.origin.sent
    phase.wholes()
    print(f"        clients that leave: {ratio(sent, phase.length)}; with the whole {phase.origin.sent / phase.length:.3f} ×")
    phase.end("clients that leave")


def killed(directory, options):
    """The daemon is killed while ranges come; what the next one serves is right, and it goes on with what was stored."""
    phase = Phase(directory, options, share=4)
    chooser = random.Random(options.seed)
    paths = [f"/killed/{number}" for number in range(FILES)]
    for number in range(KILLS):
        threads = phase.start_threads(4, lambda index: phase.run(1_000_000, paths, False, f"{number} {index}"))
        threads[0].join(chooser.uniform(0.05, 0.6))
        phase.daemon.kill()
        for thread in threads:
            thread.join()
        phase.start()
    sent = phase.origin.sent
    phase.wholes(paths)
    everything = FILES * phase.length
    print(f"        {KILLS} kills: {ratio(sent, everything)}, all files together; with the whole of each {phase.origin.sent / everything:.3f} ×")
    phase.end(f"{KILLS} kills", allowed_cuts=4 * KILLS)


def evicted(directory, options):
    """More files than the store has room for."""
    limit = max(SMALLEST_STORE, FILES * options.length // 10)
    phase = Phase(directory, options, 4, "--set", f"storage.limit={limit}B", "--set", "memory.limit=4MiB")
    most = 0
    paths = [f"/evicted/{number}" for number in range(FILES)]
    for number in range(20):
        phase.run(options.count // 5 // 20, paths, seed=number)
        phase.ask(Client(phase.daemon.port), paths[number % FILES], "whole", None)
        most = max(most, disk_usage(phase.store))
    everything = FILES * phase.length
    check(most <= limit, f"evictions: {most / MIB:.1f} of {limit / MIB:.1f} MiB on disk; {ratio(phase.origin.sent, everything)}, all files together")
    phase.end("evictions")


def too_large(directory, options):
    """A file that is larger than the store, and parts that are."""
    phase = Phase(directory, options, 1, "--set", f"storage.limit={SMALLEST_STORE}B", "--set", "memory.limit=4MiB", length=SMALLEST_STORE * 3 // 2)
    client, most = Client(phase.daemon.port), 0
    part = SMALLEST_STORE * 5 // 4
    for kind, value in ("single", f"bytes=100-{part}"), ("suffix", f"bytes=-{part}"), ("whole", None), ("open", "bytes=0-"):
        phase.ask(client, "/file", kind, value)
        phase.run(options.count // 100, seed=kind)
        most = max(most, disk_usage(phase.store))
    check(most <= SMALLEST_STORE, f"larger than the store: {most / MIB:.1f} of {SMALLEST_STORE / MIB:.1f} MiB on disk; {ratio(phase.origin.sent, phase.length)}")
    phase.end("larger than the store")


def changed(directory, options):
    """Files that change while some of their ranges are stored: each answer is of one version, and never an older one again."""
    phase = Phase(directory, options, share=4)
    chooser = random.Random(options.seed)
    older = 0
    for number in range(CHANGES):
        path = f"/changed/{number}"
        ranges = RandomRanges(f"{options.seed} {path}", phase.length)
        client, newest = Client(phase.daemon.port), 0
        for turn in range(options.count // 5 // CHANGES):
            if turn % 10 == 9:
                phase.files.change(path, phase.length + chooser.randint(-phase.length // 2, phase.length // 2))
            kind, value = ranges.next()
            try:
                answer = phase.ask(client, path, kind, value)
            except BROKEN:
                phase.tally.broke()
                client = Client(phase.daemon.port)
                continue
            version = int((answer["ETag"] or '"0"').strip('"'))
            older += 0 < version < newest
            newest = max(newest, version)
        last = client.get(phase.origin.url(path), ["Cache-Control: no-cache"])
        fault = complaint(last, None, phase.files.pick(path))
        phase.tally.note("whole", None, last, fault)
        phase.files.forget(path)
    check(older == 0, f"changes: {older} answers were of a version before one that had been seen")
    phase.end("changes", allowed_cuts=phase.tally.broken)
    print(f"        changes: {phase.tally.broken} answers were cut, {ratio(phase.origin.sent, phase.length)}")


PHASES = {"one": one_after_another, "many": side_by_side, "leave": left, "kill": killed, "evict": evicted, "large": too_large, "change": changed}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=int(os.environ.get("SOAK_RANGES", "10000")))
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED", str(int(time.time())))))
    parser.add_argument("phases", nargs="*", choices=[[], *PHASES], default=[])
    options = parser.parse_args()
    options.length = options.size * MIB
    print(f"seed {options.seed}, {options.count:,} ranges, a file of {options.size} MiB", flush=True)
    for name in options.phases or PHASES:
        with Directory() as directory:
            PHASES[name](directory, options)


main()
finish()
