"""Clients that are slow, leave, stop or say half of it."""

import os
import resource
import socket
import threading
import time

from world import MIB, Client, content, ensure, processor_seconds, reset, scenario, together, usual, wait


@scenario("60 clients that take nothing of 16 MiB each cost little memory and hold nobody back (H-128)")
def slow_readers(world):
    origin = world.origin()
    daemon = world.start(settings=["memory.limit=8MiB"])
    target = f"/{16 * MIB}/a"
    ensure(world.outcome(daemon, origin, target) == "whole", "first")
    before = daemon.own_memory()
    readers = []
    for _ in range(60):
        client = Client(daemon.port, receive_buffer=4096)
        client.send("GET", origin.url(target))
        client.head()
        readers.append(client)
    ensure(world.is_served(daemon, origin) < 1, "others are answered")
    grown = daemon.own_memory() - before
    ensure(grown < 48 * MIB, f"memory grew by {grown / MIB:.0f} MiB")
    ensure(readers[7].exactly(16 * MIB) == content(target), "one that goes on gets all of it")


@scenario("a client that takes nothing is cut after send-timeout; one of the same load is not held back (H-128)")
def stalled_reader(world):
    origin = world.origin()
    daemon = world.start(settings=["limits.send-timeout=1s"])
    target = f"/{24 * MIB}/a"
    stalled = Client(daemon.port, receive_buffer=4096)
    stalled.send("GET", origin.url(target))
    stalled.head()
    began = time.monotonic()
    ensure(world.outcome(daemon, origin, target) == "whole", "the other gets all of it")
    ensure(time.monotonic() - began < 10, "soon")
    time.sleep(1.5)
    try:
        stalled.exactly(24 * MIB)
        raise AssertionError("the stalled one was not cut")
    except (EOFError, OSError):
        pass


@scenario("200 clients that send their head byte by byte are ended in time; others are answered (H-125)")
def slow_heads(world):
    origin = world.origin()
    daemon = world.start(settings=["limits.header-timeout=1s"])
    slow = [Client(daemon.port, timeout=10) for _ in range(200)]
    for client in slow:
        client.socket.sendall(b"GET / HT")
    ensure(world.is_served(daemon, origin) < 1, "others are answered")
    end = time.monotonic() + 5
    left = list(slow)
    while left and time.monotonic() < end:
        for client in list(left):
            try:
                client.socket.sendall(b"T")
                client.socket.settimeout(0.001)
                if client.socket.recv(4096):
                    left.remove(client)
            except TimeoutError:
                pass
            except OSError:
                left.remove(client)
        time.sleep(0.05)
    ensure(not left, f"{len(left)} are still there after 5 s")


@scenario("2,000 idle connections hold nobody back (H-133)")
def idle_connections(world):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    origin = world.origin()
    daemon = world.start()
    before = daemon.own_memory()
    idle = [Client(daemon.port) for _ in range(2000)]
    ensure(world.is_served(daemon, origin) < 1, "a request is answered")
    ensure(daemon.own_memory() - before < 16 * MIB, "8 KiB each at most")
    ensure(len(idle) == 2000, "all are connected")


@scenario("a client that stops amid its upload: the origin never sees a complete message (H-049)")
def stopped_upload(world):
    outcomes = []

    def script(exchange):
        if exchange.method == "PUT":
            try:
                exchange.reader.exactly(exchange.reader.left)
                outcomes.append("complete")
            except (EOFError, OSError):
                outcomes.append("cut")
                raise
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start()
    client = Client(daemon.port)
    client.send("PUT", origin.url("/put"), ["Content-Length: 1000"])
    client.socket.sendall(b"x" * 400)
    wait(lambda: origin.count("/put") == 1, "the origin has begun to read")
    reset(client.socket)
    wait(lambda: outcomes, "the origin has seen the end")
    ensure(outcomes == ["cut"], f"the origin saw {outcomes}")


@scenario("the only client leaves (FIN) before the head: the request to the origin ends soon (S-105)")
def left_before_head(world):
    ended = threading.Event()
    began = threading.Event()

    def script(exchange):
        if exchange.target != "/slow":
            return usual(exchange)
        began.set()
        exchange.socket.settimeout(20)
        if exchange.socket.recv(1) == b"":
            ended.set()
        exchange.keep = False

    origin = world.origin(script)
    daemon = world.start()
    client = Client(daemon.port)
    client.send("GET", origin.url("/slow"))
    ensure(began.wait(5), "the origin has the request")
    client.close()
    ensure(ended.wait(5), "the origin sees the end within 5 s")
    world.is_served(daemon, origin)


