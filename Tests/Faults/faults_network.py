"""Origins that fail: before the head, amid it, amid the content, between requests."""

import gzip
import socket
import threading
import time

from world import MIB, Client, Origin, content, ensure, free_port, reset, scenario, together, usual, wait

QUICK = ("upstream.first-byte-timeout=600ms", "upstream.idle-timeout=600ms", "upstream.connect-timeout=600ms")


def first(script, then=usual):
    """An origin script that treats the first request of each URL in a way of its own."""

    def answer(exchange):
        (script if exchange.origin.count(exchange.target) == 1 else then)(exchange)

    return answer


def half(exchange, framing="length"):
    """Sends half of the content and stops."""
    body = content(exchange.target)
    if framing == "length":
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(body[: len(body) // 2])
    else:
        exchange.head("200 OK", "Transfer-Encoding: chunked", "Cache-Control: max-age=86400")
        piece = body[: len(body) // 2]
        exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    exchange.keep = False


def cut_and_then_whole(world, framing, size, ending):
    def broken(exchange):
        half(exchange, framing)
        ending(exchange)

    origin = world.origin(first(broken))
    daemon = world.start(settings=QUICK)
    target = f"/{size}/a"
    ensure(world.outcome(daemon, origin, target) == "cut", "the cut is visible to the client")
    ensure(world.outcome(daemon, origin, target) == "whole", "the next client gets the whole content")
    answer = world.get(daemon, origin, target)
    ensure(answer.is_hit, "and then it is a hit")
    ensure(origin.count(target) == 2, f"the origin is asked twice, not {origin.count(target)} times")


@scenario("an origin that refuses connections is 502 at once, and 200 soon after it is back (H-148)")
def refused(world):
    port = free_port()
    daemon = world.start(settings=["upstream.retry-time=100ms"])
    client = Client(daemon.port)
    began = time.monotonic()
    answer = client.get(f"http://127.0.0.1:{port}/a")
    ensure(answer.status == 502 and time.monotonic() - began < 1, f"{answer.status} within a second")
    origin = world.origin(port=port)
    wait(lambda: world.get(daemon, origin, "/a").status == 200, "the origin that is back is asked", 5)


@scenario("an origin that resets before the head is 502, after one more attempt at most (H-148, H-089)")
def reset_before_head(world):
    def script(exchange):
        reset(exchange.socket)
        exchange.keep = False

    origin = world.origin(script)
    daemon = world.start()
    ensure(world.outcome(daemon, origin, "/a") == "502", "502")
    ensure(origin.count("/a") <= 2, f"asked {origin.count('/a')} times")


@scenario("an origin that closes inside the head is 502 and nothing is stored (H-091, H-148)")
def closed_in_head(world):
    def broken(exchange):
        exchange.socket.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=99\r\nContent-Le")
        exchange.keep = False

    origin = world.origin(first(broken))
    daemon = world.start(settings=["upstream.retry-time=0s"])
    ensure(world.outcome(daemon, origin, "/a") == "502", "502")
    wait(lambda: world.outcome(daemon, origin, "/a") == "whole", "then it is whole")


@scenario("content shorter than Content-Length is cut for the client and not stored (H-101, H-111)")
def short_length(world):
    cut_and_then_whole(world, "length", 20_000, lambda exchange: exchange.socket.close())


@scenario("chunked content without its last chunk is cut for the client and not stored (H-101, H-111)")
def short_chunks(world):
    cut_and_then_whole(world, "chunks", 20_000, lambda exchange: exchange.socket.close())


@scenario("a large body that is reset amid is cut for the client and not stored (H-101, H-111)")
def reset_amid_large(world):
    cut_and_then_whole(world, "length", 3 * MIB, lambda exchange: reset(exchange.socket))


@scenario("an origin that stalls amid the content is cut after the idle time-out and not stored (H-127)")
def stalled_amid(world):
    cut_and_then_whole(world, "length", 100_000, lambda exchange: time.sleep(3))


@scenario("an origin that says nothing is 504 after the first-byte time-out; its other URLs are answered (H-149)")
def silent(world):
    def script(exchange):
        if exchange.target.startswith("/silent"):
            time.sleep(4)
            exchange.keep = False
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start(settings=QUICK)
    waiting = threading.Thread(target=lambda: world.outcome(daemon, origin, "/silent"), daemon=True)
    waiting.start()
    ensure(world.is_served(daemon, origin) < 0.5, "another URL is answered meanwhile")
    ensure(world.outcome(daemon, origin, "/silent/2") == "504", "504")


@scenario("40 who wait for a load that breaks off before its head get an answer each, in bounded time (H-151)")
def crowd_on_broken_load(world):
    ready = threading.Event()

    def broken(exchange):
        ready.wait(10)
        exchange.keep = False

    origin = world.origin(first(broken))
    daemon = world.start(settings=["upstream.retry-time=100ms"])
    threading.Timer(0.5, ready.set).start()
    outcomes = together(40, lambda _: world.outcome(daemon, origin, "/5000/a"))
    ensure(set(outcomes) <= {"whole", "502"}, f"outcomes {set(outcomes)}")
    ensure(origin.count("/5000/a") <= 4, f"asked {origin.count('/5000/a')} times")


@scenario("40 who follow a body that breaks off see the cut, none a whole answer of it (H-151)")
def crowd_on_cut_body(world):
    def broken(exchange):
        half(exchange)
        time.sleep(0.5)

    origin = world.origin(first(broken))
    daemon = world.start()
    outcomes = together(40, lambda _: world.outcome(daemon, origin, "/400000/a"))
    ensure(set(outcomes) <= {"whole", "cut", "502"}, f"outcomes {set(outcomes)}")
    ensure(world.outcome(daemon, origin, "/400000/a") == "whole", "afterwards it is whole")


@scenario("the client that began a load leaves: the others get the whole content by one request (H-150)")
def leader_leaves(world):
    go_on = threading.Event()

    def slow(exchange):
        body = content(exchange.target)
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(body[:1000])
        go_on.wait(10)
        exchange.socket.sendall(body[1000:])

    origin = world.origin(slow)
    daemon = world.start()
    leader = Client(daemon.port)
    leader.send("GET", origin.url("/300000/a"))
    leader.head()
    results = []
    thread = threading.Thread(
        target=lambda: results.extend(together(8, lambda _: world.outcome(daemon, origin, "/300000/a")))
    )
    thread.start()
    wait(lambda: daemon.admin("/v1/status")["connections"] >= 9, "all are connected")
    reset(leader.socket)
    go_on.set()
    thread.join(30)
    ensure(results == ["whole"] * 8, f"outcomes {results}")
    ensure(origin.count("/300000/a") == 1, "one request")


@scenario("kept connections that the origin closed meanwhile cost no failed GET (H-089)")
def dead_kept_connections(world):
    def script(exchange):
        usual(exchange)
        exchange.keep = False  # closes without having said so

    origin = world.origin(script)
    daemon = world.start()
    for index in range(60):
        ensure(world.outcome(daemon, origin, f"/{index}x") == "whole", "every answer is whole")


@scenario("a POST on a kept connection that dies is sent once (H-089)")
def post_once(world):
    def script(exchange):
        if exchange.method == "POST":
            exchange.reader.exactly(exchange.reader.left)
            reset(exchange.socket)
            exchange.keep = False
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start()
    client = Client(daemon.port)
    ensure(client.get(origin.url("/warm")).status == 200, "a connection is kept")
    client.send("POST", origin.url("/post"), ["Content-Length: 4"], content=b"once")
    ensure(client.answer().status == 502, "502")
    ensure(origin.count("/post") == 1, f"sent {origin.count('/post')} times")


@scenario("bytes behind the announced length are never another URL's answer (H-054, H-104)")
def surplus(world):
    def script(exchange):
        body = content(exchange.target)
        fake = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nCache-Control: max-age=99\r\n\r\nwrong"
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=86400")
        exchange.socket.sendall(body + fake)

    origin = world.origin(script)
    daemon = world.start()
    for index in range(200):
        outcome = world.outcome(daemon, origin, f"/1500/{index}x")
        ensure(outcome in ("whole", "502"), f"outcome {outcome}")


@scenario("a response nobody asked for on a kept connection is never used (H-104)")
def unasked_response(world):
    def script(exchange):
        usual(exchange)
        time.sleep(0.05)
        exchange.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong")

    origin = world.origin(script)
    daemon = world.start()
    for index in range(20):
        ensure(world.outcome(daemon, origin, f"/{index}x") in ("whole", "502"), "never wrong")
        time.sleep(0.1)  # longer than the origin takes to send what nobody asked for


@scenario("a 304 to a request without condition, or with another tag, freshens nothing (H-110)")
def false_304(world):
    def script(exchange):
        if exchange.request["If-None-Match"]:
            exchange.head("304 Not Modified", 'ETag: "other"')
        elif exchange.origin.count(exchange.target) == 1:
            exchange.reply("200 OK", 'ETag: "one"', "Cache-Control: max-age=0", content=content(exchange.target))
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start()
    for _ in range(4):
        ensure(world.outcome(daemon, origin, "/700/a") in ("whole", "502"), "never wrong")


@scenario("a 206 whose range was not asked for is not combined (H-109)")
def false_206(world):
    def script(exchange):
        body = content(exchange.target)
        if exchange.request["Range"] and exchange.origin.count(exchange.target) < 4:
            fields = [f"Content-Range: bytes 5-9/{len(body)}", 'ETag: "one"', "Cache-Control: max-age=99"]
            exchange.reply("206 Partial Content", *fields, content=b"wrong")
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start()
    world.get(daemon, origin, "/5000/a", ["Range: bytes=0-99"])
    ensure(world.outcome(daemon, origin, "/5000/a") == "whole", "whole")


@scenario("a head larger than the limit is 502 in bounded memory (H-106)")
def endless_head(world):
    def script(exchange):
        exchange.keep = False
        exchange.socket.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            exchange.socket.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")

    origin = world.origin(script)
    daemon = world.start()
    before = daemon.own_memory()
    for index in range(20):
        ensure(world.outcome(daemon, origin, f"/{index}x") == "502", "502")
    ensure(daemon.own_memory() - before < 16 * MIB, "memory stays")


@scenario("informational responses without end are 502 or 504 (H-105)")
def endless_interim(world):
    def script(exchange):
        exchange.keep = False
        while True:
            exchange.socket.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            time.sleep(0.01)

    origin = world.origin(script)
    daemon = world.start(settings=QUICK)
    ensure(world.outcome(daemon, origin, "/a") in ("502", "504"), "502 or 504")


@scenario("an address that takes no connection is 504 within connect-timeout; others are answered")
def black_hole(world):
    hole = socket.socket()
    hole.bind(("127.0.0.1", 0))
    hole.listen(0)
    port = hole.getsockname()[1]
    fillers = []
    for _ in range(8):  # what fills the backlog; later SYNs are dropped
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(("127.0.0.1", port))
        fillers.append(filler)
    origin = world.origin()
    daemon = world.start(settings=QUICK)
    client = Client(daemon.port, timeout=10)
    began = time.monotonic()
    client.send("GET", f"http://127.0.0.1:{port}/a")
    ensure(world.is_served(daemon, origin) < 0.5, "another origin is answered meanwhile")
    status = client.answer().status
    ensure(status in (502, 504) and time.monotonic() - began < 4, f"{status} in {time.monotonic() - began:.1f} s")


@scenario("a name that does not exist is 502 or 504 and stops no other (H-140)")
def no_such_name(world):
    origin = world.origin()
    daemon = world.start(settings=QUICK)
    answers = []

    def ask(index):
        client = Client(daemon.port, timeout=20)
        client.send("GET", f"http://no-such-{index}.invalid/")
        answers.append(client.answer().status)

    threads = [threading.Thread(target=ask, args=(index,), daemon=True) for index in range(30)]
    for thread in threads:
        thread.start()
    ensure(world.is_served(daemon, origin) < 1, "others are answered meanwhile")
    for thread in threads:
        thread.join(20)
    ensure(len(answers) == 30 and set(answers) <= {502, 504}, f"answers {set(answers)}, {len(answers)}")


@scenario("stale content stands in for a dead origin where stale-if-error allows it (RFC 5861)")
def stale_if_error(world):
    up = [True]

    def script(exchange):
        if not up[0]:
            reset(exchange.socket)
            exchange.keep = False
            return
        fields = ["Cache-Control: max-age=0, stale-if-error=600", 'ETag: "one"']
        exchange.reply("200 OK", *fields, content=content(exchange.target))

    origin = world.origin(script)
    daemon = world.start()
    ensure(world.outcome(daemon, origin, "/a") == "whole", "first")
    up[0] = False
    for _ in range(10):
        ensure(world.outcome(daemon, origin, "/a") == "whole", "stale instead of an error")


@scenario("must-revalidate with the origin down is an error, never the stale content (RFC 9111 §5.2.2.2)")
def must_revalidate(world):
    up = [True]

    def script(exchange):
        if not up[0]:
            reset(exchange.socket)
            exchange.keep = False
            return
        exchange.reply("200 OK", "Cache-Control: max-age=0, must-revalidate", 'ETag: "1"', content=content(exchange.target))

    origin = world.origin(script)
    daemon = world.start(settings=["cache.stale-if-error=1h"])
    ensure(world.outcome(daemon, origin, "/a") == "whole", "first")
    up[0] = False
    for _ in range(8):
        outcome = world.outcome(daemon, origin, "/a")
        ensure(outcome == "504", f"504, not {outcome}")


@scenario("damaged gzip that a rule decodes is 502 or a visible cut, never half a text (H-131)")
def damaged_gzip(world):
    packed = gzip.compress(content("/50000/a"))

    def script(exchange):
        piece = packed[: len(packed) // 2]
        fields = ["Content-Encoding: gzip", "Cache-Control: max-age=99", "Content-Type: text/plain"]
        exchange.reply("200 OK", *fields, content=piece)

    origin = world.origin(script)
    with open(world.directory + "/respite.toml", "w") as file:
        file.write(f'[[rule]]\nmatch = "{origin.url("/**")}"\ntransform = [{{ decode = "all" }}]\n')
    daemon = world.start("--config", world.directory + "/respite.toml")
    for _ in range(3):
        ensure(world.outcome(daemon, origin, "/50000/a") in ("502", "cut"), "502 or cut")


@scenario("a decompression bomb is 502 or cut in bounded memory (H-131)")
def bomb(world):
    packed = gzip.compress(bytes(400 * MIB), 9)

    def script(exchange):
        fields = ["Content-Encoding: gzip", "Cache-Control: max-age=99", "Content-Type: text/plain"]
        exchange.reply("200 OK", *fields, content=packed)

    origin = world.origin(script)
    with open(world.directory + "/respite.toml", "w") as file:
        file.write(f'[[rule]]\nmatch = "{origin.url("/**")}"\ntransform = [{{ decode = "all" }}]\n')
    daemon = world.start("--config", world.directory + "/respite.toml")
    before = daemon.own_memory()
    client = Client(daemon.port)
    client.send("GET", origin.url("/bomb"))
    received = 0
    try:
        status = client.head().status
        while piece := client.content(MIB):
            received += len(piece)
        ensure(status == 502, f"{status} with {received} bytes")
    except (EOFError, ValueError, OSError):
        pass
    ensure(received < 200 * MIB, f"{received} bytes came through")
    ensure(daemon.own_memory() - before < 120 * MIB, f"memory grew by {daemon.own_memory() - before}")


@scenario("an origin that restarts on its port is used again at once for every URL")
def origin_restarts(world):
    origin = world.origin()
    daemon = world.start(settings=["upstream.retry-time=100ms"])
    world.filled(daemon, origin, 20)
    port = origin.port
    origin.server.shutdown()
    origin.server.server_close()
    again = Origin(usual, port=port)
    for index in range(20):
        wait(lambda: world.outcome(daemon, again, f"/again/{index}x") == "whole", "the new one answers")


@scenario("a tunnel whose far end resets ends for the client, and others go on")
def tunnel_reset(world):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    def far():
        connection, _ = server.accept()
        connection.sendall(b"hello")
        connection.recv(5)
        reset(connection)

    threading.Thread(target=far, daemon=True).start()
    origin = world.origin()
    daemon = world.start(settings=[f"access.connect-ports=[{port}]"])
    client = Client(daemon.port, timeout=10)
    client.socket.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    ensure(client.head().status == 200, "the tunnel is open")
    ensure((bytes(client.buffer) or client.socket.recv(5)) == b"hello", "it carries bytes")
    client.socket.sendall(b"again")
    try:
        ensure(client.socket.recv(1) == b"", "nothing more comes")
    except ConnectionResetError:
        pass
    world.is_served(daemon, origin)


@scenario("an upload that the origin resets amid is an error for its client and harms no other")
def upload_reset(world):
    def script(exchange):
        if exchange.method == "PUT":
            exchange.reader.exactly(MIB)
            reset(exchange.socket)
            exchange.keep = False
        else:
            usual(exchange)

    origin = world.origin(script)
    daemon = world.start()
    client = Client(daemon.port, timeout=20)
    try:
        client.send("PUT", origin.url("/put"), [f"Content-Length: {64 * MIB}"])
        for _ in range(64):
            client.socket.sendall(bytes(MIB))
        status = client.answer().status
        ensure(status >= 500, f"an error, not {status}")
    except (OSError, EOFError):
        pass
    ensure(origin.count("/put") == 1, "sent once")
    world.is_served(daemon, origin)
