"""Where the daemon's program is, and a process of it."""

import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from . import processes
from .client import Client

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def binary():
    """The absolute path of the daemon under test: RESPITE, else the release build, else the debug build."""
    candidates = [os.environ.get("RESPITE", "")]
    candidates += [os.path.join(ROOT, ".build", kind, "respite") for kind in ("release", "debug")]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)
    sys.exit("no respite executable: make build")


def environment(home):
    """Variables of a daemon that looks for nothing outside of `home`; an instrumented build is told where to count."""
    found = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": home + "/none", "XDG_RUNTIME_DIR": home}
    if "LLVM_PROFILE_FILE" in os.environ:
        found["LLVM_PROFILE_FILE"] = os.environ["LLVM_PROFILE_FILE"]
    return found


class RunningDaemon:
    """What a daemon is asked from outside; who makes one sets `process`, `port`, `admin_port` and `token_file`."""

    @property
    def token(self):
        with open(self.token_file) as file:
            return file.read().strip()

    def memory(self):
        """Resident bytes."""
        return processes.resident_bytes(self.process.pid)

    def own_memory(self):
        """Resident bytes that are no pages of files: those of code come and go."""
        return processes.own_bytes(self.process.pid)

    def admin(self, path, method="GET", value=None):
        """One request to the admin listener; the decoded JSON."""
        client = Client(self.admin_port)
        body = b"" if value is None else json.dumps(value).encode()
        fields = [f"Authorization: Bearer {self.token}"]
        if value is not None:
            fields += ["Content-Type: application/json"]
        if body:
            fields += [f"Content-Length: {len(body)}"]
        client.send(method, path, fields, host=f"127.0.0.1:{self.admin_port}", content=body)
        answer = client.answer()
        return json.loads(answer.content) if answer.content else None

    def events(self, name, found):
        """Calls `found` with the data of each event of this name, on a thread, until the daemon ends."""
        client = Client(self.admin_port, timeout=None)
        fields = [f"Authorization: Bearer {self.token}", "Accept: text/event-stream"]
        client.send("GET", "/v1/events", fields, host=f"127.0.0.1:{self.admin_port}")
        answer = client.head()
        assert answer.status == 200, answer.lines

        def read():
            pending = b""
            try:
                while True:
                    piece = client.content(65536)
                    if not piece:
                        return
                    pending += piece
                    while b"\n\n" in pending:
                        event, pending = pending.split(b"\n\n", 1)
                        if name in event:
                            found(event)
            except (OSError, EOFError, ValueError):
                pass

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Daemon(RunningDaemon):
    """The daemon as a process, on free ports of loopback.

    `variables` are added to its environment, and `before` runs in the new process ahead of the program.
    """

    def __init__(self, store, *words, loops=2, variables=None, before=None):
        self.store = store
        self.token_file = os.path.join(store, "admin-token")
        home = os.path.dirname(store) if store != "none" else tempfile.gettempdir()
        command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", store]
        command += ["--loops", str(loops), *words]
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, env=environment(home) | (variables or {}), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=before
        )
        self.errors = ""
        self.lines = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()
        self.port = self._port(" listen=")
        self.admin_port = self._port(" admin=")
        self.serving = time.monotonic()

    def _collect(self):
        for line in self.process.stderr:
            text = line.decode("utf-8", "replace")
            self.errors += text
            self.lines.put(text)
        self.lines.put(None)

    def _port(self, word):
        while True:
            found = re.search(re.escape(word) + r"127\.0\.0\.1:(\d+)", self.errors)
            if found:
                return int(found.group(1))
            if self.lines.get(timeout=30) is None:
                sys.exit("the daemon ended:\n" + self.errors)
