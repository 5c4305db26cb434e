#!/usr/bin/env python3
"""An origin that cuts its answers at random places: clients that never retry get the whole, and no byte comes twice.

Without a strong validator a cut stays one. When the file changes at a cut, a client gets the old one, the new one or a
cut, never a mixture. --seeds: how many such changes; --size: MiB of the large file; --seed.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.ranged import RangeOrigin, Representation, complaint, fetch, is_begin, random_content, ratio, resolved  # noqa: E402

CUTS = 20
SMALL = 256 << 10
TOGETHER = 5


class Places:
    """Cuts answers at each of some positions once."""

    def __init__(self, places):
        self.left, self.lock = sorted(places), threading.Lock()

    def __call__(self, path, first, end):
        with self.lock:
            here = next((place for place in self.left if first <= place < end), None)
            if here is not None:
                self.left.remove(here)
            return here


def together(count, daemon, url, *fields):
    """The same request of some clients at once."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [one.result() for one in [pool.submit(fetch, daemon, url, *fields) for _ in range(count)]]


def resumed(daemon, options, name, clients=1, warm=()):
    """A file whose answers are cut at 20 places, after some ranges of it are stored."""
    chooser = random.Random(f"{options.seed} {name}")
    file = Representation(random_content(f"{options.seed} {name}", options.length))
    server = RangeOrigin(lambda path: file)
    for value in warm:
        fetch(daemon, server.url("/file"), "Range: " + value)
    stored = [one for value in warm for one in resolved(value, options.length)]
    places = [place for place in chooser.sample(range(1, options.length), 2 * CUTS) if not any(first <= place < end for first, end in stored)]
    server.cut = Places(places[:CUTS])
    began = time.monotonic()
    answers = together(clients, daemon, server.url("/file"))
    seconds = time.monotonic() - began
    digest = hashlib.sha256(file.content).digest()
    good = sum(whole and answer.status == 200 and hashlib.sha256(answer.content).digest() == digest for answer, whole in answers)
    cuts = CUTS - len(server.cut.left)
    check(good == clients, f"{name}: {good} of {clients} clients have the whole after {cuts} cuts, in {seconds:.1f} s")
    check(cuts == CUTS and server.sent <= 1.05 * options.length, f"{name}: {ratio(server.sent, options.length)}, in {len(server.requests)} requests")
    # What a client has had may still be on its way into the store.
    for _ in range(3):
        again, whole = fetch(daemon, server.url("/file"))
        if whole and again.is_hit:
            break
    check(whole and again.is_hit and again.content == file.content, f"{name}: it is a hit from then on")


def resumed_ranges(daemon, options):
    """Ranges whose answers are cut four times each."""
    file = Representation(random_content(f"{options.seed} ranges", options.length))
    server = RangeOrigin(lambda path: file)
    part = options.length // 10
    for number in range(5):
        first = 2 * number * part + 1
        chooser = random.Random(f"{options.seed} {number}")
        server.cut = Places(chooser.sample(range(first + 1, first + part), 4))
        value = f"bytes={first}-{first + part - 1}"
        answer, whole = fetch(daemon, server.url("/file"), "Range: " + value)
        fault = complaint(answer, value, file) if whole else "it is cut"
        check(not fault and not server.cut.left, f"a range that is cut four times: {fault or 'all of it'}")
    check(server.sent <= 1.05 * 5 * part, f"ranges that are cut: {ratio(server.sent, 5 * part)}")


