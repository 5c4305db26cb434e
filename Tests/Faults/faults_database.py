"""Databases that are locked, damaged, of another version, or somebody else's."""

import os
import random
import socket
import sqlite3
import threading
import time

from world import Client, Traffic, Wrong, content, ensure, scenario, usual, wait

MEMORY = "memory.limit=1MiB"


def database(world):
    return world.store + "/cache.db"


def locked(world, alone=False):
    """Another program's lock on the database; `alone`, nobody else can open it."""
    other = sqlite3.connect(database(world), isolation_level=None, timeout=20)
    if alone:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    return other


def damaged(world, damage):
    """Fills a store, damages its files, serves from it: whatever is served is right, and it stores again."""
    origin = world.origin()
    daemon = world.start()
    targets = world.filled(daemon, origin, 60) + world.filled(daemon, origin, 5, 200_000)
    world.wait_durable(daemon, 65)
    daemon.stop()
    damage()
    again = world.start(settings=[MEMORY])
    for target in targets:
        outcome = world.outcome(again, origin, target)
        ensure(outcome in ("whole", "cut"), f"outcome {outcome}")
    for target in targets:
        wait(lambda: world.outcome(again, origin, target) == "whole", "afterwards whole")
    world.filled(again, origin, 5, prefix="/after")
    wait(lambda: world.count_durable(again) >= 5, "it stores again", 20)


@scenario("a database locked for 4 s: every answer is whole and at once, and what came is kept afterwards (H-155)")
def lock_held(world):
    origin = world.origin()
    daemon = world.start()
    # The store is open, which a daemon that listens need not have done yet.
    world.filled(daemon, origin, 1, prefix="/before")
    world.wait_durable(daemon, 1)
    other = locked(world)
    began = time.monotonic()
    targets = world.filled(daemon, origin, 60)
    ensure(time.monotonic() - began < 3, "nobody waited for the lock")
    while time.monotonic() - began < 4:
        world.is_served(daemon, origin)
        time.sleep(0.1)
    other.execute("ROLLBACK")
    other.close()
    world.wait_durable(daemon, 60)
    daemon.kill()
    again = world.start()
    held = world.held(again, origin, targets)
    ensure(held == 60, f"{held} of 60 are held after SIGKILL")


@scenario("a database locked while it starts: it serves (H-155)")
def lock_at_start(world):
    origin = world.origin()
    daemon = world.start()
    world.filled(daemon, origin, 10)
    daemon.stop()
    other = locked(world)
    again = world.start()
    for index in range(10):
        ensure(world.outcome(again, origin, f"/new/{index}x") == "whole", "whole")
    other.close()


@scenario("a database that a lock keeps from being opened: it serves, and keeps what came meanwhile (H-155)")
def lock_before_open(world):
    origin = world.origin()
    daemon = world.start()
    targets = world.filled(daemon, origin, 10)
    daemon.stop()
    other = locked(world, alone=True)
    again = world.start()
    targets += world.filled(again, origin, 10, prefix="/new")
    ensure(world.count_durable(again) == 0, "nothing is stored meanwhile")
    other.close()
    world.wait_durable(again, 20)
    again.kill()
    last = world.start()
    held = world.held(last, origin, targets)
    ensure(held == 20, f"{held} of 20 are held after SIGKILL")


