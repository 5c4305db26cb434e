#!/usr/bin/env python3
"""Checks that a program builds with RespiteFoundation alone on a machine without the headers of the daemon's C libraries.

usage: library.py SWIFT        the folder of the toolchain, such as /opt/swift

A fresh Debian 12 gets a C compiler's files and what Swift needs, no `-dev` package of ours. The program runs there, too.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from chroot import Failure, Root, require, run  # noqa: E402

# What Swift's own instructions for Debian 12 list, without what only debuggers and Python need.
NEEDED = ("binutils", "ca-certificates", "git", "libc6-dev", "libcurl4-openssl-dev", "libgcc-12-dev", "libncurses6", "libsqlite3-0", "libstdc++-12-dev", "libxml2-dev")
HEADERS = ("event2/event.h", "sqlite3.h", "openssl/ssl.h", "brotli/encode.h", "zstd.h", "ares.h", "jansson.h", "re2/re2.h")
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "program",
    dependencies: [.package(name: "respite", path: "/respite")],
    targets: [
        .executableTarget(name: "program", dependencies: [.product(name: "RespiteFoundation", package: "respite")])
    ]
)
"""
PROGRAM = """import RespiteFoundation

struct Item: Codable, Sendable { var name: String }
let service = Service(baseURL: "http://127.0.0.1:1/", networking: URLSessionNetworking())
do {
    print(try await service.resource("items/1").typed(Item.self).load().name)
} catch {
    print(error.userMessage)
}
"""


def prepared():
    """The root with the toolchain, the repository and the program."""
    root = Root()
    root.apt("update")
    root.apt("install", *NEEDED)
    found = [name for name in HEADERS if list(root.file("/usr/include").rglob(name))]
    require(not found, f"the root has headers that it should not have: {found}")
    for name in ("/respite", "/program/Sources/program", "/opt/swift"):
        root.file(name).mkdir(parents=True)
    files = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, files):
        target = root.file("/respite/" + name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, target, follow_symlinks=False)
    root.file("/program/Package.swift").write_text(MANIFEST, encoding="utf-8")
    root.file("/program/Sources/program/main.swift").write_text(PROGRAM, encoding="utf-8")
    return root


def inside(root, swift, command):
    """Runs a command in the root, with the toolchain and the kernel's file systems there."""
    mounts = f"mount --bind {swift} {root.path}/opt/swift; mount -t proc proc {root.path}/proc; mount --rbind /dev {root.path}/dev"
    script = f"set -e; mount --make-rprivate /; {mounts}; exec chroot {root.path} sh -c 'cd /program; export TMPDIR=/tmp HOME=/root PATH=/opt/swift/usr/bin:/usr/bin:/bin; {command}'"
    return run(["unshare", "--mount", "sh", "-c", script])


def main():
    swift = pathlib.Path(sys.argv[1]).resolve()
    root = prepared()
    begun = time.monotonic()
    output = inside(root, swift, "swift build -c release 2>&1")
    seconds = time.monotonic() - begun
    require("error:" not in output, output[-3000:])
    size = os.stat(root.file("/program/.build/release/program")).st_size
    print(f"built without the C libraries in {seconds:.0f} s; the program has {size / 1e6:.1f} MB")
    said = inside(root, swift, ".build/release/program").strip()
    require("127.0.0.1" in said, f"the program says {said!r}")
    print(f"it runs: {said}")


try:
    main()
except Failure as failure:
    sys.exit(f"library.py: {failure}")
