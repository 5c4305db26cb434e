"""Disks that fail: full, slow to heal, unreadable, taken away."""

import ctypes
import errno
import os
import random
import resource
import shutil
import subprocess
import threading
import time

from world import MIB, Skipped, Traffic, content, ensure, scenario, usual, wait

LARGE = 300_000  # bytes: a body file of its own
MEMORY = "memory.limit=1MiB"  # so that answers come from the store


def through(world, *kinds, error=errno.EIO, permille=1000, size="", settings=(), allowed=("whole",), urls=2000, warm=60):
    """Traffic before, during and after a fault: every answer is whole; afterwards new URLs are stored again."""
    origin = world.origin()
    daemon = world.start(shim=True, settings=settings)
    with Traffic(world, daemon, origin, urls=urls, size=size, allowed=allowed) as traffic:
        traffic.go_on(warm)
        world.faults.fail(error, *kinds, permille=permille)
        traffic.go_on(150)
        ensure(any(world.faults.hits(kind) for kind in kinds), "the fault was met")
        world.faults.mend()
        traffic.go_on(60)
    stored = world.count_durable(daemon)
    index = iter(range(10_000))

    def grows():
        world.get(daemon, origin, f"/after/{next(index)}x")
        return world.count_durable(daemon) > stored

    wait(grows, "new URLs are stored again", 40)
    return daemon, origin


@scenario("a full disk: every answer is whole, and storing goes on when there is room (H-154)")
def full(world):
    through(world, "writes", "creates", error=errno.ENOSPC)


@scenario("a full disk while large bodies come: every answer is whole (H-154)")
def full_large(world):
    through(world, "writes", "creates", error=errno.ENOSPC, size=LARGE)


@scenario("a disk that fails every write: every answer is whole, and storing goes on afterwards (H-154)")
def write_errors(world):
    through(world, "writes")


@scenario("a disk that fails a tenth of all writes: every answer is whole (H-154)")
def some_write_errors(world):
    through(world, "writes", permille=100, size=LARGE)


@scenario("a disk that cannot sync: every answer is whole, and storing goes on afterwards (H-154)")
def sync_errors(world):
    through(world, "syncs", size=60_000)  # the log is synced once in 4 MiB


@scenario("files that cannot be made: every answer is whole (H-154)")
def create_errors(world):
    through(world, "creates", error=errno.EACCES, size=LARGE)


@scenario("descriptors that run out for files alone: every answer is whole (H-156)")
def no_descriptors_for_files(world):
    through(world, "creates", error=errno.EMFILE, size=LARGE)


@scenario("a store that cannot be read: answers come from the origin, whole (H-154)")
def read_errors(world):
    through(world, "reads", settings=[MEMORY], size=60_000, urls=300, warm=900)


@scenario("body files that cannot be read before their first byte are fetched anew, none is cut")
def body_read_errors(world):
    origin = world.origin()
    daemon = world.start(shim=True, settings=[MEMORY])
    targets = world.filled(daemon, origin, 30, LARGE)
    world.wait_durable(daemon, 30)
    world.faults.fail(errno.EIO, "reads")
    outcomes = [world.outcome(daemon, origin, target) for target in targets]
    ensure(outcomes == ["whole"] * 30, f"outcomes {sorted(set(outcomes))}")


@scenario("body files of which half the reads fail: whole, or a visible cut, never wrong (H-111)")
def some_body_read_errors(world):
    origin = world.origin()
    daemon = world.start(shim=True, settings=[MEMORY])
    targets = world.filled(daemon, origin, 12, 3 * MIB)
    world.wait_durable(daemon, 12)
    world.faults.fail(errno.EIO, "reads", permille=500)
    for target in targets * 2:
        ensure(world.outcome(daemon, origin, target) in ("whole", "cut"), "whole or cut")
    world.faults.mend()
    for target in targets:
        wait(lambda: world.outcome(daemon, origin, target) == "whole", "afterwards whole")


