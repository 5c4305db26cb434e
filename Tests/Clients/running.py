#!/usr/bin/env python3
"""`respite run -- TOOL`: package managers with the rules for their index, and every runtime with --intercept.

Each command runs three times with an empty cache of its own, the third time in mode offline. The index is the one that the
tool itself names; registries and servers are those of this directory. Names given as arguments select tools.
"""

import os
import re
import shutil
import subprocess
import sys

import debian
from authority import Authority
from clients import PYTHON, Directory, Origin, binary, check, finish, has, run
from registries import crates, gems, golang, maven, npm, oci, simple
from registries.site import Site, missing, reply

# Debian's yarn finds its modules by itself only with Debian's node.
NODE_MODULES = {"NODE_PATH": "/usr/share/nodejs"}
# Its name in Debian, where another `yarn` is taken.
YARN = "yarnpkg" if shutil.which("yarnpkg") else "yarn"
SUMMARY = re.compile(r"respite: (\d+) requests?, (\d+) hits?, .*saved(?:; (\d+) tunnels? passed by unread)?")


class Runner:
    """`respite run` with settings that lead the names of some sites to this machine, and a store of its own."""

    def __init__(self, directory, authority, sites):
        self.sites = sites
        self.directory = directory
        os.makedirs(directory, exist_ok=True)
        names = ", ".join(f'"{site.origin.authority.split(":")[0]}" = "127.0.0.1"' for site in sites)
        ports = ", ".join(str(site.origin.port) for site in sites)
        self.settings = directory + "/respite.toml"
        with open(self.settings, "w") as file:
            file.write(f'hosts = {{ {names} }}\naccess.connect-ports = [443, {ports}]\n[tls]\nca-files = ["{authority.file}"]\n')

    def environment(self, home, **more):
        """Nothing of the user's: an empty home, no proxies."""
        os.makedirs(home, exist_ok=True)
        kept = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "TMPDIR": self.directory}
        return {**kept, "XDG_CACHE_HOME": self.directory + "/cache", **more}

    def run(self, words, options=(), **rest):
        return run([binary(), "run", "--admin", "127.0.0.1:1", "--config", self.settings, *options, "--", *words], **rest)

    def asked(self):
        return sum(len(site.requests) for site in self.sites)

    def thrice(self, name, client, options=(), tunnels=0):
        """Runs `client(turn, home, options)`, which gives the finished command, and says what each run cost."""
        figures = []
        shutil.rmtree(self.directory + "/cache", ignore_errors=True)
        for turn, mode in enumerate(("first", "second", "offline")):
            before = self.asked()
            done = client(turn, f"{self.directory}/{name.replace(' ', '-')}-{mode}", [*options, *(["--mode", "offline"] if turn == 2 else [])])
            # Maven leaves the sequences of a terminal.
            last = re.sub("\x1b\\[[0-9;]*m", "", (done.stderr.strip().splitlines() or [""])[-1])
            counts = SUMMARY.match(last)
            told = tuple(int(number or 0) for number in counts.groups()) if counts else (0, 0, 0)
            figures.append((*told, self.asked() - before))
            good = done.returncode == 0 and counts
            check(good, f"run -- {name}, {mode}: {last if good else (done.returncode, done.stdout[-300:], done.stderr[-900:])}; origins were asked {figures[-1][3]} times")
        first, second, offline = figures
        check(first[0] > 0 and first[3] > 0, f"{name}: the first run went through the cache")
        check(all(one[2] == tunnels for one in figures), f"{name}: {tunnels} tunnels: {[one[2] for one in figures]}")
        check(second[1] > 0 and second[3] < first[3], f"{name}: the second run has {second[1]} hits of {second[0]}, and origins were asked {second[3]} times, not {first[3]}")
        check(offline[3] == 0 and offline[1] > 0, f"{name}: offline has {offline[1]} hits of {offline[0]}, and asks no origin")
        left = [one for one in os.listdir(self.directory) if one.startswith("respite-") and os.path.isdir(f"{self.directory}/{one}")]
        check(not left, f"{name}: the files of the commands are gone: {left}")


# Package managers.


def python_index(directory, authority):
    files = simple.Files(authority, "files.example")
    index = simple.Index(authority, "index.example", files)
    index.add("words", "0.3.1")
    index.add("greet", "1.2.0", ["words>=0.3"])
    return Runner(directory, authority, [index, files]), index.url("/simple")


