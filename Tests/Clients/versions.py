#!/usr/bin/env python3
"""git over HTTP through the proxy, by the smart protocol: clone, shallow clone, push, and a clone that sees the push."""

import os
import subprocess

from clients import Daemon, Directory, Origin, check, finish, has, proxied, run


class Repository:
    """An origin that hands each request to `git http-backend` (CGI)."""

    def __init__(self, root):
        self.root = root
        self.origin = Origin(self.script)

    def script(self, exchange):
        path, _, query = exchange.target.partition("?")
        content = exchange.reader.rest()
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": exchange.method,
            "CONTENT_TYPE": exchange.request["Content-Type"] or "",
            "CONTENT_LENGTH": str(len(content)),
            "HTTP_CONTENT_ENCODING": exchange.request["Content-Encoding"] or "",
            "GIT_PROTOCOL": exchange.request["Git-Protocol"] or "",
            "REMOTE_USER": "tester",
        }
        done = subprocess.run(["git", "http-backend"], input=content, capture_output=True, env=environment)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = next((line[8:] for line in lines if line.lower().startswith("status: ")), "200 OK")
        exchange.reply(status, *(line for line in lines if line and not line.lower().startswith("status:")), content=body)


def commit(tree, environment, number):
    for name in range(20):
        with open(f"{tree}/file-{name}", "wb") as file:
            file.write(os.urandom(20_000))
    run(["git", "add", "."], cwd=tree, env=environment)
    run(["git", "commit", "-qm", f"number {number}"], cwd=tree, env=environment)


def main(directory):
    served = directory + "/served"
    tree = directory + "/tree"
    os.makedirs(served)
    run(["git", "init", "-q", "-b", "main", tree])
    daemon = Daemon(directory + "/store")
    names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = dict(proxied(daemon), HOME=directory, GIT_CONFIG_NOSYSTEM="1", GIT_TERMINAL_PROMPT="0", **names)
    for number in range(3):
        commit(tree, environment, number)
    run(["git", "clone", "-q", "--bare", tree, served + "/repo.git"], env=environment)
    run(["git", "config", "http.receivepack", "true"], cwd=served + "/repo.git", env=environment)
    repository = Repository(served)
    url = repository.origin.url("/repo.git")

    def clone(name, *words):
        done = run(["git", "clone", "-q", *words, url, f"{directory}/{name}"], env=environment)
        same = run(["diff", "-r", "-x", ".git", tree, f"{directory}/{name}"]).returncode == 0
        check(done.returncode == 0 and same, f"git clone {' '.join(words)}: {done.stderr.strip()[:300] or 'identical'}")
        count = run(["git", "rev-list", "--count", "HEAD"], cwd=f"{directory}/{name}", env=environment).stdout.strip()
        return count

    check(clone("whole") == "3", "a clone has all commits")
    check(clone("shallow", "--depth", "1") == "1", "a shallow clone has one commit")
    work = directory + "/whole"
    commit(work, environment, 3)
    large = ["-c", "http.postBuffer=65536"]
    for turn, options in enumerate(([], large)):
        pushed = run(["git", *options, "push", "-q", "origin", "HEAD:main"], cwd=work, env=environment)
        check(pushed.returncode == 0, f"git push {'with a length' if turn == 0 else 'in chunks'}: {pushed.stderr.strip()[:300] or 'taken'}")
        commit(work, environment, 4 + turn)
        run(["git", "reset", "-q", "--hard", "HEAD~1"] if turn else ["git", "status"], cwd=work, env=environment)
    run(["git", "pull", "-q", served + "/repo.git", "main"], cwd=tree, env=environment)
    check(clone("after") == "5", "a clone after the pushes has them: nothing old was served")
    check(run(["git", "fsck", "--strict"], cwd=directory + "/after", env=environment).returncode == 0, "git fsck finds nothing")
    check(daemon.stop() == 0, "the daemon ended well")


if has("git"):
    with Directory() as scratch:
        main(scratch)
finish()
