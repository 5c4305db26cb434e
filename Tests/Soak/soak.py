"""What the soak programs share: the daemon, an origin, a client, and checks that print their figures."""

import json
import os
import queue
import re
import resource
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

_failures = []


def check(holds, sentence):
    """Prints a finding; a false one makes `finish` fail."""
    print(("ok      " if holds else "FAILED  ") + sentence, flush=True)
    if not holds:
        _failures.append(sentence)
    return holds


def finish():
    sys.exit(1 if _failures else 0)


def binary():
    """The absolute path of the daemon under test: RESPITE, else the release build, else the debug build."""
    candidates = [os.environ.get("RESPITE", "")]
    candidates += [os.path.join(ROOT, ".build", kind, "respite") for kind in ("release", "debug")]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)
    sys.exit("no respite executable: make build")


def raise_descriptor_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Directory:
    """A scratch directory; SOAK_DIRECTORY says where."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="respite-soak-", dir=os.environ.get("SOAK_DIRECTORY"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


class Daemon:
    """The daemon as a process, on free ports of loopback.

    `variables` are added to its environment, and `before` runs in the new process ahead of the program.
    """

    def __init__(self, store, *words, loops=2, variables=None, before=None):
        self.store = store
        home = os.path.dirname(store) if store != "none" else tempfile.gettempdir()
        environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": home + "/none", "XDG_RUNTIME_DIR": home}
        environment |= variables or {}
        if "LLVM_PROFILE_FILE" in os.environ:
            environment["LLVM_PROFILE_FILE"] = os.environ["LLVM_PROFILE_FILE"]
        command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", store]
        command += ["--loops", str(loops), *words]
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=before
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

    @property
    def token(self):
        with open(os.path.join(self.store, "admin-token")) as file:
            return file.read().strip()

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024

    def own_memory(self):
        """Resident bytes that are no pages of files: those of code come and go."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1)) * 1024

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


class Answer:
    def __init__(self, status, lines):
        self.status = status
        self.lines = lines
        self.content = b""

    def __getitem__(self, name):
        for line in self.lines:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None

    @property
    def is_hit(self):
        return "; hit" in (self["Cache-Status"] or "")


class Client:
    """One connection, used byte by byte."""

    def __init__(self, port, timeout=60, receive_buffer=None, host="127.0.0.1"):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.left = 0
        self.chunked = False
        self.until_close = False

    def send(self, method, target, fields=(), host="h", content=b""):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields, "", ""]
        self.socket.sendall("\r\n".join(lines).encode() + content)

    def line(self):
        while b"\n" not in self.buffer:
            self._fill()
        line, _, rest = bytes(self.buffer).partition(b"\n")
        self.buffer = bytearray(rest)
        return line.rstrip(b"\r").decode("latin-1")

    def _fill(self):
        piece = self.socket.recv(262144)
        if not piece:
            raise EOFError("the peer closed")
        self.buffer += piece

    def head(self, to_head=False):
        while True:
            status = int(self.line().split(" ")[1])
            lines = []
            while line := self.line():
                lines.append(line)
            if status >= 200:
                break
        answer = Answer(status, lines)
        self.chunked = (answer["Transfer-Encoding"] or "").lower() == "chunked"
        self.left = 0
        self.until_close = False
        self.first_chunk = True
        if not (to_head or status in (204, 304) or self.chunked):
            length = answer["Content-Length"]
            self.until_close = length is None
            self.left = int(length or 0)
        return answer

    def content(self, maximum):
        """The next bytes of the content; none at its end; EOFError if it is cut."""
        if self.until_close:
            if self.buffer:
                return self._take(maximum)
            return self.socket.recv(maximum)
        if self.chunked and self.left == 0:
            if not self.first_chunk and self.line():
                raise ValueError("no CRLF behind a chunk")
            self.first_chunk = False
            self.left = int(self.line().split(";")[0], 16)
            if self.left == 0:
                while self.line():
                    pass
                self.chunked = False
                return b""
        if self.left == 0:
            return b""
        if not self.buffer:
            piece = self.socket.recv(min(self.left, maximum))
            if not piece:
                raise EOFError(f"cut with {self.left} bytes missing")
        else:
            piece = self._take(min(self.left, maximum))
        self.left -= len(piece)
        return piece

    def _take(self, maximum):
        piece = bytes(self.buffer[:maximum])
        del self.buffer[:maximum]
        return piece

    def exactly(self, count):
        pieces = []
        while count:
            piece = self.content(min(count, MIB))
            if not piece:
                raise EOFError(f"the content ends {count} bytes early")
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def rest(self):
        pieces = []
        while piece := self.content(MIB):
            pieces.append(piece)
        return b"".join(pieces)

    def answer(self, to_head=False):
        answer = self.head(to_head)
        answer.content = self.rest()
        return answer

    def get(self, target, fields=()):
        self.send("GET", target, fields)
        return self.answer()

    def close(self):
        self.socket.close()


class Origin:
    """An HTTP/1.1 server on loopback; `script(exchange)` answers one request.

    With an SSL context it speaks TLS; `name` is what URLs call it.
    """

    def __init__(self, script, host="127.0.0.1", port=0, context=None, name=None):
        origin = self
        self.script = script
        self.scheme = "https" if context else "http"
        self.counts = {}
        self.lock = threading.Lock()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    if context:
                        self.request = context.wrap_socket(self.request, server_side=True)
                    while Exchange(origin, self.request).run():
                        pass
                except (OSError, EOFError, ValueError):
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            request_queue_size = 1024

            def handle_error(self, *_):
                pass

        self.server = Server((host, port), Handler)
        self.port = self.server.server_address[1]
        self.authority = f"{name or host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"{self.scheme}://{self.authority}{path}"

    def count(self, target):
        with self.lock:
            return self.counts.get(target, 0)


class Exchange:
    def __init__(self, origin, connection):
        self.origin = origin
        self.socket = connection
        self.keep = True
        self.reader = Client.__new__(Client)
        self.reader.socket = connection
        self.reader.buffer = bytearray()
        self.reader.until_close = False

    def run(self):
        try:
            self.method, self.target, _ = self.reader.line().split(" ")
        except EOFError:
            return False
        lines = []
        while line := self.reader.line():
            lines.append(line)
        self.request = Answer(0, lines)
        self.reader.chunked = (self.request["Transfer-Encoding"] or "").lower() == "chunked"
        self.reader.first_chunk = True
        self.reader.left = int(self.request["Content-Length"] or 0)
        with self.origin.lock:
            self.origin.counts[self.target] = self.origin.counts.get(self.target, 0) + 1
        self.origin.script(self)
        return self.keep and not self.reader.buffer

    def head(self, status, *fields):
        lines = [f"HTTP/1.1 {status}", "Date: " + time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()), *fields]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def reply(self, status, *fields, content=b""):
        self.head(status, f"Content-Length: {len(content)}", *fields)
        if self.method != "HEAD":
            self.socket.sendall(content)


def disk_usage(directory):
    """What du says: blocks of every file below the directory; a file with several names counts once."""
    total = 0
    counted = set()
    pending = [directory]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        status = entry.stat(follow_symlinks=False)
                        if status.st_nlink == 1 or status.st_ino not in counted:
                            total += status.st_blocks * 512
                        counted.add(status.st_ino)
        except FileNotFoundError:
            continue
    return total