def with_pip(directory, authority):
    runner, index = python_index(directory, authority)
    install = ["install", "--disable-pip-version-check", "--no-cache-dir"]

    def client(words):
        def act(turn, home, options):
            command = [*words, *install, "--target", home + "/into", "greet"]
            return runner.run(command, options, env=runner.environment(home, PIP_INDEX_URL=index))

        return act

    runner.thrice("python3 -m pip", client([PYTHON, "-m", "pip"]))
    # Several tools in the text of a shell, and an index that a password is for.
    home = directory + "/shell"
    text = f"{PYTHON} -m pip download --no-cache-dir --no-deps -d {home} words && echo $PIP_INDEX_URL"
    done = runner.run(["sh", "-c", text], env=runner.environment(home, PIP_INDEX_URL=index))
    check(done.returncode == 0 and re.search(r"http://127.0.0.1:\d+/" + index, done.stdout), f"pip in the text of a shell: {done.stdout[-200:]!r} {done.stderr[-200:]!r}")
    secret = index.replace("https://", "https://ann:secret@")
    done = runner.run([PYTHON, "-m", "pip", "--version"], env=runner.environment(home, PIP_INDEX_URL=secret))
    check("stays as it is" in done.stderr and "secret" not in done.stderr + done.stdout, f"an index with a password stays the tool's: {done.stderr.strip()!r}")
    kept = run(["grep", "-rl", "secret", directory + "/cache"])
    check(not kept.stdout, "no file has the password")


def with_uv(directory, authority):
    runner, index = python_index(directory, authority)

    def client(turn, home, options):
        words = ["uv", "pip", "install", "--no-cache", "--python", PYTHON, "--target", home + "/into", "greet"]
        return runner.run(words, options, env=runner.environment(home, UV_DEFAULT_INDEX=index))

    runner.thrice("uv", client)


def with_node_packages(directory, authority, name, commands, environment, judge):
    """Installs a package into a new project, then again from the lock file; `commands` gets the home."""
    registry = npm.Registry(authority, "registry.example")
    registry.add("words", "0.3.1")
    registry.add("@soak/greet", "1.2.0", {"words": "^0.3.0"})
    runner = Runner(directory, authority, [registry])

    def client(turn, home, options):
        os.makedirs(home + "/project")
        with open(home + "/project/package.json", "w") as file:
            file.write('{"name": "project", "version": "1.0.0"}\n')
        variables = runner.environment(home, npm_config_registry=registry.url("/"), **environment)
        done = runner.run(["sh", "-c", " && rm -r node_modules && ".join(commands(home))], options, env=variables, cwd=home + "/project")
        judge(done, home)
        return done

    runner.thrice(name, client)


def with_npm(directory, authority):
    def commands(home):
        return f"npm install --cache {home}/1 --no-update-notifier @soak/greet", f"npm ci --cache {home}/2"

    def judge(done, home):
        with open(home + "/project/package-lock.json") as file:
            check("127.0.0.1" not in file.read(), "npm: the lock file does not name the gateway")

    with_node_packages(directory, authority, "npm", commands, {"npm_config_audit": "false"}, judge)


def with_yarn(directory, authority):
    def commands(home):
        return f"{YARN} add --cache-folder {home}/1 @soak/greet", f"{YARN} install --frozen-lockfile --cache-folder {home}/2"

    def judge(done, home):
        check("yarn.lock" in done.stderr, f"yarn: a note tells that the lock file names the gateway: {done.stderr.splitlines()[:1]}")

    with_node_packages(directory, authority, "yarn", commands, NODE_MODULES, judge)


def with_go(directory, authority):
    proxy = golang.Proxy(authority, "modules.example")
    words = "test.example/words"
    proxy.add(words, "v0.3.1", 'package words\n\nfunc Hello() string { return "hello" }\n')
    runner = Runner(directory, authority, [proxy])

    def client(turn, home, options):
        os.makedirs(home + "/project")
        environment = runner.environment(
            home, GOPROXY=proxy.url(""), GOMODCACHE=home + "/modules", GOCACHE=directory + "/build", GOFLAGS="-mod=mod -modcacherw",
            GONOSUMDB="test.example", GOTOOLCHAIN="local", CGO_ENABLED="0",
        )  # fmt: skip
        with open(home + "/project/go.mod", "w") as file:
            file.write(f"module project\n\ngo 1.16\n\nrequire {words} v0.3.1\n")
        return runner.run(["go", "mod", "download", words], options, env=environment, cwd=home + "/project")

    runner.thrice("go", client)


