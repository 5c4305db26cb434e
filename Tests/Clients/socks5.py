#!/usr/bin/env python3
"""Clients that reach the proxy by SOCKS5: curl, git, ssh by nc, Chromium.

Sites at port 80 are behind a parent proxy, so that no program needs that port. There the second access is a hit, also if
the client has looked up the name. https and ssh are tunnels.
"""

import getpass
import os
import shutil
import subprocess

from authority import Authority
from browser_profile import CHROMIUM, Profile
from clients import Daemon, Directory, Origin, check, connected, finish, free_port, has, run
from repository import repository

TEXT = "what the site says"


class Parent:
    """Answers what the proxy asks of a parent, for every site."""

    def __init__(self, bare):
        self.bare = bare
        self.origin = Origin(self.script)

    def script(self, exchange):
        path = "/" + exchange.target.removeprefix("http://").partition("/")[2]
        fields = ["Cache-Control: max-age=600", "Content-Type: text/html"]
        if path.startswith("/page"):
            return exchange.reply("200 OK", *fields, content=f"<!DOCTYPE html><title>page</title><p>{TEXT}</p>".encode())
        file = os.path.join(self.bare, path.partition("?")[0].removeprefix("/repository.git/"))
        if path.startswith("/repository.git/") and os.path.isfile(file):
            with open(file, "rb") as content:
                return exchange.reply("200 OK", "Cache-Control: max-age=600", content=content.read())
        return exchange.reply("404 Not Found", content=b"none")


def environment(**more):
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **more}


def with_curl(daemon, parent):
    own = f"127.0.0.1:{daemon.port}"
    words = ["curl", "-sS", "-i", "--max-time", "30"]
    resolve = ["--resolve", "web.example:80:192.0.2.7"]
    for name, proxy in (("--socks5-hostname", ["--socks5-hostname", own]), ("--socks5", [*resolve, "--socks5", own])):
        url = "http://web.example/page" + name
        done = [run([*words, *proxy, url], env=environment()) for _ in range(2)]
        check(all(TEXT in one.stdout for one in done), f"curl {name}: http: {done[0].stderr}")
        check("; hit" in done[1].stdout and "; hit" not in done[0].stdout, f"curl {name}: the second is a hit")
        check(parent.origin.count(url) == 1, f"curl {name}: the parent was asked once, by the site's name")
    done = run([*words, "--socks5-hostname", own, "http://other.example:8080/"], env=environment())
    check(done.returncode == 97 and "(2)" in done.stderr, f"curl: a port that is not open: {done.stderr.strip()}")
    done = run([*words, "--socks4a", own, "http://web.example/page"], env=environment())
    check(done.returncode == 97, f"curl --socks4a: {done.stderr.strip()}")


def https_with_curl(daemon, site, authority):
    own = f"127.0.0.1:{daemon.port}"
    for name in ("--socks5-hostname", "--socks5"):
        done = run(["curl", "-sS", "--max-time", "30", "--cacert", authority.file, name, own, site.url("/page")], env=environment())
        check(done.stdout == TEXT, f"curl {name}: https: {done.stderr}")
    port = free_port()
    refusing = Daemon(os.path.dirname(daemon.store) + "/refusing", "--set", f"access.connect-ports=[{port}]")
    done = run(["curl", "-sS", "--socks5-hostname", f"127.0.0.1:{refusing.port}", f"https://127.0.0.1:{port}/"], env=environment())
    check(done.returncode == 97 and "(5)" in done.stderr, f"curl: a closed port: {done.stderr.strip()}")
    refusing.stop()


def with_git(daemon, parent, directory):
    for turn in range(2):
        into = f"{directory}/clone-{turn}"
        words = ["git", "-c", f"http.proxy=socks5h://127.0.0.1:{daemon.port}", "clone", "-q", "http://code.example/repository.git", into]
        done = run(words, env=environment(HOME=directory, GIT_SMART_HTTP="0", GIT_CONFIG_NOSYSTEM="1", GIT_TERMINAL_PROMPT="0"))
        check(os.path.exists(into + "/file"), f"git by socks5h, turn {turn}: {done.stderr}")
        asked = parent.origin.total()
        if turn == 0:
            first = asked
    # git has what names no object validated.
    check(asked - first <= 2 < first, f"git: the first clone asked the origin {first} times, the second {asked - first} times")


