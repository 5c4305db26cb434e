#!/usr/bin/env python3
"""`respite run` and `respite env` as people use them: on a terminal, in shells, around clients that heed variables."""

import os
import pty
import select
import signal
import subprocess
import time

from clients import PYTHON, Daemon, Directory, Origin, binary, check, finish, has, run


def surroundings(directory):
    names = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")
    kept = {name: value for name, value in os.environ.items() if name.lower() not in names}
    return dict(kept, HOME=directory, XDG_CONFIG_HOME=directory + "/none", XDG_CACHE_HOME=directory + "/cache", XDG_RUNTIME_DIR=directory)


def script(exchange):
    exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"content")


def clients(directory, origin):
    """Each client twice: the second time the origin is not asked."""
    python = "import sys, {0}; print({0}.get(sys.argv[1]).text, end='')"
    words = {
        "curl": (["curl", "-sS"], has("curl")),
        "wget": (["wget", "-q", "-O", "-"], has("wget")),
        "urllib": ([PYTHON, "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode(), end='')"], True),
        "requests": ([PYTHON, "-c", python.format("requests")], has(modules=["requests"])),
        "httpx": ([PYTHON, "-c", python.format("httpx")], has(modules=["httpx"])),
    }
    for name, (command, is_installed) in words.items():
        if not is_installed:
            continue
        url = origin.url("/" + name)
        for turn in range(2):
            done = run([binary(), "run", "--admin", "127.0.0.1:1", "--no-proxy", "", "--", *command, url], env=surroundings(directory))
            summary = f"respite: 1 request, {turn} hit{'s' * (turn == 0)}, {7 * turn} B saved\n"
            good = done.returncode == 0 and done.stdout == "content" and done.stderr == summary
            check(good, f"respite run -- {name}, turn {turn}: {done.stdout!r} {done.stderr.strip()!r}")


def shells(directory, origin):
    daemon = Daemon(directory + "/store")
    command = f"{binary()} env --admin 127.0.0.1:{daemon.admin_port} --store {daemon.store} --no-proxy ''"
    programs = {
        "sh": f'eval "$({command})"; curl -sS {origin.url("/sh")}; curl -sSi {origin.url("/sh")}',
        "fish": f'{command} --fish | source; curl -sS {origin.url("/fish")}; curl -sSi {origin.url("/fish")}',
    }
    for shell, text in programs.items():
        if has(shell, "curl"):
            done = run([shell, "-c", text], env=surroundings(directory))
            check("; hit" in done.stdout, f"variables in {shell}: {done.stderr.strip()!r}")
    daemon.stop()


def unusual_bytes(directory):
    """Arguments, variables and standard input that are no UTF-8."""
    strange = b"\xe4\xff caf\xe9"
    program = "import os, sys; sys.stdout.buffer.write(os.fsencode(sys.argv[1]) + b'|' + os.environb[b'STRANGE'] + b'|' + sys.stdin.buffer.read())"
    words = [binary().encode(), b"run", b"-q", b"--admin", b"127.0.0.1:1", PYTHON.encode(), b"-c", program.encode(), strange]
    variables = {os.fsencode(name): os.fsencode(value) for name, value in surroundings(directory).items()}
    variables[b"STRANGE"] = strange
    done = subprocess.run(words, input=strange, capture_output=True, env=variables)
    check(done.stdout == strange + b"|" + strange + b"|" + strange, f"bytes stay as they are: {done.stdout!r} {done.stderr!r}")


class Terminal:
    """A command on a terminal of its own, as in a window."""

    def __init__(self, words, environment):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            # Whoever runs the tests in the background may have these ignored.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGQUIT, signal.SIG_DFL)
            os.execve(words[0], words, environment)
        self.text = b""

    def wait(self, mark):
        """Reads until `mark` has come; the end of output ends it, too."""
        ends = time.monotonic() + 60
        while mark not in self.text and time.monotonic() < ends:
            if not select.select([self.descriptor], [], [], 1)[0]:
                continue
            try:
                piece = os.read(self.descriptor, 4096)
            except OSError:
                break
            if not piece:
                break
            self.text += piece
        return mark in self.text

    def type(self, data):
        os.write(self.descriptor, data)

    def end(self):
        self.wait(b"\0 never")
        process = os.pidfd_open(self.pid)
        if not select.select([process], [], [], 10)[0]:
            check(False, f"the command ends: {self.text!r}")
            os.kill(self.pid, signal.SIGKILL)
        os.close(process)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(status)


def terminal(directory):
    own = [binary(), "run", "--admin", "127.0.0.1:1", "--", "sh", "-c"]
    plain = Terminal(own + ["test -t 0 && test -t 1 && test -t 2 && echo terminal && stty size"], surroundings(directory))
    code = plain.end()
    check(code == 0 and b"terminal" in plain.text, f"the command has the terminal: {plain.text!r}")

    counts = "trap 'n=$((n+1)); echo interrupted $n' INT; echo ready; read line; echo said $line $n; exit 5"
    window = Terminal(own + [counts], surroundings(directory))
    check(window.wait(b"ready"), "the command has begun")
    window.type(b"\x03")
    check(window.wait(b"interrupted 1"), "Ctrl-C reaches the command")
    window.type(b"hello\n")
    code = window.end()
    once = b"interrupted 2" not in window.text
    check(code == 5 and once and b"0 requests" in window.text, f"once, and the summary follows its own end: {window.text!r}")

    window = Terminal(own + ["echo ready; exec sleep 600"], surroundings(directory))
    window.wait(b"ready")
    window.type(b"\x03")
    code = window.end()
    check(code == 128 + signal.SIGINT and b"0 requests" in window.text, f"what Ctrl-C ends is {code}")


with Directory() as scratch:
    source = Origin(script)
    clients(scratch, source)
    shells(scratch, source)
    unusual_bytes(scratch)
    terminal(scratch)
finish()
