"""TLS to origins that goes wrong: certificates, truncation, stalls; and proxies on the way that fail."""

import socket
import ssl
import subprocess
import threading
import time

from world import Client, content, ensure, free_port, reset, scenario, usual, wait

QUICK = ("upstream.first-byte-timeout=800ms", "upstream.connect-timeout=800ms", "upstream.retry-time=100ms")


def certificate(world, name, days=30, host="localhost"):
    """A self-signed certificate and its key; the files."""
    files = f"{world.directory}/{name}.crt", f"{world.directory}/{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-days", str(days)]
    subprocess.run([*command, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def server(files):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


@scenario("a certificate of no known authority is 502 that names the reason; nothing is fetched")
def unknown_authority(world):
    origin = world.origin(context=server(certificate(world, "own")), name="localhost")
    daemon = world.start()
    answer = world.get(daemon, origin, "/a")
    ensure(answer.status == 502 and "tls" in (answer["Proxy-Status"] or ""), f"{answer.status}")
    ensure(origin.count("/a") == 0, "no request was sent")


@scenario("a certificate for another host is 502; nothing is fetched")
def other_host(world):
    files = certificate(world, "other", host="other.example")
    origin = world.origin(context=server(files), name="localhost")
    daemon = world.start(settings=[f'tls.ca-files=["{files[0]}"]'])
    ensure(world.outcome(daemon, origin, "/a") == "502", "502")
    ensure(origin.count("/a") == 0, "no request was sent")


@scenario("content that ends with a TLS connection without close_notify counts as cut and is not stored")
def no_close_notify(world):
    files = certificate(world, "good")

    def script(exchange):
        body = content(exchange.target)
        exchange.head("200 OK", "Connection: close", "Cache-Control: max-age=600")
        exchange.socket.sendall(body)
        raw = exchange.socket.detach()  # the connection ends, TLS does not
        socket.close(raw)
        exchange.keep = False

    origin = world.origin(script, context=server(files), name="localhost")
    daemon = world.start(settings=[f'tls.ca-files=["{files[0]}"]'])
    ensure(world.outcome(daemon, origin, "/5000/a") in ("cut", "502"), "a visible cut")
    ensure(world.held(daemon, origin, ["/5000/a"]) == 0, "nothing is stored")


@scenario("a handshake that never ends is 502 or 504 within connect-timeout; others are answered")
def stalled_handshake(world):
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    origin = world.origin()
    daemon = world.start(settings=QUICK)
    client = Client(daemon.port, timeout=10)
    began = time.monotonic()
    client.send("GET", f"https://localhost:{port}/a")
    ensure(world.is_served(daemon, origin) < 1, "others are answered")
    status = client.answer().status
    ensure(status in (502, 504) and time.monotonic() - began < 4, f"{status} after {time.monotonic() - began:.1f} s")


@scenario("plain HTTP where TLS was to be is 502, never taken for an answer")
def plain_for_tls(world):
    origin = world.origin()
    daemon = world.start(settings=QUICK)
    client = Client(daemon.port, timeout=10)
    ensure(client.get(f"https://localhost:{origin.port}/a").status == 502, "502")


@scenario("a TLS origin that resets amid a record is cut for the client and not stored")
def reset_in_record(world):
    files = certificate(world, "good")
    broken = threading.Event()

    def script(exchange):
        body = content(exchange.target)
        if broken.is_set():
            return usual(exchange)
        broken.set()
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=600")
        exchange.socket.sendall(body[: len(body) // 2])
        reset(exchange.socket)
        exchange.keep = False

    origin = world.origin(script, context=server(files), name="localhost")
    daemon = world.start(settings=[f'tls.ca-files=["{files[0]}"]'])
    ensure(world.outcome(daemon, origin, "/200000/a") in ("cut", "502"), "a visible cut")
    wait(lambda: world.outcome(daemon, origin, "/200000/a") == "whole", "then whole")


@scenario("a proxy on the way that is down is 502, and used again when it is back")
def parent_down(world):
    port = free_port()
    origin = world.origin()
    daemon = world.start(settings=[f'upstream.proxy="http://127.0.0.1:{port}"', "upstream.no-proxy=[]", *QUICK])
    ensure(world.outcome(daemon, origin, "/a") in ("502", "503", "504"), "an error")

    def script(exchange):
        exchange.target = "/" + exchange.target.split("/", 3)[3]
        usual(exchange)

    world.origin(script, port=port)
    wait(lambda: world.outcome(daemon, origin, "/a") == "whole", "the proxy that is back is used")