@scenario("writes that take half of what they are given lose nothing")
def short_writes(world):
    origin = world.origin()
    daemon = world.start(shim=True)
    world.faults.shorten_writes()
    targets = world.filled(daemon, origin, 20, LARGE) + world.filled(daemon, origin, 40)
    world.wait_durable(daemon, 40)
    world.faults.mend()
    daemon.stop()
    again = world.start()
    held = world.held(again, origin, targets)
    ensure(held >= 40, f"{held} of 60 are held after a restart, all of them right")


@scenario("errors of every kind at random for a while: every answer is whole or visibly cut, and it recovers (H-154)")
def all_errors_at_random(world):
    kinds = ("writes", "reads", "syncs", "creates")
    through(world, *kinds, permille=150, size=LARGE, settings=[MEMORY], allowed=("whole", "cut"))


@scenario("an error of the disk while a daemon starts: it serves all the same (H-154)")
def error_at_start(world):
    from world import Faults

    origin = world.origin()
    world.faults = Faults(world.directory, world.store)
    world.faults.fail(errno.EIO, "writes", "creates")
    daemon = world.start(shim=True)
    for index in range(20):
        ensure(world.outcome(daemon, origin, f"/{index}x") == "whole", "whole")


@scenario("a file system that is really full (16 MiB): every answer is whole, du stays (H-154)")
def full_file_system(world):
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir(world.store, 0o700)
    if libc.unshare(0x00020000) or libc.mount(b"none", b"/", None, 0x44000, None):
        raise Skipped("needs the right to mount")
    if libc.mount(b"tmpfs", world.store.encode(), b"tmpfs", 0, b"size=16m,mode=700"):
        raise Skipped("needs the right to mount")
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    for index in range(100):
        ensure(world.outcome(daemon, origin, f"/{LARGE}/{index}x") == "whole", "whole")
    world.is_served(daemon, origin)
    daemon.kill()


@scenario("a file system that turns read-only while it serves: every answer is whole (H-154)")
def read_only(world):
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir(world.store, 0o700)
    if libc.unshare(0x00020000) or libc.mount(b"none", b"/", None, 0x44000, None):
        raise Skipped("needs the right to mount")
    if libc.mount(b"tmpfs", world.store.encode(), b"tmpfs", 0, b"size=64m,mode=700"):
        raise Skipped("needs the right to mount")
    origin = world.origin()
    daemon = world.start(shim=True, settings=[MEMORY])
    targets = world.filled(daemon, origin, 20)
    world.faults.fail(errno.EROFS, "writes", "creates", "syncs")
    for target in targets + [f"/{LARGE}/{index}x" for index in range(20)]:
        ensure(world.outcome(daemon, origin, target) == "whole", "whole")
    daemon.kill()


@scenario("a limit on the size of files (RLIMIT_FSIZE) ends nothing and cuts nothing")
def file_size_limit(world):
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (12 * MIB, 12 * MIB))

    origin = world.origin()
    daemon = world.start(before=before)
    for index in range(3):
        ensure(world.outcome(daemon, origin, f"/{20 * MIB}/{index}x") == "whole", "whole")
    world.is_served(daemon, origin)


@scenario("a body larger than the store goes whole to two clients at once")
def larger_than_store(world):
    origin = world.origin()
    daemon = world.start(settings=["storage.limit=32MiB", MEMORY])
    target = f"/{60 * MIB}/a"
    results = {}

    def ask(name, pause):
        time.sleep(pause)
        results[name] = world.outcome(daemon, origin, target, timeout=60)

    threads = [threading.Thread(target=ask, args=(name, name / 10), daemon=True) for name in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(80)
    ensure(results == {0: "whole", 1: "whole"}, f"outcomes {results}")


@scenario("the disk fills while a body is spilled that two follow: neither is cut (H-130)")
def full_amid_spill(world):
    reached, go_on = threading.Event(), threading.Event()

    def slow(exchange):
        body = content(exchange.target)
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(body[: 4 * MIB])
        reached.set()
        go_on.wait(20)
        exchange.socket.sendall(body[4 * MIB :])

    origin = world.origin(slow)
    daemon = world.start(shim=True)
    target = f"/{16 * MIB}/a"
    outcomes = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(world.outcome(daemon, origin, target, timeout=60)), daemon=True)
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    ensure(reached.wait(20), "the origin has begun")
    world.faults.fail(errno.ENOSPC, "writes", "creates")
    go_on.set()
    for thread in threads:
        thread.join(80)
    ensure(outcomes == ["whole"] * 2, f"outcomes {outcomes}")


