"""For programs about ranges: an origin that counts the content it sends and may cut it, and a judge of answers."""

import email.utils
import random
import re
import socket
import threading
import time

from .client import Answer, Client
from .disk import MIB
from .origin import Origin

PIECE = 65536
# What nearly all answers fit in; some are as large as the whole.
USUAL_SHARE = 16
RARE = 1 / 200
# How an answer that is cut shows itself, and one that stops for so many seconds.
HUNG = 0
PATIENCE = 20
BROKEN = (OSError, EOFError, ValueError)


class Representation:
    """Content with its validators, None for one that it lacks, and maybe more fields; the whole may be sent in chunks."""

    def __init__(self, content, tag='"one"', modified="Thu, 01 Jan 2026 00:00:00 GMT", more=(), is_chunked=False):
        self.content, self.tag, self.modified, self.more, self.is_chunked = content, tag, modified, more, is_chunked

    def __len__(self):
        return len(self.content)

    @property
    def fields(self):
        fields = ["Cache-Control: max-age=3600", "Accept-Ranges: bytes", "Content-Type: application/octet-stream", *self.more]
        fields += [f"ETag: {self.tag}"] if self.tag else []
        return fields + ([f"Last-Modified: {self.modified}"] if self.modified else [])

    def permits(self, condition):
        """Whether If-Range lets a range be sent: the strong tag, or the date of a file that is old enough."""
        if condition is None:
            return True
        if condition.startswith('"'):
            return condition == self.tag
        return condition == self.modified and email.utils.parsedate_to_datetime(condition).timestamp() < time.time() - 60


def random_content(seed, length):
    return random.Random(seed).randbytes(length)


def resolved(value, length):
    """The ranges [first, end) that a Range field names in content of this length; None if it has to be ignored."""
    if not value or not re.fullmatch(r"bytes=\s*(\d+-\d*|-\d+)(\s*,\s*(\d+-\d*|-\d+))*", value):
        return None
    found = []
    for first, last in re.findall(r"(\d*)-(\d*)", value[6:]):
        if first:
            start, end = int(first), min(length, int(last) + 1 if last else length)
        else:
            start, end = max(0, length - int(last)), length
        if start < end:
            found.append((start, end))
    return found


class Cut(Exception):
    """The connection ends here."""


class RangeOrigin:
    """Serves what `pick(path)` gives, with ranges, If-Range and validations; counts requests and bytes of content.

    `cut(path, first, end)` may give the position at which the bytes of an answer end early, with the connection.
    While `is_away` it closes connections without an answer.
    """

    def __init__(self, pick, cut=None):
        self.pick, self.cut = pick, cut
        self.is_away = False
        self.lock = threading.Lock()
        self.forget()
        self.origin = Origin(self.script)

    def forget(self):
        self.sent, self.requests = 0, []

    def url(self, path):
        return self.origin.url(path)

    def script(self, exchange):
        ask = exchange.request
        with self.lock:
            self.requests.append((exchange.method, exchange.target, ask["Range"], ask["If-Range"]))
        if self.is_away:
            raise EOFError("the origin is away")
        # What was written is little more than what was sent.
        exchange.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIECE)
        what = self.pick(exchange.target)
        if not what:
            return exchange.reply("404 Not Found", content=b"none")
        if what.tag and ask["If-None-Match"] == what.tag:
            return exchange.head("304 Not Modified", *what.fields)
        ranges = resolved(ask["Range"], len(what)) if what.permits(ask["If-Range"]) else None
        try:
            self.answer(exchange, what, ranges)
        except Cut:
            exchange.keep = False
        return None

    def answer(self, exchange, what, ranges):
        if ranges is None:
            exchange.head("200 OK", "Transfer-Encoding: chunked" if what.is_chunked else f"Content-Length: {len(what)}", *what.fields)
            self.send(exchange, what, 0, len(what), what.is_chunked)
            if what.is_chunked:
                exchange.socket.sendall(b"0\r\n\r\n")
        elif not ranges:
            exchange.reply("416 Range Not Satisfiable", f"Content-Range: bytes */{len(what)}")
        elif len(ranges) == 1:
            first, end = ranges[0]
            place = f"Content-Range: bytes {first}-{end - 1}/{len(what)}"
            exchange.head("206 Partial Content", f"Content-Length: {end - first}", place, *what.fields)
            self.send(exchange, what, first, end)
        else:
            self.send_parts(exchange, what, ranges)

    def send_parts(self, exchange, what, ranges):
        mark = "%032x" % random.getrandbits(128)
        heads = [f"\r\n--{mark}\r\nContent-Range: bytes {first}-{end - 1}/{len(what)}\r\n\r\n".encode() for first, end in ranges]
        last = f"\r\n--{mark}--\r\n".encode()
        length = sum(map(len, heads)) + sum(end - first for first, end in ranges) + len(last)
        fields = [line for line in what.fields if not line.startswith("Content-Type")]
        exchange.head("206 Partial Content", f"Content-Length: {length}", f"Content-Type: multipart/byteranges; boundary={mark}", *fields)
        for head, (first, end) in zip(heads, ranges):
            exchange.socket.sendall(head)
            self.send(exchange, what, first, end)
        exchange.socket.sendall(last)

    def send(self, exchange, what, first, end, is_chunked=False):
        if exchange.method == "HEAD":
            return
        stop = self.cut(exchange.target, first, end) if self.cut else None
        for start in range(first, end if stop is None else stop, PIECE):
            piece = what.content[start : min(start + PIECE, end if stop is None else stop)]
            exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if is_chunked else piece)
            with self.lock:
                self.sent += len(piece)
        if stop is not None:
            raise Cut


