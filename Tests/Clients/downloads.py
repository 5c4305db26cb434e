#!/usr/bin/env python3
"""Download tools that resume and that ask for parts: curl -C -, wget -c, aria2c, axel, apt, each where it is installed.

Each says how many requests it cost the origin, and how many bytes, as a multiple of the file. An argument is the size of
the file in MiB (4). Tools of several connections have an empty cache first, and a full one then.
"""

import email.utils
import os
import sys

import debian
from clients import MIB, Daemon, Directory, check, finish, has, proxied, run

from harness.ranged import RangeOrigin, Representation, random_content, ratio

LENGTH = (int(sys.argv[1]) if sys.argv[1:] else 4) * MIB
# What may come twice: bytes that are on their way when a client goes, or when another one asks for them. Each of several
# connections may have some.
ALLOWED = 1.05
ALLOWED_TOGETHER = 1.2


class Download:
    """A file for one tool, and a directory where the tool leaves it."""

    def __init__(self, directory, daemon, name):
        self.daemon, self.name = daemon, name
        self.directory = f"{directory}/{name}"
        os.makedirs(self.directory)
        self.representation = Representation(random_content(name, LENGTH))
        self.origin = RangeOrigin(lambda path: self.representation)
        self.url = self.origin.url(f"/{name}.bin")
        self.path = self.directory + "/out"

    def run(self, *words, **options):
        done = run(words, env=proxied(self.daemon), cwd=self.directory, **options)
        self.said = done.stderr.strip()[-300:]
        return done

    def abort(self, *words):
        """The tool writes to a pipe that breaks after a third of the file; the third is kept."""
        text = f"{' '.join(words)} '{self.url}' | head -c {LENGTH // 3} > out"
        self.run("sh", "-c", text)
        check(os.path.getsize(self.path) == LENGTH // 3, f"{self.name}: a third came, then the client went")

    def end(self, turn, allowed, earlier=0):
        """Whether the file is whole, and what it cost the origin since the earlier bytes."""
        with open(self.path, "rb") as file:
            good = file.read() == self.representation.content
        sent, length = self.origin.sent - earlier, len(self.representation)
        figures = f"{len(self.origin.requests)} requests, {ratio(sent, length)}"
        check(good, f"{self.name}, {turn}: the file is {'whole' if good else 'not what the origin has: ' + self.said}")
        check(sent <= allowed * length, f"{self.name}, {turn}: {figures}; at most {allowed:.2f} ×")
        return self.origin.sent


def curl(directory, daemon):
    download = Download(directory, daemon, "curl")
    download.abort("curl", "-sS")
    download.run("curl", "-sS", "-C", "-", "-o", download.path, download.url)
    download.end("resumed with -C -", ALLOWED)
    # What came first came another way: the rest makes the whole together with what is missing.
    download = Download(directory, daemon, "curl-elsewhere")
    with open(download.path, "wb") as file:
        file.write(download.representation.content[: LENGTH // 3])
    download.run("curl", "-sS", "-C", "-", "-o", download.path, download.url)
    download.end("resumed with -C -", ALLOWED * 2 / 3)
    os.remove(download.path)
    download.run("curl", "-sS", "-o", download.path, download.url)
    download.end("then the whole", ALLOWED)


def wget(directory, daemon):
    download = Download(directory, daemon, "wget")
    download.abort("wget", "-q", "-O", "-")
    download.run("wget", "-q", "-c", "-O", download.path, download.url)
    download.end("resumed with -c", ALLOWED)


def twice(download, *words):
    """A download with an empty cache, and again."""
    sent = 0
    for turn, allowed in ("first", ALLOWED_TOGETHER), ("again", 0):
        if os.path.exists(download.path):
            os.remove(download.path)
        download.run(*words, download.url)
        sent = download.end(turn, allowed, sent)


def aria2c(directory, daemon):
    options = ["-x16", "-s16", "-k1M", "--no-conf", "--file-allocation=none", "--console-log-level=error", "--summary-interval=0"]
    twice(Download(directory, daemon, "aria2c"), "aria2c", *options, "-o", "out")


def axel(directory, daemon):
    twice(Download(directory, daemon, "axel"), "axel", "-q", "-n", "8", "-o", "out")


def apt(directory, daemon):
    """A package of which a part lies in partial/, with the date of the file: apt asks with Range and If-Range."""
    download = Download(directory, daemon, "apt")
    os.makedirs(download.directory + "/repo")
    debian.build_package(download.directory, 0, "1.0", size=LENGTH)
    debian.build_index(download.directory, age=86_400)

    def pick(path):
        path = download.directory + "/repo/" + path.lstrip("/")
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return Representation(file.read(), f'"{path[-9:]}"', email.utils.formatdate(os.stat(path).st_mtime, usegmt=True))

    download.origin.pick = pick
    name = f"{debian.NAMES[0]}_1.0_all.deb"
    package = download.representation = pick(name)
    for turn, kept, allowed in ("resumed, with an empty cache", LENGTH // 3, 0.7), ("then the whole", 0, 1.05), ("resumed", LENGTH // 2, 0):
        client = debian.Apt(f"{download.directory}/{kept}", download.origin.url("/"), proxy=f"http://127.0.0.1:{daemon.port}")
        fine, said = client.update()
        check(fine, f"apt-get update: {said}")
        if kept:
            partial = f"{client.directory}/cache/archives/partial/{name}"
            with open(partial, "wb") as file:
                file.write(package.content[:kept])
            stamp = email.utils.parsedate_to_datetime(package.modified).timestamp()
            os.utime(partial, (stamp, stamp))
        download.origin.forget()
        done = client.run("install", "-y", "--download-only", debian.NAMES[0])
        download.path, download.said = f"{client.directory}/cache/archives/{name}", done.stderr.strip()[-300:]
        if check(os.path.exists(download.path), f"apt, {turn}: the package is there; {download.said or 'apt said nothing'}"):
            download.end(turn, allowed)


with Directory() as scratch:
    proxy = Daemon(scratch + "/store")
    for tool in curl, wget, aria2c, axel:
        if has(tool.__name__):
            tool(scratch, proxy)
    if has("apt-get", "dpkg-deb", "dpkg-scanpackages"):
        apt(scratch, proxy)
    check(proxy.stop() == 0, "the daemon ended well")
finish()