@scenario("the store's directory is deleted while it serves: every answer is whole, and it stores again")
def directory_deleted(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 20) + world.filled(daemon, origin, 5, LARGE)
    world.wait_durable(daemon, 25)
    shutil.rmtree(world.store)
    for target in targets + [f"/new/{index}x" for index in range(20)]:
        ensure(world.outcome(daemon, origin, target) == "whole", "whole")
    wait(lambda: os.path.exists(world.store + "/cache.db") and os.path.exists(world.store + "/admin-token"),
         "the store is opened anew, with its token", 30)
    world.filled(daemon, origin, 5, prefix="/again")
    wait(lambda: world.count_durable(daemon) >= 5, "and holds what came since", 20)


@scenario("the store's directory is replaced by another while it serves: every answer is whole")
def directory_replaced(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 20) + world.filled(daemon, origin, 5, LARGE)
    world.wait_durable(daemon, 25)
    os.rename(world.store, world.store + ".old")
    os.mkdir(world.store, 0o700)
    for target in targets + [f"/new/{index}x" for index in range(20)]:
        ensure(world.outcome(daemon, origin, target) == "whole", "whole")
    wait(lambda: os.path.exists(world.store + "/cache.db"), "the store is opened anew", 30)


@scenario("body files deleted behind its back are fetched anew (H-155)")
def body_files_deleted(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 10, LARGE)
    world.wait_durable(daemon, 10)
    for folder, _, names in os.walk(world.store + "/bodies"):
        for name in names:
            os.unlink(os.path.join(folder, name))
    for target in targets:
        outcome = world.outcome(daemon, origin, target)
        ensure(outcome == "whole", f"whole, not {outcome}")


@scenario("body files cut short behind its back are never served as whole (H-155)")
def body_files_shortened(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 6, 3 * MIB)
    world.wait_durable(daemon, 6)
    for folder, _, names in os.walk(world.store + "/bodies"):
        for name in names:
            os.truncate(os.path.join(folder, name), 100_000)
    for target in targets * 2:
        ensure(world.outcome(daemon, origin, target) in ("whole", "cut"), "whole or cut")
    for target in targets:
        wait(lambda: world.outcome(daemon, origin, target) == "whole", "then whole")


@scenario("one flipped bit in each body file is never served, now or after a restart (H-155)")
def flipped_bits(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 8, 2 * MIB)
    world.wait_durable(daemon, 8)
    daemon.stop()
    for folder, _, names in os.walk(world.store + "/bodies"):
        for name in names:
            with open(os.path.join(folder, name), "r+b") as file:
                place = world.chooser.randrange(MIB, 2 * MIB)
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ 1]))
    again = world.start(settings=[MEMORY])
    for target in targets * 2:
        ensure(world.outcome(again, origin, target) in ("whole", "cut"), "whole or cut")


@scenario("the store's cap holds while bodies of all sizes come (H-130)")
def cap(world):
    from harness.disk import disk_usage

    origin = world.origin()
    daemon = world.start(settings=["storage.limit=32MiB", MEMORY])
    most = [0]
    over = threading.Event()

    def measure():
        while not over.is_set():
            most[0] = max(most[0], disk_usage(world.store))

    thread = threading.Thread(target=measure, daemon=True)
    thread.start()
    chooser = random.Random(1)
    for index in range(250):
        size = chooser.choice([500, 20_000, 200_000, 1_500_000])
        ensure(world.outcome(daemon, origin, f"/{size}/{index}x") == "whole", "whole")
    over.set()
    thread.join()
    ensure(most[0] <= 32 * MIB, f"at most 32 MiB, not {most[0] / MIB:.2f}")
