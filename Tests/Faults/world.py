"""What the fault scenarios share: a register of them, and a world with a daemon, origins and verified traffic.

A scenario is a function of a `World`. It passes if it returns; `ensure` and exceptions make it fail.
"""

import hashlib
import mmap
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from harness.client import Client  # noqa: E402
from harness.daemon import Daemon, binary  # noqa: E402, F401
from harness.disk import MIB, Directory  # noqa: E402
from harness.network import free_port  # noqa: E402, F401
from harness.origin import Origin  # noqa: E402
from harness.processes import processor_seconds  # noqa: E402, F401

SCENARIOS = {}


class Wrong(Exception):
    """What should hold does not."""


class Skipped(Exception):
    """This machine cannot show it."""


def scenario(sentence):
    """Registers a function as the scenario of this sentence, named as the function is."""

    def register(function):
        SCENARIOS[function.__name__] = (sentence, function)
        return function

    return register


def ensure(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def content(target):
    """The content of a URL. A part of its path such as `/20000/` is the size in bytes, else it is up to 4 KiB."""
    digest = hashlib.sha256(target.encode()).digest()
    sizes = [part for part in target.split("/") if part.isdigit()]
    size = int(sizes[0]) if sizes else int.from_bytes(digest[1:3], "big") % 4096
    return (digest * (size // 32 + 1))[:size]


def usual(exchange):
    """The usual origin: content that tells its URL, fresh for a day."""
    exchange.reply("200 OK", "Cache-Control: max-age=86400", 'ETag: "one"', content=content(exchange.target))


class Faults:
    """The page by which a test tells the preloaded `shim.c` what fails."""

    KINDS = {"writes": 0, "reads": 1, "syncs": 2, "creates": 3}

    def __init__(self, directory, below):
        self.path = os.path.join(directory, "faults")
        with open(self.path, "wb") as file:
            file.write(bytes(4096))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)
        library = os.path.join(directory, "shim.so")
        command = ["cc", "-O1", "-fPIC", "-shared", "-o", library, os.path.join(HERE, "shim.c"), "-ldl"]
        subprocess.run(command, check=True)
        self.variables = {"LD_PRELOAD": library, "RESPITE_FAULTS": self.path, "RESPITE_FAULTS_BELOW": below}

    def fail(self, error, *kinds, permille=1000):
        """Calls of these kinds fail with this errno, so often in a thousand."""
        for kind in kinds:
            struct.pack_into("=ii", self.page, 16 * self.KINDS[kind], error, permille)

    def mend(self):
        for kind in self.KINDS.values():
            struct.pack_into("=ii", self.page, 16 * kind, 0, 0)
        struct.pack_into("=i", self.page, 72, 0)

    def hits(self, kind):
        """How many calls of this kind have failed."""
        return struct.unpack_from("=q", self.page, 16 * self.KINDS[kind] + 8)[0]

    def shorten_writes(self):
        struct.pack_into("=i", self.page, 72, 1)

    def move_clock(self, seconds):
        """The wall clock is so far from the machine's."""
        struct.pack_into("=q", self.page, 64, seconds)


class World:
    def __init__(self, directory):
        self.directory = directory
        self.store = os.path.join(directory, "store")
        self.daemons = []
        self.faults = None
        self.chooser = random.Random(os.path.basename(sys.argv[-1]))

    # The parts

    def origin(self, script=usual, **options):
        return Origin(script, **options)

    def start(self, *words, store=None, shim=False, settings=(), **options):
        """Starts a daemon; `settings` are `--set` words."""
        if shim and not self.faults:
            self.faults = Faults(self.directory, self.store)
        variables = dict(options.pop("variables", {}))
        if shim:
            variables |= self.faults.variables
        words = list(words) + [word for setting in settings for word in ("--set", setting)]
        daemon = Daemon(store or self.store, *words, variables=variables, **options)
        self.daemons.append(daemon)
        return daemon

    def end(self):
        for daemon in self.daemons:
            if daemon.process.poll() is None:
                daemon.kill()

    # Requests

    def get(self, daemon, origin, target, fields=(), timeout=30):
        """One request on a connection of its own; a whole 200 is verified."""
        client = Client(daemon.port, timeout=timeout)
        try:
            answer = client.get(origin.url(target), fields)
        finally:
            client.close()
        self.verify(answer, target)
        return answer

    def verify(self, answer, target):
        if answer.status == 200:
            ensure(answer.content == content(target), f"{target} has wrong content ({len(answer.content)} bytes)")

    def outcome(self, daemon, origin, target, fields=(), timeout=30):
        """`whole`, `cut` or the status; what arrives of a cut answer must be the beginning of the right one."""
        client = Client(daemon.port, timeout=timeout)
        arrived = bytearray()
        try:
            client.send("GET", origin.url(target), fields)
            status = client.head().status
            while piece := client.content(MIB):
                arrived += piece
        except TimeoutError as error:
            raise Wrong(f"{target} hangs") from error
        except (EOFError, OSError, ValueError):
            ensure(content(target).startswith(bytes(arrived)), f"{target} is cut behind wrong content")
            return "cut"
        finally:
            client.close()
        if status != 200:
            return str(status)
        ensure(bytes(arrived) == content(target), f"{target} has wrong content ({len(arrived)} bytes)")
        return "whole"

    def filled(self, daemon, origin, count, size="", prefix="/f"):
        """Asks for so many URLs and returns their targets."""
        targets = [f"{prefix}/{size}/{index}x" if size else f"{prefix}/{index}x" for index in range(count)]
        for target in targets:
            ensure(self.get(daemon, origin, target).status == 200, f"{target} is answered")
        return targets

    def held(self, daemon, origin, targets):
        """How many of these are served without the origin; what is served is verified."""
        return sum(self.get(daemon, origin, target, ["Cache-Control: only-if-cached"]).status == 200 for target in targets)

    def count_durable(self, daemon):
        return daemon.admin("/v1/status")["store"]["entries"]

    def wait_durable(self, daemon, count, seconds=20):
        wait(lambda: self.count_durable(daemon) >= count, f"{count} entries are in the store", seconds)

    def is_served(self, daemon, origin, seconds=10):
        """A new URL is answered within the time."""
        target = f"/alive/{self.chooser.randrange(10**9)}x/7"
        began = time.monotonic()
        answer = self.get(daemon, origin, target, timeout=seconds)
        ensure(answer.status == 200, f"a new URL is answered, not {answer.status}")
        return time.monotonic() - began


class Traffic:
    """Requests from several threads for as long as a block runs; every body is verified."""

    def __init__(self, world, daemon, origin, workers=4, urls=200, size="", allowed=("whole",)):
        self.world, self.daemon, self.origin = world, daemon, origin
        self.allowed = set(allowed)
        self.urls, self.size = urls, size
        self.outcomes = {}
        self.wrong = []
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work, args=(index,), daemon=True) for index in range(workers)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(40)
        if kind:
            return
        ensure(not self.wrong, f"{len(self.wrong)} answers were wrong: {self.wrong[:3]}")
        ensure(sum(self.outcomes.values()) > 0, "no request was made")
        others = {outcome: count for outcome, count in self.outcomes.items() if outcome not in self.allowed}
        ensure(not others, f"outcomes that should not be: {others} among {self.outcomes}")

    def work(self, number):
        chooser = random.Random(number)
        while not self.over.is_set():
            index = chooser.randrange(self.urls)
            target = f"/t/{self.size}/{index}x" if self.size else f"/t/{index}x"
            try:
                outcome = self.world.outcome(self.daemon, self.origin, target)
            except Wrong as error:
                self.wrong.append(str(error))
                return
            except OSError:
                outcome = "refused"
            with self.lock:
                self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def requests(self):
        with self.lock:
            return sum(self.outcomes.values())

    def go_on(self, count=50, seconds=20):
        """Waits until so many more requests have been answered."""
        goal = self.requests() + count
        wait(lambda: self.requests() >= goal or self.wrong, "the traffic goes on", seconds)


def wait(holds, sentence, seconds=10):
    """Waits until something outside of this process holds; fails when the time is over."""
    end = time.monotonic() + seconds
    while not holds():
        ensure(time.monotonic() < end, f"within {seconds} s: {sentence}")
        time.sleep(0.02)


def together(count, action):
    """Runs `action(index)` on so many threads at once; the results in order. An exception of one is raised here."""
    results, errors = [None] * count, []

    def run(index):
        try:
            results[index] = action(index)
        except Exception as error:  # handed on below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(80)
        ensure(not thread.is_alive(), "one of those at once hangs")
    if errors:
        raise errors[0]
    return results


def reset(connection):
    """Closes a TCP connection by a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def run_one(name):
    """Runs one scenario in this process; `passed`, or what went wrong."""
    _, function = SCENARIOS[name]
    with Directory() as directory:
        world = World(directory)
        try:
            function(world)
            for daemon in world.daemons:
                code = daemon.process.poll()
                ensure(code is None or code in (0, -9, -15), f"the daemon ended with {code}:\n{daemon.errors[-2000:]}")
            return "passed"
        except Skipped as reason:
            return f"skipped: {reason}"
        except Wrong as error:
            return f"failed: {error}"
        except Exception as error:
            tail = "".join(daemon.errors[-1500:] for daemon in world.daemons)
            return f"failed: {type(error).__name__}: {error}\n{tail}"
        finally:
            world.end()
