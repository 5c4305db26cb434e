#!/usr/bin/env python3
"""Clients of https through the proxy, where the settings intercept a host and where they do not.

Each client trusts one authority only. With ours it reads the intercepted site, the second time from the cache, and refuses the
other one: there it sees the site's own certificate, through a blind tunnel. With the site's it is the other way round.
"""

import json
import os
import re
import subprocess

from authority import Authority
from browser_profile import CHROMIUM, Profile
from clients import PYTHON, Daemon, Directory, Origin, binary, check, finish, has, run
from registries.simple import wheel
from repository import repository

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = "what the site says"


class Site:
    """Everything the clients ask for, under one name; all of it may be stored."""

    def __init__(self, context, name, repository):
        self.repository = repository
        self.origin = Origin(self.script, context=context, name=name)
        filename, self.wheel, _ = wheel("words", "0.3.1")
        self.pages = {"/simple/words/": f'<!DOCTYPE html><a href="/files/{filename}">{filename}</a>'.encode(), "/files/" + filename: self.wheel}

    def script(self, exchange):
        path = exchange.target.split("?")[0]
        fields = ["Cache-Control: max-age=600", "Content-Type: text/html"]
        if path.startswith("/page/"):
            return exchange.reply("200 OK", *fields, content=f"<!DOCTYPE html><title>page</title><p>{TEXT}</p>".encode())
        if path in self.pages:
            return exchange.reply("200 OK", *fields, content=self.pages[path])
        file = os.path.join(self.repository, path.removeprefix("/repository.git/"))
        if path.startswith("/repository.git/") and os.path.isfile(file):
            with open(file, "rb") as content:
                return exchange.reply("200 OK", "Cache-Control: max-age=600", content=content.read())
        return exchange.reply("404 Not Found", "Cache-Control: max-age=600", content=b"none")

    def asked(self):
        """How many requests came; a browser asks for its icon as well, or not."""
        with self.origin.lock:
            return sum(count for key, count in self.origin.counts.items() if "favicon" not in str(key))


class Way:
    """How a client gets to the sites: by this proxy, trusting one authority."""

    def __init__(self, proxy, authority, directory):
        self.proxy = proxy
        self.authority = authority
        self.directory = directory
        self.count = 0

    def scratch(self):
        self.count += 1
        path = f"{self.directory}/{self.count}"
        os.makedirs(path)
        return path

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": self.directory, "LANG": "C.UTF-8", "https_proxy": self.proxy, "no_proxy": "", **more}


# Each asks for a page or what else it is made for, and tells whether it got it, and what it said.


def curl(way, origin):
    done = run(["curl", "-sS", "--max-time", "30", "--cacert", way.authority, origin.url("/page/curl")], env=way.environment())
    return TEXT in done.stdout, done.stderr


def wget(way, origin):
    words = ["wget", "-nv", "-O", "-", "--tries=1", "--timeout=30", "--ca-certificate=" + way.authority]
    done = run([*words, "--ca-directory=" + way.scratch(), origin.url("/page/wget")], env=way.environment())
    return TEXT in done.stdout, done.stderr


def git(way, origin):
    into = way.scratch() + "/clone"
    environment = way.environment(GIT_SSL_CAINFO=way.authority, GIT_TERMINAL_PROMPT="0", GIT_SMART_HTTP="0", GIT_CONFIG_NOSYSTEM="1")
    done = run(["git", "clone", "-q", origin.url("/repository.git"), into], env=environment)
    return done.returncode == 0 and os.path.exists(into + "/file"), done.stderr