@scenario("a long reader of the database (an open sqlite3) stops neither storing nor the cap (H-155)")
def long_reader(world):
    origin = world.origin()
    daemon = world.start(settings=["storage.limit=32MiB"])
    world.filled(daemon, origin, 10)
    other = sqlite3.connect(database(world), isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM entry").fetchall()
    for index in range(200):
        ensure(world.outcome(daemon, origin, f"/30000/{index}x") == "whole", "whole")
    other.close()
    world.is_served(daemon, origin)


@scenario("a purge while the database is locked is kept: the entry does not come back (H-155)")
def purge_while_locked(world):
    origin = world.origin()
    daemon = world.start()
    target = world.filled(daemon, origin, 1)[0]
    world.wait_durable(daemon, 1)
    other = locked(world)
    done = []

    def purge():
        done.append(daemon.admin("/v1/purge", "POST", {"uri": origin.url(target)}))

    thread = threading.Thread(target=purge, daemon=True)
    thread.start()
    time.sleep(1)
    other.execute("ROLLBACK")
    other.close()
    thread.join(20)
    ensure(bool(done), "the purge is answered")
    daemon.kill()
    again = world.start()
    ensure(world.held(again, origin, [target]) == 0, "the entry is gone for good")


def after_post(world, seconds):
    stored = world.filled
    origin = world.origin(lambda exchange: post_script(exchange))
    daemon = world.start()
    targets = stored(daemon, origin, 20)
    world.wait_durable(daemon, 20)
    for target in targets:
        client = Client(daemon.port)
        client.send("POST", origin.url(target), ["Content-Length: 1"], content=b"x")
        ensure(client.answer().status == 204, "the POST is passed on")
    time.sleep(seconds)
    daemon.kill()
    again = world.start()
    held = world.held(again, origin, targets)
    ensure(held == 0, f"{held} of 20 came back")


def post_script(exchange):
    if exchange.method == "POST":
        exchange.reader.exactly(exchange.reader.left)
        exchange.head("204 No Content")
    else:
        usual(exchange)


@scenario("SIGKILL right after a POST was answered: what it invalidated does not come back (C-15.1)")
def post_then_kill(world):
    after_post(world, 0)


@scenario("a POST while the database is locked is answered in bounded time; what it invalidates does not come back")
def post_while_locked(world):
    origin = world.origin(post_script)
    daemon = world.start()
    target = world.filled(daemon, origin, 1)[0]
    world.wait_durable(daemon, 1)
    other = locked(world)
    client = Client(daemon.port, timeout=10)
    began = time.monotonic()
    client.send("POST", origin.url(target), ["Content-Length: 1"], content=b"x")
    ensure(client.answer().status == 204, "the POST is passed on")
    ensure(time.monotonic() - began < 4, f"after {time.monotonic() - began:.1f} s")
    other.execute("ROLLBACK")
    other.close()
    before = origin.count(target)
    ensure(world.get(daemon, origin, target).status == 200, "a new request is answered")
    ensure(origin.count(target) == before + 1, "by the origin")


@scenario("a database whose first page is overwritten is set aside (H-155)")
def header_damaged(world):
    def damage():
        with open(database(world), "r+b") as file:
            file.write(os.urandom(4096))

    damaged(world, damage)


@scenario("random bytes all over the database never become content (H-155)")
def pages_damaged(world):
    def damage():
        size = os.path.getsize(database(world))
        chooser = random.Random(7)
        with open(database(world), "r+b") as file:
            for _ in range(200):
                file.seek(chooser.randrange(4096, size))
                file.write(bytes([chooser.randrange(256)]))

    damaged(world, damage)


@scenario("a database cut to half is set aside or used for what is whole (H-155)")
def truncated(world):
    damaged(world, lambda: os.truncate(database(world), os.path.getsize(database(world)) // 2 // 4096 * 4096))


@scenario("an empty file in the database's place is filled anew (H-155)")
def emptied(world):
    damaged(world, lambda: os.truncate(database(world), 0))


@scenario("random bytes in the write-ahead log after SIGKILL never become content (H-155)")
def log_damaged(world):
    origin = world.origin()
    daemon = world.start()
    targets = world.filled(daemon, origin, 60)
    world.wait_durable(daemon, 60)
    daemon.kill()
    log = database(world) + "-wal"
    size = os.path.getsize(log)
    chooser = random.Random(8)
    with open(log, "r+b") as file:
        for _ in range(100):
            file.seek(chooser.randrange(size))
            file.write(bytes([chooser.randrange(256)]))
    again = world.start()
    for target in targets:
        ensure(world.outcome(again, origin, target) == "whole", "whole")


@scenario("the write-ahead log lost after SIGKILL: what is served is right (H-155)")
def log_lost(world):
    origin = world.origin()
    daemon = world.start()
    targets = world.filled(daemon, origin, 60)
    world.wait_durable(daemon, 60)
    daemon.kill()
    os.unlink(database(world) + "-wal")
    again = world.start()
    for target in targets:
        ensure(world.outcome(again, origin, target) == "whole", "whole")


@scenario("a database of a later version is not touched; the daemon serves (H-155)")
def later_version(world):
    def damage():
        other = sqlite3.connect(database(world))
        other.execute("PRAGMA user_version = 9999")
        other.commit()
        other.close()

    origin = world.origin()
    daemon = world.start()
    world.filled(daemon, origin, 10)
    daemon.stop()
    damage()
    again = world.start()
    for index in range(10):
        ensure(world.outcome(again, origin, f"/f/{index}x") == "whole", "whole")


@scenario("rows changed by another program while it serves never become wrong content (H-155)")
def rows_changed(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    targets = world.filled(daemon, origin, 40, 30_000)
    world.wait_durable(daemon, 40)
    other = sqlite3.connect(database(world), timeout=20)
    other.execute("UPDATE body SET data = zeroblob(length(data)) WHERE id % 2 = 0")
    other.execute("UPDATE entry SET uri = uri || 'y' WHERE id % 5 = 0")
    other.commit()
    other.close()
    daemon.stop()
    again = world.start(settings=[MEMORY])
    for target in targets:
        ensure(world.outcome(again, origin, target) == "whole", "whole")


@scenario("a second daemon on one store serves too, and what both serve is right (H-155)")
def two_daemons(world):
    origin = world.origin()
    one = world.start()
    targets = world.filled(one, origin, 30)
    two = world.start(settings=["admin-token-file=" + world.directory + "/token2"])
    with Traffic(world, one, origin) as first, Traffic(world, two, origin) as second:
        first.go_on(100)
        second.go_on(100)
    for target in targets:
        ensure(world.outcome(two, origin, target) == "whole", "whole")


@scenario("a socket, a folder or a link in the place of the database harms nobody; the daemon serves")
def strange_database(world):
    origin = world.origin()
    for kind in ("folder", "link", "socket"):
        world.store = f"{world.directory}/{kind}"
        os.mkdir(world.store, 0o700)
        victim = f"{world.directory}/victim-{kind}"
        with open(victim, "w") as file:
            file.write("somebody else's")
        if kind == "folder":
            os.mkdir(database(world))
        elif kind == "link":
            os.symlink(victim, database(world))
        else:
            bound = socket.socket(socket.AF_UNIX)
            bound.bind(database(world))
        token = f"{world.directory}/token-{kind}"
        daemon = world.start(settings=["admin-token-file=" + token])
        for index in range(5):
            ensure(world.outcome(daemon, origin, f"/{kind}/{index}x") == "whole", "whole")
        daemon.kill()
        with open(victim) as file:
            ensure(file.read() == "somebody else's", "the link's target is untouched")
