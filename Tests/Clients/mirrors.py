#!/usr/bin/env python3
"""apt with the shipped rules: before a mirror of its own on loopback, then before the one that this system's sources name.

Files under the digest of their content are hits from the second time on, although apt asks for them with max-age=0. The
index that names them is asked for every time, and is there in mode offline, even if the mirror sends no validators.
What needs gpg or a network is skipped without.
"""

import glob
import os
import re
import urllib.request

import debian
from clients import Daemon, Directory, Origin, check, finish, has, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def start(directory, url):
    os.makedirs(directory)
    with open(directory + "/respite.toml", "w") as file:
        file.write(f'[[include]]\nfile = "{ROOT}/etc/rules/apt.toml"\nbelow = ["{url}"]\n')
    return Daemon(directory + "/store", "--config", directory + "/respite.toml")


def counted(daemon, work):
    """What the work gives, and how many hits and loads it made."""
    before = daemon.admin("/v1/status")["traffic"]
    result = work()
    after = daemon.admin("/v1/status")["traffic"]
    return result, after["hits"] - before["hits"], after["loads"] - before["loads"]


def updates(daemon, name, client, indexes):
    """Three clients that know nothing: the first fills, the second is online, the third offline."""
    for turn, mode in enumerate(["auto", "auto", "offline"]):
        daemon.admin("/v1/mode", "PUT", {"mode": mode})
        (fine, said), hits, loads = counted(daemon, lambda: client(turn).update())
        check(fine, f"{name}, apt-get update, turn {turn}, mode {mode}: {said}; {hits} hits, {loads} loads")
        if turn == 1:
            check(hits >= 1 and loads <= indexes, f"{name}: only the indexes' index is asked for again: {loads} of {indexes}")
        if turn == 2:
            check(hits >= 2 and loads == 0, f"{name}, offline: all comes from the store")
    daemon.admin("/v1/mode", "PUT", {"mode": "auto"})


def on_loopback(directory, has_validators):
    name = "a mirror with validators" if has_validators else "a mirror without validators"
    os.makedirs(directory + "/repo")
    debian.build_repository(directory, "1.0", age=86_400, signs=True)
    asked = []

    def script(exchange):
        asked.append(exchange.target)
        debian.answer(directory + "/repo", exchange, exchange.target, has_validators)

    origin = Origin(script)
    daemon = start(directory + "/daemon", origin.url("/"))
    proxy = f"http://127.0.0.1:{daemon.port}"

    def client(turn):
        source = f"deb [signed-by={directory}/key.gpg] {origin.url('/')} ./\n"
        return debian.Apt(f"{directory}/client-{turn}", proxy=proxy, source=source)

    updates(daemon, name, client, indexes=1)
    files = [target for target in asked if "/by-hash/" in target]
    check(len(files) == 1, f"{name}: the file under its digest was asked for once: {len(files)}")
    got, said = client(2).download()
    check(len(got) == debian.PACKAGES, f"{name}, packages: {len(got)}, {said}")
    # A new index is there at once, and so are the files it names.
    debian.build_repository(directory, "2.0", age=0, signs=True)
    fine, said = client(3).update()
    got, _ = client(3).download()
    check(fine and got and all("_2.0_" in file for file in got), f"{name}: the new packages are there at once: {said}")
    check(daemon.stop() == 0, "the daemon ended well")


def key_of(index):
    """The keyring of the system that verifies a signed index; nothing if none does."""
    for ring in glob.glob("/usr/share/keyrings/*.gpg") + glob.glob("/etc/apt/trusted.gpg.d/*.gpg"):
        if run(["gpgv", "--keyring", ring, index]).returncode == 0:
            return ring
    return None


def site_of_this_system(directory):
    """The first http mirror of the system's sources, with its suite and keyring; nothing if there is no way to one."""
    words = ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Identifier: Packages"]
    for line in run(words).stdout.splitlines():
        site, _, suite = line.partition(" ")
        if not re.match(r"http://[^/@]+/", site + "/") or not suite:
            continue
        try:
            with urllib.request.urlopen(f"{site}/dists/{suite}/InRelease", timeout=10) as answer:
                with open(directory + "-index", "wb") as file:
                    file.write(answer.read())
        except OSError as error:
            print(f"skipped: {site}: {error}")
            return None
        if ring := key_of(directory + "-index"):
            return site, suite, ring
    print("skipped: the system's sources name no http mirror whose key is here")
    return None


def with_the_system(directory):
    found = site_of_this_system(directory)
    if not found:
        return
    site, suite, ring = found
    daemon = start(directory, site + "/")
    proxy = f"http://127.0.0.1:{daemon.port}"

    def client(turn):
        return debian.Apt(f"{directory}/client-{turn}", source=f"deb [signed-by={ring}] {site} {suite} main\n", proxy=proxy)

    updates(daemon, "the system's mirror", client, indexes=1)
    check(daemon.stop() == 0, "the daemon ended well")


with Directory() as scratch:
    if has("apt-get", "dpkg-deb", "dpkg-scanpackages", "gpg", "gpgv"):
        on_loopback(scratch + "/plain", has_validators=False)
        on_loopback(scratch + "/validated", has_validators=True)
    if has("apt-get", "gpgv"):
        with_the_system(scratch + "/system")
finish()