@scenario("half of 60 clients of one slow load leave by reset: the others get all of it (H-150)")
def half_leave(world):
    go_on = threading.Event()

    def slow(exchange):
        body = content(exchange.target)
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(body[:5000])
        go_on.wait(10)
        exchange.socket.sendall(body[5000:])

    origin = world.origin(slow)
    daemon = world.start()
    target = "/500000/a"
    clients = [Client(daemon.port) for _ in range(60)]
    for client in clients:
        client.send("GET", origin.url(target))
    for client in clients:
        client.head()
    for client in clients[::2]:
        reset(client.socket)
    go_on.set()
    for client in clients[1::2]:
        ensure(client.rest() == content(target), "whole")
    ensure(origin.count(target) == 1, f"one request, not {origin.count(target)}")


@scenario("300 clients ask for one cold URL at once: one load, all whole (H-134)")
def cold_crowd(world):
    def slow(exchange):
        time.sleep(0.3)
        usual(exchange)

    origin = world.origin(slow)
    daemon = world.start()
    outcomes = together(300, lambda _: world.outcome(daemon, origin, "/30000/a"))
    ensure(set(outcomes) == {"whole"}, f"outcomes {set(outcomes)}")
    ensure(origin.count("/30000/a") == 1, f"one load, not {origin.count('/30000/a')}")


@scenario("50 clients wait for a URL that is 503 with no-store each time: few loads in all (H-151)")
def crowd_on_unshared_error(world):
    def script(exchange):
        if not exchange.target.startswith("/busy"):
            return usual(exchange)
        time.sleep(0.3)
        exchange.reply("503 Service Unavailable", "Cache-Control: no-store", content=b"busy")

    origin = world.origin(script)
    daemon = world.start()
    outcomes = together(50, lambda _: world.outcome(daemon, origin, "/busy"))
    ensure(set(outcomes) == {"503"}, f"outcomes {set(outcomes)}")
    ensure(origin.count("/busy") <= 21, f"{origin.count('/busy')} loads")
    world.is_served(daemon, origin)


@scenario("random bytes on 300 connections harm nobody (H-018)")
def random_bytes(world):
    origin = world.origin()
    daemon = world.start(settings=["limits.header-timeout=1s"])
    for index in range(300):
        client = Client(daemon.port)
        try:
            client.socket.sendall(os.urandom(world.chooser.randrange(1, 3000)))
        except OSError:
            pass
        if index % 2:
            client.close()
    ensure(world.is_served(daemon, origin) < 2, "a request is answered")


@scenario("connections beyond max-connections wait and are served when others go; no busy loop (H-132)")
def too_many_connections(world):
    origin = world.origin()
    daemon = world.start(settings=["limits.max-connections=20"])
    held = [Client(daemon.port) for _ in range(20)]
    for client in held:
        ensure(client.get(origin.url("/a")).status == 200, "served")
    beyond = Client(daemon.port, timeout=20)
    beyond.send("GET", origin.url("/b"))
    used = processor_seconds(daemon.process.pid)
    time.sleep(1)
    ensure(processor_seconds(daemon.process.pid) - used < 0.5, "no busy loop")
    for client in held[:5]:
        client.close()
    ensure(beyond.answer().status == 200, "then it is served")


@scenario("a queue for one origin that is full is 503 with Retry-After; other origins are answered (H-132)")
def full_queue(world):
    go_on = threading.Event()

    def slow(exchange):
        go_on.wait(15)
        usual(exchange)

    origin, other = world.origin(slow), world.origin()
    daemon = world.start(settings=["upstream.connections-per-origin=2", "upstream.queue-per-origin=3"])
    outcomes = []
    lock = threading.Lock()

    def ask(index):
        client = Client(daemon.port, timeout=30)
        client.send("GET", origin.url(f"/{index}x"))
        answer = client.answer()
        with lock:
            outcomes.append((answer.status, answer["Retry-After"] is not None))

    threads = [threading.Thread(target=ask, args=(index,), daemon=True) for index in range(10)]
    for thread in threads:
        thread.start()
    wait(lambda: len(outcomes) >= 5, "those beyond the queue are told")
    ensure(world.is_served(daemon, other) < 1, "another origin is answered")
    go_on.set()
    for thread in threads:
        thread.join(30)
    ensure(sorted(set(outcomes)) == [(200, False), (503, True)], f"outcomes {set(outcomes)}")
    ensure(sum(status == 200 for status, _ in outcomes) == 5, "five are served")


@scenario("a client that half-closes after its request still gets the answer where limits.half-close allows it")
def half_closed(world):
    def slow(exchange):
        time.sleep(0.3)
        usual(exchange)

    origin = world.origin(slow)
    daemon = world.start(settings=["limits.half-close=5s"])
    client = Client(daemon.port, timeout=10)
    client.send("GET", origin.url("/900/a"))
    client.socket.shutdown(socket.SHUT_WR)
    answer = client.answer()
    ensure(answer.status == 200 and answer.content == content("/900/a"), f"answer {answer.status}")
