"""Ways to answer a request for a range wrongly, and an origin that does so when it is told to."""

import clients  # noqa: F401

from harness.ranged import Cut, RangeOrigin, random_content

LENGTH = 100_000
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

# What also comes for the second of the bytes that are missing, when the client has the first ones.
IN_THE_MIDDLE = ("a smaller total", "no bytes", "less than asked for at its end", "a cut", "416", "404", "the whole")


class Recorded:
    """A socket that keeps what is sent."""

    def __init__(self, socket):
        self.socket, self.bytes = socket, b""

    def sendall(self, data):
        self.bytes += data
        self.socket.sendall(data)


class Misbehaving(RangeOrigin):
    """Answers requests for a range by `act`, while there is one, except for the first `good` of them."""

    def __init__(self):
        super().__init__(lambda path: self.current)
        self.number = 0
        self.begin(None)

    def begin(self, version):
        """A new URL for this representation."""
        self.current, self.act, self.bad, self.good = version, None, [], 0
        self.number += 1
        self.forget()
        return self.url(f"/{self.number}")

    def answer(self, exchange, what, ranges):
        if not ranges or not self.act or self.is_still_good():
            return super().answer(exchange, what, ranges)
        record = Recorded(exchange.socket)
        self.bad.append((exchange.request["Range"], record))
        exchange.socket = record
        try:
            # Several ranges are answered as one that has them all.
            return self.act(exchange, min(ranges)[0], max(end for _, end in ranges))
        finally:
            exchange.socket = record.socket

    def is_still_good(self):
        with self.lock:
            self.good -= 1
            return self.good >= 0

    def has_sent(self, answer, value):
        """Whether this is the origin's answer to the client's own request, or its failure: then it is passed on as it came."""
        for asked, record in self.bad:
            if asked != value and answer.status in (200, 206, 416):
                continue
            head, _, content = record.bytes.partition(b"\r\n\r\n")
            if answer.content in content and (answer["Content-Range"] or "").encode() in head:
                return True
        return False