def visible(daemon, options, name, tag):
    """Without a strong validator a cut is passed on, nothing is kept, and the next client gets all from the origin."""
    file = Representation(random_content(f"{options.seed} {name}", options.length // 4), tag, modified=None)
    server = RangeOrigin(lambda path: file, Places([options.length // 8]))
    answer, whole = fetch(daemon, server.url("/file"))
    came = len(answer.content) if answer else 0
    prefix = bool(answer) and file.content.startswith(answer.content)
    check(not whole and prefix, f"{name}: the client sees the cut, {came:,} bytes came before it")
    kept, _ = fetch(daemon, server.url("/file"), "Cache-Control: only-if-cached")
    check(kept and kept.status == 504, f"{name}: nothing is stored: {kept and kept.status}")
    answer, whole = fetch(daemon, server.url("/file"))
    check(whole and answer.content == file.content, f"{name}: the next client has the whole")
    asked = [request[2:] for request in server.requests]
    check(asked == [(None, None)] * 2, f"{name}: no range is asked for: {asked}")


def chunked(daemon, options):
    """The length is not known before the end: the client gets the whole or sees the cut, and the next one gets the whole."""
    file = Representation(random_content(f"{options.seed} chunked", options.length), is_chunked=True)
    server = RangeOrigin(lambda path: file, Places([options.length // 3, options.length // 2]))
    answer, whole = fetch(daemon, server.url("/file"))
    good = not answer or (file.content == answer.content if whole else file.content.startswith(answer.content))
    check(good, f"chunked: the client {'has the whole' if whole else 'sees the cut'}; {ratio(server.sent, options.length)}")
    server.cut = None
    answer, whole = fetch(daemon, server.url("/file"))
    check(whole and answer.content == file.content, f"chunked: the next client has the whole; {ratio(server.sent, options.length)}")


def away(daemon, options, clients):
    """The origin is away after a cut: the clients see it. Back again, it sends what is missing."""
    name = f"an origin that stays away, {clients} clients"
    file = Representation(random_content(f"{options.seed} {clients} away", options.length))
    server = RangeOrigin(lambda path: file)
    places = Places([options.length * 3 // 4])

    def cut(*range):
        place = places(*range)
        server.is_away = server.is_away or place is not None
        return place

    server.cut = cut
    began = time.monotonic()
    answers = together(clients, daemon, server.url("/file"))
    seconds = time.monotonic() - began
    shown = sum(not whole and (not answer or file.content.startswith(answer.content)) for answer, whole in answers)
    came = max((len(answer.content) for answer, _ in answers if answer), default=0)
    check(shown == clients, f"{name}: {shown} see the cut after {seconds:.1f} s, {came:,} bytes came before it")
    server.is_away = False
    # The circuit breaker may wait before it tries again.
    began = time.monotonic()
    while time.monotonic() - began < 40:
        answer, whole = fetch(daemon, server.url("/file"))
        if answer and answer.status == 200:
            break
        time.sleep(0.1)
    good = whole and answer.content == file.content
    check(good, f"{name}: {time.monotonic() - began:.1f} s after it is back a client has the whole")
    check(server.sent <= 1.05 * options.length, f"{name}: {ratio(server.sent, options.length)}")


class Change:
    """A small file with a few cuts, at one of which it changes; by a seed."""

    def __init__(self, seed, number):
        chooser = random.Random(f"{seed} {number}")
        self.path = f"/change/{number}"
        lengths = SMALL, SMALL + chooser.choice([0, chooser.randint(-SMALL // 2, SMALL // 2)])
        self.versions = [Representation(random_content(f"{seed} {number} {index}", length), f'"{index}"') for index, length in enumerate(lengths)]
        # Some origins ignore If-Range: what they send is told by its tag alone.
        self.ignores_condition = chooser.random() < 0.3
        self.clients = TOGETHER if chooser.random() < 0.2 else 1
        self.asked = chooser.choice([None, None, f"bytes={chooser.randint(0, SMALL // 4)}-{chooser.randint(SMALL // 4, SMALL)}"])
        self.cuts = chooser.randint(1, 4)
        self.changes_at = chooser.randint(1, self.cuts)
        self.chooser, self.lock, self.current = chooser, threading.Lock(), self.versions[0]
        if self.ignores_condition:
            for version in self.versions:
                version.permits = lambda condition: True

    def cut(self, path, first, end):
        with self.lock:
            if self.cuts == 0:
                return None
            self.cuts -= 1
            self.changes_at -= 1
            if self.changes_at == 0:
                self.current = self.versions[1]
            return self.chooser.randint(first, end - 1)

    def judge(self, answer, whole):
        """`old`, `new` or `cut`; else what is wrong."""
        if not answer or answer.status in (502, 504):
            return "cut"
        if not whole:
            return "cut" if is_begin(answer, self.versions) else "a mixture before the cut"
        faults = [complaint(answer, self.asked, version) for version in self.versions]
        return ("old", "new")[faults.index(None)] if None in faults else faults[-1]

    def run(self, daemon, url):
        fields = [f"Range: {self.asked}"] if self.asked else []
        results = [self.judge(*one) for one in together(self.clients, daemon, url, *fields)]
        self.cuts = 0
        return results, self.judge(*fetch(daemon, url, *fields))


def changing(daemon, options):
    """Files that change at a cut, some of them before several clients at once."""
    changes = {}
    server = RangeOrigin(lambda path: changes[path].current, lambda path, first, end: changes[path].cut(path, first, end))

    def one(number):
        change = Change(options.seed, number)
        changes[change.path] = change
        result = change.run(daemon, server.url(change.path))
        del changes[change.path]
        return number, result

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(one, range(options.seeds)))
    seconds = time.monotonic() - began
    first = collections.Counter(word for _, (words, _) in results for word in words)
    later = collections.Counter(word for _, (_, word) in results)
    wrong = [(number, words, after) for number, (words, after) in results if set(words) - {"old", "new", "cut"} or after not in ("old", "new")]
    back = [number for number, (words, after) in results if "new" in words and after == "old"]
    check(not wrong, f"{options.seeds:,} files that change at a cut: {dict(first)}; afterwards {dict(later)}; {len(wrong)} wrong {wrong[:3]}; {seconds:.1f} s")
    check(not back, f"{len(back)} were old again after they had been new {back[:3]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("SOAK_SEEDS", "1000")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED", str(int(time.time())))))
    options = parser.parse_args()
    options.length = options.size * MIB
    print(f"seed {options.seed}, a file of {options.size} MiB, {options.seeds:,} changes", flush=True)
    with Directory() as directory:
        daemon = Daemon(directory + "/store")
        resumed(daemon, options, "one client")
        resumed(daemon, options, f"{TOGETHER} clients", clients=TOGETHER)
        tenth = options.length // 10
        resumed(daemon, options, "with holes", warm=[f"bytes={number * tenth}-{number * tenth + 999}" for number in (0, 3, 7)])
        resumed(daemon, options, "with a first part", warm=[f"bytes=0-{tenth}"])
        resumed_ranges(daemon, options)
        visible(daemon, options, "no tag", None)
        visible(daemon, options, "a weak tag", 'W/"one"')
        chunked(daemon, options)
        away(daemon, options, 1)
        away(daemon, options, TOGETHER)
        changing(daemon, options)
        check(daemon.stop() == 0, "the daemon ended well")


main()
finish()
