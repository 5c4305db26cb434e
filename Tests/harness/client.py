"""One HTTP/1.1 connection, used byte by byte."""

import socket

from .disk import MIB


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
