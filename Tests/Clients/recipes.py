#!/usr/bin/env python3
"""The recipes of docs/recipes.md as a reader follows them, each in an empty home; names select recipes.

They run on a network of their own, with the hosts that they name and certificates that are trusted there. That takes
namespaces, which need no privilege on most systems; where there are none, nothing is tested.
"""

import os
import re
import shutil
import subprocess
import sys

from authority import Authority
from clients import ROOT, Directory, Origin, binary, check, connected, finish, has, run
from registries import npm

INSIDE = "RESPITE_RECIPES_INSIDE"
NETWORK = "203.0.113."
HOSTS = {
    "10": "packages.example.com docs.example.com api.example.com www.example.com app.example.com wiki.intern.example tracker.example ads.example",
    "11": "registry.npmjs.org",
    "20": "proxy.corp.example cache.team.example",
}
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(sh|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def must(*words):
    subprocess.run(words, check=True, capture_output=True, text=True)


class World:
    """The network of this namespace: addresses, names, certificates and the origins behind them."""

    def __init__(self, directory):
        self.directory = directory
        self.requests = []
        must("ip", "link", "set", "lo", "up")
        for number in HOSTS:
            must("ip", "address", "add", f"{NETWORK}{number}/32", "dev", "lo")
        with open(directory + "/hosts", "w") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{NETWORK}{number} {names}\n" for number, names in HOSTS.items()))
        must("mount", "--bind", directory + "/hosts", "/etc/hosts")
        # The store of a daemon of root's.
        must("mount", "-t", "tmpfs", "none", "/var/cache")
        authority = Authority(directory + "/authority")
        self.authority = authority.file
        context = authority.context(*HOSTS["10"].split())
        Origin(self.script, host=NETWORK + "10", port=80)
        Origin(self.script, host=NETWORK + "10", port=443, context=context)
        self.registry = npm.Registry(authority, "registry.npmjs.org", host=NETWORK + "11", port=443)
        self.registry.add("words", "0.3.1")

    def script(self, exchange):
        exchange.reader.rest() if exchange.reader.left else b""
        host = exchange.request["Host"]
        self.requests.append((exchange.method, host + exchange.target, exchange.request))
        if exchange.target == "/page":
            fields = ["Set-Cookie: a=b", "X-Frame-Options: DENY", "Content-Type: text/html"]
            return exchange.reply("200 OK", *fields, content=b"from staging-shop.example and staging-blog.example\n")
        content = b"x" * 131_072 if exchange.target == "/large" else f"{host}{exchange.target}\n".encode()
        exchange.reply("200 OK", "Cache-Control: max-age=60", "Content-Type: text/plain", content=content)

    def asked(self, url):
        return [request for _, asked, request in self.requests if asked == url]


class Recipe:
    """One section: what to prepare, the settings, and what to type."""

    def __init__(self, world, title, text):
        self.world = world
        self.title = title
        self.home = f"{world.directory}/{title.lower().replace(' ', '-')}"
        self.before, self.settings, self.after = [], None, []
        for kind, block in BLOCK.findall(text):
            if kind == "toml":
                self.settings = block
            else:
                (self.before if self.settings is None else self.after).append(block)
        os.makedirs(self.home + "/bin")
        os.symlink(binary(), self.home + "/bin/respite")
        self.variables = {
            "HOME": self.home,
            "PATH": self.home + "/bin:" + os.environ["PATH"],
            "LANG": "C.UTF-8",
            "SSL_CERT_FILE": world.authority,
            "NODE_EXTRA_CA_CERTS": world.authority,
        }

    def type(self, block, **more):
        """What a shell prints; a command that fails is a finding."""
        done = run(["bash", "-e", "-c", block], env={**self.variables, **more}, cwd=self.home)
        check(done.returncode == 0, f"{self.title}: every command succeeds{'' if not done.returncode else ': ' + done.stderr[-300:]}")
        return done.stdout + done.stderr

    def run(self, judge):
        for block in self.before:
            self.type(block)
        os.makedirs(self.home + "/.config/respite", exist_ok=True)
        with open(self.home + "/.config/respite/respite.toml", "w") as file:
            file.write(self.settings)
        checked = run([binary(), "config", "check"], env=self.variables)
        said = checked.stdout + checked.stderr
        check(checked.returncode == 0 and "warning" not in said, f"{self.title}: the settings are right: {said.strip()[-300:]}")
        with Serving([], self.variables, self.home):
            judge(self, "".join(self.type(block) for block in self.after))


class Serving:
    """`respite serve` until the end of a `with`."""

    def __init__(self, words, variables, home, admin=3129):
        self.words = [binary(), "serve", *words]
        self.variables = variables
        self.log = home + "/log"
        self.admin = admin

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.words, env=self.variables, stdout=log, stderr=log)
        try:
            connected(self.admin, self.process).close()
            return self
        except OSError:
            with open(self.log) as log:
                raise SystemExit("the daemon does not start: " + log.read()) from None

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


def statuses(text):
    return [int(word) for word in re.findall(r"^HTTP/1.1 (\d+)", text, re.MULTILINE)]


def mirror(recipe, text):
    with open(recipe.home + "/node_modules/words/package.json") as file:
        check('"0.3.1"' in file.read(), "the package is there")
    before = len(recipe.world.registry.requests)
    shutil.rmtree(recipe.home + "/node_modules")
    shutil.rmtree(recipe.home + "/.npm")
    recipe.type("respite mode offline && npm ci")
    check(len(recipe.world.registry.requests) == before, "npm ci with an empty cache asks the registry nothing")