class SSHServer:
    """OpenSSH's server with keys of its own, for this user."""

    def __init__(self, directory):
        self.directory = directory
        self.key = directory + "/key"
        for name in ("key", "host"):
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{directory}/{name}"])
        shutil.copy(self.key + ".pub", directory + "/authorized")
        self.port = free_port()
        with open(directory + "/sshd_config", "w") as file:
            file.write(
                f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {directory}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
                f"AuthorizedKeysFile {directory}/authorized\nPermitRootLogin yes\nPasswordAuthentication no\n"
            )
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        program = shutil.which("sshd") or "/usr/sbin/sshd"
        self.log = open(directory + "/log", "w+")
        self.process = subprocess.Popen([program, "-D", "-e", "-f", directory + "/sshd_config"], stderr=self.log)
        connected(self.port, self.process).close()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def with_ssh(directory):
    os.makedirs(directory)
    server = SSHServer(directory)
    daemon = Daemon(directory + "/store", "--set", f"access.connect-ports=[{server.port}]")
    words = ["ssh", "-F", "none", "-i", server.key, "-p", str(server.port), "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes"]
    words += ["-o", f"UserKnownHostsFile={directory}/known", "-o", f"ProxyCommand=nc -X 5 -x 127.0.0.1:{daemon.port} %h %p"]
    done = run([*words, f"{getpass.getuser()}@127.0.0.1", "head -c 1000000 /dev/zero | wc -c; cat"], input="through the tunnel\n")
    server.log.seek(0)
    fine = done.stdout == "1000000\nthrough the tunnel\n"
    check(fine, f"ssh by nc -X 5: {'' if fine else (done.stdout, done.stderr[-300:], server.log.read()[-300:])}")
    check(daemon.stop() == 0, "the daemon of ssh ended well")
    server.stop()


def with_chromium(daemon, tunnels, site, authority, directory):
    bypass = "--proxy-bypass-list=<-loopback>"
    for turn in range(2):
        os.makedirs(f"{directory}/chromium-{turn}")
        profile = Profile(f"{directory}/chromium-{turn}", authority.file)
        dom = profile.open("http://web.example/page/chromium", f"--proxy-server=socks5://127.0.0.1:{daemon.port}", bypass)
        check(TEXT in dom, f"chromium by socks5, http, turn {turn}: {dom[:300] if TEXT not in dom else 'the page'}")
        dom = profile.open(site.url("/page"), f"--proxy-server=socks5://127.0.0.1:{tunnels.port}", bypass)
        check(TEXT in dom, f"chromium by socks5, https, turn {turn}: {dom[:300] if TEXT not in dom else 'the page'}")


def main(directory):
    bare = repository(directory)
    parent = Parent(bare)
    daemon = Daemon(
        directory + "/store", "--set", f"upstream.proxy=http://{parent.origin.authority}", "--set", "upstream.no-proxy=[]"
    )
    authority = Authority(directory + "/authority")
    site = Origin(
        lambda exchange: exchange.reply("200 OK", "Content-Type: text/html", content=TEXT.encode()),
        context=authority.context("localhost", "127.0.0.1"), name="localhost",
    )  # fmt: skip
    tunnels = Daemon(directory + "/tunnels", "--set", f"access.connect-ports=[{site.port}]")
    with_curl(daemon, parent)
    https_with_curl(tunnels, site, authority)
    if has("git"):
        with_git(daemon, parent, directory)
    if has("ssh", "ssh-keygen", "nc") and (os.access("/usr/sbin/sshd", os.X_OK) or has("sshd")):
        with_ssh(directory + "/ssh")
    if CHROMIUM and has("certutil"):
        with_chromium(daemon, tunnels, site, authority, directory)
        check(parent.origin.count("http://web.example/page/chromium") == 1, "chromium: two browsers, and the origin was asked once")
    for one in (daemon, tunnels):
        check(one.stop() == 0, "the daemon ended well")


if __name__ == "__main__":
    with Directory() as scratch:
        main(scratch)
    finish()