def with_skopeo(directory, authority):
    tokens = oci.Tokens(authority, "tokens.example")
    blobs = oci.Blobs(authority, "blobs.example")
    registry = oci.Registry(authority, "images.example", tokens, blobs)
    registry.add("library/soak", "1.2", [b"a layer " * 50_000])
    runner = Runner(directory, authority, [registry, tokens, blobs])
    options = ["--intercept=*.example:*", *(word for site in runner.sites for word in ("--rules", "oci=" + site.url("/")))]

    def client(turn, home, more):
        image = registry.url("").removeprefix("https://") + "/library/soak:1.2"
        words = ["skopeo", "--insecure-policy", "copy", "docker://" + image, f"dir:{home}/image"]
        return runner.run(words, more, env=runner.environment(home, XDG_RUNTIME_DIR=home))

    runner.thrice("skopeo", client, options)


def sparse_cargo():
    for program in ("cargo", "/usr/bin/cargo"):
        version = run([program, "--version"]).stdout.split() if shutil.which(program) else []
        if version and tuple(map(int, version[1].split(".")[:2])) >= (1, 68):
            return program
    print("skipped: no cargo with sparse indexes (1.68)", flush=True)
    return None


def with_cargo(directory, authority):
    downloads = crates.Downloads(authority, "crates.example")
    index = crates.Index(authority, "index.example", downloads)
    index.add("words", "0.3.1", 'pub fn hello() -> &\'static str { "hello" }\n')
    runner = Runner(directory, authority, [index, downloads])
    program = sparse_cargo()
    toolchains = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")

    def client(words):
        def act(turn, home, options):
            os.makedirs(home + "/project/src")
            os.makedirs(home + "/cargo")
            with open(home + "/cargo/config.toml", "w") as file:
                file.write(f'[source.crates-io]\nreplace-with = "mine"\n[source.mine]\nregistry = "sparse+{index.url("/")}"\n')
            with open(home + "/project/Cargo.toml", "w") as file:
                file.write('[package]\nname = "project"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\nwords = "0.3"\n')
            with open(home + "/project/src/lib.rs", "w") as file:
                file.write("\n")
            environment = runner.environment(home, CARGO_HOME=home + "/cargo", RUSTUP_HOME=toolchains)
            return runner.run(words, options, env=environment, cwd=home + "/project")

        return act

    runner.thrice("cargo", client([program, "fetch"]))
    runner.thrice("cargo in a shell", client(["sh", "-c", "cargo fetch && test -f Cargo.lock"]))


class Mirror(Site):
    def __init__(self, authority, name, directory):
        self.directory = directory
        super().__init__(authority, name)
        # Mirrors speak plain HTTP, since packages are signed.
        self.origin = Origin(self._script, name=name)

    def answer(self, exchange, path, query):
        debian.answer(self.directory, exchange, path)


def with_apt(directory, authority):
    work = directory + "-repository"
    os.makedirs(work + "/repo")
    debian.build_repository(work, "1.0", age=86_400 * 30)
    # Mirrors have it; nobody knows its key.
    gpg = ["gpg", "--homedir", work + "/keys", "--batch", "--passphrase", "", "--pinentry-mode", "loopback"]
    os.makedirs(work + "/keys", mode=0o700)
    run([*gpg, "--quick-gen-key", "test@example", "ed25519", "sign", "1d"])
    run([*gpg, "--clearsign", "--output", work + "/repo/InRelease", work + "/repo/Release"])
    run(["gpgconf", "--homedir", work + "/keys", "--kill", "gpg-agent"])
    mirror = Mirror(authority, "mirror.example", work + "/repo")
    runner = Runner(directory, authority, [mirror])

    def client(turn, home, options):
        apt = debian.Apt(home, mirror.url("/"))
        with open(home + "/apt.conf", "w") as file:
            for option in apt.options[1::2]:
                key, _, value = option.partition("=")
                if "Proxy" not in key:
                    file.write(f'{key} "{value}";\n')
        names = " ".join(debian.NAMES)
        text = f"apt-get update -o Acquire::Languages=none && apt-get download {names}"
        return runner.run(["sh", "-c", text], options, env=runner.environment(home, APT_CONFIG=home + "/apt.conf"), cwd=home + "/out")

    runner.thrice("apt-get", client)


