#!/usr/bin/env python3
"""Package managers by the prefix gateway, each twice with an empty cache of its own: the second time in mode offline.

The registries are TLS servers of an own authority that speak the protocols with absolute links, redirects, challenges and
the caching fields usual there; the rules are those of etc/rules. Names given as arguments select clients.
"""

import json
import os
import shutil
import sys
import time

import debian
from authority import Authority
from clients import PYTHON, Daemon, Directory, check, finish, has, run
from registries import crates, golang, npm, oci, simple
from registries.site import Site

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Gateway:
    """The daemon with the rules for one client, and the sites behind it; names lead to this machine."""

    def __init__(self, directory, authority, rules, sites, service=None):
        self.sites = sites
        self.directory = directory
        os.makedirs(directory)
        names = ", ".join(f'"{site.origin.authority.split(":")[0]}" = "127.0.0.1"' for site in sites)
        below = ", ".join(f'"{site.url("/")}"' for site in sites)
        settings = f'hosts = {{ {names} }}\n[tls]\nca-files = ["{authority.file}"]\n'
        if service:
            settings += f'[service.{service[0]}]\nbase = "{service[1]}"\n'
        settings += f'[[include]]\nfile = "{ROOT}/etc/rules/{rules}.toml"\nbelow = [{below}]\n'
        with open(directory + "/respite.toml", "w") as file:
            file.write(settings)
        self.daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
        self.base = f"http://127.0.0.1:{self.daemon.port}/"

    def prefixed(self, url):
        return self.base + url

    def asked(self):
        return sum(len(site.requests) for site in self.sites)

    def twice(self, name, client):
        """Runs `client(turn, directory)`, which gives what went wrong or nothing, online and then offline."""
        asked = []
        for turn, mode in enumerate(("online", "offline")):
            self.daemon.admin("/v1/mode", "PUT", {"mode": mode})
            before = self.asked()
            began = time.monotonic()
            wrong = client(turn, f"{self.directory}/{mode}")
            asked.append(self.asked() - before)
            spent = time.monotonic() - began
            check(not wrong, f"{name}, {mode}: {wrong or 'well'}; the origins were asked {asked[-1]} times; {spent:.1f} s")
        check(asked[0] > 0 and asked[1] == 0, f"{name}: all requests went through the gateway, none of the second run to an origin")

    def stop(self):
        check(self.daemon.stop() == 0, "the daemon ended well")