class RandomRanges:
    """Values of Range by a seed: single, several, suffix, open."""

    def __init__(self, seed, length):
        self.chooser, self.length = random.Random(seed), length

    def size(self):
        """Most are small; some are as large as the content."""
        most = self.length if self.chooser.random() < RARE else max(2, self.length // USUAL_SHARE)
        return max(1, int(most ** self.chooser.random()))

    def closed(self):
        size = self.size()
        first = self.chooser.randrange(self.length)
        return f"{first}-{first + size - 1}"

    def next(self):
        kind = self.chooser.choices(["single", "several", "suffix", "open"], [60, 20, 10, 10])[0]
        if kind == "single":
            return kind, "bytes=" + self.closed()
        if kind == "suffix":
            return kind, f"bytes=-{self.size()}"
        if kind == "open":
            return kind, f"bytes={self.length - min(self.length, self.size())}-"
        return kind, "bytes=" + ", ".join(self.closed() for _ in range(self.chooser.randint(2, 8)))


def fetch(daemon, url, *fields):
    """One request, never repeated: the answer with the content that came, and whether that is all of it.

    One that stops without an end has the status HUNG.
    """
    client = Client(daemon.port, timeout=PATIENCE)
    client.send("GET", url, fields)
    answer, pieces = None, []
    try:
        answer = client.head()
        while piece := client.content(MIB):
            pieces.append(piece)
        return answer, True
    except TimeoutError:
        answer = Answer(HUNG, answer.lines if answer else [])
        return answer, True
    except BROKEN:
        return answer, False
    finally:
        client.close()
        if answer:
            answer.content = b"".join(pieces)


def is_begin(answer, versions):
    """Whether what came of an answer that was cut is of the version whose tag it has; several parts are not read."""
    place = re.match(r"bytes (\d+)-", answer["Content-Range"] or "")
    if answer.status == 206 and not place:
        return (answer["Content-Type"] or "").startswith("multipart/")
    first = int(place[1]) if place else 0
    return any(one.tag == answer["ETag"] and one.content.startswith(answer.content, first) for one in versions)


def parts(answer):
    """(first, end, total, content) of each part of a 206."""
    place = r"bytes (\d+)-(\d+)/(\d+|\*)"
    mark = re.fullmatch(r'multipart/byteranges; *boundary="?([^"]+)"?', answer["Content-Type"] or "")
    if not mark:
        first, last, total = re.fullmatch(place, answer["Content-Range"] or "").groups()
        return [(int(first), int(last) + 1, total, answer.content)]
    found, content, position = [], answer.content if answer.content.startswith(b"\r\n") else b"\r\n" + answer.content, 0
    delimiter = b"\r\n--" + mark[1].encode()
    while content[position : position + len(delimiter) + 2] != delimiter + b"--":
        head = content.index(b"\r\n\r\n", position)
        if not content.startswith(delimiter + b"\r\n", position):
            raise ValueError("no delimiter where a part has to end")
        first, last, total = re.search(b"(?i)\r\ncontent-range: *" + place.encode(), content[position : head + 2]).groups()
        position = head + 4 + int(last) + 1 - int(first)
        found.append((int(first), int(last) + 1, total.decode(), content[head + 4 : position]))
    return found


def complaint(answer, asked, what, knows_length=True):
    """What is wrong with the answer to a Range field, beside the representation that it has to be of; None if nothing is.

    An answer may say `*` for the length only if that is not known.
    """
    if answer.status == HUNG:
        return f"{len(answer.content):,} bytes, and then nothing more for {PATIENCE} s"
    ranges = resolved(asked, len(what))
    if answer.status == 416:
        return None if not ranges and answer["Content-Range"] == f"bytes */{len(what)}" else "416 for what there is"
    if answer["ETag"] != what.tag:
        return f"the tag {answer['ETag']}"
    if answer.status == 200:
        if ranges and len(ranges) == 1:
            return "the whole for one range"
        return None if answer.content == what.content else "other bytes of the whole"
    if answer.status != 206:
        return f"status {answer.status}"
    try:
        found = parts(answer)
    except (AttributeError, ValueError) as error:
        return f"no parts can be read: {error}"
    for first, end, total, content in found:
        if total != str(len(what)) and (knows_length or total != "*"):
            return f"the length {total}"
        if content != what.content[first:end] or len(content) != end - first:
            return f"other bytes of {first}-{end - 1}/{total}"
    if len(ranges) == 1 and [part[:2] for part in found] != ranges:
        return f"the range {found[0][:2]}"
    covered = [part[:2] for part in found]
    missing = [one for one in ranges if not any(first <= one[0] and one[1] <= end for first, end in covered)]
    return f"without {missing[0]}" if missing else None


def ratio(count, length):
    return f"{count:,} bytes of the origin's, {count / length:.3f} × the file of {length / MIB:g} MiB"