def with_gem(directory, authority):
    os.makedirs(directory)
    server = gems.Gems(authority, "gems.example", directory + "/server")
    server.add("words", "0.3.1")
    server.add("greet", "1.2.0", ["words"])
    runner = Runner(directory, authority, [server])

    def client(turn, home, options):
        os.makedirs(home)
        with open(home + "/.gemrc", "w") as file:
            file.write(f"---\n:sources:\n- {server.url('/')}\n")
        words = ["gem", "install", "--no-document", "--install-dir", home + "/into", "greet"]
        return runner.run(words, options, env=runner.environment(home))

    runner.thrice("gem", client)


def with_mvn(directory, authority):
    repository = maven.Repository(authority, "repository.example")
    repository.add("test.example", "base", "1.0")
    repository.add("test.example", "parent", "1.0", "<parent><groupId>test.example</groupId><artifactId>base</artifactId><version>1.0</version></parent>")
    runner = Runner(directory, authority, [repository])

    def client(turn, home, options):
        os.makedirs(home)
        parent = "<parent><groupId>test.example</groupId><artifactId>parent</artifactId><version>1.0</version><relativePath/></parent>"
        with open(home + "/pom.xml", "w") as file:
            file.write(maven.pom("test.example", "project", "1.0", parent))
        words = ["mvn", "-B", "-q", f"-Dmaven.repo.local={home}/m2", "validate"]
        return runner.run(words, ["--rules", "maven=" + repository.url("/maven2"), *options], env=runner.environment(home), cwd=home)

    runner.thrice("mvn", client)


# Every runtime, with --intercept.


class Files(Site):
    """Files of a directory; what changes is validated."""

    def __init__(self, authority, name, directory):
        super().__init__(authority, name)
        self.directory = directory

    def answer(self, exchange, path, query):
        if path.startswith("/smart/"):
            return self.backend(exchange, path[6:], query)
        if path == "/text":
            return reply(exchange, b"content", "text/plain", "Cache-Control: max-age=600", compress=False)
        file = self.directory + path
        if not os.path.isfile(file):
            return missing(exchange)
        with open(file, "rb") as opened:
            return reply(exchange, opened.read(), "application/octet-stream", "Cache-Control: max-age=600", compress=False)


    def backend(self, exchange, path, query):
        """The smart protocol, by git's own program."""
        request = exchange.request
        content = b"".join(iter(lambda: exchange.reader.content(65536), b"")) if exchange.method == "POST" else b""
        variables = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.directory, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "REQUEST_METHOD": exchange.method, "QUERY_STRING": query, "CONTENT_TYPE": request["Content-Type"] or "",
            "CONTENT_LENGTH": str(len(content)), "HTTP_CONTENT_ENCODING": request["Content-Encoding"] or "",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
        }  # fmt: skip
        done = subprocess.run(["git", "http-backend"], input=content, capture_output=True, env=variables)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [line for line in head.decode().split("\r\n") if not line.startswith("Status:")]
        return exchange.reply("200 OK", *fields, content=body)


JAVA = """
import java.net.URI;
import java.net.http.*;
public class Fetch {
    public static void main(String[] words) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(words[0])).build();
        System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
"""
GO = """package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, response.Body)
}
"""
NODE_HTTPS = "require('https').get(process.argv[1], (r) => r.on('data', (d) => process.stdout.write(d)))"
NODE_FETCH = "fetch(process.argv[1]).then((r) => r.text()).then((t) => process.stdout.write(t))"


