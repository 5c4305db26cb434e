#!/usr/bin/env python3
"""Hits over TLS, full and resumed handshakes, beside nginx's proxy_cache with TLS (if installed): one core for each.

The server has core 0, the clients the others; both have the same certificate (EC P-256), version and cipher. What counts
is CPU time of the server's process for each request or handshake, since other work on the machine does not change it.

Environment: REQUESTS (200000 for each round), HANDSHAKES (3000), ROUNDS (3).
"""

import os
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory  # noqa: E402
from harness.network import connected, free_port  # noqa: E402
from harness.origin import Origin  # noqa: E402
from harness.processes import processor_seconds  # noqa: E402

REQUESTS = int(os.environ.get("REQUESTS", "200000"))
HANDSHAKES = int(os.environ.get("HANDSHAKES", "3000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CIPHER = "TLS_AES_128_GCM_SHA256"
CONTENT = b"x" * 1024


def nginx(directory, origin, files):
    port = free_port()
    path = os.path.join(directory, "nginx.conf")
    with open(path, "w") as file:
        file.write(f"""
worker_processes 1; daemon off; pid {directory}/nginx.pid; error_log {directory}/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; proxy_cache_path {directory}/nginx levels=1:2 keys_zone=z:10m;
  server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {files[0]}; ssl_certificate_key {files[1]};
    ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on;
    location / {{ proxy_pass {origin.url('')}; proxy_cache z; add_header X-Cache $upstream_cache_status; }}
  }}
}}
""")
    process = subprocess.Popen(["taskset", "-c", "0", "nginx", "-p", directory, "-c", path], stderr=subprocess.DEVNULL)
    connected(port, process).close()
    # Those of its cache come and go.
    find = ["pgrep", "-P", str(process.pid), "-f", "worker process"]
    workers = subprocess.run(find, capture_output=True, text=True).stdout.split()
    return process, [int(pid) for pid in workers], port


def context(files):
    made = ssl.create_default_context(cafile=files[0])
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    return made


def ask(made, port, session=None):
    """One connection with one request; the session for the next, and whether this one was resumed."""
    with socket.create_connection(("127.0.0.1", port)) as raw:
        with made.wrap_socket(raw, server_hostname="localhost", session=session) as tls:
            tls.sendall(b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            text = b""
            while piece := tls.recv(65536):
                text += piece
            assert text.startswith(b"HTTP/1.1 200 ") and text.endswith(CONTENT), text[:200]
            return tls.session, tls.session_reused


def handshakes(pids, port, files, resumed):
    made = context(files)
    session, _ = ask(made, port)
    before, began, count = processor_seconds(*pids), time.monotonic(), 0
    for _ in range(HANDSHAKES):
        next_session, was_resumed = ask(made, port, session if resumed else None)
        count += was_resumed == resumed
        session = next_session
    assert count == HANDSHAKES, f"{count} of {HANDSHAKES} as wanted"
    return (processor_seconds(*pids) - before) / HANDSHAKES * 1e6, HANDSHAKES / (time.monotonic() - began)


def requests(pids, port):
    others = ",".join(str(core) for core in range(1, os.cpu_count() or 1)) or "0"
    words = ["taskset", "-c", others, "h2load", "--h1", "-c", "16", "-n", str(REQUESTS), "--tls13-ciphers=" + CIPHER]
    before, began = processor_seconds(*pids), time.monotonic()
    done = subprocess.run([*words, f"https://127.0.0.1:{port}/x"], capture_output=True, text=True)
    assert f"{REQUESTS} succeeded" in done.stdout and CIPHER in done.stdout, done.stdout + done.stderr
    return (processor_seconds(*pids) - before) / REQUESTS * 1e6, REQUESTS / (time.monotonic() - began)


for program in ("nginx", "h2load", "taskset", "openssl"):
    if not shutil.which(program):
        print(f"skipped: {program} is not installed")
        sys.exit(0)
os.environ["PATH"] += ":/usr/sbin"
with Directory() as directory:
    files = [os.path.join(directory, "site.crt"), os.path.join(directory, "site.key")]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*words, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    os.chmod(directory, 0o755)
    os.chmod(files[1], 0o644)
    origin = Origin(lambda exchange: exchange.reply("200 OK", "Cache-Control: max-age=86400", content=CONTENT))
    port = free_port()
    words = ["--listen", f"https://127.0.0.1:{port}", "--gateway", origin.url("")]
    words += ["--set", f'tls.certificate-file="{files[0]}"', "--set", f'tls.key-file="{files[1]}"']
    daemon = Daemon(os.path.join(directory, "store"), *words, loops=1)
    subprocess.run(["taskset", "-a", "-c", "-p", "0", str(daemon.process.pid)], check=True, capture_output=True)
    peer, workers, peer_port = nginx(directory, origin, files)
    targets = {"respite": ([daemon.process.pid], port), "nginx": (workers, peer_port)}
    scenarios = {
        "hits": lambda pids, port: requests(pids, port),
        "full handshakes": lambda pids, port: handshakes(pids, port, files, False),
        "resumed handshakes": lambda pids, port: handshakes(pids, port, files, True),
    }
    for pids, at in targets.values():
        ask(context(files), at)
    for scenario, run in scenarios.items():
        figures = {name: [] for name in targets}
        for number in range(ROUNDS):
            for name in list(targets) if number % 2 == 0 else list(reversed(targets)):
                microseconds, rate = run(*targets[name])
                figures[name].append(microseconds)
                print(f"        {scenario}: {name} {microseconds:.1f} us of CPU each, {rate:.0f}/s", flush=True)
        ratio = statistics.median(n / r for n, r in zip(figures["nginx"], figures["respite"]))
        check(ratio >= 0.9, f"{scenario}: {ratio:.2f} x nginx's for a second of CPU")
    peer.terminate()
    daemon.stop()
finish()
