#!/usr/bin/env python3
"""Package managers through the proxy: apt with a repository that changes, pip with an index, each where it is installed."""

import email.utils
import hashlib
import os
import shutil
import urllib.parse
import zipfile

from clients import Daemon, Directory, Origin, check, finish, has, run

PACKAGES = 12


class Files:
    """A directory as an origin: Last-Modified, If-Modified-Since, single ranges, 404."""

    def __init__(self, directory):
        self.directory = directory
        self.origin = Origin(self.script)
        self.whole = []

    def script(self, exchange):
        path = os.path.join(self.directory, urllib.parse.unquote(exchange.target.split("?")[0]).lstrip("/"))
        if not os.path.isfile(path):
            return exchange.reply("404 Not Found", content=b"none")
        modified = int(os.stat(path).st_mtime)
        stamp = "Last-Modified: " + email.utils.formatdate(modified, usegmt=True)
        since = exchange.request["If-Modified-Since"]
        if since and email.utils.parsedate_to_datetime(since).timestamp() >= modified:
            return exchange.head("304 Not Modified", stamp)
        with open(path, "rb") as file:
            content = file.read()
        self.whole.append(exchange.target)
        return exchange.reply("200 OK", stamp, content=content)


def build_package(directory, number, version):
    tree = os.path.join(directory, f"tree-{number}-{version}")
    os.makedirs(tree + "/DEBIAN")
    os.makedirs(tree + "/usr/share/respite-soak")
    with open(tree + "/DEBIAN/control", "w") as file:
        file.write(
            f"Package: respite-soak-{number}\nVersion: {version}\nArchitecture: all\nMaintainer: Soak <soak@example>\n"
            "Description: a package of the soak run\n"
        )
    with open(f"{tree}/usr/share/respite-soak/{number}", "wb") as file:
        file.write(hashlib.sha256(f"{number} {version}".encode()).digest() * 4000 + os.urandom(20_000))
    run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, f"{directory}/repo/respite-soak-{number}_{version}_all.deb"])
    shutil.rmtree(tree)


def build_repository(directory, version, age):
    """A flat repository; its files are `age` seconds old, so that a heuristic lifetime would be long."""
    repo = directory + "/repo"
    for number in range(PACKAGES):
        build_package(directory, number, version)
    packages = run(["dpkg-scanpackages", "-m", "."], cwd=repo).stdout.encode()
    with open(repo + "/Packages", "wb") as file:
        file.write(packages)
    release = "Origin: soak\nLabel: soak\nSuite: soak\nDate: " + email.utils.formatdate(usegmt=True).replace("GMT", "UTC")
    release += f"\nSHA256:\n {hashlib.sha256(packages).hexdigest()} {len(packages)} Packages\n"
    with open(repo + "/Release", "w") as file:
        file.write(release)
    for name in os.listdir(repo):
        stamp = os.stat(repo + "/" + name).st_mtime - age
        os.utime(repo + "/" + name, (stamp, stamp))


class Apt:
    """apt with all its state in one directory."""

    def __init__(self, directory, proxy, url):
        self.directory = directory
        for name in ("etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial", "out"):
            os.makedirs(f"{directory}/{name}", exist_ok=True)
        with open(directory + "/etc/sources.list", "w") as file:
            file.write(f"deb [trusted=yes] {url} ./\n")
        open(directory + "/status", "w").close()
        options = {
            "Dir": directory, "Dir::Etc": "etc", "Dir::Etc::sourcelist": directory + "/etc/sources.list",
            "Dir::Etc::sourceparts": "-", "Dir::State": directory + "/state", "Dir::State::status": directory + "/status",
            "Dir::Cache": directory + "/cache", "Acquire::http::Proxy": proxy, "APT::Sandbox::User": "root",
            "Acquire::http::Proxy::127.0.0.1": proxy,
        }
        self.options = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]

    def run(self, *words):
        return run(["apt-get", *self.options, *words], cwd=self.directory + "/out")


def apt(directory):
    work = directory + "/apt"
    os.makedirs(work + "/repo")
    build_repository(work, "1.0", age=86_400 * 30)
    files = Files(work + "/repo")
    daemon = Daemon(directory + "/store-apt")
    client = Apt(work + "/client", f"http://127.0.0.1:{daemon.port}", files.origin.url("/"))
    names = [f"respite-soak-{number}" for number in range(PACKAGES)]
    for turn, version in enumerate(["1.0", "1.0", "2.0", "2.0"]):
        if turn == 2:
            build_repository(work, "2.0", age=0)
        update = client.run("update", "-o", "Acquire::Languages=none")
        check(update.returncode == 0 and "Hash" not in update.stderr, f"apt-get update, turn {turn}: {(update.stderr or 'well').strip()[:200]}")
        before = len(files.whole)
        shutil.rmtree(work + "/client/out")
        os.makedirs(work + "/client/out")
        download = client.run("download", *names)
        got = sorted(os.listdir(work + "/client/out"))
        good = len(got) == PACKAGES and all(version in name for name in got)
        check(download.returncode == 0 and good, f"apt-get download of {PACKAGES}, turn {turn}: {len(got)} files, {download.stderr.strip()[:200]}")
        fetched = len(files.whole) - before
        check(fetched == (PACKAGES if turn in (0, 2) else 0), f"the origin sent {fetched} packages")
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
