"""A Debian repository of a test's own, and apt with all its state in one directory."""

import email.utils
import hashlib
import os
import shutil

from clients import run

PACKAGES = 12
NAMES = [f"respite-soak-{number}" for number in range(PACKAGES)]


def build_package(directory, number, version, size=20_000):
    tree = os.path.join(directory, f"tree-{number}-{version}")
    os.makedirs(tree + "/DEBIAN")
    os.makedirs(tree + "/usr/share/respite-soak")
    with open(tree + "/DEBIAN/control", "w") as file:
        file.write(
            f"Package: respite-soak-{number}\nVersion: {version}\nArchitecture: all\nMaintainer: Soak <soak@example>\n"
            "Description: a package of the soak run\n"
        )
    with open(f"{tree}/usr/share/respite-soak/{number}", "wb") as file:
        file.write(hashlib.sha256(f"{number} {version}".encode()).digest() * 4000 + os.urandom(size))
    run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, f"{directory}/repo/respite-soak-{number}_{version}_all.deb"])
    shutil.rmtree(tree)


def build_repository(directory, version, age, signs=False):
    """A flat repository; its files are `age` seconds old, so that a heuristic lifetime would be long.

    With `signs` its index is an InRelease, signed with a key of its own, and names files by their digest.
    """
    repo = directory + "/repo"
    for number in range(PACKAGES):
        build_package(directory, number, version)
    build_index(directory, age, signs)


def build_index(directory, age, signs=False):
    """The lists of what is in the repository."""
    repo = directory + "/repo"
    packages = run(["dpkg-scanpackages", "-m", "."], cwd=repo).stdout.encode()
    with open(repo + "/Packages", "wb") as file:
        file.write(packages)
    release = "Origin: soak\nLabel: soak\nSuite: soak\nDate: " + email.utils.formatdate(usegmt=True).replace("GMT", "UTC")
    release += "\nAcquire-By-Hash: yes" if signs else ""
    release += f"\nSHA256:\n {hashlib.sha256(packages).hexdigest()} {len(packages)} Packages\n"
    with open(repo + "/Release", "w") as file:
        file.write(release)
    if signs:
        sign(directory, packages)
    for name in os.listdir(repo):
        stamp = os.stat(repo + "/" + name).st_mtime - age
        os.utime(repo + "/" + name, (stamp, stamp))


def sign(directory, packages):
    """Signs the Release file inline, and puts the list of packages under its digest."""
    repo, home = directory + "/repo", directory + "/gpg"
    gpg = ["gpg", "--homedir", home, "--batch", "--yes", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"]
    if not os.path.isdir(home):
        os.makedirs(home, mode=0o700)
        run([*gpg, "--quick-generate-key", "Soak <soak@example>", "default", "default", "never"])
        run([*gpg, "--export", "--output", directory + "/key.gpg"])
    run([*gpg, "--clearsign", "--output", repo + "/InRelease", repo + "/Release"])
    run(["gpgconf", "--homedir", home, "--kill", "all"])
    os.remove(repo + "/Release")
    os.makedirs(repo + "/by-hash/SHA256", exist_ok=True)
    with open(repo + "/by-hash/SHA256/" + hashlib.sha256(packages).hexdigest(), "wb") as file:
        file.write(packages)


def answer(directory, exchange, path, has_validators=True):
    """A file of a directory as a mirror gives it: Last-Modified and If-Modified-Since; whether it was sent whole."""
    path = os.path.join(directory, path.lstrip("/"))
    if not os.path.isfile(path):
        exchange.reply("404 Not Found", content=b"none")
        return False
    modified = int(os.stat(path).st_mtime)
    if not has_validators:
        with open(path, "rb") as file:
            exchange.reply("200 OK", content=file.read())
        return True
    stamp = "Last-Modified: " + email.utils.formatdate(modified, usegmt=True)
    since = exchange.request["If-Modified-Since"]
    if since and email.utils.parsedate_to_datetime(since).timestamp() >= modified:
        exchange.head("304 Not Modified", stamp)
        return False
    with open(path, "rb") as file:
        exchange.reply("200 OK", stamp, content=file.read())
    return True


class Apt:
    """apt with all its state in one directory, and maybe a proxy."""

    def __init__(self, directory, url=None, proxy=None, source=None):
        self.directory = directory
        for name in ("etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial", "out"):
            os.makedirs(f"{directory}/{name}", exist_ok=True)
        with open(directory + "/etc/sources.list", "w") as file:
            file.write(source or f"deb [trusted=yes] {url} ./\n")
        open(directory + "/status", "w").close()
        options = {
            "Dir": directory, "Dir::Etc": "etc", "Dir::Etc::sourcelist": directory + "/etc/sources.list",
            "Dir::Etc::sourceparts": "-", "Dir::State": directory + "/state", "Dir::State::status": directory + "/status",
            "Dir::Cache": directory + "/cache", "APT::Sandbox::User": "root", "Acquire::Retries": "0",
            "Acquire::http::Proxy": proxy or "false", "Acquire::http::Proxy::127.0.0.1": proxy or "DIRECT",
        }  # fmt: skip
        self.options = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]

    def run(self, *words):
        return run(["apt-get", *self.options, *words], cwd=self.directory + "/out")

    def update(self):
        """Whether the indexes came, and came as they belong together; what it said else."""
        done = self.run("update", "-o", "Acquire::Languages=none")
        fine = done.returncode == 0 and not any(word in done.stderr for word in ("Hash", "Failed", "W:", "E:"))
        return fine, (done.stderr or "well").strip()[:300]

    def download(self):
        """The packages' files, into an empty directory."""
        shutil.rmtree(self.directory + "/out")
        os.makedirs(self.directory + "/out")
        done = self.run("download", *NAMES)
        return sorted(os.listdir(self.directory + "/out")) if done.returncode == 0 else [], done.stderr.strip()[:300]