def pip(way, origin):
    into = way.scratch()
    words = [PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--retries", "0", "-d", into]
    done = run([*words, "--cert", way.authority, "-i", origin.url("/simple"), "words"], env=way.environment())
    return done.returncode == 0 and len(os.listdir(into)) == 1, done.stderr


def node(way, origin):
    environment = way.environment(NODE_EXTRA_CA_CERTS=way.authority)
    done = run(["node", os.path.join(HERE, "ask_tunnel.mjs"), origin.url("/page/node")], env=environment)
    return TEXT in done.stdout, done.stderr


def python(library):
    def ask(way, origin):
        environment = way.environment(REQUESTS_CA_BUNDLE=way.authority, SSL_CERT_FILE=way.authority)
        done = run([PYTHON, os.path.join(HERE, "ask_tunnel.py"), library, origin.url("/page/" + library)], env=environment)
        return TEXT in done.stdout, done.stderr

    return ask


def chromium(way, origin):
    profile = Profile(way.scratch(), way.authority)
    dom = profile.open(origin.url("/page/chromium"), "--proxy-server=" + way.proxy, "--proxy-bypass-list=<-loopback>")
    return TEXT in dom, re.sub("<[^>]*>|\\s+", " ", dom)


CLIENTS = [
    ("curl", curl, ["curl"], []),
    ("wget", wget, ["wget"], []),
    ("requests", python("requests"), [], ["requests"]),
    ("httpx", python("httpx"), [], ["httpx"]),
    ("aiohttp", python("aiohttp"), [], ["aiohttp"]),
    ("node", node, ["node"], []),
    ("git", git, ["git"], []),
    ("pip", pip, [], ["pip"]),
    ("chromium", chromium, ["certutil"], []),
]


def issuer(proxy, origin, directory):
    """Who has signed the certificate that a client is shown."""
    words = ["openssl", "s_client", "-proxy", proxy.removeprefix("http://"), "-connect", origin.authority]
    done = run([*words, "-servername", origin.authority.split(":")[0]], stdin=subprocess.DEVNULL, cwd=directory)
    found = re.search(r"^issuer=(.*)$", done.stdout, re.M)
    return found.group(1).strip() if found else done.stderr[-200:]


def main(directory):
    foreign = Authority(directory + "/foreign", name="Authority of the site")
    files = repository(directory)
    caught = Site(foreign.context("caught.example"), "caught.example", files)
    blind = Site(foreign.context("blind.example"), "blind.example", files)
    ports = [site.origin.port for site in (caught, blind)]
    with open(directory + "/respite.toml", "w") as file:
        file.write(
            'hosts = { "caught.example" = "127.0.0.1", "blind.example" = "127.0.0.1" }\n'
            f'[tls]\nca-files = ["{foreign.file}"]\n[access]\nconnect-ports = {ports}\n'
            f'[intercept]\nhosts = ["caught.example:{ports[0]}"]\nca-directory = "{directory}/ca"\n'
            # Each client refuses the one site or the other, which is no reason here to let it alone.
            "pass-through-refused = false\n"
            # git (Pragma: no-cache) and pip (max-age=0) want what they begin with from the origin each time, unless a rule says otherwise.
            f'[[rule]]\nmatch = "https://caught.example:{ports[0]}/**"\nignore-client-no-cache = true\n'
        )
    made = run([binary(), "ca", "create", "--config", directory + "/respite.toml"], env={"HOME": directory, "PATH": os.environ["PATH"]})
    own = directory + "/ca/ca.pem"
    check(made.returncode == 0 and os.path.exists(own), f"respite ca create: {(made.stderr or made.stdout).strip()[:300]}")
    daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
    proxy = f"http://127.0.0.1:{daemon.port}"
    ours, theirs = issuer(proxy, caught.origin, directory), issuer(proxy, blind.origin, directory)
    check("Authority of the site" in theirs, f"without a rule the site's own certificate is seen, of {theirs}")
    check("Authority of the site" not in ours, f"with a rule one of ours is seen, of {ours}")
    for name, ask, programs, modules in CLIENTS:
        if name == "chromium" and not CHROMIUM:
            print("skipped: not installed: chromium", flush=True)
        elif has(*programs, modules=modules):
            trusting = {whose: Way(proxy, file, f"{directory}/{name}-{whose}") for whose, file in (("ours", own), ("theirs", foreign.file))}
            for way in trusting.values():
                os.makedirs(way.directory)
            client(name, ask, trusting, caught, blind)
    status = json.loads(run([binary(), "status", "--json", "--admin", f"127.0.0.1:{daemon.admin_port}", "--store", daemon.store]).stdout or "{}")
    check(bool(status), "the daemon tells its status")
    check(daemon.stop() == 0, "the daemon ended well")


def client(name, ask, trusting, caught, blind):
    counts = [caught.asked()]
    for _ in range(2):
        got, said = ask(trusting["ours"], caught.origin)
        check(got, f"{name}, intercepted: {'answered' if got else said.strip()[-300:]}")
        counts.append(caught.asked())
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    check(first > 0 and second == 0, f"{name}, intercepted: the origin was asked {first} times, then {second} times")
    for _ in range(2):
        before = blind.asked()
        got, said = ask(trusting["theirs"], blind.origin)
        check(got, f"{name}, not intercepted, trusting the site's authority: {'answered' if got else said.strip()[-300:]}")
        check(blind.asked() > before, f"{name}, not intercepted: the origin was asked")
    before = blind.asked()
    got, said = ask(trusting["ours"], blind.origin)
    check(not got and blind.asked() == before, f"{name}, not intercepted, trusting ours alone: refused: {' '.join(said.split())[-120:]}")
    got, said = ask(trusting["theirs"], caught.origin)
    check(not got, f"{name}, intercepted, trusting the site's authority alone: refused: {' '.join(said.split())[-120:]}")


if has("openssl", "curl"):
    with Directory() as scratch:
        main(scratch)
finish()