def environment(directory, **more):
    """Nothing of the user's: an empty home, no proxies."""
    os.makedirs(directory, exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8", **more}


def said(done):
    return (done.stderr.strip() or done.stdout.strip())[-500:] or f"exit code {done.returncode}"


def with_pip(directory, authority):
    files = simple.Files(authority, "files.example")
    index = simple.Index(authority, "index.example", files)
    index.add("words", "0.3.1")
    index.add("greet", "1.1.0", ["words"])
    index.add("greet", "1.2.0", ["words>=0.3"])
    gateway = Gateway(directory, authority, "pip", [index, files])

    def client(turn, work):
        words = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-cache-dir", "--target", work + "/into"]
        done = run([*words, "-i", gateway.prefixed(index.url("/simple")), "greet"], env=environment(work))
        if done.returncode:
            return said(done)
        return None if os.path.exists(work + "/into/words-0.3.1.dist-info") else "words is not there"

    gateway.twice("pip", client)
    # Older tools get the page as HTML; its links lead through the gateway, too, and keep the digest.
    gateway.daemon.admin("/v1/mode", "PUT", {"mode": "online"})
    page = run(["curl", "-s", "-H", "Accept: text/html", gateway.prefixed(index.url("/simple/greet/"))])
    check(f'href="{gateway.prefixed(files.url("/packages/"))}' in page.stdout and "#sha256=" in page.stdout, "pip: the page in HTML")
    gateway.stop()


def with_npm(directory, authority):
    registry = npm.Registry(authority, "registry.example")
    registry.add("words", "0.3.1")
    registry.add("@soak/greet", "1.1.0", {"words": "^0.3.0"})
    registry.add("@soak/greet", "1.2.0", {"words": "^0.3.0"})
    gateway = Gateway(directory, authority, "npm", [registry])

    def client(turn, work):
        words = ["npm", "install", "--registry", gateway.prefixed(registry.url("/")), "--cache", work + "/cache", "--no-update-notifier"]
        surroundings = environment(work + "/home")
        os.makedirs(work + "/project")
        with open(work + "/project/package.json", "w") as file:
            file.write('{"name": "project", "version": "1.0.0"}\n')
        done = run([*words, "@soak/greet@^1.0.0"], env=surroundings, cwd=work + "/project")
        if done.returncode:
            return said(done)
        with open(work + "/project/package-lock.json") as file:
            packages = json.load(file)["packages"]
        found = packages["node_modules/@soak/greet"]["version"], packages["node_modules/words"]["version"]
        if found != ("1.2.0", "0.3.1"):
            return f"installed {found}"
        # From the lock file, as a build machine does.
        shutil.rmtree(work + "/project/node_modules")
        shutil.rmtree(work + "/cache")
        done = run([*words[:1], "ci", *words[2:]], env=surroundings, cwd=work + "/project")
        return said(done) if done.returncode else None

    gateway.twice("npm", client)
    check(registry.audits > 0, f"npm: {registry.audits} audits reached the registry while online; offline npm goes without")
    gateway.stop()


def with_go(directory, authority):
    proxy = golang.Proxy(authority, "modules.example")
    words, greet = "test.example/words", "test.example/Greet/v2"
    proxy.add(words, "v0.3.1", 'package words\n\nfunc Hello() string { return "hello" }\n')
    for version in ("v2.1.0", "v2.2.0"):
        source = f'package greet\n\nimport "{words}"\n\nfunc Greet() string {{ return words.Hello() + " {version}" }}\n'
        proxy.add(greet, version, source, [(words, "v0.3.1")])
    gateway = Gateway(directory, authority, "go", [proxy])

    def client(turn, work):
        os.makedirs(work + "/project")
        surroundings = environment(
            work + "/home",
            GOPROXY=gateway.prefixed(proxy.url("")), GOMODCACHE=work + "/modules", GOCACHE=directory + "/build",
            GOFLAGS="-mod=mod -modcacherw", GONOSUMDB="test.example", GOTOOLCHAIN="local", CGO_ENABLED="0",
        )  # fmt: skip
        with open(work + "/project/go.mod", "w") as file:
            file.write("module project\n\ngo 1.16\n")
        with open(work + "/project/main.go", "w") as file:
            file.write(f'package main\n\nimport greet "{greet}"\n\nfunc main() {{ println(greet.Greet()) }}\n')
        for words in (["get", greet + "@latest"], ["mod", "tidy"], ["mod", "verify"], ["run", "."]):
            done = run(["go", *words], env=surroundings, cwd=work + "/project")
            if done.returncode:
                return f"go {' '.join(words)}: {said(done)}"
        return None if done.stderr.strip() == "hello v2.2.0" else done.stderr

    gateway.twice("go", client)
    gateway.stop()


def cargo_program():
    """cargo, and the words and variables with which it knows sparse indexes."""
    for program in ("cargo", "/usr/bin/cargo"):
        if not shutil.which(program):
            continue
        version = run([program, "--version"]).stdout.split()
        if version and tuple(map(int, version[1].split(".")[:2])) >= (1, 68):
            return program, [], {}
        if version and tuple(map(int, version[1].split(".")[:2])) >= (1, 60):
            return program, ["-Z", "sparse-registry"], {"RUSTC_BOOTSTRAP": "1"}
    return None


def with_cargo(directory, authority):
    downloads = crates.Downloads(authority, "crates.example")
    index = crates.Index(authority, "index.example", downloads)
    index.add("words", "0.3.1", 'pub fn hello() -> &\'static str { "hello" }\n')
    greet = "pub fn greet() -> String { words::hello().to_string() }\n"
    index.add("greet", "1.1.0", greet, {"words": "^0.3"})
    index.add("greet", "1.2.0", greet, {"words": "^0.3"})
    gateway = Gateway(directory, authority, "cargo", [index, downloads])
    program, words, variables = cargo_program()
    home = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")

    def client(turn, work):
        os.makedirs(work + "/project/src")
        os.makedirs(work + "/cargo")
        surroundings = environment(work + "/home", CARGO_HOME=work + "/cargo", RUSTUP_HOME=home, **variables)
        with open(work + "/cargo/config.toml", "w") as file:
            file.write('[source.crates-io]\nreplace-with = "respite"\n[source.respite]\n')
            file.write(f'registry = "sparse+{gateway.prefixed(index.url("/"))}"\n')
        with open(work + "/project/Cargo.toml", "w") as file:
            file.write('[package]\nname = "project"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\ngreet = "1"\n')
        with open(work + "/project/src/main.rs", "w") as file:
            file.write('fn main() { println!("{}", greet::greet()); }\n')
        done = run([program, *words, "check"], env=surroundings, cwd=work + "/project")
        if done.returncode:
            return said(done)
        with open(work + "/project/Cargo.lock") as file:
            return None if 'version = "1.2.0"' in file.read() else "another version"

    gateway.twice("cargo", client)
    gateway.stop()


class Mirror(Site):
    def __init__(self, authority, name, directory):
        super().__init__(authority, name)
        self.directory = directory

    def answer(self, exchange, path, query):
        debian.answer(self.directory, exchange, path)


def with_apt(directory, authority):
    work = directory + "-repository"
    os.makedirs(work + "/repo")
    debian.build_repository(work, "1.0", age=86_400 * 30)
    mirror = Mirror(authority, "mirror.example", work + "/repo")
    gateway = Gateway(directory, authority, "apt", [mirror])

    def client(turn, work):
        apt = debian.Apt(work, gateway.prefixed(mirror.url("/")))
        fine, words = apt.update()
        if not fine:
            return "update: " + words
        got, words = apt.download()
        return None if len(got) == debian.PACKAGES else f"download: {len(got)} packages, {words}"

    gateway.twice("apt", client)
    # Online again, a changed repository is seen at once, whatever its files' dates.
    gateway.daemon.admin("/v1/mode", "PUT", {"mode": "online"})
    debian.build_repository(work, "2.0", age=0)
    apt = debian.Apt(directory + "/changed", gateway.prefixed(mirror.url("/")))
    fine, words = apt.update()
    got, _ = apt.download()
    check(fine and all("_2.0_" in name for name in got) and got, f"apt: the new packages are there at once: {words}")
    gateway.stop()


def with_skopeo(directory, authority):
    tokens = oci.Tokens(authority, "tokens.example")
    tokens.users = {"ann": "secret-a", "bob": "secret-b"}
    blobs = oci.Blobs(authority, "blobs.example")
    registry = oci.Registry(authority, "registry.example", tokens, blobs)
    registry.add("library/soak", "1.2", [b"a layer " * 50_000, os.urandom(3_000_000)])
    registry.add("team/soak", "1.0", [os.urandom(200_000)], readers=["ann"])
    gateway = Gateway(directory, authority, "oci", [registry, tokens, blobs], service=("images", registry.url("")))
    host = f"images.localhost:{gateway.daemon.port}"

    def pull(work, image, *options, source=host):
        """Copies an image into a directory of its own; what went wrong, or nothing."""
        # The name is no other program's to resolve: as a proxy's client one need not.
        surroundings = environment(work, http_proxy=gateway.base, XDG_RUNTIME_DIR=work, TMPDIR=work)
        words = ["skopeo", "--insecure-policy", "copy", *options, *(["--src-tls-verify=false"] if source == host else [])]
        done = run([*words, f"docker://{source}/{image}", f"dir:{work}/image"], env=surroundings)
        if done.returncode:
            return said(done)
        with open(work + "/image/manifest.json", "rb") as file:
            manifest = json.loads(file.read())
        for blob in [manifest["config"], *manifest["layers"]]:
            with open(f"{work}/image/{blob['digest'][7:]}", "rb") as file:
                if oci.digest(file.read()) != blob["digest"]:
                    return "another digest"
        return None

    gateway.twice("skopeo", lambda turn, work: pull(work, "library/soak:1.2"))
    # By its own name, with the gateway as its mirror.
    with open(directory + "/mirrors.conf", "w") as file:
        file.write(f'[[registry]]\nlocation = "registry.example"\n[[registry.mirror]]\nlocation = "{host}"\ninsecure = true\n')
    mirror = ["--registries-conf", directory + "/mirrors.conf"]
    wrong = pull(directory + "/mirror", "library/soak:1.2", *mirror, source="registry.example")
    check(not wrong, f"skopeo, offline, by its own name with a mirror: {wrong or 'well'}")
    # With a password each answer is that user's alone.
    ann, bob = ["--src-creds", "ann:secret-a"], ["--src-creds", "bob:secret-b"]
    gateway.twice("skopeo, as a user", lambda turn, work: pull(work + "-ann", "team/soak:1.0", *ann))
    for who, options in (("another user", bob), ("nobody", []), ("a wrong password", ["--src-creds", "ann:wrong"])):
        wrong = pull(f"{directory}/{who.replace(' ', '-')}", "team/soak:1.0", *options)
        check(wrong, f"skopeo, offline: {who} does not get what ann got: {(wrong or '')[-160:]}")
    # By prefix all hosts are one to a client; the redirect names another.
    gateway.daemon.admin("/v1/mode", "PUT", {"mode": "online"})
    scope = "scope=repository:library/soak:pull"
    token = json.loads(run(["curl", "-s", gateway.prefixed(tokens.url("/token?" + scope))]).stdout)["token"]
    blob = max(blobs.blobs, key=lambda name: len(blobs.blobs[name]))
    url = gateway.prefixed(registry.url("/v2/library/soak/blobs/" + blob))
    done = run(["curl", "-sL", "-o", directory + "/blob", "-w", "%{num_redirects} %{url_effective}", "-H", "Authorization: Bearer " + token, url])
    with open(directory + "/blob", "rb") as file:
        check(oci.digest(file.read()) == blob and done.stdout.startswith("1 http://localhost:"), "curl -L with a token, by prefix")
    check(blobs.credentials == 0, "no token went to the host of the blobs, though redirects lead there by the gateway")
    gateway.stop()


CLIENTS = {
    "pip": (with_pip, lambda: has("curl", modules=["pip"])),
    "npm": (with_npm, lambda: has("npm")),
    "go": (with_go, lambda: has("go")),
    "cargo": (with_cargo, lambda: cargo_program() or has("cargo")),
    "apt": (with_apt, lambda: has("apt-get", "dpkg-deb", "dpkg-scanpackages")),
    "skopeo": (with_skopeo, lambda: has("skopeo")),
}

with Directory() as scratch:
    trusted = Authority(scratch + "/authority")
    for name in sys.argv[1:] or CLIENTS:
        client, there = CLIENTS[name]
        if there():
            client(f"{scratch}/{name}", trusted)
finish()