def travel(recipe, text):
    check(statuses(text) == [200] and "offline" in text and "docs.example.com/guide" in text, f"offline it is served: {text[-400:]}")
    check(len(recipe.world.asked("docs.example.com/guide")) == 1, "each page was asked for once")


def api(recipe, text):
    asked = recipe.world.asked("api.example.com/v1/items/1")
    check(len(asked) == 1 and asked[0]["Authorization"] == "Bearer the-token", "the API is asked once, with the token")
    check(statuses(text) == [200, 200] and "respite; hit" in text and "the-token" not in text, "the second request is a hit")


def parent(recipe, text):
    check(statuses(text) == [200, 200], f"both are served: {text[-300:]}")
    ways = [
        sum(line.lower().startswith("via:") for line in recipe.world.asked(url)[-1].lines)
        for url in ("www.example.com/", "wiki.intern.example/")
    ]
    check(ways == [2, 1], f"only the first went by the parent, too: {ways} proxies")


def block_list(recipe, text):
    check(statuses(text) == [403, 200] and "an advertisement" in text, f"one is denied, one is not: {text[-300:]}")
    check(not recipe.world.asked("ads.example/banner.js"), "nobody is asked for what is denied")


def rewriting(recipe, text):
    asked = recipe.world.asked("app.example.com/page")[-1]
    check(asked["Cookie"] is None and asked["Accept-Language"] == "de", "the request was changed")
    check("Access-Control-Allow-Origin: *" in text and "Set-Cookie" not in text and "X-Frame" not in text, "the response was changed")
    check("from shop.example and blog.example" in text, "the content was changed")


def slow(recipe, text):
    took = float(re.search(r"^real (\d+\.\d+)", text, re.MULTILINE)[1])
    size = os.path.getsize(recipe.home + "/page")
    # 200 ms, and 128 KiB at 64 KiB a second.
    check(size == 131_072 and took >= 2.1, f"128 KiB took {took} s")
    check(statuses(text) == [503], "the failure comes")


def script(recipe, text):
    # A browser that has no network but loopback loads no script: pac.py has Chromium.
    check(statuses(text) == [200] and "application/x-ns-proxy-autoconfig" in text, "the script is served")
    hosts = ["www.example.com", "wiki.intern.example", "10.1.2.3", "localhost"]
    code = text.replace("\r", "").split("\n\n", 1)[1].split("% Total")[0]
    done = run(["node", "-e", code + f"\nconsole.log({hosts}.map((host) => FindProxyForURL('', host)).join())"])
    check(done.stdout.strip() == "PROXY 127.0.0.1:3128,DIRECT,DIRECT,DIRECT", f"hosts go where they should: {done.stdout} {done.stderr[-300:]}")


def team(recipe, text):
    asked = recipe.world.asked("www.example.com/team")
    check(statuses(text) == [407, 200], f"without a login nothing is served: {text[-300:]}")
    check(len(asked) == 1 and asked[0]["Proxy-Authorization"] is None, "the login stays with the proxy")


def reading(recipe, text):
    asked = recipe.world.asked("packages.example.com/words-0.3.1.tgz")
    check(statuses(text) == [200, 403] and "for reading" in text, f"reading works, writing does not: {text[-300:]}")
    check(asked[0]["Authorization"] == "Bearer the-token" and "the-token" not in text, "the origin gets the token, the job does not")
    check(not recipe.world.asked("packages.example.com/words-0.3.2.tgz"), "nothing was written")


JUDGES = {
    "A mirror for npm": mirror,
    "Travel": travel,
    "An API with a token": api,
    "A parent proxy": parent,
    "A block list": block_list,
    "Rewriting fields": rewriting,
    "A slow and failing network": slow,
    "A script for a browser": script,
    "A team server with a login": team,
    "CI with a read-only token": reading,
}

NEEDED = {"A mirror for npm": "npm", "A script for a browser": "node"}


def recipes():
    with open(ROOT + "/docs/recipes.md") as file:
        found = dict(SECTION.findall(file.read()))
    check(set(found) == set(JUDGES), f"each recipe has a test: {sorted(set(found) ^ set(JUDGES))}")
    with Directory() as directory:
        world = World(directory)
        for title, text in found.items():
            if sys.argv[1:] and title not in sys.argv[1:] or title not in JUDGES:
                continue
            if title in NEEDED and not has(NEEDED[title]):
                continue
            recipe = Recipe(world, title, text)
            if title == "A parent proxy":
                home = directory + "/corporation"
                os.makedirs(home)
                words = ["--listen", NETWORK + "20:3128", "--admin", "127.0.0.1:4129", "--set", f'access.clients=["{NETWORK}0/24"]']
                with Serving(words, {**recipe.variables, "HOME": home}, home, admin=4129):
                    recipe.run(JUDGES[title])
            else:
                recipe.run(JUDGES[title])
    finish()


if __name__ == "__main__":
    if os.environ.get(INSIDE):
        recipes()
    elif not has("unshare", "ip", "curl"):
        finish()
    elif run(["unshare", "-rnm", "true"]).returncode:
        print("skipped: no namespaces here")
    else:
        words = ["unshare", "-rnm", sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
        os.execvpe(words[0], words, {**os.environ, INSIDE: "1"})