def with_intercept(directory, authority):
    os.makedirs(directory + "/files")
    site = Files(authority, "site.example", directory + "/files")
    runner = Runner(directory, authority, [site])
    url = site.url("/text")
    with open(directory + "/Fetch.java", "w") as file:
        file.write(JAVA)
    with open(directory + "/fetch.go", "w") as file:
        file.write(GO)
    go = {"GOCACHE": directory + "/build", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
    if has("go"):
        run(["go", "build", "-o", directory + "/fetch", directory + "/fetch.go"], env=runner.environment(directory + "/go", **go))
    ways = {
        "curl": (["curl", "-sS", url], has("curl")),
        "wget": (["sh", "-c", f'wget -q -O - --ca-certificate="$SSL_CERT_FILE" {url}'], has("wget")),
        "urllib": ([PYTHON, "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode(), end='')", url], True),
        "requests": ([PYTHON, "-c", "import sys, requests; print(requests.get(sys.argv[1]).text, end='')", url], has(modules=["requests"])),
        "node -e fetch": (["node", "-e", NODE_FETCH, url], has("node")),
        "node -e https": (["node", "-e", NODE_HTTPS, url], has("node")),
        "java HttpClient": (["java", directory + "/Fetch.java", url], has("java", "javac")),
        "go": ([directory + "/fetch", url], has("go")),
        "ruby -ropen-uri": (["ruby", "-ropen-uri", "-e", "print URI.open(ARGV[0]).read", url], has("ruby")),
    }
    for name, (words, is_installed) in ways.items():
        if not is_installed:
            continue

        def client(turn, home, options, words=words):
            done = runner.run(words, options, env=runner.environment(home))
            check(done.stdout == "content", f"the content: {done.stdout!r}")
            return done

        runner.thrice(name, client, ["--intercept=site.example:*"])
    private_files(runner, url)
    git(runner, site, directory)


def private_files(runner, url):
    """What the command is given, while it runs."""
    text = 'd=$(dirname "$NODE_EXTRA_CA_CERTS"); stat -c "%a %n" "$d" "$d"/* "$d"/..; echo "$NODE_OPTIONS"; openssl x509 -noout -enddate -ext nameConstraints -in "$NODE_EXTRA_CA_CERTS"'
    done = runner.run(["sh", "-c", text], ["--intercept=site.example:*"], env=runner.environment(runner.directory + "/look", NODE_OPTIONS="--no-warnings"))
    modes = dict(reversed(line.split(" ", 1)) for line in done.stdout.splitlines() if line[:3].isdigit())
    key = [mode for name, mode in modes.items() if name.endswith("/ca.key")]
    above = [mode for name, mode in modes.items() if name.endswith("/..")]
    check(key == ["600"] and above == ["700"], f"the key is its owner's alone, in a directory nobody else enters: {modes}")
    check("--no-warnings --require " in done.stdout, "the user's own options of Node stay")
    check("DNS:site.example" in done.stdout, f"the CA is limited to the host: {done.stdout[-300:]!r}")
    check(all(not os.path.exists(name) for name in modes), "after the command its files are gone")


def git(runner, site, directory):
    if not has("git"):
        return
    settings = ["-c", "user.name=Test", "-c", "user.email=test@example", "-c", "init.defaultBranch=main"]
    plain = runner.environment(directory + "/git")
    for words in (["init", "-q", directory + "/work"], ["-C", directory + "/work", "commit", "-q", "--allow-empty", "-m", "one"]):
        run(["git", *settings, *words], env=plain)
    run(["git", "clone", "-q", "--bare", directory + "/work", directory + "/files/dumb.git"], env=plain)
    run(["git", "-C", directory + "/files/dumb.git", "update-server-info"], env=plain)

    def client(turn, home, options):
        words = ["git", "clone", "-q", site.url("/dumb.git"), home + "/clone"]
        return runner.run(words, options, env=runner.environment(home, GIT_TERMINAL_PROMPT="0"))

    runner.thrice("git clone, dumb HTTP", client, ["--intercept=site.example:*"])
    posts = []
    for turn in range(2):
        words = ["git", "clone", "-q", site.url("/smart/dumb.git"), f"{directory}/smart-{turn}"]
        before = len(site.requests)
        done = runner.run(words, ["--intercept=site.example:*"], env=runner.environment(directory + "/git"))
        posts.append(sum(method == "POST" for method, _ in site.requests[before:]))
        check(done.returncode == 0, f"git clone, smart HTTP: {done.stderr.strip()}")
    check(posts[0] == posts[1] > 0, f"git clone, smart HTTP passes through and is never stored: {posts} POSTs")


TOOLS = {
    "pip": (with_pip, lambda: has(modules=["pip"])),
    "uv": (with_uv, lambda: has("uv")),
    "npm": (with_npm, lambda: has("npm")),
    "yarn": (with_yarn, lambda: has(YARN) and run([YARN, "--version"], env={**os.environ, **NODE_MODULES}).returncode == 0),
    "go": (with_go, lambda: has("go")),
    "cargo": (with_cargo, sparse_cargo),
    "apt": (with_apt, lambda: has("apt-get", "dpkg-deb", "dpkg-scanpackages", "gpg")),
    "gem": (with_gem, lambda: has("ruby", "gem")),
    "mvn": (with_mvn, lambda: has("mvn")),
    "skopeo": (with_skopeo, lambda: has("skopeo")),
    "intercept": (with_intercept, lambda: has("openssl")),
}

with Directory() as scratch:
    trusted = Authority(scratch + "/authority")
    for name in sys.argv[1:] or TOOLS:
        client, there = TOOLS[name]
        if there():
            client(f"{scratch}/{name}", trusted)
finish()
