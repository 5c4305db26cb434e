"""An HTTP/1.1 server on loopback whose responses a function makes."""

import socket
import socketserver
import threading
import time

from .client import Answer, Client


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

    def total(self):
        """How many requests have come."""
        with self.lock:
            return sum(self.counts.values())

    def stop(self):
        """Takes no new connection; those that there are go on."""
        self.server.shutdown()
        self.server.server_close()


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
        self.socket.sendall(self._head(status, *fields))

    def _head(self, status, *fields):
        lines = [f"HTTP/1.1 {status}", "Date: " + time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()), *fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def reply(self, status, *fields, content=b""):
        self.head(status, f"Content-Length: {len(content)}", *fields)
        if self.method != "HEAD":
            self.socket.sendall(content)

    def reply_in_one_piece(self, status, *fields, content=b""):
        """Head and content by one call, so that they usually come together."""
        head = self._head(status, f"Content-Length: {len(content)}", *fields)
        self.socket.sendall(head if self.method == "HEAD" else head + content)
