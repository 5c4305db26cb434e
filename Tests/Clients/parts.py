#!/usr/bin/env python3
"""Origins that answer ranges wrongly, against parts that are stored: a client gets one representation, or sees a failure.

Each case stores some parts, has the origin answer the next ranges as it should not, and then as it should: by then the
whole comes, right, and is a hit afterwards. A name given as an argument selects cases that contain it.
"""

import concurrent.futures
import email.utils
import sys

from clients import Client, Daemon, Directory, check, finish

from ranged import Cut, RangeOrigin, Representation, complaint, random_content

LENGTH = 100_000
# What is stored before: a first part, or also one from the middle.
STORED = (("bytes=0-99",), ("bytes=0-99", "bytes=60000-60999"))
# What clients ask for while the origin misbehaves: nothing of it is stored whole.
ASKED = (None, "bytes=50-299", "bytes=0-9,500-599", "bytes=-200", "bytes=60500-")
# So many ask for the same at once, and make so many requests to the origin at most.
CLIENTS = 2
MOST_REQUESTS = 16
BROKEN = (OSError, EOFError, ValueError)
OLD, NEW = random_content("old", LENGTH), random_content("new", LENGTH)


def send(exchange, place, content, *fields, tag='"one"', length=None, status="206 Partial Content"):
    """A response with any Content-Range, or none, and a Content-Length that may be wrong."""
    fields = [*fields, "Cache-Control: max-age=3600", *([f"ETag: {tag}"] if tag else [])]
    if place:
        fields.append("Content-Range: bytes " + place)
    exchange.head(status, f"Content-Length: {len(content) if length is None else length}", *fields)
    exchange.socket.sendall(content)
    if length not in (None, len(content)):
        raise Cut


def chunked(exchange, first, end, content):
    fields = ["Transfer-Encoding: chunked", 'ETag: "one"', f"Content-Range: bytes {first}-{end - 1}/{LENGTH}"]
    exchange.head("206 Partial Content", "Cache-Control: max-age=3600", *fields)
    exchange.socket.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content))


def several(exchange, *ranges, total=LENGTH, declared=None):
    """multipart/byteranges with these ranges; `declared` are other ones that its fields name."""
    body = b""
    for (first, end), (said, said_end) in zip(ranges, declared or ranges):
        body += f"--mark\r\nContent-Range: bytes {said}-{said_end - 1}/{total}\r\n\r\n".encode() + OLD[first:end] + b"\r\n"
    send(exchange, None, body + b"--mark--\r\n", "Content-Type: multipart/byteranges; boundary=mark")


def place(first, end, total=LENGTH):
    return f"{first}-{end - 1}/{total}"


# Each case gets the exchange and the range that is asked for. What stands in the content is always what Content-Range
# names: other bytes under the same fields are what no cache can see.
def says(text, **rest):
    return lambda exchange, first, end: send(exchange, text, OLD[first:end], **rest)


def part(first_delta, end_delta, **rest):
    """Another range than the one asked for."""

    def act(exchange, first, end):
        begin, stop = max(0, first + first_delta), max(1, min(LENGTH, end + end_delta))
        begin = min(begin, stop - 1)
        send(exchange, place(begin, stop), OLD[begin:stop], **rest)

    return act


def of_new(*fields, **rest):
    return lambda exchange, first, end: send(exchange, place(first, end), NEW[first:end], *fields, **rest)


def status(text, *fields, content=b"none"):
    return lambda exchange, first, end: exchange.reply(text, *fields, content=content)


def whole(content, tag):
    return lambda exchange, first, end: send(exchange, None, content, tag=tag, status="200 OK")


def total(number):
    return lambda exchange, first, end: send(exchange, place(first, end, number), OLD[first:end])


def length(change):
    return lambda exchange, first, end: send(exchange, place(first, end), OLD[first : max(first, end + min(change, 0))] + b"x" * max(change, 0))


DIGESTS = ["Repr-Digest: sha-256=:" + letter * 43 + "=:" for letter in "AB"]
DATES = [f"Last-Modified: Thu, 0{day} Jan 2026 00:00:00 GMT" for day in (1, 2)]

