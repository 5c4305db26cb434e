#!/usr/bin/env python3
"""Package managers through the proxy: apt with a repository that changes, pip with an index, each where it is installed."""

import os
import urllib.parse
import zipfile

import debian
from clients import Daemon, Directory, Origin, check, finish, has, run


class Files:
    """A directory as an origin: Last-Modified, If-Modified-Since, single ranges, 404."""

    def __init__(self, directory):
        self.directory = directory
        self.origin = Origin(self.script)
        self.whole = []

    def script(self, exchange):
        if debian.answer(self.directory, exchange, urllib.parse.unquote(exchange.target.split("?")[0])):
            self.whole.append(exchange.target)


def apt(directory):
    work = directory + "/apt"
    os.makedirs(work + "/repo")
    debian.build_repository(work, "1.0", age=86_400 * 30)
    files = Files(work + "/repo")
    daemon = Daemon(directory + "/store-apt")
    client = debian.Apt(work + "/client", files.origin.url("/"), proxy=f"http://127.0.0.1:{daemon.port}")
    for turn, version in enumerate(["1.0", "1.0", "2.0", "2.0"]):
        if turn == 2:
            debian.build_repository(work, "2.0", age=0)
        fine, said = client.update()
        check(fine, f"apt-get update, turn {turn}: {said}")
        before = len(files.whole)
        got, said = client.download()
        good = len(got) == debian.PACKAGES and all(version in name for name in got)
        check(good, f"apt-get download of {debian.PACKAGES}, turn {turn}: {len(got)} files, {said}")
        fetched = len(files.whole) - before
        check(fetched == (debian.PACKAGES if turn in (0, 2) else 0), f"the origin sent {fetched} packages")
    daemon.stop()


def pip(directory):
    work = directory + "/pip"
    os.makedirs(work + "/simple/soak")
    os.makedirs(work + "/source/soak")
    with open(work + "/source/soak/__init__.py", "w") as file:
        file.write("answer = 42\n")
    name = "soak-1.0-py3-none-any.whl"
    info = "soak-1.0.dist-info"
    with zipfile.ZipFile(f"{work}/simple/soak/{name}", "w") as wheel:
        wheel.write(work + "/source/soak/__init__.py", "soak/__init__.py")
        wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\nName: soak\nVersion: 1.0\n")
        wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: soak\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "/RECORD", "")
    with open(work + "/simple/soak/index.html", "w") as file:
        file.write(f'<!DOCTYPE html><html><body><a href="{name}">{name}</a></body></html>')
    files = Files(work)
    whole = files.script

    def script(exchange):
        if exchange.target.endswith("/soak/"):
            with open(work + "/simple/soak/index.html", "rb") as file:
                return exchange.reply("200 OK", "Content-Type: text/html", content=file.read())
        return whole(exchange)

    files.origin.script = script
    daemon = Daemon(directory + "/store-pip")
    for turn in range(2):
        words = ["pip", "download", "-q", "--no-cache-dir", "--no-deps", "--disable-pip-version-check"]
        words += ["--index-url", files.origin.url("/simple/"), "--trusted-host", "127.0.0.1"]
        words += ["--proxy", f"http://127.0.0.1:{daemon.port}", "-d", f"{work}/out-{turn}", "soak"]
        outcome = run(words)
        check(outcome.returncode == 0 and os.path.exists(f"{work}/out-{turn}/{name}"), f"pip download, turn {turn}: {outcome.stderr.strip()[:200]}")
    daemon.stop()


with Directory() as scratch:
    if has("apt-get", "dpkg-deb", "dpkg-scanpackages"):
        apt(scratch)
    if has("pip"):
        pip(scratch)
finish()
