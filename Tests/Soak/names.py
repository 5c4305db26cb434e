#!/usr/bin/env python3
"""A changed resolv.conf is noticed; names that nobody answers stop no others; a dead address family costs one race.

In namespaces of its own (needs root).
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import Daemon  # noqa: E402
from harness.disk import Directory  # noqa: E402
from harness.origin import Origin  # noqa: E402

PORT = 8080
DEAD = socket.inet_pton(socket.AF_INET6, "::1")


def enter():
    """Begins again in new mount and network namespaces."""
    if os.environ.get("SOAK_NAMESPACES") == "1":
        return
    os.environ["SOAK_NAMESPACES"] = "1"
    trial = subprocess.run(["unshare", "-m", "-n", "true"], stderr=subprocess.DEVNULL)
    if trial.returncode:
        print("skipped: no namespaces of mounts and networks for this user")
        sys.exit(0)
    os.execvp("unshare", ["unshare", "-m", "-n", sys.executable, os.path.abspath(__file__)])


def run(*words):
    return subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0


def prepare(directory):
    """Loopback, and files of our own in /etc."""
    run("mount", "--make-rprivate", "/")
    run("ip", "link", "set", "lo", "up")
    for name, text in [("resolv.conf", "nameserver 127.0.0.53\n"), ("nsswitch.conf", "hosts: files dns\n")]:
        with open(f"{directory}/{name}", "w") as file:
            file.write(text)
        if not run("mount", "--bind", f"{directory}/{name}", os.path.realpath(f"/etc/{name}")):
            sys.exit(f"cannot mount over /etc/{name}")


def hole():
    """A listener of IPv6 whose backlog is full: what comes gets no answer."""
    listener = socket.socket(socket.AF_INET6)
    listener.bind(("::1", PORT))
    listener.listen(0)
    fillers = [socket.socket(socket.AF_INET6) for _ in range(8)]
    for filler in fillers:
        filler.setblocking(False)
        filler.connect_ex(("::1", PORT))
    time.sleep(0.1)
    return [listener, *fillers]


class NameServer:
    """Answers every question for an IPv4 address with one; names that begin with dead6 have an IPv6 address too.

    Those that begin with silent get no answer; one that begins with rebind leads inward from the second question on.
    """

    def __init__(self, host, answer):
        self.answer = socket.inet_aton(answer)
        self.asked = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, peer = self.socket.recvfrom(2048)
            labels, at = [], 12
            while query[at]:
                labels.append(query[at + 1 : at + 1 + query[at]].decode())
                at += 1 + query[at]
            kind = struct.unpack(">H", query[at + 1 : at + 3])[0]
            name = ".".join(labels)
            self.asked.append(name)
            if name.startswith("silent"):
                continue
            inward = name.startswith("rebind") and sum(one == name for one in self.asked) > 2
            public = socket.inet_aton("192.0.2.1" if name.startswith("rebind") else "127.0.0.1")
            answer = socket.inet_aton("127.0.0.3") if inward else public if name.startswith("rebind") else self.answer
            data = answer if kind == 1 else DEAD if kind == 28 and name.startswith("dead6") else None
            count = 1 if data else 0
            reply = query[:2] + struct.pack(">HHHHH", 0x8180, 1, count, 0, 0) + query[12 : at + 5]
            if data:
                reply += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(data)) + data
            self.socket.sendto(reply, peer)


def ask(daemon, name, path):
    began = time.monotonic()
    client = Client(daemon.port)
    answer = client.get(f"http://{name}:{PORT}{path}")
    client.close()
    return answer.content.decode(), (time.monotonic() - began) * 1000


def resolver(directory, daemon, first, second):
    check(ask(daemon, "one.example", "/a")[0] == "first", "a name is looked up where resolv.conf says")
    # In place, as programs that look after it do with a bind mount or a link.
    with open(f"{directory}/resolv.conf", "w") as file:
        file.write("nameserver 127.0.0.54\n")
    check(ask(daemon, "two.example", "/a")[0] == "second", "another name, just after resolv.conf was changed, at the new server")
    check("two.example" not in first.asked and "two.example" in second.asked, "the old server was not asked for it")
    began = time.monotonic()
    number = 0
    while ask(daemon, "one.example", f"/{number}")[0] == "first" and time.monotonic() - began < 60:
        number += 1
        time.sleep(0.5)
    seconds = time.monotonic() - began
    check(seconds <= 32, f"a name that is remembered is looked up anew, at the new server, {seconds:.0f} s later (30 s at most)")


def silent_names(daemon):
    """40 names that nobody answers, and beside them new ones that somebody does."""
    waiting = [threading.Thread(target=ask, args=(daemon, f"silent{number}.test", "/a"), daemon=True) for number in range(40)]
    for thread in waiting:
        thread.start()
    time.sleep(0.2)
    times = []
    for number in range(5):
        text, took = ask(daemon, f"new{number}.test", "/a")
        times.append(took)
        check(text == "second", f"a new name is answered beside 40 names that nobody answers ({took:.0f} ms)")
    local = ask(daemon, "localhost", "/a")[1]
    check(max(times) < 500, f"new names take {max(times):.0f} ms at most beside them, localhost {local:.0f} ms")
    for thread in waiting:
        thread.join()
    names = daemon.admin("/v1/status")["names"]
    complaint = names["servers"][0].get("complaint", "")
    check("did not answer" in complaint, f"status tells it: {complaint}")
    check(names["underWay"] == 0, "no look-up is left")


def rebinding(daemon):
    """A name that leads outward first, and inward then."""
    first = Client(daemon.port).get(f"http://rebind.example:{PORT}/a")
    time.sleep(1.1)
    second = Client(daemon.port).get(f"http://rebind.example:{PORT}/b")
    check(first.status in (502, 504), f"a name that leads outward is tried ({first.status})")
    check(second.status == 403, f"when it leads inward it is refused ({second.status})")


def dead_family(daemon):
    try:
        kept = hole()
    except OSError:
        print("skipped: there is no IPv6")
        return
    usual = min(ask(daemon, "live.example", f"/{number}")[1] for number in range(5))
    text, first = ask(daemon, "dead6.example", "/a")
    check(text == "second", "a name whose IPv6 address is dead is served by its IPv4 address")
    check(first - usual <= 400, f"the first connection is {first - usual:.0f} ms later (a race is staggered by 250 ms)")
    check(first - usual >= 150, "it was tried by IPv6 first")
    later = max(ask(daemon, "dead6.example", f"/{number}")[1] for number in range(5))
    check(later - usual < 100, f"further connections {later - usual:.0f} ms at most: what answered is remembered")
    for connection in kept:
        connection.close()


enter()
with Directory() as directory:
    prepare(directory)
    first, second = NameServer("127.0.0.53", "127.0.0.2"), NameServer("127.0.0.54", "127.0.0.3")
    origins = [
        Origin(lambda exchange, text=text: exchange.reply("200 OK", "Cache-Control: no-store", content=text), host=host, port=PORT)
        for host, text in [("127.0.0.2", b"first"), ("127.0.0.3", b"second")]
    ]
    daemon = Daemon(
        directory + "/store", "--set", "upstream.keep-alive-timeout=0", "--set", 'access.private-names=["*.test"]'
    )
    resolver(directory, daemon, first, second)
    silent_names(daemon)
    rebinding(daemon)
    dead_family(daemon)
    daemon.stop()
finish()