CONTRADICTIONS = {
    "Content-Range ends before it begins": says(f"9-5/{LENGTH}"),
    "Content-Range ends behind the total": says("0-99/50"),
    "Content-Range is no number": says("a-b/c"),
    "Content-Range is too large": says("99999999999999999999-99999999999999999999/99999999999999999999"),
    "Content-Range of another unit": lambda exchange, first, end: send(exchange, None, OLD[first:end], f"Content-Range: lines {place(first, end)}"),
    "no Content-Range": says(None),
    "two Content-Ranges": lambda exchange, first, end: send(exchange, place(first, end), OLD[first:end], "Content-Range: bytes 0-0/1"),
    "unsatisfied Content-Range": says(f"*/{LENGTH}"),
    "shorter than its Content-Range": length(-1),
    "longer than its Content-Range": length(1),
    "chunked, shorter than its Content-Range": lambda exchange, first, end: chunked(exchange, first, end, OLD[first : end - 1]),
    "chunked, longer than its Content-Range": lambda exchange, first, end: chunked(exchange, first, end, OLD[first:end] + b"x"),
    "a range before the one asked for": part(-1000, -1000),
    "a range behind the one asked for": part(1000, 1000),
    "more than asked for, on both sides": part(-30, 30),
    "less than asked for at its begin": part(10, 0),
    "less than asked for at its end": part(0, -10),
    "a smaller total": total(70_000),
    "a larger total": total(LENGTH + 1),
    "an unknown total": total("*"),
    "no bytes": lambda exchange, first, end: send(exchange, place(first, end), b""),
    "no bytes, and a Content-Range of none": lambda exchange, first, end: send(exchange, f"{first}-{first - 1}/{LENGTH}", b""),
    "another Content-Encoding": lambda exchange, first, end: send(exchange, place(first, end), OLD[first:end], "Content-Encoding: gzip"),
    "several parts for one": lambda exchange, first, end: several(exchange, (first, end), (0, 10)),
    "several parts, which lie about their lengths": lambda exchange, first, end: several(exchange, (first, end), (0, 10), declared=((0, 1), (5, 2))),
    "several parts without a last delimiter": lambda exchange, first, end: send(exchange, None, b"--mark\r\n", "Content-Type: multipart/byteranges; boundary=mark"),
    "a cut": lambda exchange, first, end: send(exchange, place(first, end), OLD[first : (first + end) // 2], length=end - first),
    "a cut before the first byte": lambda exchange, first, end: send(exchange, place(first, end), b"", length=end - first),
    "416": status("416 Range Not Satisfiable", f"Content-Range: bytes */{LENGTH}"),
    "416, and a smaller total": status("416 Range Not Satisfiable", "Content-Range: bytes */10"),
    "304": status("304 Not Modified", 'ETag: "one"', content=b""),
    "404": status("404 Not Found"),
    "503": status("503 Service Unavailable", "Cache-Control: no-store"),
    "204": status("204 No Content", content=b""),
    "the whole": whole(OLD, '"one"'),
    "the whole without a tag": whole(OLD, None),
}  # fmt: skip

CHANGES = {
    "another tag": of_new(tag='"two"'),
    "another tag, cut": lambda exchange, first, end: send(exchange, place(first, end), NEW[first : (first + end) // 2], tag='"two"', length=end - first),
    "no tag": of_new(tag=None),
    "the same tag, weak": of_new(tag='W/"one"'),
    "another whole": whole(NEW, '"two"'),
    "another whole without a tag": whole(NEW, None),
    "a smaller whole": whole(NEW[:70], '"two"'),
    "another Repr-Digest": of_new(DIGESTS[1]),
    "another Last-Modified": of_new(DATES[1]),
}

class Recorded:
    """A socket that keeps what is sent."""

    def __init__(self, socket):
        self.socket, self.bytes = socket, b""

    def sendall(self, data):
        self.bytes += data
        self.socket.sendall(data)


class Misbehaving(RangeOrigin):
    """Answers requests for a range by `act`, while there is one."""

    def __init__(self):
        super().__init__(lambda path: self.current)
        self.number = 0
        self.begin(None)

    def begin(self, version):
        """A new URL for this representation."""
        self.current, self.act, self.bad = version, None, []
        self.number += 1
        self.forget()
        return self.url(f"/{self.number}")

    def answer(self, exchange, what, ranges):
        if not ranges or not self.act:
            return super().answer(exchange, what, ranges)
        record = Recorded(exchange.socket)
        self.bad.append((exchange.request["Range"], record))
        exchange.socket = record
        try:
            # Several ranges are answered as one that has them all.
            return self.act(exchange, min(ranges)[0], max(end for _, end in ranges))
        finally:
            exchange.socket = record.socket

    def has_sent(self, answer, value):
        """Whether this is the origin's answer to the client's own request, or its failure: then it is passed on as it came."""
        for asked, record in self.bad:
            if asked != value and answer.status in (200, 206, 416):
                continue
            head, _, content = record.bytes.partition(b"\r\n\r\n")
            if answer.content in content and (answer["Content-Range"] or "").encode() in head:
                return True
        return False


def ask(daemon, url, value):
    """The answer; None if it is cut."""
    client = Client(daemon.port, timeout=20)
    try:
        return client.get(url, [f"Range: {value}"] if value else [])
    except TimeoutError:
        raise
    except BROKEN:
        return None
    finally:
        client.close()


def fault(answer, value, versions):
    """What is wrong with an answer of which all came; the whole is right for any range."""
    asked = None if answer.status == 200 else value
    faults = [complaint(answer, asked, version, knows_length=False) for version in versions]
    return None if None in faults else faults[0]


class Case:
    """An origin that has `before`, and misbehaves by `act`; then it has `after`. Answers may be of `others`, too."""

    def __init__(self, name, act, before, after=None, others=()):
        self.name, self.act, self.before, self.after = name, act, before, after or before
        self.versions = [before, self.after, *others]
        self.right, self.failed, self.passed, self.wrong = 0, 0, 0, []

    def run(self, daemon, origin, keeps=True):
        for stored in STORED:
            for value in ASKED:
                self.run_one(daemon, origin, stored, value)
                self.wrong += [(value, *found) for found in self.afterwards(daemon, origin, keeps)]
        figures = f"{self.right} right, {self.failed} failures shown, {self.passed} passed as they came, {len(self.wrong)} wrong"
        check(not self.wrong, f"{self.name}: {figures} {self.wrong[:4] or ''}")

    def run_one(self, daemon, origin, stored, value):
        self.url = origin.begin(self.before)
        for one in stored:
            answer = ask(daemon, self.url, one)
            if not answer or complaint(answer, one, self.before):
                self.wrong.append((one, "does not come"))
        origin.forget()
        origin.act, origin.current = self.act, self.before if self.act else self.after
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            for answer in pool.map(lambda _: ask(daemon, self.url, value), range(CLIENTS)):
                self.judge(answer, value, origin)
        conditions = {one[3] for one in origin.requests if one[3] and not one[3].startswith('"')}
        if conditions or len(origin.requests) > MOST_REQUESTS:
            self.wrong.append((value, f"{len(origin.requests)} requests, If-Range {conditions}"))

    def judge(self, answer, value, origin):
        if not answer or answer.status in (502, 504):
            self.failed += 1
        elif not (found := fault(answer, value, self.versions)):
            self.right += 1
        elif origin.has_sent(answer, value):
            self.passed += 1
        else:
            self.wrong.append((value, found))

    def afterwards(self, daemon, origin, keeps):
        """The origin is as it should be: ranges and the whole are right, and stored; what is not."""
        origin.act, origin.current = None, self.after
        for value in ("bytes=40-400", None):
            answer = ask(daemon, self.url, value)
            if found := fault(answer, value, self.versions) if answer else "a cut":
                yield value, f"afterwards {found}"
        asked = len(origin.requests)
        again = ask(daemon, self.url, None)
        if not again or fault(again, None, self.versions) or (keeps and not (again.is_hit and len(origin.requests) == asked)):
            yield "again", "no hit"


def with_tags(content, *lengths):
    """What cases send of a content without a tag, or with a weak one."""
    return [Representation(content[:length], tag) for length in (LENGTH, *lengths) for tag in (None, 'W/"one"')]


def cases():
    old, new = Representation(OLD, more=[DIGESTS[0]]), Representation(NEW, '"two"')
    for name, act in CONTRADICTIONS.items():
        yield Case(name, act, old, others=with_tags(OLD))
    others = [*with_tags(NEW), Representation(NEW), Representation(NEW[:70], '"two"')]
    for name, act in CHANGES.items():
        yield Case(name, act, old, new, others)
    yield Case("a change", None, old, new)
    for name, tag, modified in ("weak tags", 'W/"one"', None), ("no validators", None, None), ("dates of this moment", None, email.utils.formatdate(usegmt=True)):
        yield Case(f"{name}, and a change that they do not tell", None, Representation(OLD, tag, modified), Representation(NEW, tag, modified))


def main(directory, word):
    origin = Misbehaving()
    daemon = Daemon(directory + "/store")
    for case in cases():
        if word in case.name:
            case.run(daemon, origin)
    check(daemon.stop() == 0, "the daemon ended well")
    daemon = Daemon(directory + "/small", "--set", "storage.max-object-size=64KiB")
    Case("larger than what may be stored", None, Representation(OLD)).run(daemon, origin, keeps=False)
    check(daemon.stop() == 0, "the daemon ended well")


with Directory() as scratch:
    main(scratch, sys.argv[1] if len(sys.argv) > 1 else "")
finish()
