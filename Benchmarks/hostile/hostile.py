#!/usr/bin/env python3
"""Strictness cases for an HTTP/1.1 caching proxy on loopback.

  hostile.py --proxy HOST:PORT --origin-port N --mode reverse|forward --json OUT
  hostile.py --proxy ... --mode reverse --path-prefix /http://127.0.0.1:N   prefix gateway
  hostile.py --peer nginx --port P --origin-port N --json OUT [--netns]     start, run, stop
  hostile.py --target FILE.json --json OUT [--netns]      the same with a target description
  hostile.py --list | --table | --summary | --contested | --coverage A.json B.json ...

It is the origin and the client of the proxy under test: every byte that goes
in is chosen by a case, every byte that comes out at the origin is kept. A case
ends in a label (what was seen); two oracles, sets of label patterns, judge it:

  strict   the rules of docs/specification/hostile-input.md (default profile)
  rfc      what RFC 9110, 9111 and 9112 leave open to any implementation

Labels of request cases
  rej:NNN      error response made by the proxy, no byte reached the origin;
               +open: the connection was left open, +more: a further response
  close, wait  closed without a response; nothing decided while the client waits
  fwd          the origin saw exactly the expected requests, in strict grammar and
               with a framing that lenient readers agree on; client got the answer
  cut          the origin saw a clean head and never the end of the message
  self:NNN     answered by the proxy itself
  dirty, split, body, desync, relay, odd    something that is not right
Labels of response cases: what the first client got / what the second one got
  NNN (made by the proxy), drop, cut, ok, retry, wrong, dirty, hang / new, hit, ...
A label that begins with ? is undetermined (the case could not be set up).

Loads are tiny and bounded. With --netns the runner moves itself and the target
into a private network namespace that has only loopback (needs root).
"""
import argparse
import collections
import ctypes
import fcntl
import fnmatch
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hlib import (CRLF, HEAD_END, Origin, Target, disagreement, echo, hostport,  # noqa: E402
                  http_date, raise_fd_limit, ready, resp, rss_kib, talk)

BOTH, REV, FWD, PFX = "RFP", "R", "F", "P"
CASES = []
MARK = b"S3cretOf"                   # planted in every credential of the run


class NotHere(Exception):
    """A case that does not apply to this run."""


class Case:
    def __init__(self, cid, rules, run, strict, rfc, modes, slow):
        self.id, self.rules, self.run = cid, rules.split(), run
        self.strict, self.rfc, self.modes, self.slow = strict, rfc, modes, slow
        self.cls = cid.split("-")[0]


def add(cid, rules, run, strict, rfc=None, modes=BOTH, slow=False):
    rules = " ".join("H-%03d" % int(r) for r in rules.split())
    assert not any(c.id == cid for c in CASES), cid
    CASES.append(Case(cid, rules, run, spread(strict), spread(rfc or strict, r" \1/5??"), modes, slow))


def spread(spec, more=""):
    """`ok/*`: the second client got the new answer, or the stored one; not just anything."""
    return re.sub(r"\b(ok|retry)/\*", r"\1/new \1/hit" + more, spec)


def match(label, spec):
    return any(fnmatch.fnmatchcase(label, p) for p in spec.split())


# --------------------------------------------------------------------------
# the place a case runs in
# --------------------------------------------------------------------------

class Ctx:
    def __init__(self, a, addr, origin, target=None):
        self.a = a
        self.addr = addr
        self.origin = origin
        self.mode = a.mode
        self.prefix = (a.path_prefix or "").encode()
        self.authority = b"%s:%d" % (a.origin_host.encode(), a.origin_port)
        self.kind = "F" if a.mode == "forward" else ("P" if self.prefix else "R")
        if a.host:
            self.host = a.host.encode()
        elif self.kind == "P":
            self.host = b"%s:%d" % (addr[0].encode(), addr[1])
        else:
            self.host = self.authority
        self.target_proc = target
        self.seq = random.getrandbits(36)
        self.issued = set()
        self.lock = threading.Lock()
        self.caches = None
        self.isolated = only_loopback()

    def nonce(self):
        with self.lock:
            self.seq += 1
            self.issued.add(b"n%010x" % (self.seq & 0xffffffffff))
            return b"n%010x" % (self.seq & 0xffffffffff)

    def target(self, path):
        if self.kind == "F":
            return b"http://" + self.authority + path
        return self.prefix + path

    def fill(self, raw, nonce):
        base = b"/z/" + nonce
        for k, v in ((b"%T%", self.target(base)), (b"%B%", self.target(base + b"/b")),
                     (b"%C%", self.target(base + b"/c")), (b"%H%", self.host),
                     (b"%A%", self.authority), (b"%P%", base), (b"%N%", nonce),
                     (b"%S%", MARK + nonce)):
            raw = raw.replace(k, v)
        return raw

    def get(self, path, *fields, method=b"GET", version=b"HTTP/1.1", body=b"", target=None,
            host=None, **kw):
        raw = b"%s %s %s\r\nHost: %s\r\n%s\r\n" % (
            method, target or self.target(path), version, host or self.host,
            b"".join(f + CRLF for f in fields))
        kw.setdefault("want", 1)
        kw.setdefault("methods", (method,))
        return talk(self.addr, [raw + body], **kw)

    def handle(self, nonce, fn, early=False):
        if early:
            fn.early = True
        self.origin.handlers[nonce] = fn

    def count(self, nonce):
        return len(self.origin.of(nonce))

    def alive(self, wait=3.0, times=4):
        """Several new connections in a row are answered at once (one stuck thread
        of several shows as an answer now and then)."""
        end = time.time() + wait
        good_ones = 0
        while good_ones < times:
            n = self.nonce()
            t = self.get(b"/z/" + n, b"Connection: close", max_wait=1.5, quiet=0.0)
            if t.finals and t.finals[0].complete and t.finals[0].status == 200:
                good_ones += 1
                continue
            good_ones = 0
            if time.time() > end:
                return False
            time.sleep(0.2)
        return True


def only_loopback():
    try:
        with open("/proc/net/dev") as f:
            names = [ln.split(":")[0].strip() for ln in f if ":" in ln]
    except OSError:
        return False
    return names == ["lo"]


def enter_netns():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x40000000):
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    with socket.socket() as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x41))


def own(c, nonce, reqs, raws):
    """Without what an earlier case still had under way."""
    late = [r for r in reqs if r.nonce != nonce and r.nonce in c.issued]
    reqs = [r for r in reqs if r not in late]
    gone = {r.conn.id for r in late} - {r.conn.id for r in reqs}
    return reqs, {k: v for k, v in raws.items() if k not in gone}


def wait_for(pattern, seconds):
    """A piece for talk(): read until `pattern` has come, or time is over."""
    def go(s, buf):
        end = time.time() + seconds
        while not re.search(pattern, bytes(buf)) and time.time() < end:
            if ready(s, end - time.time())[0]:
                try:
                    d = s.recv(65536)
                except OSError:
                    return
                if not d:
                    return
                buf.extend(d)
    return go


# --------------------------------------------------------------------------
# request cases
# --------------------------------------------------------------------------

def f1(*fields, m=b"GET", t=b"%T%", v=b"HTTP/1.1", host=b"%H%", body=b""):
    """One request, as a template."""
    h = [b"Host: " + host] if host is not None else []
    return b"%s %s %s\r\n%s\r\n%s" % (m, t, v, b"".join(x + CRLF for x in h + list(fields)), body)


def p1(*fields, body=b"", **kw):
    kw.setdefault("m", b"POST")
    return f1(*fields, body=body, **kw)


NEXT = f1(b"Connection: close", t=b"%B%")
CHUNKED = b"Transfer-Encoding: chunked"
R = "rej:??? rej:???+open close* cut*"    # rfc: refuse in whatever way, but well-formed, and with nothing behind it
RC = "rej:??? close* cut*"           # rfc: refuse and close (9112 section 6.3)
RF = R + " fwd"                      # rfc: refuse, or pass on in clean form
S4 = "rej:400"                       # strict: 400, closed, nothing more


def Q(cid, rules, raw, strict, rfc=None, m=b"GET", suffix=b"", body=b"", fwd=None, chk=None,
      wait=2.0, half_close=False, modes=BOTH, linger=1.2, settle=0.0, ok=(200, 206)):
    """A request case. `fwd` is the list of (method, path suffix, body) that a
    right reading gives; the default is the one request, and NEXT if it is there."""
    def run(c):
        nonce = c.nonce()
        pieces = [raw] if isinstance(raw, (bytes, bytearray)) else list(raw(c) if callable(raw) else raw)
        pieces = [c.fill(x, nonce) if isinstance(x, (bytes, bytearray)) else x for x in pieces]
        blob = b"".join(x for x in pieces if isinstance(x, bytes))
        want = fwd
        if want is None:
            want = [(m, suffix, body)]
            if c.fill(NEXT, nonce) in blob:
                want.append((b"GET", b"/b", b""))
        mk = c.origin.mark()
        t = talk(c.addr, pieces, methods=[x[0] for x in want], want=len(want), max_wait=wait,
                 half_close=half_close, linger=linger)
        time.sleep(settle or 0.03)
        reqs, raws = own(c, nonce, *c.origin.since(mk))
        if any(r.complete is False for r in reqs):
            time.sleep(0.25)
        label, why = classify(c, nonce, want, t, reqs, raws, ok)
        if label == "fwd" and chk:
            bad = chk(c, t, reqs)
            if bad:
                label, why = (bad if isinstance(bad, tuple) else ("relay", bad))
        return label, why, t, reqs
    add(cid, rules, run, strict, rfc, modes)


def classify(c, nonce, want, t, reqs, raws, ok):
    finals = t.finals
    upstream = sum(len(x) for x in raws.values())
    if not reqs and not upstream:
        if finals:
            f = finals[0]
            flags = ("" if t.closed else "+open") + ("+more" if len(finals) > 1 else "")
            if f.viol or not f.complete or t.residue:
                flags += "+malformed"
            if f.status >= 400:
                return "rej:%d%s" % (f.status, flags), ""
            return "self:%d" % f.status, "answered by the proxy itself"
        if t.raw:
            if t.raw[3:4] in (b"\x04", b"\x07") and t.raw[:1] == b"\0":
                return "h2", "answers in HTTP/2 frames"
            return "odd", "unreadable answer %r" % t.raw[:60]
        if t.closed:
            return ("close", "")
        return "wait", "no answer, nothing sent upstream"
    for r in reqs:
        if r.viol:
            return "dirty", "origin saw %s: %r" % (",".join(r.viol), bytes(r.head.raw[:90]))
    for rw in raws.values():
        d = disagreement(rw)
        if d:
            return "dirty", "readers disagree: " + d
    if not reqs:
        return "dirty", "bytes without a request upstream: %r" % list(raws.values())[0][:60]
    base = b"/z/" + nonce
    for i, r in enumerate(reqs):
        if i >= len(want):
            return "split", "request nobody sent: %s" % r.brief()
        wm, ws, wb = want[i]
        if (r.method != wm and (wm, r.method) != (b"HEAD", b"GET")) or r.path not in (base + ws, c.prefix + base + ws):
            return "split", "request %d is %s" % (i + 1, r.brief())
        if not r.complete:
            if i == len(reqs) - 1:
                if finals and finals[min(i, len(finals) - 1)].status < 400 and len(finals) > i:
                    return "relay", "success for a message that did not end: " + t.brief()
                st = ":%d" % finals[-1].status if finals else ""
                if not st and not t.closed and not r.eof:
                    return "wait", "forwarding goes on without an end"
                return "cut" + st, ""
            return "split", "incomplete request in the middle"
        if wb is not None and r.body != wb and r.blen != len(wb):
            return "body", "content is %d bytes, not %d: %r" % (r.blen, len(wb), r.body[:40])
        if wb is not None and r.body[:2_000_000] != wb[:2_000_000]:
            return "body", "content differs"
    if not finals:
        return ("fwd-cut" if t.closed else "hang"), "forwarded, no answer came back"
    for i, f in enumerate(finals):
        if f.viol:
            return "relay", "answer has " + ",".join(f.viol)
        if not f.complete:
            return "relay", "answer incomplete"
        if i < len(reqs) and f.status in ok:
            tgt = f.field(b"target")
            if tgt is not None and tgt not in ((base + want[i][1]).split(b";")[0], (c.prefix + base + want[i][1]).split(b";")[0]):
                return "desync", "answer %d is for %r" % (i + 1, tgt)
        elif i < len(reqs):
            return "fwd-err:%d" % f.status, "forwarded, and then answered with an error"
    if t.residue:
        return "relay", "bytes behind the answer: %r" % t.residue[:40]
    if len(finals) < len(reqs):
        return "relay", "%d requests went out, %d answers came back" % (len(reqs), len(finals))
    return "fwd", ""


# --------------------------------------------------------------------------
# response cases
# --------------------------------------------------------------------------

def head(status=b"HTTP/1.1 200 OK", *fields, cc=b"max-age=60"):
    out = [status, b"Date: %D%"]
    if cc:
        out.append(b"Cache-Control: " + cc)
    return b"".join(x + CRLF for x in out + list(fields)) + CRLF


def r200(*fields, body=b"", **kw):
    return head(b"HTTP/1.1 200 OK", *fields, **kw) + body


BAD = "5?? drop cut retry"


def good(n):
    return b"good-%d\n" % n


def send_pieces(conn, pieces, end):
    """Send what a scripted origin says; return what its handler returns."""
    for p in pieces:
        if isinstance(p, (int, float)):
            time.sleep(p)
        elif callable(p):
            p(conn)
        else:
            conn.send(p.replace(b"%D%", http_date(time.time())))
    if end == "keep":
        return True
    if end == "rst":
        time.sleep(0.1)
        conn.rst()
        return False
    if end == "stall":
        time.sleep(14)
        return False
    time.sleep(0.15)
    return False


def judge_first(t, expect, status):
    finals = t.finals
    if not finals:
        if t.raw and not t.interim:
            return "garbled", "unreadable: %r" % t.raw[:70]
        return ("drop", "") if t.closed else ("hang", "no answer")
    f = finals[0]
    if f.complete and f.body.startswith(b"good-"):
        return "retry", ""
    if f.status >= 400 and f.status != status and f.complete:
        return (str(f.status), "") if not f.viol else ("dirty", ",".join(f.viol))
    if f.viol:
        return "dirty", "relayed with " + ",".join(f.viol)
    if not f.complete:
        return "cut", ""
    if len(finals) > 1 or t.residue:
        return "extra", "bytes after the end: %s %r" % (t.brief(), t.residue[:40])
    if f.status != status:
        return "status", "relayed as %d" % f.status
    if expect is not None and f.body != expect:
        return "wrong", "complete to the client, but %d bytes: %r" % (f.blen, f.body[:40])
    return "ok", ""


def judge_second(c, t, nonce, before, first_body):
    if not t.finals:
        return ("drop" if t.closed else "hang"), "second client got nothing"
    f = t.finals[0]
    n = c.count(nonce)
    if f.status >= 500:
        return str(f.status), "second client got %d" % f.status
    if f.viol or not f.complete:
        return "bad", "second answer %s" % f.brief()
    m = re.match(rb"good-(\d+)\n$", f.body)
    if m:
        return ("new", "") if n > before else ("hit", "")
    if n == before and first_body is not None and f.body == first_body and f.status in (200, 204):
        return "hit", ""
    return "bad", "second client got %d bytes %r (asked upstream: %s)" % (
        f.blen, f.body[:40], n > before)


def U(cid, rules, raw, strict, rfc=None, expect=None, status=200, end="close", method=b"GET",
      fields=(), chk=None, modes=BOTH, wait=3.0, second=True, gap=0.2, version=b"HTTP/1.1"):
    """A response case: origin answers the first request with `raw`, later ones well."""
    def run(c):
        nonce = c.nonce()
        pieces = [raw] if isinstance(raw, bytes) else list(raw)
        pieces = [x.replace(b"%N%", nonce) if isinstance(x, bytes) else x for x in pieces]

        def h(req, conn, n):
            if n == 1:
                return send_pieces(conn, pieces, end)
            conn.send(resp(200, [b"Cache-Control: max-age=60"], good(n)))
            return True
        c.handle(nonce, h)
        path = b"/z/" + nonce
        t = c.get(path, *fields, method=method, max_wait=wait, version=version)
        la, why = judge_first(t, expect, status)
        before = c.count(nonce)
        if not before:
            return "?no request upstream", t.brief(), t, []
        if not second:
            lb, wb = "-", ""
        else:
            time.sleep(gap if la == "ok" else max(gap, c.a.retry_gap))
            t2 = c.get(path, max_wait=wait)
            lb, wb = judge_second(c, t2, nonce, before,
                                  t.finals[0].body if t.finals and la == "ok" else None)
        label = la + "/" + lb
        why = "; ".join(x for x in (why, wb) if x)
        if chk and la == "ok":
            bad = chk(c, t, nonce)
            if bad:
                label, why = "relay/" + lb, bad
        return label, why, t, c.origin.of(nonce)
    add(cid, rules, run, strict, rfc, modes)


# --------------------------------------------------------------------------
# storing cases
# --------------------------------------------------------------------------

def S(cid, rules, strict, rfc=None, r=(), h1=(), h2=(), m1=b"GET", m2=b"GET", p1=b"", p2=b"",
      status=200, gap=0.2, modes=BOTH, b1=b"", host1=None, host2=None, gone=None):
    """A storing case: does the second request get the first one's answer? (`gone`: a field that a hit must not have)"""
    def run(c):
        if c.caches is False:
            return "?does not cache", "", None, []
        nonce = c.nonce()

        def h(req, conn, n):
            body = b"gen=%d;\n" % n
            fields = [x.replace(b"%D%", http_date(time.time())) for x in r]
            extra = [] if any(x.lower().startswith(b"cache-control") or
                              x.lower().startswith(b"expires") for x in r) else \
                [b"Cache-Control: max-age=60"]
            if req.method == b"HEAD":
                conn.send(resp(status, fields + extra + [b"Content-Length: %d" % len(body)], b""))
            else:
                conn.send(resp(status, fields + extra, body))
            return True
        c.handle(nonce, h)
        base = b"/z/" + nonce

        def one(m, p, hs, host, b=b""):
            hs = [x.replace(b"%S%", MARK + nonce) for x in hs]
            return c.get(base + p, *hs, method=m, host=host, body=b, max_wait=2.5)
        t1 = one(m1, p1, h1, host1, b1)
        n1 = c.count(nonce)
        if not t1.finals:
            return "?first failed", t1.brief(), t1, c.origin.of(nonce)
        if n1 == 0:
            return "first:%d" % t1.finals[0].status, "", t1, []
        if t1.finals[0].status in (502, 503, 504) and status < 500:
            return "first:%d" % t1.finals[0].status, "", t1, []
        time.sleep(gap)
        t2 = one(m2, p2, h2, host2)
        rs = c.origin.of(nonce)
        if not t2.finals:
            return "none", "second got nothing: " + t2.brief(), t2, rs
        f = t2.finals[0]
        if f.viol or not f.complete or t2.residue:
            return "bad", "second answer " + t2.brief(), t2, rs
        if m2 == b"HEAD":
            return ("hit" if len(rs) == n1 else "new"), "", t2, rs
        g = f.field(b"gen")
        if f.status == 304 or g is None:
            return "st:%d" % f.status, "second got %d" % f.status, t2, rs
        if gone and len(rs) == n1 and f.hdr(gone) is not None:
            return "leak", "the stored answer was used with %s" % gone.decode(), t2, rs
        return ("hit" if g == b"1" and len(rs) == n1 else "new" if len(rs) > n1 and g != b"1" else
                "ignored" if len(rs) > n1 else "old"), "gen=%s of %d" % (g.decode(), len(rs)), t2, rs
    add(cid, rules, run, strict, rfc, modes)


def C(cid, rules, strict, rfc=None, modes=BOTH, slow=False):
    """Decorator for a case with its own procedure: fn(c) -> label or (label, why)."""
    def deco(fn):
        def run(c):
            got = fn(c)
            if isinstance(got, str):
                got = (got, "")
            return got[0], got[1], (got[2] if len(got) > 2 else None), []
        add(cid, rules, run, strict, rfc, modes, slow)
        return fn
    return deco


# ==========================================================================
# cases: request line, version, target
# ==========================================================================

HTTP11 = b"HTTP/1.1"
Q("line-plain", "1", f1(), "fwd")
Q("line-leading-space", "1", b" GET %T% HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, RF)
Q("line-space-in-target", "1 11", b"GET %T%/a b HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, R)
Q("line-no-target", "1", b"GET HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, R)
Q("line-empty-then-request", "2", b"\r\n" + f1(), "fwd", RF)
Q("line-empty-flood", "2", b"\r\n" * 20000 + f1(), R, RF)
Q("line-bare-lf", "3", b"GET %T% HTTP/1.1\nHost: %H%\n\n", S4, RF)
Q("line-bare-lf-first", "3", b"GET %T% HTTP/1.1\nHost: %H%\r\n\r\n", S4, RF)
Q("line-bare-cr-target", "4", b"GET %T%/a\rb HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, R)
Q("line-method-lower", "5", f1(m=b"get"), R + " fwd", RF, m=b"get")
Q("line-method-unknown", "5", f1(m=b"BREW-IT"), "fwd rej:405 rej:501", RF, m=b"BREW-IT")
Q("line-method-separator", "6", f1(m=b"GE(T"), "rej:400 rej:501 rej:405", R)
Q("line-method-nul", "6", f1(m=b"G\0T"), "rej:400 rej:501 rej:405", R)
Q("line-method-5000", "6", f1(m=b"M" * 5000), "rej:400 rej:501 rej:405 rej:414", RF,
  m=b"M" * 5000)
for _n, _v in (("1-10", b"HTTP/1.10"), ("01-1", b"HTTP/01.1"), ("lower", b"http/1.1"),
               ("comma", b"HTTP/1,1"), ("tail", b"HTTP/1.1x"), ("plus", b"HTTP/+1.1"),
               ("word", b"HTTP/x.y")):
    Q("line-version-" + _n, "7", f1(v=_v), "rej:400 rej:505", RF)
Q("line-version-0-9", "8", f1(v=b"HTTP/0.9"), "rej:400 rej:505", RF + " odd")
Q("line-h2-preface", "8", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "rej:400* rej:505* close h2",
  R + " h2")
Q("line-get-asterisk", "10 15", b"GET * HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, R)
Q("line-get-query-only", "10", b"GET ?z/%N% HTTP/1.1\r\nHost: %H%\r\n\r\n", S4, R)
Q("line-high-target", "11", f1(t=b"%T%/\xc3\xa9"), S4, RF + " dirty")
Q("line-nul-target", "11", f1(t=b"%T%/a\0b"), S4, R)
Q("line-ctl-target", "11", f1(t=b"%T%/a\x01b"), S4, R)
Q("line-fragment", "12", f1(t=b"%T%/f#frag"), S4 + " fwd", RF, suffix=b"/f")
Q("line-percent-nul", "11 13", f1(t=b"%T%/%00%0d%0aX"), "fwd rej:400", RF, suffix=b"/%00%0d%0aX")
Q("line-octets-kept", "13", f1(t=b"%T%/a%2Fb//c/./d/%7e;p=1?x=%41&&y=a/../b?"), "fwd", RF,
  suffix=b"/a%2Fb//c/./d/%7e;p=1?x=%41&&y=a/../b?")
Q("line-dotdot-above-root", "13", b"GET " + b"%T%/../../../../etc/passwd" +
  b" HTTP/1.1\r\nHost: %H%\r\n\r\n", "fwd rej:400", RF, suffix=b"/../../../../etc/passwd")
Q("line-target-7900", "14", f1(t=b"%T%?" + b"q" * 7900), "fwd", RF, suffix=b"?" + b"q" * 7900)
for _n, _t in (("ftp", b"ftp://%A%%P%"), ("file", b"file:///etc/passwd"),
               ("gopher", b"gopher://%A%%P%"), ("empty", b"://%A%%P%"), ("js", b"javascript:1")):
    Q("line-scheme-" + _n, "17", f1(t=_t), "rej:400 rej:501", RF + (" split" if _n in ("file", "js") else " wait" if _n == "ftp" else ""))
Q("line-absolute-in-gateway", "16 59", f1(t=b"http://%A%%P%", host=b"%A%"), "fwd", "fwd",
  modes=REV)
Q("line-tls-hello", "18", bytes.fromhex("16030100c6010000c20303") + bytes(range(200)),
  S4 + " close rej:400*", R, wait=11.5)
Q("line-binary", "18", bytes((i * 37 + 11) % 251 for i in range(4096)) + b"\r\n\r\n",
  S4 + " close", R, wait=11.5)
Q("line-nuls", "18", b"\0" * 4096 + b"\r\n\r\n", S4 + " close", R, wait=11.5)
Q("line-ssh", "18", b"SSH-2.0-OpenSSH_9.2\r\n", S4 + " close", R, wait=11.5)


def _options(form):
    def fn(c):
        mk = c.origin.mark()
        tgt = {"*": b"*", "abs": b"http://" + c.authority}[form]
        t = c.get(b"", b"Max-Forwards: 3", b"Connection: close", method=b"OPTIONS", target=tgt,
                  host=c.authority if form == "abs" else None)
        reqs, _ = c.origin.since(mk)
        if not reqs:
            if not t.finals:
                return "close" if t.closed else "wait"
            return ("rej:%d" if t.finals[0].status >= 400 else "self:%d") % t.finals[0].status
        if reqs[0].viol:
            return "dirty", ",".join(reqs[0].viol)
        return "fwd:" + reqs[0].target.decode("latin1"), reqs[0].brief()
    return fn


@C("line-method-not-from-store", "5", "fwd rej*", "fwd rej*")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: max-age=60"], b"m=" + q.method)), True)[1])
    p = b"/z/" + n
    c.get(p)
    time.sleep(0.2)
    before = c.count(n)
    if c.get(p).finals and c.count(n) != before:
        return "?does not cache"
    t = c.get(p, method=b"get")
    if c.count(n) == before and t.finals and t.finals[0].status == 200:
        return "hit", "`get` was answered from the store as GET"
    t = c.get(p, method=b"BREW")
    if c.count(n) == before and t.finals and t.finals[0].status == 200:
        return "hit", "BREW was answered from the store"
    ms = [r.method for r in c.origin.of(n)][before:]
    if any(m not in (b"get", b"BREW") for m in ms):
        return "split", "origin saw %r" % ms
    return "fwd" if ms else "rej"


def _two_keys(cid, a, b, rules="13 116"):
    S(cid, rules, "new", "new", p1=a, p2=b)


_two_keys("line-key-slash-escape", b"/a%2Fb", b"/a/b")
_two_keys("line-key-empty-query-value", b"?a", b"?a=")
_two_keys("line-key-double-slash", b"//k", b"/k")
_two_keys("line-key-case", b"/Key", b"/key")


# ==========================================================================
# cases: field syntax
# ==========================================================================

def has(name, value=None):
    """chk: every forwarded request has this field (with this value)."""
    def chk(c, t, reqs):
        for r in reqs[:1]:
            got = r.head.all(name)
            if not got:
                return "lost", "field %s did not arrive" % name.decode()
            if value is not None and got != [value]:
                return "changed", "%s arrived as %r" % (name.decode(), got)
    return chk


def hasnt(*names, rx=None):
    def chk(c, t, reqs):
        for r in reqs:
            for n, v in r.head.headers:
                if n.lower() in names:
                    return "leak", "origin saw %s: %s" % (n.decode("latin1"), v.decode("latin1")[:50])
                if rx and re.search(rx, n + b":" + v):
                    return "leak", "origin saw %r" % (n + b":" + v)[:60]
    return chk


Q("field-space-before-colon", "19", f1(b"X-A : 1"), S4, R)
Q("field-space-before-colon-host", "19 55", b"GET %T% HTTP/1.1\r\nHost : %H%\r\n\r\n", S4, R)
Q("field-space-before-colon-cl", "19 32", p1(b"Content-Length : 5", body=b"hello") + NEXT, S4, R,
  m=b"POST", body=b"hello")
Q("field-space-before-colon-te", "19 37", p1(b"Transfer-Encoding : chunked",
  body=b"5\r\nhello\r\n0\r\n\r\n") + NEXT, S4, R, m=b"POST", body=b"hello")
Q("field-lead-space-first", "20", b"GET %T% HTTP/1.1\r\n X-A: 1\r\nHost: %H%\r\n\r\n", S4, RF,
  chk=hasnt(b"x-a"))
Q("field-lead-space-host", "20", b"GET %T% HTTP/1.1\r\n Host: other.test\r\nHost: %H%\r\n\r\n", S4,
  RF, chk=hasnt(rx=rb"other\.test"))
Q("field-fold", "21", f1(b"X-A: 1", b" 2"), S4, RF)
Q("field-fold-tab", "21", f1(b"X-A: 1", b"\t2"), S4, RF)
Q("field-fold-empty", "21", f1(b"X-A: 1", b" ", b"X-B: 2"), S4, RF)
Q("field-fold-host", "21 57", b"GET %T% HTTP/1.1\r\nHost:\r\n %H%\r\n\r\n", S4, RF)
Q("field-fold-te-after", "21 36", p1(b"X-A: 1", b" Transfer-Encoding: chunked", b"Content-Length: 5",
  body=b"hello") + NEXT, S4, RF, m=b"POST", body=b"hello")
Q("field-name-ctl", "22", f1(b"X\x01A: 1"), S4, RF)
Q("field-name-high", "22", f1(b"X\xe9A: 1"), S4, RF)
Q("field-name-quote", "22", f1(b'"X-A": 1'), S4, RF)
Q("field-name-at", "22", f1(b"X@A: 1"), S4, RF)
Q("field-name-long-s-te", "22 29", p1("Transfer-Encoding\u017f: chunked".encode(), b"Content-Length: 5",
  body=b"hello") + NEXT, S4, RF, m=b"POST", body=b"hello")
Q("field-no-colon", "23", f1(b"X-A"), S4, RF)
Q("field-no-colon-te", "23 37", p1(b"Transfer-Encoding chunked", b"Content-Length: 5",
  body=b"hello") + NEXT, S4, RF, m=b"POST", body=b"hello")
Q("field-ctl-value", "24", f1(b"X-A: a\x01b"), S4, RF + " dirty")
Q("field-del-value", "24", f1(b"X-A: a\x7fb"), S4, RF + " dirty")
Q("field-vt-value", "24", f1(b"X-A: a\x0bb"), S4, RF + " dirty")
Q("field-bare-cr-hides-field", "24 4", p1(b"X-A: a\rTransfer-Encoding: chunked", b"Content-Length: 5",
  body=b"hello") + NEXT, S4, RF, m=b"POST", body=b"hello")
Q("field-bare-lf", "3", b"GET %T% HTTP/1.1\r\nHost: %H%\r\nX-A: 1\nX-B: 2\r\n\r\n", S4, RF)
Q("field-bare-lf-end", "3", b"GET %T% HTTP/1.1\r\nHost: %H%\r\n\n", S4, RF)
Q("field-lf-cr-lf-end", "3", b"GET %T% HTTP/1.1\r\nHost: %H%\n\r\n", S4, RF)
Q("field-high-value", "24", f1(b"X-A: caf\xe9 \xff"), "fwd", RF, chk=has(b"x-a", b"caf\xe9 \xff"))
Q("field-value-blank", "25", f1(b"X-A:  \t "), "fwd", "fwd")
Q("field-value-no-space", "25", f1(b"X-A:1"), "fwd", "fwd", chk=has(b"x-a", b"1"))
Q("field-twice-list", "26", f1(b"X-A: 1, 2", b"X-B: 0", b"x-a: 3"), "fwd", "fwd",
  chk=lambda c, t, q: None if re.sub(rb"[ ,]+", b",", b",".join(q[0].head.all(b"x-a"))) == b"1,2,3"
  else ("changed", "X-A arrived as %r" % q[0].head.all(b"x-a")))
Q("field-twice-authorization", "26", f1(b"Authorization: Basic %S%", b"Authorization: Basic b"), S4, RF)
Q("field-section-30k", "27", f1(*[b"X-%d: " % i + b"v" * 1490 for i in range(20)]), "fwd", RF)
Q("field-line-15k", "27", f1(b"X-A: " + b"v" * 15000), "fwd", RF)
Q("field-line-2m", "27", f1(b"X-A: " + b"v" * 2_000_000), "rej:431 rej:400", R, wait=4)
Q("field-name-2m", "27", f1(b"X" * 2_000_000 + b": 1"), "rej:431 rej:400", R, wait=4)
Q("field-count-120", "28", f1(*[b"X-%d: v" % i for i in range(119)]), "fwd", RF)
Q("field-count-20000", "28", f1(*[b"X-%d: v" % i for i in range(20000)]), "rej:431 rej:400", RF, wait=4)
Q("field-underscore-te", "29 53", f1(b"Transfer_Encoding: chunked") + NEXT, "fwd rej:400", RF + " dirty")


def _dribble(c, raw, nonce):
    out = []
    raw = c.fill(raw, nonce)
    for i in range(0, len(raw)):
        out += [raw[i:i + 1], 0.001]
    return out


def _split_case(cid, rules, raw, m, body):
    def fn(c):
        nonce = c.nonce()
        mk = c.origin.mark()
        t = talk(c.addr, _dribble(c, raw, nonce), methods=(m, b"GET"), want=2, linger=1)
        time.sleep(0.05)
        reqs, raws = c.origin.since(mk)
        return classify(c, nonce, [(m, b"", body), (b"GET", b"/b", b"")], t, reqs, raws, (200,))
    C(cid, rules, "fwd", "fwd")(fn)


# ==========================================================================
# cases: request framing
# ==========================================================================

POST = dict(m=b"POST", body=b"hello")
H5 = b"hello"
S413 = "rej:400 rej:413"

for _n, _v in (("plus", b"+5"), ("minus", b"-5"), ("space-inside", b"5 5"), ("hex", b"0x5"),
               ("dot", b"5.0"), ("exponent", b"5e0"), ("empty", b""), ("letters", b"5a"),
               ("quotes", b'"5"'), ("comma-tail", b"5,"), ("semicolon", b"5;a"), ("vt", b"\x0b5"),
               ("nul", b"5\0"), ("word", b"five"), ("minus-zero", b"-0"), ("underscore", b"1_0"),
               ("high-digit", "\u0665".encode())):
    Q("frame-cl-" + _n, "32", p1(b"Content-Length: " + _v, body=H5) + NEXT, S4, RC + " fwd" if _n == "comma-tail" else RC, **POST)
for _n, _v in (("2-63", b"9223372036854775808"), ("2-64-plus-5", b"18446744073709551621"),
               ("2-32-plus-5-20-digits", b"99999999999999999999"), ("1000-digits", b"9" * 1000)):
    Q("frame-cl-" + _n, "33", p1(b"Content-Length: " + _v, body=H5) + NEXT, S413,
      RC + " wait" if _n == "2-63" else RC, **POST)
Q("frame-cl-leading-zeros-30", "33", p1(b"Content-Length: " + b"0" * 29 + b"5", body=H5) + NEXT,
  "fwd rej:400", RF, **POST)
Q("frame-cl-twice-differ", "34", p1(b"Content-Length: 5", b"Content-Length: 6", body=H5) + NEXT, S4, RC, **POST)
Q("frame-cl-twice-zero", "34", p1(b"Content-Length: 0", b"Content-Length: 5", body=H5) + NEXT, S4, RC, **POST)
Q("frame-cl-list-differ", "34", p1(b"Content-Length: 5, 6", body=H5) + NEXT, S4, RC, **POST)

OK5 = b"5\r\nhello\r\n0\r\n\r\n"
Q("frame-cl-te", "36", p1(b"Content-Length: 4", CHUNKED, body=OK5) + NEXT, S4, RF, **POST)
Q("frame-cl-zero-te", "36", p1(b"Content-Length: 0", CHUNKED, body=OK5) + NEXT, S4, RF, **POST)
Q("frame-cl-te-in-get", "36", f1(b"Content-Length: 4", CHUNKED) + OK5 + NEXT, S4, RF, body=H5)
Q("frame-cl-te-identity", "36 37", p1(b"Content-Length: 5", b"Transfer-Encoding: identity", body=H5) + NEXT,
  "rej:400 rej:501", R, **POST)
for _n, _f in (("identity", [b"identity"]), ("chunked-identity", [b"chunked, identity"]),
               ("chunked-twice", [b"chunked, chunked"]), ("gzip", [b"gzip"]),
               ("chunked-gzip", [b"chunked, gzip"]), ("unknown", [b"xchunked"]),
               ("space-word", [b"x chunked"]), ("quoted", [b'"chunked"']), ("empty", [b""]),
               ("nul", [b"chunked\0"]), ("vt-before", [b"\x0bchunked"]), ("vt-after", [b"chunked\x0b"]),
               ("cr-before", [b"\rchunked"]), ("semicolon", [b"chunked;"]),
               ("two-fields-identity", [b"chunked", b"identity"]),
               ("two-fields-unknown", [b"chunked", b"x"]), ("nbsp", [b"chunked\xa0"]),
               ("prefix", [b"chunk"]), ("tail", [b"chunkedx"])):
    Q("frame-te-" + _n, "37", p1(*[b"Transfer-Encoding: " + x for x in _f], body=OK5) + NEXT,
      "rej:400 rej:501", RC + " fwd" if _n == "chunked-twice" else RC, **POST)
Q("frame-te-gzip-chunked", "37", p1(b"Transfer-Encoding: gzip, chunked", body=OK5) + NEXT,
  "rej:400 rej:501", R, **POST)
Q("frame-te-two-fields-equal", "37", p1(CHUNKED, CHUNKED, body=OK5) + NEXT, "rej:400 rej:501", RF, **POST)
Q("frame-te-unknown-then-chunked", "37", p1(b"Transfer-Encoding: x", CHUNKED, body=OK5) + NEXT,
  "rej:400 rej:501", R, **POST)
Q("frame-te-cl-1-0", "38 36", p1(CHUNKED, b"Content-Length: 15", b"Connection: keep-alive", v=b"HTTP/1.0",
  body=OK5) + f1(t=b"%B%"), "rej:400", R + " fwd", **POST)

CUT4 = "rej:400 cut*"


def K(name, rules, body, strict=CUT4, rfc=R, content=H5, **kw):
    """A chunked POST with this body, and a request behind it."""
    kw.setdefault("m", b"POST")
    Q("frame-chunk-" + name, rules, p1(CHUNKED, body=body) + kw.pop("then", NEXT), strict, rfc,
      body=content, **kw)


T0 = b"\r\nhello\r\n0\r\n\r\n"
K("minus", "39", b"-5" + T0)
K("lead-space", "39", b" 5" + T0, rfc=RF)
K("lead-tab", "39", b"\t5" + T0, rfc=RF)
K("trail-space", "39", b"5 " + T0, rfc=RF)
K("trail-tab", "39", b"5\t" + T0, rfc=RF)
K("empty-size", "39", b"" + T0)
K("nul", "39", b"5\0" + T0)
K("upper-hex", "39", b"A\r\nhellohello\r\n0\r\n\r\n", "fwd", "fwd rej:411", content=b"hellohello")
K("lower-hex", "39", b"a\r\nhellohello\r\n0\r\n\r\n", "fwd", "fwd rej:411", content=b"hellohello")
K("overflow-max", "40", b"FFFFFFFFFFFFFFFF" + T0, CUT4 + " rej:413", R + " wait")
K("zeros-5", "40", b"00005" + T0, "fwd", RF)
K("no-crlf-after-data", "41", b"5\r\nhelloXX0\r\n\r\n")
K("cr-after-size", "41", b"5\rhello\r\n0\r\n\r\n")
K("cr-cr-lf-after-size", "41", b"5\r\r\nhello\r\n0\r\n\r\n")
K("ext", "42", b"5;a=b" + T0, "fwd", "fwd rej:411 relay", chk=lambda c, t, q: "extension passed on" if q[0].exts else None)
K("ext-name-only", "42", b"5;abc" + T0, "fwd", "fwd rej:411")
K("ext-quoted", "42", b'5;a="x;y, z"' + T0, "fwd", "fwd rej:411")
K("ext-bare-lf-inside", "42", b"5;a\nb" + T0)
K("ext-bare-cr", "42", b"5;a\rb" + T0)
K("ext-crlf-in-quotes", "42", b'5;a="\r\nhello\r\n0\r\n\r\n', rfc=RF)
K("ext-nul", "42", b"5;a\0b" + T0, rfc=RF)
K("ext-bad-name", "42", b"5;a@=b" + T0, rfc=RF)
K("ext-2m", "43", b"5;a=" + b"b" * 2_000_000 + T0, "rej:400 rej:413 rej:431 cut*", RF + " wait", wait=4)
for _n, _f in (("cl", b"Content-Length: 3"), ("te", b"Transfer-Encoding: chunked"), ("host", b"Host: evil.test"),
               ("authorization", b"Authorization: Basic %S%"), ("connection", b"Connection: close"),
               ("cache-control", b"Cache-Control: no-store")):
    K("trailer-" + _n, "44", b"5\r\nhello\r\n0\r\n" + _f + b"\r\n\r\n", "fwd rej:400 cut*", RF + " dirty",
      chk=hasnt(rx=re.escape(_f) if _n not in ("te",) else b"^never"))
K("trailer-fold", "44", b"5\r\nhello\r\n0\r\nX-T: 1\r\n 2\r\n\r\n", CUT4, RF)
K("trailer-space-colon", "44", b"5\r\nhello\r\n0\r\nX-T : 1\r\n\r\n", CUT4, RF)
K("trailer-nul", "44", b"5\r\nhello\r\n0\r\nX-T: a\0b\r\n\r\n", CUT4, RF)
K("trailer-bare-lf", "44", b"5\r\nhello\r\n0\r\nX-T: a\nX-U: b\r\n\r\n", CUT4, RF)
K("trailer-2m", "45", b"5\r\nhello\r\n0\r\nX-T: " + b"t" * 2_000_000 + b"\r\n\r\n", "rej:400 rej:413 rej:431 cut*",
  RF, wait=4)
K("trailer-20000", "45", b"5\r\nhello\r\n0\r\n" + b"".join(b"X-%d: t\r\n" % i for i in range(20000)) + b"\r\n",
  "rej:400 rej:413 rej:431 cut*", RF, wait=4)
K("empty-body", "46", b"0\r\n\r\n", "fwd", "fwd rej:411", content=b"")


def _chunky(seed, total):
    rnd = random.Random(seed)
    data, out = bytearray(), bytearray()
    while len(data) < total:
        n = min(rnd.choice((1, 2, 7, 100, 1000, 5000)), total - len(data))
        part = bytes(rnd.getrandbits(8) for _ in range(n))
        data += part
        out += b"%x\r\n" % n + part + b"\r\n"
    return bytes(data), bytes(out) + b"0\r\n\r\n"


_d, _e = _chunky(1, 100_000)
K("odd-sizes", "46", _e, "fwd", "fwd rej:411", content=_d)


@C("frame-post-without-length", "47 51", "ok rej:411", "ok rej:4??")
def _(c):
    n = c.nonce()
    t = talk(c.addr, c.fill(p1() + NEXT, n), methods=(b"POST", b"GET"), want=2)
    seen = [(r.method, r.path[-2:], r.blen) for r in c.origin.of(n)]
    if t.finals and t.finals[0].status >= 400 and (b"POST" not in [x[0] for x in seen]):
        return "rej:%d" % t.finals[0].status
    if any(r.viol for r in c.origin.of(n)) or [x[0] for x in seen] not in ([b"POST"], [b"POST", b"GET"]):
        return "split", str(seen)
    return "ok" if t.finals and t.finals[0].field(b"method") == b"POST" else ("none", t.brief())


Q("frame-get-with-cl", "48", f1(b"Content-Length: 5", body=H5) + NEXT, "fwd rej:400 rej:413", RF + " body", body=H5)
Q("frame-options-with-cl", "48", f1(b"Content-Length: 5", m=b"OPTIONS", body=H5) + NEXT, "fwd rej:400 rej:413", RF,
  m=b"OPTIONS", body=H5)
Q("frame-get-cl-zero", "48", f1(b"Content-Length: 0") + NEXT, "fwd", "fwd")


def _stops(cid, raw, rules="49", **kw):
    Q(cid, rules, raw, "rej:400 rej:408 close cut*", R, m=b"POST", body=b"x" * 100, wait=13, **kw)


_stops("frame-stop-chunk", p1(CHUNKED, body=b"64\r\nxxxxx"), half_close=True)
_stops("frame-stop-in-trailer", p1(CHUNKED, body=b"64\r\n" + b"x" * 100 + b"\r\n0\r\nX-T: 1\r\n"), half_close=True)


@C("frame-stop-full-close", "49", "ok", "ok open")
def _(c):
    """The client goes away inside the content: no complete message upstream."""
    for raw in (p1(b"Content-Length: 100", body=b"x" * 10), p1(CHUNKED, body=b"64\r\n" + b"x" * 100 + b"\r\n")):
        n = c.nonce()
        talk(c.addr, [c.fill(raw, n), 0.1], want=None, max_wait=0.05)
        end = time.time() + 3
        while time.time() < end and any(not r.eof for r in c.origin.of(n) if not r.complete):
            time.sleep(0.05)
        time.sleep(0.1)
        for r in c.origin.of(n):
            if r.complete:
                return "complete", "origin got a complete message: " + r.brief()
            if not r.eof:
                return "open", "upstream connection still open after 3 s"
    return "ok"


@C("frame-lingering-close", "52", "readable", "-")
def _(c):
    n = c.nonce()
    raw = c.fill(p1(b"Content-Length: abc", body=b"x" * 600_000), n)
    t = talk(c.addr, [raw, 0.3], methods=(b"POST",), want=1, linger=1)
    if c.count(n):
        return "forwarded", "origin saw the request"
    if len(t.finals) == 1 and t.finals[0].status in (400, 411, 413):
        return "readable"
    return "reset" if not t.finals else "odd", t.brief()


@C("frame-expect-bad", "32 73", "ok", "ok")
def _(c):
    n = c.nonce()
    t = talk(c.addr, c.fill(p1(b"Content-Length: 5x", b"Expect: 100-continue"), n), methods=(b"POST",), want=1,
             linger=1)
    if t.interim:
        return "100", "100 before a refusal"
    if c.count(n):
        return "forwarded"
    return "ok" if t.finals and t.finals[0].status >= 400 else ("none", t.brief())


# ==========================================================================
# cases: Host, authority, target URI
# ==========================================================================

RP, FM = "RP", "F"
Q("host-twice-equal", "56", f1(b"Host: %H%"), S4, R)
for _n, _v in (("userinfo", b"u@a.test"), ("path", b"a.test/x"), ("query", b"a.test?x"), ("space", b"a test"),
               ("comma", b"a.test, b.test"), ("two-colons", b"a.test:80:81"), ("bracket", b"[::1"),
               ("bracket-tail", b"[::1]x"), ("port-big", b"a.test:99999"), ("port-word", b"a.test:8x"),
               ("port-minus", b"a.test:-1"), ("ctl", b"a\x01b"), ("high", b"\xe9.test"), ("scheme", b"http://a.test"),
               ("backslash", b"a\\b.test"), ("nul", b"a.test\0b"), ("hash", b"a.test#b"), ("lt", b"<a>.test")):
    Q("host-bad-" + _n, "57", f1(host=_v), S4 + " rej:421" if _n == "port-big" else S4, RF + " dirty" if _n == "port-big" else R, modes=RP)
Q("host-bad-in-forward", "57 59", f1(host=b"a/b@c"), S4 + " fwd", RF, modes=FM,
  chk=hasnt(rx=rb"(?i)^host:.*(a/b|@)"))
Q("host-absolute-other", "60", f1(t=b"http://%A%%P%", host=b"evil.test"), S4 + " fwd", RF, modes=REV,
  chk=hasnt(rx=rb"(?i)^host:.*evil"))
Q("host-absolute-other-forward", "59", f1(host=b"evil.test"), "fwd", "fwd", modes=FM,
  chk=hasnt(rx=rb"(?i)^host:.*evil"))
Q("host-absolute-empty-host", "59", f1(host=b""), "fwd rej:400", RF, modes=FM)


@C("host-port-in-key", "64 62", "new rej", "new rej", modes=REV)
def _(c):
    n = c.nonce()

    def h(q, k, i):
        k.send(resp(200, [b"Cache-Control: max-age=60"], b"host=%s\n" % q.hdr(b"host", b"-")))
        return True
    c.handle(n, h)
    t1 = c.get(b"/z/" + n, host=b"one.test:81")
    time.sleep(0.2)
    t2 = c.get(b"/z/" + n, host=b"one.test:82")
    if not t1.finals or not t2.finals:
        return "?no answer", t1.brief() + t2.brief()
    if t1.finals[0].status >= 400 and not c.count(n):
        return "rej"
    hosts = [r.hdr(b"host", b"") for r in c.origin.of(n)]
    if len(hosts) == 1 and b":81" in hosts[0] and b":81" in t2.finals[0].body:
        return "shared", "port 82 got the answer made for port 81"
    return "new", str(hosts)


for _n, _u in (("userinfo", b"http://u:p@%A%%P%"), ("empty-host", b"http://%P%"), ("no-slashes", b"http:%P%"),
               ("one-slash", b"http:/%A%%P%"), ("port-big", b"http://127.0.0.1:99999%P%"),
               ("port-wrap", b"http://127.0.0.1:%W%%P%"), ("port-zero", b"http://127.0.0.1:0%P%"),
               ("port-word", b"http://127.0.0.1:80x%P%"), ("port-minus", b"http://127.0.0.1:-80%P%"),
               ("port-plus", b"http://127.0.0.1:+%O%%P%"), ("port-space", b"http://127.0.0.1: %O%%P%"),
               ("bracket", b"http://[::1%P%"), ("bracket-word", b"http://[127.0.0.1]:%O%%P%"),
               ("backslash", b"http://%A%\\@evil.test%P%"), ("percent-at", b"http://%A%%40evil.test%P%"),
               ("percent-slash", b"http://%A%%2fx%P%"), ("percent-host", b"http://127.0.0%2e1:%O%%P%"),
               ("nul", b"http://127.0.0.1%00:%O%%P%"), ("two-ports", b"http://127.0.0.1:%O%:80%P%"),
               ("caret", b"http://127.0.0.1^x:%O%%P%")):
    def _raw(c, u=_u):
        port = b"%d" % c.a.origin_port
        return [f1(t=u.replace(b"%O%", port).replace(b"%W%", b"%d" % (65536 + c.a.origin_port)), host=b"%A%")]
    Q("host-target-" + _n, "61", _raw, S4, "rej* close wait" + (" fwd leak" if _n in ("userinfo", "percent-host", "port-plus", "bracket-word") else ""), modes=FM,
      chk=hasnt(rx=rb"(?i)^(host:.*[@%]|authorization:)"), wait=6)


Q("host-prefix-inner-host", "65", f1(), "fwd", "-", modes=PFX,
  chk=lambda c, t, q: None if q[0].hdr(b"host") == c.authority else ("changed", "Host is %r" % q[0].hdr(b"host")))
FOREIGN = "rej:403 rej:421 rej:400"   # a page of another site must not read through the gateway
Q("host-prefix-foreign-host", "65", f1(host=b"evil.test"), FOREIGN, "-", modes=PFX)
Q("host-prefix-cross-site", "65", f1(b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Mode: cors"), FOREIGN, "-", modes=PFX)

# ==========================================================================
# cases: connection-specific fields
# ==========================================================================

Q("hop-nominated", "67", f1(b"Connection: X-Hop", b"X-Hop: 1"), "fwd", "fwd", chk=hasnt(b"x-hop"))
Q("hop-connection-itself", "67", f1(b"Connection: X-Hop, foo"), "fwd", "fwd",
  chk=hasnt(rx=rb"(?i)^connection:.*(x-hop|foo)"))
Q("hop-proxy-connection", "68", f1(b"Proxy-Connection: keep-alive"), "fwd", RF + " leak", chk=hasnt(b"proxy-connection"))
Q("hop-keep-alive", "68", f1(b"Keep-Alive: timeout=99", b"Connection: keep-alive"), "fwd", "fwd",
  chk=hasnt(rx=rb"(?i)^keep-alive: *timeout=99"))
Q("hop-te", "68", f1(b"TE: gzip, trailers;q=0.5", b"Connection: TE"), "fwd", "fwd", chk=hasnt(rx=rb"(?i)^te:.*gzip"))
Q("hop-upgrade-not-nominated", "68", f1(b"Upgrade: foo/2"), "fwd", "fwd leak", chk=hasnt(b"upgrade"))
Q("hop-nominates-host", "69", f1(b"Connection: Host"), "fwd rej:400", RF)
Q("hop-nominates-authorization", "69", f1(b"Connection: Authorization", b"Authorization: Basic %S%"), "fwd rej:400", RF,
  chk=has(b"authorization"))
Q("hop-nominates-cookie", "69", f1(b"Connection: Cookie", b"Cookie: a=b"), "fwd rej:400", RF, chk=has(b"cookie"))
Q("hop-nominates-cache-control", "69", f1(b"Connection: Cache-Control", b"Cache-Control: no-cache"), "fwd rej:400", RF)
for _n in ("authorization", "cookie"):            # the RFC has the nominated field removed
    CASES[[c.id for c in CASES].index("hop-nominates-" + _n)].rfc = RF + " lost"
Q("hop-proxy-authorization", "70", f1(b"Proxy-Authorization: Basic %S%"), "fwd rej:407", RF + " leak",
  chk=hasnt(b"proxy-authorization"))
Q("hop-via-added", "71", f1(), "fwd", "fwd", chk=lambda c, t, q: None if re.search(rb"(?i)\b(http/)?1\.1 ", q[0].hdr(b"via", b""))
  else ("lost", "no Via at the origin"))
Q("hop-via-kept", "71", f1(b"Via: 1.0 early, 1.1 later"), "fwd", "fwd",
  chk=lambda c, t, q: None if re.search(rb"(?i)^1\.0 early, 1\.1 later, (http/)?1\.1 ", b", ".join(q[0].head.all(b"via"))) else
  ("changed", "Via is %r" % q[0].head.all(b"via")))


def _resp_fields(cid, rules, fields, rx, strict="ok", rfc="ok", cc=b"max-age=60", cached=True, modes=BOTH):
    def fn(c):
        n = c.nonce()
        c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: " + cc] + list(fields), b"gen=%d;\n" % i)),
                                     b"close" not in b"".join(fields).lower())[1])
        for i in range(2):
            t = c.get(b"/z/" + n)
            if not t.finals or not t.finals[0].complete:
                return "none", t.brief()
            if t.finals[0].status >= 500:
                return "502" if t.finals[0].status == 502 else "5xx"
            for a, b in t.finals[0].head.headers:
                if re.search(rx, a + b": " + b):
                    return ("leak" if i == 0 else "replay"), "client %d saw %s" % (i + 1, (a + b": " + b).decode("latin1"))
            time.sleep(0.2)
        return "ok"
    C(cid, rules, strict, rfc, modes)(fn)


_resp_fields("hop-response-nominated", "67 72", [b"Connection: X-Hop", b"X-Hop: 1"], rb"(?i)^x-hop:")
_resp_fields("hop-response-keep-alive", "68 72", [b"Keep-Alive: timeout=77"], rb"(?i)^keep-alive:.*77", rfc="ok leak replay")
_resp_fields("hop-response-proxy-authenticate", "70 72", [b"Proxy-Authenticate: Basic realm=x"],
             rb"(?i)^proxy-authenticate:", rfc="ok leak replay")
_resp_fields("hop-response-proxy-connection", "68", [b"Proxy-Connection: close"], rb"(?i)^proxy-connection:",
             rfc="ok leak replay")
S("hop-response-nominates-vary", "69 117", "new first:502", "new hit first:50?", r=[b"Vary: X-V", b"Connection: Vary"],
  h1=[b"X-V: 1"], h2=[b"X-V: 2"])


@C("hop-via-response", "71", "ok", "ok", modes=FM)
def _(c):
    t = c.get(b"/z/" + c.nonce())
    return "ok" if t.finals and re.search(rb"1\.1 ", t.finals[0].hdr(b"via", b"")) else "lost"


# ==========================================================================
# cases: Expect, Upgrade, CONNECT, TRACE, persistence
# ==========================================================================

def simple(c, n, status=200, fields=(b"Cache-Control: no-store",)):
    c.handle(n, lambda q, k, i: (k.send(resp(status, list(fields), b"" if q.method == b"HEAD" else echo(q, i))), True)[1])


@C("conn-expect-silent-origin", "74", "ok", "-")
def _(c):
    """An origin that sends no 100 and waits for the content: the proxy does not wait for ever."""
    n = c.nonce()
    t = talk(c.addr, [c.fill(p1(b"Content-Length: 5", b"Expect: 100-continue"), n), wait_for(rb"HTTP/1.1 \d\d\d", 2.5),
                      H5, c.fill(NEXT, n)], methods=(b"POST", b"GET"), want=2, max_wait=3)
    rs = c.origin.of(n)
    if not rs or rs[0].method != b"POST":
        return "lost", t.brief()
    if t.finals and t.finals[0].status == 417:
        return "ok"
    if not rs[0].complete or rs[0].body != H5:
        return "body", rs[0].brief()
    if [r.path[-2:] for r in rs[1:]] not in ([b"/b"], []):
        return "split", str([r.brief() for r in rs])
    return "ok" if t.finals and t.finals[0].status == 200 else ("none", t.brief())


@C("conn-expect-final", "73", "ok", "ok")
def _(c):
    """The origin refuses at once: the client gets that, and the next exchange is right."""
    n = c.nonce()

    def h(q, k, i):
        if q.method == b"POST":
            k.send(resp(403, [b"Cache-Control: no-store", b"Connection: close"], b"no\n"))
            time.sleep(0.1)
            return False
        k.send(resp(200, [b"Cache-Control: no-store"], echo(q, i)))
        return True
    c.handle(n, h, early=True)
    def send_if_100(s, buf):
        if re.match(rb"HTTP/1.1 100", bytes(buf)) and not re.search(rb"HTTP/1.1 [2-5]\d\d", bytes(buf)):
            s.sendall(H5)
    t = talk(c.addr, [c.fill(p1(b"Content-Length: 5", b"Expect: 100-continue"), n), wait_for(rb"HTTP/1.1 \d\d\d", 2.5),
                      0.2, send_if_100], methods=(b"POST",), want=1, max_wait=2)
    u = c.get(b"/z/" + n)
    if not u.finals or u.finals[0].status != 200 or u.finals[0].field(b"method") != b"GET":
        return "desync", u.brief()
    if t.finals and t.finals[0].status in (403, 417):
        return "ok"
    if t.finals and t.finals[0].status >= 500:
        return "5xx", t.brief()
    return ("100" if t.interim else "none"), t.brief()


Q("conn-expect-unknown", "75", f1(b"Expect: 200-maybe"), "rej:417* fwd", "rej:417* rej:400* fwd")
Q("conn-expect-unknown-mixed", "75", f1(b"Expect: 100-continue, x=y"), "rej:417* rej:400* fwd", "rej* fwd")


WS = (b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13",
      b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
Q("conn-upgrade-websocket", "77", f1(*WS), "fwd", RF + " leak lost", chk=has(b"upgrade", b"websocket"))
Q("conn-upgrade-h2c", "77", f1(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c",
  b"HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), "fwd", RF + " leak", chk=lambda c, t, q:
  ("settings", "HTTP2-Settings, which Connection names, arrived") if q[0].hdr(b"http2-settings") else hasnt(b"upgrade")(c, t, q))
Q("conn-upgrade-h2c-alone", "77", f1(b"Connection: Upgrade", b"Upgrade: h2c",
  b"HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), "fwd", RF + " leak", chk=hasnt(b"upgrade"))
Q("conn-upgrade-with-body", "77", p1(b"Connection: Upgrade", b"Upgrade: foo/1", b"Content-Length: 5", body=H5) + NEXT,
  "fwd", RF + " leak", chk=hasnt(b"upgrade"), **POST)


@C("conn-101-unasked", "78", "502", "5?? drop cut")
def _(c):
    n = c.nonce()

    def h(q, k, i):
        k.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\nTUNNELLED")
        time.sleep(0.3)
        return False
    c.handle(n, h)
    t = talk(c.addr, c.fill(f1(), n), want=1, max_wait=3)
    if any(r.status == 101 for r in t.interim):
        return "101", "relayed to a client that asked for nothing"
    if not t.finals:
        return "drop" if t.closed else "hang"
    return str(t.finals[0].status) if t.finals[0].complete else "cut"


def tunnel(cid, rules, target, strict, rfc=None, modes=FM, extra=b"", hostf=None, wait=4):
    def fn(c):
        port = b"%d" % c.a.origin_port
        n = c.nonce()
        mk = c.origin.mark()
        tg = target.replace(b"%O%", port).replace(b"%A%", c.authority)
        raw = b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (tg, (hostf or tg or b"x").replace(b"%A%", c.authority)) + c.fill(extra, n)
        t = talk(c.addr, raw, methods=(b"CONNECT", b"GET"), want=1, max_wait=wait, linger=0.6)
        reqs, raws = c.origin.since(mk)
        if raws and extra and [(r.method, r.path[-2:]) for r in reqs] == [(b"GET", b"/b")]:
            return "next", "what followed the refused CONNECT was executed"
        if raws:
            return "contact", "bytes reached the origin: %r" % list(raws.values())[0][:50]
        if not t.finals:
            return ("close" if t.closed else "wait"), t.brief()
        if t.finals[0].status < 300:
            return "open", "tunnel was opened: " + t.brief()
        return "rej:%d%s" % (t.finals[0].status, "+more" if len(t.finals) > 1 else ""), t.brief()
    C(cid, rules, strict, rfc, modes)(fn)


ERR = "rej:4?? rej:5?? close wait"
tunnel("conn-connect-no-port", "79", b"127.0.0.1", S4, ERR)
tunnel("conn-connect-empty-port", "79", b"127.0.0.1:", S4, ERR)
tunnel("conn-connect-port-big", "79", b"127.0.0.1:66000", S4, ERR)
tunnel("conn-connect-empty-host", "79", b":443", S4, ERR)
tunnel("conn-connect-userinfo", "79 61", b"u@127.0.0.1:443", S4, ERR)
tunnel("conn-connect-space", "79", b"127.0.0.1: 443", S4, ERR)
tunnel("conn-connect-smtp", "79 138", b"127.0.0.1:25", "rej:403 rej:405 rej:407", ERR)
tunnel("conn-connect-host-differs", "66 79", b"127.0.0.1:443", S4 + " rej:403", ERR + " open", hostf=b"evil.test:443")
tunnel("conn-connect-on-gateway", "82", b"127.0.0.1:443", "rej:4?? rej:501 close", "-", modes="R")


def _tunnel(cid, rules, server, client, strict="ok", rfc="ok"):
    """A tunnel to port 443 of this (private) namespace: server(sock) there, client(sock) here."""
    def fn(c):
        if not c.isolated:
            return "?needs a network namespace with only loopback"
        ls = socket.socket()
        ls.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ls.bind(("127.0.0.1", 443))
        ls.listen(4)
        ls.settimeout(5)
        state = {}

        def serve():
            try:
                s, _a = ls.accept()
                s.settimeout(5)
                server(s, state)
                s.close()
            except OSError as e:
                state.setdefault("err", str(e))
        th = threading.Thread(target=serve, daemon=True)
        th.start()
        s = socket.create_connection(c.addr, 5)
        s.settimeout(5)
        try:
            got = client(s, state, b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: 127.0.0.1:443\r\n\r\n")
        except OSError as e:
            got = ("error", str(e))
        finally:
            s.close()
            ls.close()
        th.join(6)
        if th.is_alive():
            return "leak", "the far side was never closed"
        return got(state) if callable(got) else got
    C(cid, rules, strict, rfc, modes=FM)(fn)


def _opened(s, head, early=b""):
    """Send CONNECT, return (status, head, rest)."""
    s.sendall(head + early)
    buf = b""
    while b"\r\n\r\n" not in buf:
        d = s.recv(65536)
        if not d:
            return 0, buf, b""
        buf += d
    h, _x, rest = buf.partition(b"\r\n\r\n")
    m = re.match(rb"HTTP/1\.[01] (\d{3})", h)
    return int(m.group(1)) if m else 0, h, rest


def _read_all(s):
    out = bytearray()
    while True:
        d = s.recv(65536)
        if not d:
            return bytes(out)
        out += d


def _t_echo(s, state):
    while True:
        d = s.recv(65536)
        if not d:
            return
        s.sendall(d)


def _t_opaque(s, state, head):
    st, h, rest = _opened(s, head)
    if st in (403, 405):
        return "?not allowed", str(st)
    if not 200 <= st < 300:
        return "refused", str(st)
    if re.search(rb"(?im)^(content-length|transfer-encoding):", h):
        return "framed", "2xx to CONNECT with a framing field"
    blob = b"GET / HTTP/1.1\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n\0\xff" * 50
    s.sendall(blob)
    got = rest
    while len(got) < len(blob):
        d = s.recv(65536)
        if not d:
            break
        got += d
    return "ok" if got == blob else ("changed", "%d of %d bytes" % (len(got), len(blob)))


def _t_early(s, state, head):
    st, h, rest = _opened(s, head, b"early-octets")
    if st in (403, 405):
        return "?not allowed", str(st)
    if not 200 <= st < 300:
        return "refused", str(st)
    got = rest
    while len(got) < 12:
        d = s.recv(65536)
        if not d:
            break
        got += d
    return "ok" if got == b"early-octets" else ("lost", repr(got))


def _t_half(s, state, head):
    st, h, rest = _opened(s, head)
    if not 200 <= st < 300:
        return "?not allowed", str(st)
    s.sendall(b"x" * 100_000)
    s.shutdown(socket.SHUT_WR)
    got = rest + _read_all(s)
    return "ok" if got == b"100000" else ("lost", "after half-close came %r" % got[:40])


def _t_half_server(s, state):
    s.sendall(b"%d" % len(_read_all(s)))


def _t_big(s, state, head):
    st, h, rest = _opened(s, head)
    if not 200 <= st < 300:
        return "?not allowed", str(st)
    time.sleep(0.3)
    got = rest + _read_all(s)
    return "ok" if got == b"y" * 700_000 else ("lost", "%d of 700000 bytes" % len(got))


def _t_gone(s, state, head):
    st, h, rest = _opened(s, head)
    if not 200 <= st < 300:
        return "?not allowed", str(st)
    s.sendall(b"hi")
    time.sleep(0.2)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return lambda state: "ok" if state.get("end") else ("leak", "the far side was not closed")


def _t_gone_server(s, state):
    try:
        _read_all(s)
        state["end"] = True
    except socket.timeout:
        pass
    except OSError:
        state["end"] = True


@C("conn-tunnel-refused", "79", "rej:502 rej:503 rej:504", "rej:* close", modes=FM)
def _(c):
    """Nobody listens at the far end: no 2xx."""
    if not c.isolated:
        return "?needs a network namespace with only loopback"
    t = talk(c.addr, b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: 127.0.0.1:443\r\n\r\n", methods=(b"CONNECT",), want=1, max_wait=8)
    if not t.finals:
        return ("close" if t.closed else "wait"), t.brief()
    if t.finals[0].status in (403, 405):
        return "?not allowed", t.brief()
    return ("rej:%d" if t.finals[0].status >= 400 else "open:%d") % t.finals[0].status, t.brief()


_tunnel("conn-tunnel-half-close", "81", _t_half_server, _t_half, rfc="-")
_tunnel("conn-tunnel-client-gone", "81", _t_gone_server, _t_gone)


def _trace(cid, rules, fields, strict, rfc, m=b"TRACE", body=b"", chk=None):
    def fn(c):
        n = c.nonce()
        t = c.get(b"/z/" + n, *[x.replace(b"%S%", MARK + n) for x in fields], method=m, body=body)
        rs = c.origin.of(n)
        if t.finals and MARK in t.finals[0].body and not rs:
            return "echo", "own TRACE answer repeats a credential"
        if rs:
            mf = rs[0].hdr(b"max-forwards")
            return "fwd:%s" % (mf.decode("latin1") if mf is not None else "none"), rs[0].brief()
        if not t.finals:
            return ("close" if t.closed else "wait"), t.brief()
        return ("rej:%d" if t.finals[0].status >= 400 else "self:%d") % t.finals[0].status
    C(cid, rules, strict, rfc)(fn)


_trace("conn-trace-content", "83", [b"Content-Length: 5"], "rej:4?? rej:501", "rej* close fwd*", body=H5)
_trace("conn-options-max-0", "84", [b"Max-Forwards: 0"], "self* rej:4?? rej:501", "self* rej*", m=b"OPTIONS")
_trace("conn-options-max-5", "84", [b"Max-Forwards: 5"], "fwd:[0-4] self* rej*", "fwd:[0-4] self* rej*", m=b"OPTIONS")
_trace("conn-options-max-garbage", "84", [b"Max-Forwards: x5"], "rej:400 fwd:none fwd:x5", "rej* fwd* self*", m=b"OPTIONS")
_trace("conn-options-max-negative", "84", [b"Max-Forwards: -1"], "rej:400 self* fwd:none", "rej* fwd* self*", m=b"OPTIONS")
_trace("conn-options-max-huge", "84", [b"Max-Forwards: 99999999999999999999"], "rej:400 self* fwd:[0-9]*", "rej* fwd* self*", m=b"OPTIONS")
_trace("conn-get-max-0", "84", [b"Max-Forwards: 0"], "fwd*", "fwd* rej* self*", m=b"GET")


@C("conn-pipeline-bad-second", "86", "ok", "ok open")
def _(c):
    n = c.nonce()
    raw = c.fill(f1(t=b"%T%/0") + p1(b"Content-Length: 5x", t=b"%B%", body=H5) + f1(t=b"%C%"), n)
    t = talk(c.addr, raw, methods=(b"GET", b"POST", b"GET"), want=3, max_wait=1.5, linger=1)
    paths = [r.path[-2:] for r in c.origin.of(n)]
    if paths not in ([b"/0"], []):
        return "executed", "origin saw %s" % paths
    if not t.finals or t.finals[0].status != 200:
        return "first-lost", t.brief()
    if len(t.finals) > 2:
        return "more", t.brief()
    return "ok" if t.closed else ("open", t.brief())


@C("conn-pipeline-200", "85", "ok", "ok")
def _(c):
    """200 small pipelined requests at once: all answered, in order."""
    n = c.nonce()
    simple(c, n)
    raw = b"".join(f1(t=c.target(b"/z/" + n + b"/%03d" % i)) for i in range(200))
    t = talk(c.addr, c.fill(raw, n), want=200, max_wait=4)
    got = [f.field(b"target")[-3:] if f.field(b"target") else b"?" for f in t.finals]
    if got != [b"%03d" % i for i in range(len(got))]:
        return "order", str(got[:8])
    return "ok" if len(got) == 200 else ("short:%d" % len(got), "%d answers" % len(got))


def _close(cid, rules, fields, version, strict, rfc, framing=b"cl", m=b"GET"):
    def fn(c):
        n = c.nonce()

        def h(q, k, i):
            if framing == b"chunked":
                if q.version != HTTP11:
                    k.send(resp(200, [b"Cache-Control: no-store"], H5))
                    return True
                k.send(resp(200, [b"Cache-Control: no-store", b"Transfer-Encoding: chunked"], b"5\r\nhello\r\n0\r\n\r\n", cl=False))
                return True
            if framing == b"close":
                k.send(resp(200, [b"Cache-Control: no-store"], H5, cl=False))
                return False
            k.send(resp(200, [b"Cache-Control: no-store"], H5))
            return True
        c.handle(n, h)
        t = c.get(b"/z/" + n, *fields, version=version, max_wait=1.0, quiet=0.8)
        if not t.finals:
            return "none", t.brief()
        f = t.finals[0]
        if f.body != H5 or not f.complete or t.residue:
            return "wrong", "%s %r" % (t.brief(), f.body[:30])
        if version == b"HTTP/1.0" and f.framing == "chunked":
            return "chunked", "chunked to an HTTP/1.0 client"
        say = b"close" in b",".join(f.head.all(b"connection")).lower()
        if t.closed:
            return "closed" + ("" if say or version == b"HTTP/1.0" else "+silent")
        return "open+" + f.framing
    C(cid, rules, strict, rfc)(fn)


_close("conn-close", "87", [b"Connection: close"], HTTP11, "closed", "closed*")
_close("conn-close-case-list", "87", [b"Connection: foo, CLOSE"], HTTP11, "closed", "closed*")
_close("conn-close-chunked", "87", [b"Connection: close"], HTTP11, "closed", "closed*", framing=b"chunked")
_close("conn-persistent", "87", [], HTTP11, "open+cl", "open* closed*")
_close("conn-persistent-from-close-delimited", "87 102", [], HTTP11, "open+chunked closed*", "open* closed*", framing=b"close")
_close("conn-1-0-chunked-origin", "88", [], b"HTTP/1.0", "closed", "closed*", framing=b"chunked")
_close("conn-1-0-keep-alive", "88", [b"Connection: keep-alive"], b"HTTP/1.0", "open+cl closed", "open+cl closed*")
_close("conn-1-0-keep-alive-chunked-origin", "88", [b"Connection: keep-alive"], b"HTTP/1.0", "closed open+cl", "closed* open+cl",
       framing=b"chunked")


def _dies(cid, rules, m, strict, rfc, how="close"):
    """A reused upstream connection dies when the request comes."""
    def fn(c):
        n = c.nonce()
        state = {}

        def h(q, k, i):
            if q.path.endswith(b"/warm"):
                state["conn"] = k.id
                k.send(resp(200, [b"Cache-Control: no-store"], b"w"))
                return True
            if k.id == state.get("conn"):
                state["reused"] = True
                k.rst() if how == "rst" else None
                return False
            k.send(resp(200, [b"Cache-Control: no-store"], b"second\n"))
            return True
        c.handle(n, h)
        c.origin.drop_all()
        time.sleep(0.15)
        c.get(b"/z/" + n + b"/warm")
        time.sleep(0.1)
        t = c.get(b"/z/" + n, *([b"Content-Length: 5"] if m == b"POST" else []), method=m,
                  body=H5 if m == b"POST" else b"", max_wait=4)
        k = len([r for r in c.origin.of(n) if not r.path.endswith(b"/warm")])
        if not state.get("reused"):
            return "fresh" if t.finals and t.finals[0].status == 200 else "?not reused", t.brief()
        st = t.finals[0].status if t.finals else 0
        return "%d-sent:%s" % (k, st or "none"), t.brief()
    C(cid, rules, strict, rfc)(fn)


_dies("conn-retry-post", "89", b"POST", "1-sent:502 1-sent:50? fresh", "1-sent:* fresh")


@C("conn-retry-bound", "89", "1 2", "1 2 3")
def _(c):
    """A GET whose upstream always dies is not sent again and again."""
    n = c.nonce()
    c.handle(n, lambda q, k, i: False)
    t = c.get(b"/z/" + n, max_wait=6)
    time.sleep(0.3)
    if t.finals and t.finals[0].status < 500:
        return "odd", t.brief()
    return str(c.count(n)), "%d times; %s" % (c.count(n), t.brief())


@C("conn-head", "90", "ok", "ok")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: no-store", b"Content-Length: 100"],
                                             b"" if q.method == b"HEAD" else b"x" * 100)), True)[1])
    t = talk(c.addr, c.fill(f1(m=b"HEAD") + f1(t=b"%B%"), n), methods=(b"HEAD", b"GET"), want=2)
    if len(t.finals) == 2 and t.finals[1].blen == 100 and not t.residue:
        return "ok"
    return "desync", t.brief()


@C("conn-head-with-body", "90 103", "ok", "ok")
def _(c):
    """The origin wrongly sends content after a HEAD answer."""
    n = c.nonce()

    def h(q, k, i):
        if q.method == b"HEAD":
            k.send(resp(200, [b"Cache-Control: no-store"], b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
        else:
            k.send(resp(200, [b"Cache-Control: no-store"], echo(q, i)))
        return True
    c.handle(n, h)
    t = c.get(b"/z/" + n, method=b"HEAD")
    if t.residue or any(r.body for r in t.resps):
        return "body", "content after HEAD: " + t.brief()
    for i in range(3):
        u = c.get(b"/z/" + n + b"/%d" % i)
        if not u.finals or u.finals[0].field(b"target") != b"/z/" + n + b"/%d" % i:
            return "desync", "next answer is %s %r" % (u.brief(), u.finals[0].body[:20] if u.finals else b"")
    return "ok"


@C("conn-head-not-stored-as-get", "90", "ok", "ok")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: 7"],
                                             b"" if q.method == b"HEAD" else b"content")), True)[1])
    t0 = c.get(b"/z/" + n, method=b"HEAD")
    time.sleep(0.2)
    t1 = c.get(b"/z/" + n)
    if not t1.finals or t1.finals[0].body != b"content":
        return "empty", "GET after HEAD: " + t1.brief()
    time.sleep(0.2)
    t2 = c.get(b"/z/" + n, method=b"HEAD")
    if t2.residue or not t2.finals or t2.finals[0].hdr(b"content-length") not in (b"7", None):
        return "head", t2.brief()
    return "ok"


# ==========================================================================
# cases: responses from upstream
# ==========================================================================

B502 = "502/new"                     # strict: refused before anything went out
CUTS = "502/new 504/new cut/new drop/new"     # strict, once content has begun
RB = "5??/new cut/new drop/new retry/*"       # rfc: refused or cut, not stored
RN = RB + " ok/*"                    # rfc: or passed on in normal form
CL5 = b"Content-Length: 5"

U("up-status-600", "91", head(b"HTTP/1.1 600 Odd", CL5) + H5, "502/new", RB + " ok/new ok/600", expect=H5, status=600)
U("up-status-299", "91", head(b"HTTP/1.1 299 Odd", CL5, cc=b"no-store") + H5, "ok/new", "ok/new", expect=H5, status=299)
U("up-status-599", "91", head(b"HTTP/1.1 599 Odd", CL5, cc=b"no-store") + H5, "ok/new", "ok/new", expect=H5, status=599)
U("up-status-no-reason-space", "91", head(b"HTTP/1.1 200", CL5) + H5, "ok/hit", "ok/* 5??/new", expect=H5)
U("up-status-1-0", "91", head(b"HTTP/1.0 200 OK", CL5) + H5, "ok/hit", "ok/*", expect=H5)
U("up-no-head", "91", b"<html>this is not HTTP</html>\n", B502, RB + " ok/new")
U("up-garbage", "91", bytes((i * 41 + 7) % 251 for i in range(3000)) + b"\r\n\r\n", B502, RB + " ok/new")
U("up-reason-high", "92", head(b"HTTP/1.1 200 caf\xe9", CL5) + H5, "ok/hit", "ok/*", expect=H5)
U("up-reason-nul", "92", head(b"HTTP/1.1 200 O\0K", CL5) + H5, B502, RN, expect=H5)
U("up-reason-bare-cr", "92", head(b"HTTP/1.1 200 O\rX-Evil: 1", CL5) + H5, B502, RN, expect=H5)
U("up-reason-100k", "92 106", head(b"HTTP/1.1 200 " + b"k" * 100_000, CL5) + H5, B502, RN, expect=H5)


def _clean(rx):
    def chk(c, t, nonce):
        m = re.search(rx, HEAD_END.split(t.raw)[0])
        return "went out as %r" % m.group() if m else None
    return chk


U("up-field-space-colon", "93", r200(b"X-A : 1", CL5, body=H5), "502/new ok/hit", RN, expect=H5)
U("up-field-space-colon-cl", "93 96", r200(b"Content-Length : 5", body=H5), "502/new ok/hit ok/new", RN, expect=H5)
U("up-field-space-colon-te", "93 99", r200(b"Transfer-Encoding : chunked", body=OK5), "502/new ok/hit ok/new", RN, expect=H5)
U("up-field-fold-cl", "94 96", r200(b"Content-Length:", b" 5", body=H5), "502/new ok/hit", RN, expect=H5)
U("up-field-bare-lf", "95", r200(b"X-A: 1", CL5, body=H5).replace(b"\r\n", b"\n", 4), "502/new ok/hit", RN, expect=H5)
U("up-head-all-lf", "95", r200(b"X-A: 1", CL5).replace(b"\r\n", b"\n") + H5, "502/new ok/hit", RN, expect=H5)
U("up-field-bare-cr", "95", r200(b"X-A: 1\rX-B: 2", CL5, body=H5), B502, RN, expect=H5)
U("up-field-bare-cr-set-cookie", "95", r200(b"X-A: 1\rSet-Cookie: evil=1", CL5, body=H5), B502, RN, expect=H5,
  chk=_clean(rb"(?im)^set-cookie:.*"))
U("up-field-nul", "95", r200(b"X-A: a\0b", CL5, body=H5), B502, RN, expect=H5)
U("up-field-ctl", "95", r200(b"X-A: a\x01b", CL5, body=H5), B502, RN + " dirty/*", expect=H5)
U("up-field-name-space", "95", r200(b"X A: 1", CL5, body=H5), B502, RN, expect=H5)
U("up-field-name-high", "95", r200(b"X\xe9: 1", CL5, body=H5), B502, RN, expect=H5)
U("up-field-high-value", "95 24", r200(b"X-A: caf\xe9", CL5, body=H5), "ok/hit", "ok/*", expect=H5)

U("up-cl-twice-equal", "97", r200(CL5, CL5, body=H5), "502/new ok/hit", RN, expect=H5)
U("up-cl-list-equal", "97", r200(b"Content-Length: 5, 5", body=H5), "502/new ok/hit", RN, expect=H5)
U("up-cl-te", "98", r200(b"Content-Length: 3", CHUNKED, body=OK5), "502/new ok/*", RN, expect=H5)
for _n, _v, _b in (("identity", [b"identity"], H5), ("gzip", [b"gzip"], H5), ("chunked-twice", [b"chunked, chunked"], OK5),
                   ("chunked-gzip", [b"chunked, gzip"], OK5), ("unknown", [b"xchunked"], OK5), ("two-fields", [b"chunked", b"identity"], OK5),
                   ("vt", [b"\x0bchunked"], OK5), ("empty", [b""], H5)):
    U("up-te-" + _n, "99", r200(*[b"Transfer-Encoding: " + x for x in _v], body=_b), "502/new",
      RB + " 4??/new ok/*" + ("" if _n in ("identity", "empty") else " wrong/*"), expect=H5)
U("up-te-gzip-chunked", "99", r200(b"Transfer-Encoding: gzip, chunked", body=OK5), "502/new", RB + " 4??/new dirty/* ok/*", expect=H5)
U("up-te-upper", "99", r200(b"transfer-encoding: Chunked", body=OK5), "ok/hit", "ok/*", expect=H5)


def UK(name, rules, body, strict=CUTS, rfc=RB, **kw):
    U("up-chunk-" + name, rules, r200(CHUNKED, body=body), strict, rfc, **kw)


UK("ok", "100", b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "ok/hit", "ok/*", expect=H5)
UK("ext", "100", b'5;a="b;c"' + T0, "ok/hit", "ok/*", expect=H5)
UK("size-plus", "100", b"+5" + T0)
UK("size-minus", "100", b"-5" + T0)
UK("size-hex-prefix", "100", b"0x5" + T0)
UK("size-trailing-space", "100", b"5 " + T0, CUTS + " ok/*", RN, expect=H5)
UK("size-max", "100", b"FFFFFFFFFFFFFFFF" + T0)
UK("too-long", "100", b"5\r\nhello!!\r\n0\r\n\r\n")
UK("lf", "100", b"5\nhello\n0\n\n", rfc=RN, expect=H5)
UK("ext-lf", "100", b"5;a\nhello\r\n0\r\n\r\n", rfc=RN, expect=H5)
UK("ext-2m", "100", b"5;a=" + b"b" * 2_000_000 + T0, rfc=RN, expect=H5)
UK("second-bad", "100", b"5\r\nhello\r\nzz\r\nhello\r\n0\r\n\r\n")

UK("no-last", "101", b"5\r\nhello\r\n")
UK("half-size", "101", b"5\r\nhello\r\n5")
UK("last-no-end", "101", b"5\r\nhello\r\n0\r\n", rfc=RB + " ok/new")
UK("in-trailer", "101", b"5\r\nhello\r\n0\r\nX-T: 1", rfc=RB + " ok/new")
U("up-cut-cl-one-short", "101 111", r200(b"Content-Length: 100000", body=b"x" * 99999), CUTS, RB)
U("up-cut-cl-no-body", "101 111", r200(b"Content-Length: 5"), CUTS, RB)
U("up-cut-cl-rst", "101 111", r200(b"Content-Length: 100000", body=b"x" * 50000), CUTS, RB, end="rst")
U("up-cut-big", "101 111", r200(b"Content-Length: 3000000", body=b"x" * 1_500_000), CUTS, RB)
U("up-cut-cl-1-0-client", "101 111", r200(b"Content-Length: 100", body=H5), CUTS, RB, version=b"HTTP/1.0")
U("up-cut-in-head", "101", b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-", B502 + " retry/*", RB)
U("up-cut-in-line", "101", b"HTTP/1.1 2", B502 + " retry/*", RB)
U("up-cut-before-blank", "101", b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n", B502, RB + " ok/new")
U("up-close-delimited", "102", r200(body=H5), "ok/hit ok/new", "ok/*", expect=H5)
U("up-close-delimited-rst", "102 111", r200(body=b"x" * 30000), CUTS, RB + " ok/new", end="rst")
U("up-close-delimited-empty", "102", r200(), "ok/hit ok/new", "ok/*", expect=b"")

U("up-204-with-body", "103", head(b"HTTP/1.1 204 No Content", CL5) + H5, "ok/* 502/new", "ok/* 5??/new", expect=b"", status=204, end="keep")
U("up-204-chunked", "103", head(b"HTTP/1.1 204 No Content", CHUNKED) + OK5, "ok/* 502/new", "ok/* 5??/new dirty/new", expect=b"",
  status=204, end="keep", chk=_clean(rb"(?i)transfer-encoding: chunked"))
U("up-304-with-body", "103 110", head(b"HTTP/1.1 304 Not Modified", CL5, b'ETag: "a"') + b"HTTP/", "502/new ok/new",
  "5??/new ok/new retry/*", expect=b"", status=304, end="keep")


def _after(cid, rules, extra, strict="ok", rfc="ok", delay=0.0, h200=CL5):
    """Bytes behind the end of a response never answer a later request."""
    def fn(c):
        n = c.nonce()
        c.origin.drop_all()
        time.sleep(0.1)

        def h(q, k, i):
            if q.path.endswith(b"/first"):
                k.send(r200(h200, body=H5, cc=b"no-store").replace(b"%D%", http_date(time.time())))
                if delay:
                    time.sleep(delay)
                k.send(extra)
                return True
            k.send(resp(200, [b"Cache-Control: max-age=60"], echo(q, i)))
            return True
        c.handle(n, h)
        for _i in range(2):                        # the connections were dropped: one failure may be honest
            t = c.get(b"/z/" + n + b"/first")
            if t.finals and t.finals[0].status == 200:
                break
        else:
            return "failed", "the exchange before it: " + t.brief()
        time.sleep(delay + 0.1)
        if t.residue or len(t.finals) > 1:
            return "relayed", "client got more: " + t.brief()
        for i in range(4):
            u = c.get(b"/z/" + n + b"/%d" % i)
            if not u.finals or u.finals[0].status != 200:
                return "failed", "request %d after it: %s" % (i, u.brief())
            if u.finals[0].field(b"target") != b"/z/" + n + b"/%d" % i:
                return "poisoned", "request %d got %r" % (i, u.finals[0].body[:50])
        return "ok"
    C(cid, rules, strict, rfc)(fn)


EVIL = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 4\r\n\r\nevil"
_after("up-extra-garbage", "104", b"\0\1garbage")
_after("up-extra-crlf", "104", CRLF)
_after("up-extra-404", "104", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

U("up-1xx-103", "105", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX-Hint: 1\r\n\r\n" + r200(CL5, body=H5), "ok/hit", "ok/*",
  expect=H5, chk=lambda c, t, n: "fields of 103 in the final" if t.finals[0].hdr(b"x-hint") else None)
U("up-1xx-unknown", "105", b"HTTP/1.1 150 Odd\r\n\r\n" + r200(CL5, body=H5), "ok/hit", "ok/*", expect=H5)
U("up-1xx-with-cl", "105 103", b"HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n" + r200(CL5, body=H5), "ok/* 502/new",
  "ok/* 5??/new", expect=H5)
U("up-1xx-20000", "105", b"HTTP/1.1 100 Continue\r\n\r\n" * 20000 + r200(CL5, body=H5), "502/new", RN, expect=H5)
U("up-head-30k", "106", r200(*[b"X-%d: " % i + b"v" * 1400 for i in range(20)], CL5, body=H5), "ok/hit", RN, expect=H5)
U("up-fields-120", "106", r200(*[b"X-%d: v" % i for i in range(117)], CL5, body=H5), "ok/hit", RN, expect=H5)
U("up-field-2m", "106", r200(b"X-A: " + b"v" * 2_000_000, CL5, body=H5), B502, RN, expect=H5)
U("up-fields-60000", "106", r200(*[b"X-%d: v" % i for i in range(60000)], CL5, body=H5), B502, RN, expect=H5)


def _trailers(cid, fields, rx, strict="ok", rfc="ok"):
    def fn(c):
        n = c.nonce()
        body = b"5\r\nhello\r\n0\r\n" + b"".join(f + CRLF for f in fields) + CRLF
        c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: max-age=60", CHUNKED,
                                                       b"Trailer: X-Trail"], body, cl=False)), True)[1])
        for i in range(2):
            t = c.get(b"/z/" + n, *([b"TE: trailers", b"Connection: TE"] if i else []))
            if not t.finals or t.finals[0].body != H5:
                return "none", t.brief()
            for a, b in t.finals[0].head.headers:
                if re.search(rx, a + b": " + b):
                    return "merged", "client %d: %s" % (i + 1, (a + b": " + b).decode("latin1"))
            time.sleep(0.2)
        return "ok"
    C(cid, "107", strict, rfc)(fn)


_trailers("up-trailer-plain", [b"X-Trail: 1"], rb"(?i)^x-trail: 1")
_trailers("up-trailer-set-cookie", [b"Set-Cookie: evil=1"], rb"(?i)^set-cookie:")
_trailers("up-trailer-cl", [b"Content-Length: 3"], rb"(?i)^content-length: 3$")
_trailers("up-trailer-cache-control", [b"Cache-Control: max-age=99999"], rb"(?i)99999")
UK("trailer-2m", "107 100", b"5\r\nhello\r\n0\r\nX-T: " + b"v" * 2_000_000 + b"\r\n\r\n", CUTS, RN, expect=H5)


@C("up-split-from-target", "108", "ok", "ok")
def _(c):
    """Escapes in a target never become line ends in what the proxy makes."""
    for path in (b"/%0d%0aX-Evil:%201%0d%0a%0d%0aevil", b"/%0aX-Evil:1", b"/%E5%98%8A%E5%98%8DX-Evil:1"):
        n = c.nonce()
        c.handle(n, lambda q, k, i: False)
        t = c.get(b"/z/" + n + path, max_wait=5)
        if re.search(rb"(?im)^x-evil:", t.raw.split(b"\r\n\r\n")[0]) or len(t.finals) > 1:
            return "split", repr(t.raw[:200])
    return "ok"


@C("up-error-page-escapes", "108 159", "ok", "ok")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: False)
    bad = []
    for raw in (f1(t=b"%T%/<script>alert(1)</script>"), f1(b"<script>alert(1)</script>: 1"), f1(host=b"<script>alert(1)</script>")):
        t = talk(c.addr, c.fill(raw, n), want=1, max_wait=5)
        if b"<script>alert(1)" in t.raw and t.finals and b"html" in t.finals[0].hdr(b"content-type", b"html"):
            bad.append(t.brief())
    return ("echo", "markup of the request comes back in HTML") if bad else "ok"


def _part(*fields, body=b"01234"):
    return head(b"HTTP/1.1 206 Partial Content", *fields) + body


for _n, _raw, _f in (("unasked", _part(b"Content-Range: bytes 0-4/10", CL5), ()),
                     ("no-content-range", _part(CL5), (b"Range: bytes=0-4",)),
                     ("malformed", _part(b"Content-Range: bytes 0-x/10", CL5), (b"Range: bytes=0-4",)),
                     ("backwards", _part(b"Content-Range: bytes 4-0/10", CL5), (b"Range: bytes=0-4",)),
                     ("beyond", _part(b"Content-Range: bytes 0-4/3", CL5), (b"Range: bytes=0-4",)),
                     ("wrong-size", _part(b"Content-Range: bytes 0-99/100", CL5), (b"Range: bytes=0-4",)),
                     ("other-range", _part(b"Content-Range: bytes 5-9/10", CL5), (b"Range: bytes=0-4",)),
                     ("overflow", _part(b"Content-Range: bytes 0-18446744073709551615/*", CL5), (b"Range: bytes=0-4",)),
                     ("plain", _part(b"Content-Range: bytes 0-4/10", b'ETag: "x"', CL5), (b"Range: bytes=0-4",)),
                     ("multipart-unasked", _part(b"Content-Type: multipart/byteranges; boundary=b", CL5), ())):
    U("up-206-" + _n, "109", _raw, "502/new ok/new status/new retry/new retry/hit", "5??/new ok/new status/new retry/*", expect=b"01234",
      status=206, fields=_f)


@C("up-304-unasked", "110", "5??/new ok/new", "5??/new ok/new drop/new retry/*")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: (k.send(resp(304, [b'ETag: "a"', b"Cache-Control: max-age=60"], b"", cl=False) if i == 1 else
                                        resp(200, [b"Cache-Control: max-age=60"], good(i))), True)[1])
    t = c.get(b"/z/" + n)
    la, why = judge_first(t, b"", 304)
    before = c.count(n)
    time.sleep(0.2)
    lb, w2 = judge_second(c, c.get(b"/z/" + n), n, before, None)
    return la + "/" + lb, why or w2


def _freshen(cid, rules, fields304, test, strict="ok", rfc="ok"):
    """Store with an ETag and no lifetime, validate with a 304 that carries odd fields."""
    def fn(c):
        n = c.nonce()

        def h(q, k, i):
            if q.hdr(b"if-none-match"):
                k.send(head(b"HTTP/1.1 304 Not Modified", *[f for f in fields304], cc=b"max-age=60").replace(
                    b"%D%", http_date(time.time())))
                return True
            k.send(resp(200, [b"Cache-Control: max-age=1", b'ETag: "v1"', b"Content-Type: text/plain"], b"0123456789"))
            return True
        c.handle(n, h)
        c.get(b"/z/" + n)
        time.sleep(2.2)
        out = []
        for i in range(3):
            t = c.get(b"/z/" + n)
            out.append(t)
            time.sleep(0.15)
        if not any(q.hdr(b"if-none-match") for q in c.origin.of(n)):
            return "?no validation", str([q.brief() for q in c.origin.of(n)])
        for i, t in enumerate(out):
            if not t.finals:
                return "none", t.brief()
            f = t.finals[0]
            if f.status >= 500:
                continue
            if f.status != 200 or f.body != b"0123456789" or not f.complete or f.viol or t.residue:
                return "damaged", "after validation: %s %r" % (t.brief(), f.body[:20])
            bad = test(f, n, c)
            if bad:
                return "changed", bad
        return "ok"
    C(cid, rules, strict, rfc)(fn)


_freshen("up-304-plain", "110", [b'ETag: "v1"'], lambda f, n, c: None)
_freshen("up-304-content-length-0", "110", [b'ETag: "v1"', b"Content-Length: 0"], lambda f, n, c: None)
_freshen("up-304-content-encoding", "110", [b'ETag: "v1"', b"Content-Encoding: gzip"],
         lambda f, n, c: "Content-Encoding became gzip" if f.hdr(b"content-encoding") else None, rfc="ok changed")
_freshen("up-304-content-range", "110", [b'ETag: "v1"', b"Content-Range: bytes 0-2/10"],
         lambda f, n, c: "Content-Range appeared" if f.hdr(b"content-range") else None, rfc="ok changed")
_freshen("up-304-te", "110", [b'ETag: "v1"', CHUNKED], lambda f, n, c: None)
_freshen("up-304-other-etag", "110", [b'ETag: "v2"'], lambda f, n, c: "old content under the new validator"
         if f.hdr(b"etag") == b'"v2"' else None)


# ==========================================================================
# cases: what may be stored and reused
# ==========================================================================

S("store-plain", "111", "hit", "hit new", r=[b"Cache-Control: max-age=60"])
S("store-no-store-second-line", "112", "new", "new", r=[b"Cache-Control: max-age=60", b"Cache-Control: no-store"])
S("store-no-store-no-space", "112", "new", "new", r=[b"Cache-Control:max-age=60,no-store"])
S("store-no-store-tabs", "112", "new", "new", r=[b"Cache-Control: max-age=60\t,\tno-store"])
S("store-private", "112", "new", "new", r=[b"Cache-Control: private, max-age=60"])
S("store-private-case", "112", "new", "new", r=[b"Cache-Control: Private, max-age=60"])
S("store-private-field", "112", "new hit", "new hit", r=[b'Cache-Control: private="X-A", max-age=60', b"X-A: 1"], gone=b"x-a")
S("store-no-cache", "112", "new", "new", r=[b"Cache-Control: no-cache, max-age=60"])
S("store-vary-star", "112 117", "new", "new", r=[b"Cache-Control: max-age=60", b"Vary: *"])
S("store-vary-star-second-line", "112 117", "new", "new", r=[b"Cache-Control: max-age=60", b"Vary: Accept", b"Vary: *"])
S("store-options", "112", "new", "new", r=[b"Cache-Control: max-age=60"], m1=b"OPTIONS")

AUTH = b"Authorization: Basic %S%"
S("store-authorization-other", "113 115", "new", "new", r=[b"Cache-Control: max-age=60"], h1=[AUTH], h2=[b"Authorization: Basic b3RoZXI="])
S("store-authorization-case", "113", "new", "new", r=[b"Cache-Control: max-age=60"], h1=[b"aUTHORIZATION: Basic %S%"])
S("store-authorization-empty", "113", "new", "new hit", r=[b"Cache-Control: max-age=60"], h1=[b"Authorization:"])
S("store-authorization-public", "113", "hit", "hit new", r=[b"Cache-Control: max-age=60, public"], h1=[AUTH])
S("store-authorization-prefix", "115", "new", "new", r=[b"Cache-Control: max-age=60"], h1=[AUTH], h2=[b"Authorization: Basic %S%x"])
S("store-authorization-scheme-case", "115", "new", "new", r=[b"Cache-Control: max-age=60"], h1=[AUTH], h2=[b"Authorization: basic %S%"])
S("store-set-cookie", "114", "hit new", "hit new", r=[b"Cache-Control: max-age=60", b"Set-Cookie: id=1"])
S("store-set-cookie-for-cookie", "114 115", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Set-Cookie: id=1"], h1=[b"Cookie: id=%S%"])
S("store-set-cookie-for-other-cookie", "114 115", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Set-Cookie: id=1"], h1=[b"Cookie: id=%S%"],
  h2=[b"Cookie: id=other"])

S("store-vary-plain", "117", "new", "new", r=[b"Cache-Control: max-age=60", b"Vary: X-V"], h1=[b"X-V: 1"], h2=[b"X-V: 2"])
S("store-vary-same", "117", "hit", "hit new", r=[b"Cache-Control: max-age=60", b"Vary: X-V"], h1=[b"X-V: 1"], h2=[b"X-V: 1"])
S("store-vary-empty-or-missing", "117", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Vary: X-V"], h1=[b"X-V:"])
S("store-vary-second-line", "117", "new", "new", r=[b"Cache-Control: max-age=60", b"Vary: X-A", b"Vary: X-V"], h1=[b"X-V: 1"], h2=[b"X-V: 2"])
S("store-vary-case", "117", "new", "new", r=[b"Cache-Control: max-age=60", b"vary: x-v"], h1=[b"X-V: 1"], h2=[b"X-V: 2"])
S("store-vary-value-case", "117", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Vary: X-V"], h1=[b"X-V: aa"], h2=[b"X-V: AA"])
S("store-vary-joints", "117", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Vary: X-A, X-B"], h1=[b"X-A: 1, X-B: 2"], h2=[b"X-A: 1", b"X-B: 2"])
S("store-vary-long", "117", "new hit", "new hit first:50?", r=[b"Cache-Control: max-age=60", b"Vary: " + b", ".join(b"X-%d" % i for i in range(1500))])
S("store-vary-bad-token", "117", "new first:502", "new hit first:502", r=[b"Cache-Control: max-age=60", b"Vary: X V"])

S("store-max-age-20-digits", "118", "hit", "hit new", r=[b"Cache-Control: max-age=99999999999999999999"])
S("store-max-age-2-32", "118", "hit", "hit new", r=[b"Cache-Control: max-age=4294967297"])
S("store-max-age-2-63", "118", "hit", "hit new", r=[b"Cache-Control: max-age=9223372036854775808"])
S("store-max-age-fraction", "118", "new", "new hit", r=[b"Cache-Control: max-age=60.5"])
S("store-max-age-space", "118", "new", "new hit", r=[b"Cache-Control: max-age = 60"])
S("store-max-age-plus", "118", "new", "new hit", r=[b"Cache-Control: max-age=+60"])
S("store-max-age-quoted-garbage", "118", "new", "new hit", r=[b'Cache-Control: max-age="6 0"'])
S("store-max-age-differ-reverse", "118", "new", "new hit", r=[b"Cache-Control: max-age=0, max-age=60"])
S("store-age-over", "119", "new", "new", r=[b"Cache-Control: max-age=60", b"Age: 61"])
S("store-age-20-digits", "119", "new", "new", r=[b"Cache-Control: max-age=60", b"Age: 99999999999999999999"])
S("store-age-2-32", "119", "new", "new", r=[b"Cache-Control: max-age=60", b"Age: 4294967296"])
S("store-age-word", "119", "hit new", "hit new", r=[b"Cache-Control: max-age=60", b"Age: old"])
S("store-date-old", "119", "new", "new hit", r=[b"Cache-Control: max-age=60", b"Date: Mon, 01 Jan 2018 00:00:00 GMT"])
S("store-date-future", "119", "hit", "hit new", r=[b"Cache-Control: max-age=60", b"Date: Fri, 01 Jan 2100 00:00:00 GMT"])
S("store-date-garbage", "119", "hit new", "hit new", r=[b"Cache-Control: max-age=60", b"Date: yesterday"])
for _n, _v in (("0", b"0"), ("minus", b"-1"), ("word", b"tomorrow"), ("day-32", b"Fri, 32 Jan 2038 00:00:00 GMT"), ("hour-25", b"Fri, 01 Jan 2038 25:00:00 GMT"),
               ("year-10000", b"Fri, 01 Jan 10000 00:00:00 GMT"), ("empty", b""), ("past", b"Mon, 01 Jan 2018 00:00:00 GMT"), ("list", b"Fri, 01 Jan 2038 00:00:00 GMT, 0"),
               ("epoch", b"Thu, 01 Jan 1970 00:00:00 GMT"), ("month-word", b"Fri, 01 Foo 2038 00:00:00 GMT")):
    S("store-expires-" + _n, "120", "new", "new" + (" hit" if _n in ("year-10000", "list", "day-32", "hour-25", "month-word") else ""), r=[b"Expires: " + _v])
S("store-expires-behind-max-age", "120", "new", "new", r=[b"Cache-Control: max-age=0", b"Expires: Fri, 01 Jan 2038 00:00:00 GMT"])


@C("store-age-header-sane", "119", "ok", "ok")
def _(c):
    """On a hit Age is a small non-negative number, whatever Date and Age said."""
    for fields in ([b"Date: Fri, 01 Jan 2100 00:00:00 GMT"], [b"Date: nonsense"], [b"Age: -9"], [b"Age: x"]):
        n = c.nonce()
        c.handle(n, lambda q, k, i, f=tuple(fields): (k.send(resp(200, [b"Cache-Control: max-age=600"] + list(f), b"x")), True)[1])
        for _i in range(2):
            t = c.get(b"/z/" + n)
            time.sleep(0.15)
        if not t.finals:
            return "none", t.brief()
        a = t.finals[0].head.all(b"age")
        if c.count(n) == 1 and (len(a) != 1 or not re.match(rb"^\d{1,4}$", a[0])):
            return "age", "%r gives Age %r" % (fields, a)
    return "ok"


BODY10K = b"".join(b"%09d\n" % i for i in range(1000))


def _range(cid, rules, rng, strict, rfc=None, stored=True, m=b"GET", extra=()):
    """Range requests on a stored 10,000-byte representation."""
    def fn(c):
        n = c.nonce()

        def h(q, k, i):
            body = b"" if q.method == b"HEAD" else BODY10K
            k.send(resp(200, [b"Cache-Control: max-age=60", b'ETag: W/"w"', b"Content-Length: 10000"], body))
            return True
        c.handle(n, h)
        c.get(b"/z/" + n)
        time.sleep(0.2)
        t = c.get(b"/z/" + n, b"Range: " + rng, *extra, method=m, max_wait=3)
        if not t.finals:
            return "none", t.brief()
        f = t.finals[0]
        if f.viol or not f.complete or t.residue:
            return "bad", t.brief()
        if f.status == 200:
            return ("200", "") if f.body == (b"" if m == b"HEAD" else BODY10K) else ("bad", "200 with %d bytes" % f.blen)
        if f.status == 416:
            return "416"
        if f.status != 206:
            return "st:%d" % f.status
        if f.blen > 2.2 * len(BODY10K):
            return "206-large", "%d bytes" % f.blen
        ct = f.hdr(b"content-type", b"")
        if ct.lower().startswith(b"multipart/byteranges"):
            parts = re.findall(rb"(?i)content-range: *bytes (\d+)-(\d+)/(\d+|\*)\r\n(?:[^\r\n]+\r\n)*\r\n", f.body)
            pos = 0
            for a, b, _t in parts:
                if BODY10K[int(a):int(b) + 1] not in f.body[pos:]:
                    return "bad", "part %s-%s has wrong bytes" % (a, b)
            return "206-multi:%d" % len(parts)
        m2 = re.match(rb"bytes (\d+)-(\d+)/10000$", f.hdr(b"content-range", b""))
        if not m2 or f.body != BODY10K[int(m2.group(1)):int(m2.group(2)) + 1]:
            return "bad", "Content-Range %r, %d bytes" % (f.hdr(b"content-range"), f.blen)
        return "206:%s-%s" % (m2.group(1).decode(), m2.group(2).decode())
    C(cid, rules, strict, rfc)(fn)


_range("store-range-plain", "121", b"bytes=10-19", "206:10-19", "206:10-19 200")
_range("store-range-suffix-0", "121", b"bytes=-0", "416 200", "416 200")
_range("store-range-suffix-large", "121", b"bytes=-99999999999999999999", "206:0-9999 200", "206:0-9999 200 416")
_range("store-range-beyond", "121", b"bytes=10000-", "416", "416 200")
_range("store-range-end-beyond", "121", b"bytes=9990-99999999999999999999", "206:9990-9999 200", "206:9990-9999 200 416")
_range("store-range-start-2-64", "121", b"bytes=18446744073709551626-", "416 200", "416 200")
_range("store-range-no-equals", "121", b"bytes 1-2", "200", "200 416")
_range("store-range-minus-only", "121", b"bytes=-", "200", "200 416")
_range("store-range-negative", "121", b"bytes=-5-9", "200", "200 416 206:*")
_range("store-range-comma-only", "121", b"bytes=,,", "200 416", "200 416")
_range("store-range-if-range-weak", "121", b"bytes=0-4", "200", "200", extra=[b'If-Range: W/"w"'])
_range("store-range-if-range-other", "121", b"bytes=0-4", "200", "200", extra=[b'If-Range: "other"'])
_range("store-range-many", "122", b"bytes=" + b",".join(b"%d-%d" % (i * 3, i * 3) for i in range(700)), "200 416 st:4??", "200 416 st:4?? 206:* 206-multi* 206-large")
_range("store-range-open-many", "122", b"bytes=" + b",".join(b"%d-" % i for i in range(300)), "200 416 206:*", "200 416 206:*")
_range("store-range-two", "122", b"bytes=0-9,100-109", "206-multi:2 200", "206-multi:2 200 206:* 416")


@C("store-own-error", "124", "ok", "ok")
def _(c):
    """An error that the proxy made is not kept for the next client."""
    n = c.nonce()

    def h(q, k, i):
        if not k.origin.flags.get(n):
            return False
        k.send(resp(200, [b"Cache-Control: max-age=60"], b"fine\n"))
        return True
    c.origin.flags = getattr(c.origin, "flags", {})
    c.handle(n, h)
    t = c.get(b"/z/" + n, max_wait=6)
    if t.finals and t.finals[0].status < 500:
        return "odd", t.brief()
    c.origin.flags[n] = True
    time.sleep(c.a.retry_gap)
    u = c.get(b"/z/" + n, max_wait=6)
    return "ok" if u.finals and u.finals[0].body == b"fine\n" else ("kept", "the next client got " + u.brief())


@C("store-bad-request-poison", "124", "ok", "ok")
def _(c):
    """Requests with odd fields that the origin answers with an error do not stay for plain ones."""
    n = c.nonce()

    def h(q, k, i):
        bad = q.hdr(b"x-odd") is not None or len(q.head.raw) > 6000
        k.send(resp(400 if bad else 200, [] if bad else [b"Cache-Control: max-age=60"], b"bad\n" if bad else b"fine\n"))
        return True
    c.handle(n, h)
    c.get(b"/z/" + n, b"X-Odd: 1")
    c.get(b"/z/" + n, b"X-Big: " + b"b" * 6500)
    time.sleep(0.2)
    t = c.get(b"/z/" + n)
    return "ok" if t.finals and t.finals[0].body == b"fine\n" else ("poisoned", t.brief())


# ==========================================================================
# cases: limits, timeouts, pressure (slow ones run side by side at the end)
# ==========================================================================

def _ends(cid, rules, raw, arg, strict="ok", drip=None, after=None):
    """The proxy must end this within a time that the caller tells (plus a margin)."""
    def fn(c):
        limit = getattr(c.a, arg)
        n = c.nonce()
        s = socket.create_connection(c.addr, 5)
        s.settimeout(0.25)
        s.sendall(c.fill(raw, n))
        start = time.time()
        got = b""
        try:
            while time.time() - start < limit * 1.5 + 3:
                if drip:
                    try:
                        s.sendall(drip)
                    except OSError:
                        break
                try:
                    d = s.recv(65536)
                    if not d:
                        break
                    got += d
                except socket.timeout:
                    pass
                except OSError:
                    break
            else:
                return "endless", "still open after %.0f s" % (time.time() - start)
        finally:
            s.close()
        if any(r.complete and r.blen for r in c.origin.of(n)):
            return "complete", "origin got a complete message"
        return "ok", "%.1f s, %r" % (time.time() - start, got[:40])
    C(cid, rules, strict, "-", slow=True)(fn)


_ends("limit-idle-fresh", "125", b"", "header_timeout")
_ends("limit-head-stall", "125", b"GET %T% HTTP/1.1\r\nHost: %H%\r\nX-A: ", "header_timeout")
_ends("limit-head-drip-fields", "125", b"GET %T% HTTP/1.1\r\nHost: %H%\r\n", "header_timeout", drip=b"X-A: a\r\n")
_ends("limit-empty-lines-drip", "125 2", b"", "header_timeout", drip=b"\r\n")
_ends("limit-body-stall", "126", p1(b"Content-Length: 1000", body=b"x" * 10), "body_timeout")
_ends("limit-chunk-stall", "126", p1(CHUNKED, body=b"5\r\nhel"), "body_timeout")


def _stall(cid, rules, script, strict, rfc, expect_status=True):
    def fn(c):
        n = c.nonce()
        end = threading.Event()

        def h(q, k, i):
            if i == 1:
                for p in script:
                    k.send(p.replace(b"%D%", http_date(time.time())))
                end.wait(c.a.upstream_timeout * 2.5 + 9)
                return False
            k.send(resp(200, [b"Cache-Control: max-age=60"], good(i)))
            return True
        c.handle(n, h)
        t0 = time.time()
        t = c.get(b"/z/" + n, max_wait=c.a.upstream_timeout * 2.5 + 7)
        took = time.time() - t0
        end.set()
        la, why = judge_first(t, None, 200)
        if la in ("hang",) or took > c.a.upstream_timeout * 2.5 + 6.5:
            return "endless", "no end after %.0f s" % took
        before = c.count(n)
        time.sleep(max(0.3, c.a.retry_gap))
        lb, w2 = judge_second(c, c.get(b"/z/" + n), n, before, None)
        return la + "/" + lb, "%s %s %.1f s" % (why, w2, took)
    C(cid, rules, strict, rfc, slow=True)(fn)


_stall("limit-upstream-no-head", "127 149", [], "504/new", "5??/new retry/* drop/new")
_stall("limit-upstream-half-chunk", "127 149", [r200(CHUNKED, body=b"50\r\nhello")], "cut/new 504/new", RB)
_stall("limit-upstream-close-delimited-stall", "127 102", [r200(body=H5)], "cut/new 504/new", RB + " ok/new")


@C("limit-slow-reader", "128", "ok", "-", slow=True)
def _(c):
    """A reader that takes nothing does not hold back another client of the same resource."""
    n = c.nonce()
    size = 8_000_000
    block = bytes(range(256)) * 256

    def h(q, k, i):
        k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: %d" % size], b""))
        left = size
        while left:
            part = block[:min(len(block), left)]
            k.send(part, timeout=20)
            left -= len(part)
        return True
    c.handle(n, h)
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    s.connect(c.addr)
    s.sendall(c.fill(f1(), n))
    time.sleep(0.5)
    t0 = time.time()
    t = c.get(b"/z/" + n, max_wait=8)
    took = time.time() - t0
    s.close()
    if t.finals and t.finals[0].complete and t.finals[0].blen == size:
        return "ok", "%.1f s" % took
    return "held", "second client: %s after %.1f s" % (t.brief(), took)


@C("limit-slow-readers-memory", "128", "ok", "-", slow=True)
def _(c):
    """20 stalled readers of 20 MB each, not cacheable: memory stays below 64 MiB more."""
    if not c.target_proc and not c.a.pid:
        return "?no process to measure"
    pids = (lambda: c.target_proc.pids()) if c.target_proc else (lambda: [int(p) for p in c.a.pid.split(",")])
    n = c.nonce()
    block = b"m" * 65536

    def h(q, k, i):
        k.send(resp(200, [b"Cache-Control: no-store", b"Content-Length: 20000000"], b""))
        left = 20_000_000
        while left:
            part = block[:min(len(block), left)]
            k.send(part, timeout=8)
            left -= len(part)
        return True
    c.handle(n, h)
    before = rss_kib(pids())
    socks = []
    for i in range(20):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        s.connect(c.addr)
        s.sendall(c.fill(f1(t=b"%T%?" + b"%d" % i), n))
        socks.append(s)
    peak = 0
    for _i in range(16):
        time.sleep(0.25)
        peak = max(peak, rss_kib(pids()) - before)
    for s in socks:
        s.close()
    return ("ok" if peak < 65536 else "large"), "%d KiB more" % peak


@C("limit-large-not-lost", "130", "ok", "ok", slow=True)
def _(c):
    """An object larger than any entry limit is still relayed in full (24 MB)."""
    n = c.nonce()
    size = 24_000_000
    block = bytes(range(251)) * 261

    def h(q, k, i):
        k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: %d" % size], b""))
        left = size
        while left:
            part = block[:min(len(block), left)]
            k.send(part, timeout=20)
            left -= len(part)
        return True
    c.handle(n, h)
    t = c.get(b"/z/" + n, max_wait=8)
    return "ok" if t.finals and t.finals[0].complete and t.finals[0].blen == size else ("short", t.brief())


# ==========================================================================
# cases: forwarding safety, admin, faults, secrets
# ==========================================================================

@C("safe-loop-via", "135", "stopped", "-")
def _(c):
    """A request that already carries the proxy's own Via member comes back to it."""
    n = c.nonce()
    c.get(b"/z/" + n)
    via = c.origin.of(n)[0].hdr(b"via") if c.origin.of(n) else None
    if not via:
        return "no-via", "no Via to recognise a loop by"
    n2 = c.nonce()
    t = c.get(b"/z/" + n2, b"Via: " + via)
    if c.count(n2):
        return "fwd", "forwarded in spite of " + via.decode("latin1")
    return "stopped" if t.finals and t.finals[0].status >= 400 else ("none", t.brief())


def _self(cid, name, rules="135"):
    def fn(c):
        port = c.addr[1]
        n = c.nonce()
        auth = name.replace(b"%Q%", b"%d" % port)
        t0 = time.time()
        t = c.get(b"", b"Connection: close", target=b"http://" + auth + b"/z/" + n, host=auth, max_wait=6)
        took = time.time() - t0
        if c.count(n):
            return "origin", "reached the origin"
        if not t.finals:
            return ("close" if t.closed else "hang"), t.brief()
        if took > 3:
            return "slow", "%.1f s" % took
        return "rej:%d" % t.finals[0].status if t.finals[0].status >= 400 else "self:%d" % t.finals[0].status
    C(cid, rules, "rej:508 rej:400 rej:403 rej:502", "-", modes=FM)(fn)


_self("safe-loop-other-loopback", b"127.0.0.2:%Q%")
_self("safe-loop-mapped", b"[::ffff:127.0.0.1]:%Q%")
_self("safe-loop-decimal", b"2130706433:%Q%", "135 63")
_self("safe-loop-octal", b"0177.0.0.1:%Q%", "135 63")
_self("safe-loop-short", b"127.1:%Q%", "135 63")


def _denied(cid, rules, authority, m=b"GET", strict="rej:403 rej:400", rfc="-"):
    """Only inside a namespace without a route out: the address can't really be reached."""
    def fn(c):
        if not c.isolated:
            return "?needs a network namespace with only loopback"
        if m == b"CONNECT":
            t = talk(c.addr, b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (authority, authority), methods=(m,), want=1, max_wait=7)
        else:
            t = c.get(b"", target=b"http://" + authority + b"/latest/meta-data/", host=authority, max_wait=7)
        if not t.finals:
            return ("close" if t.closed else "hang"), t.brief()
        return "rej:%d" % t.finals[0].status if t.finals[0].status >= 400 else "open:%d" % t.finals[0].status
    C(cid, rules, strict, rfc, modes=FM)(fn)


_denied("safe-link-local", "136", b"169.254.169.254")
_denied("safe-link-local-port", "136", b"169.254.169.254:8080")
_denied("safe-link-local-mapped", "136", b"[::ffff:169.254.169.254]")
_denied("safe-link-local-decimal", "136 63", b"2852039166")
_denied("safe-link-local-hex", "136 63", b"0xa9fea9fe")
_denied("safe-broadcast", "136", b"255.255.255.255")
_denied("safe-unspecified", "136", b"0.0.0.0:1")


@C("safe-name-too-long", "140", "rej:400 rej:502 rej:403", "-", modes=FM)
def _(c):
    h = b".".join([b"a" * 60] * 6)
    t = c.get(b"", target=b"http://" + h + b"/", host=h, max_wait=9)
    return ("rej:%d" % t.finals[0].status) if t.finals and t.finals[0].status >= 400 else ("hang", t.brief())


@C("safe-purge", "141", "kept", "-")
def _(c):
    n = c.nonce()
    c.handle(n, lambda q, k, i: (k.send(resp(200 if q.method == b"GET" else 405, [b"Cache-Control: max-age=60"] if q.method == b"GET" else [],
                                             b"gen=%d;\n" % i)), True)[1])
    for _i in range(2):
        c.get(b"/z/" + n)
        time.sleep(0.2)
    if c.count(n) != 1:
        return "?not stored"
    for m in (b"PURGE", b"BAN", b"REFRESH"):
        c.get(b"/z/" + n, method=m)
    k = c.count(n)
    c.get(b"/z/" + n)
    return "kept" if c.count(n) == k else ("purged", "a client without any right removed the entry")


def _admin(cid, rules, strict, raw, chk, via_proxy=False, modes=BOTH):
    def fn(c):
        if not c.a.admin:
            return "?no --admin"
        ad = hostport(c.a.admin)
        tok = b"Authorization: Bearer " + (c.a.admin_token or "").encode()
        raw2 = raw.replace(b"%Q%", c.a.admin.encode()).replace(b"%K%", tok).replace(b"%R%", c.a.admin_path.encode())
        t = talk(c.addr if via_proxy else ad, raw2, methods=(raw2.split(b" ")[0],), want=1, max_wait=3)
        return chk(t)
    C(cid, rules, strict, "-", modes)(fn)


def _status(t):
    return (str(t.finals[0].status), t.brief()) if t.finals else ("close" if t.closed else "hang", t.brief())


def _status_cors(t):
    if t.finals and t.finals[0].hdr(b"access-control-allow-origin"):
        return "cors", "Access-Control-Allow-Origin is sent"
    return _status(t)


AR = b"GET %R% HTTP/1.1\r\nHost: %Q%\r\n"
_admin("admin-no-token", "142", "401", AR + b"\r\n", _status)
_admin("admin-bad-token", "142", "401", AR + b"Authorization: Bearer wrong\r\n\r\n", _status)
_admin("admin-empty-token", "142", "401", AR + b"Authorization: Bearer \r\n\r\n", _status)
_admin("admin-foreign-host", "143", "421 403", b"GET %R% HTTP/1.1\r\nHost: evil.test\r\n%K%\r\n\r\n", _status)
_admin("admin-foreign-host-port", "143", "421 403", b"GET %R% HTTP/1.1\r\nHost: evil.test:3129\r\n%K%\r\n\r\n", _status)
_admin("admin-foreign-origin", "144", "403", AR + b"%K%\r\nOrigin: http://evil.test\r\n\r\n", _status_cors)
_admin("admin-cross-site", "144", "403", AR + b"%K%\r\nSec-Fetch-Site: cross-site\r\n\r\n", _status_cors)
_admin("admin-preflight", "144", "4??", b"OPTIONS %R% HTTP/1.1\r\nHost: %Q%\r\nOrigin: http://evil.test\r\nAccess-Control-Request-Method: POST\r\n\r\n", _status_cors)
_admin("admin-smuggle", "142 32", "400", b"POST %R% HTTP/1.1\r\nHost: %Q%\r\n%K%\r\nContent-Length: 5x\r\n\r\nhello", _status)
_admin("admin-through-proxy", "137", "403 400 508 502", b"GET http://%Q%%R% HTTP/1.1\r\nHost: %Q%\r\n%K%\r\n\r\n", _status, via_proxy=True, modes=FM)
_admin("admin-through-connect", "137", "403 400 508 502", b"CONNECT %Q% HTTP/1.1\r\nHost: %Q%\r\n\r\n", _status, via_proxy=True, modes=FM)


U("fault-reset-before-head", "148", b"", "502/new retry/*", RB, end="rst")


@C("fault-stall-leaves-others", "149", "ok", "-")
def _(c):
    n = c.nonce()
    end = threading.Event()

    def h(q, k, i):
        if q.path.endswith(b"/stall"):
            end.wait(5)
            return False
        k.send(resp(200, [b"Cache-Control: no-store"], b"x"))
        return True
    c.handle(n, h)
    th = threading.Thread(target=lambda: c.get(b"/z/" + n + b"/stall", max_wait=4), daemon=True)
    th.start()
    time.sleep(0.2)
    t0 = time.time()
    t = c.get(b"/z/" + n + b"/other", max_wait=4)
    took = time.time() - t0
    end.set()
    return ("ok" if t.finals and t.finals[0].status == 200 and took < 1 else "held"), "%.2f s %s" % (took, t.brief())


def together(c, n, k, fields=None, wait=8.0, gap=0.03):
    out = [None] * k

    def one(i):
        out[i] = c.get(b"/z/" + n, *(fields(i) if fields else ()), max_wait=wait)
    ths = []
    for i in range(k):
        th = threading.Thread(target=one, args=(i,), daemon=True)
        th.start()
        ths.append(th)
        time.sleep(gap)
    for th in ths:
        th.join(wait + 4)
    return out


def _private_herd(cid, rules, fields, reqf=None):
    def fn(c):
        n = c.nonce()

        def h(q, k, i):
            time.sleep(0.4)
            k.send(resp(200, list(fields), b"gen=%d;who=%s\n" % (i, q.hdr(b"cookie", b"-"))))
            return True
        c.handle(n, h)
        out = together(c, n, 4, fields=lambda i: [x % i for x in reqf] if reqf else [])
        seen = []
        for t in out:
            if t is None or not t.finals or t.finals[0].status != 200:
                return "none", t.brief() if t else "no answer"
            seen.append(t.finals[0].field(b"gen"))
        if len(set(seen)) != len(seen):
            return "shared", "answers were shared: %s" % seen
        return "ok"
    C(cid, rules, "ok", "ok")(fn)


_private_herd("fault-herd-private", "112 113 151", [b"Cache-Control: private, max-age=60"])
_private_herd("fault-herd-authorization", "113 115 151", [b"Cache-Control: max-age=60"], [b"Authorization: Basic u%d"])


@C("fault-leader-leaves", "150", "ok", "-")
def _(c):
    n = c.nonce()
    body = b"L" * 200_000

    def h(q, k, i):
        k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: %d" % len(body)], body[:100_000]))
        time.sleep(0.7)
        k.send(body[100_000:])
        return True
    c.handle(n, h)
    s = socket.create_connection(c.addr, 5)
    s.sendall(c.fill(f1(), n))
    time.sleep(0.15)
    res = []
    th = threading.Thread(target=lambda: res.append(c.get(b"/z/" + n, max_wait=8)), daemon=True)
    th.start()
    time.sleep(0.2)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
    th.join(12)
    t = res[0] if res else None
    if not t or not t.finals or not t.finals[0].complete or t.finals[0].body != body:
        return "lost", "the one who waited got " + (t.brief() if t else "nothing")
    return "ok", "%d upstream requests" % c.count(n)


def _leader_fails(cid, end, extra):
    def fn(c):
        n = c.nonce()

        def h(q, k, i):
            if i == 1:
                k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: 200000"], b"A" * 60000))
                time.sleep(0.5)
                k.rst() if end == "rst" else None
                return False
            k.send(resp(200, [b"Cache-Control: max-age=60", b"Content-Length: 200000"], b"B" * 200000))
            return True
        c.handle(n, h)
        out = together(c, n, 4)
        for t in out:
            if t is None or (not t.finals and not t.closed):
                return "hang", "a client was left waiting"
            if not t.finals:
                continue
            f = t.finals[0]
            if f.status == 200 and len(set(f.body)) > 1:
                return "mixed", "bytes of two answers in one body"
            if f.status == 200 and f.complete and f.blen != 200000:
                return "short", "truncated and complete: %d" % f.blen
            if f.status == 200 and f.complete and f.body[:1] == b"A":
                return "wrong", "complete body of the cut answer"
        if c.count(n) > 6:
            return "many", "%d upstream requests" % c.count(n)
        time.sleep(max(0.2, c.a.retry_gap))
        u = c.get(b"/z/" + n)
        if not u.finals or u.finals[0].body != b"B" * 200000:
            return "kept", "afterwards: " + u.brief()
        return "ok", "%d upstream requests; %s" % (c.count(n), " ".join(t.brief() for t in out if t))
    C(cid, "151 111", "ok", "ok")(fn)


_leader_fails("fault-leader-cut", "close", 0)
_leader_fails("fault-leader-reset", "rst", 0)


@C("fault-many-aborts", "150 31", "ok", "-")
def _(c):
    """100 clients connect, send half or all of a request and reset: the proxy goes on."""
    n = c.nonce()

    def h(q, k, i):
        time.sleep(0.05)
        k.send(resp(200, [b"Cache-Control: no-store"], b"x" * 5000))
        return True
    c.handle(n, h)
    raw = c.fill(f1(b"X-A: 1"), n)
    rnd = random.Random(5)
    for i in range(100):
        cut = rnd.randrange(1, len(raw) + 1)
        talk(c.addr, [raw[:cut], 0.005 * (i % 3)], rst=True)
    t0 = time.time()
    ok = c.alive(5)
    return ("ok" if ok and time.time() - t0 < 2 else "held"), "%.1f s" % (time.time() - t0)


@C("log-secret-not-in-errors", "158", "ok", "-")
def _(c):
    """Credentials of a refused request are not in the refusal."""
    n = c.nonce()
    s = MARK + n
    raws = [f1(b"Authorization: Basic " + s, b"Cookie: id=" + s, b"X-A : 1"),
            f1(b"Authorization: Basic " + s, b"Cookie: id=" + s, b"Content-Length: 5x"),
            f1(b"Authorization: Basic " + s, b"Cookie: id=" + s, t=b"%T%/dead")]
    c.handle(n, lambda q, k, i: False)
    for raw in raws:
        t = talk(c.addr, c.fill(raw, n), want=1, max_wait=6)
        if s in t.raw:
            return "echo", "the credential came back in %s" % t.brief()
    return "ok"


@C("log-secret-not-in-files", "158", "ok", "-")
def _(c):
    """No file under --scan holds a planted credential (runs last)."""
    if not c.a.scan:
        return "?no --scan"
    hits = []
    for root in c.a.scan.split(","):
        for d, _dirs, files in os.walk(root):
            for f in files:
                p = os.path.join(d, f)
                try:
                    if not os.path.isfile(p) or os.path.getsize(p) > 300_000_000:
                        continue
                    with open(p, "rb") as fh:
                        if MARK in fh.read():
                            hits.append(os.path.relpath(p, root))
                except OSError:
                    pass
    return ("stored", "in %s" % hits[:5]) if hits else "ok"


# ==========================================================================
# runner
# ==========================================================================

CLASSES = [("line", "Request line, version, target"), ("field", "Field syntax"), ("frame", "Request framing and content"),
           ("host", "Host, authority, target URI"), ("hop", "Connection-specific fields"),
           ("conn", "Expect, Upgrade, CONNECT, TRACE, persistence"), ("up", "Responses from upstream"),
           ("store", "What is stored and reused"), ("limit", "Timeouts and pressure"), ("safe", "Forwarding safety"),
           ("admin", "Admin endpoint"), ("fault", "Faults"), ("log", "Secrets")]


def verdict(label, spec):
    if spec == "-":
        return "n/a"
    if label.startswith("?"):
        return "undetermined"
    return "pass" if match(label, spec) else "fail"


def run_case(c, case, alive=True):
    t0 = time.time()
    talkres, reqs = None, []
    try:
        label, why, talkres, reqs = case.run(c)
    except NotHere as e:
        label, why = "?not here", str(e)
    except Exception as e:                            # a bug here is not the target's fault
        label, why = "?error", "%s: %s" % (type(e).__name__, e)
    took = time.time() - t0
    if alive and not c.alive():
        gone = "; the process is gone" if c.target_proc and not c.target_proc.alive() else ""
        back = not gone and c.alive(8)
        label, why = "dead", "new connections were not answered after this case%s%s; it ended in %s %s" % (
            " for a while" if back else ", until a restart", gone, label, why)
        if not back and c.target_proc:
            c.target_proc.stop("KILL")
            if not c.target_proc.start():
                raise SystemExit("the target does not start again after " + case.id)
        elif not back:
            raise SystemExit("the proxy does not answer any more after " + case.id)
    with c.origin.lock:
        for k in [k for k, v in c.origin.conns.items() if v.closed]:
            del c.origin.conns[k]
    return dict(id=case.id, cls=case.cls, rules=case.rules, label=label, strict=verdict(label, case.strict),
                rfc=verdict(label, case.rfc), why=why or (talkres.brief() if talkres else ""),
                client=talkres.brief() if talkres else None,
                origin=[r.brief() for r in reqs[:4]], ms=int(took * 1000))


def run_all(c, only=None, verbose=False):
    todo = [k for k in CASES if c.kind in k.modes and (k.cls != "admin" or c.a.admin) and (k.cls != "log" or c.a.scan or "files" not in k.id) and
            (not only or any(fnmatch.fnmatchcase(k.id, p) for p in only.split(",")))]
    last = [k for k in todo if k.id == "log-secret-not-in-files"]
    slow = [k for k in todo if k.slow]
    quick = [k for k in todo if not k.slow and k not in last]
    out = []

    def show(r):
        if verbose:
            print("%-44s %-5s %-5s %-22s %5d ms  %s" % (r["id"], r["strict"][:5], r["rfc"][:5], r["label"], r["ms"],
                                                       r["why"][:110]), flush=True)
    for k in quick:
        r = run_case(c, k)
        out.append(r)
        show(r)
    # pressure cases one after the other, timeouts side by side
    heavy = [k for k in slow if k.id in ("limit-slow-reader", "limit-slow-readers-memory", "limit-idle-connections",
                                         "limit-large-not-lost")]
    for k in heavy:
        r = run_case(c, k)
        out.append(r)
        show(r)
    rest = [k for k in slow if k not in heavy]
    got, ths = [], []
    for k in rest:
        th = threading.Thread(target=lambda k=k: got.append(run_case(c, k, alive=False)), daemon=True)
        th.start()
        ths.append(th)
    for th in ths:
        th.join(90)
    order = {k.id: i for i, k in enumerate(rest)}
    for r in sorted(got, key=lambda r: order[r["id"]]):
        out.append(r)
        show(r)
    for k in last:
        r = run_case(c, k)
        out.append(r)
        show(r)
    return out


def summarise(results, profile):
    print("\n%-46s %6s %6s %6s   (%s profile)" % ("class", "pass", "fail", "undet.", profile))
    tot = collections.Counter()
    for key, name in CLASSES:
        rs = [r for r in results if r["cls"] == key]
        if not rs:
            continue
        n = collections.Counter(r[profile] for r in rs)
        tot.update(n)
        print("%-46s %6d %6d %6d" % (name, n["pass"], n["fail"], n["undetermined"]))
    print("%-46s %6d %6d %6d" % ("all", tot["pass"], tot["fail"], tot["undetermined"]))
    bad = [r for r in results if r[profile] == "fail"]
    if bad:
        print("\nfailing:")
        for r in bad:
            print("  %-42s %s [%s] %s" % (r["id"], ",".join(r["rules"]), r["label"], r["why"][:150]))
    und = [r for r in results if r[profile] == "undetermined"]
    if und:
        print("\nundetermined:")
        for r in und:
            print("  %-42s %s %s" % (r["id"], r["label"], r["why"][:110]))


def load(paths):
    """Results of earlier runs, judged by the oracles of today."""
    by = {k.id: k for k in CASES}
    runs = []
    for p in paths:
        with open(p) as f:
            run = json.load(f)
        for x in run["cases"]:
            k = by.get(x["id"])
            if k:
                x["strict"], x["rfc"], x["rules"] = verdict(x["label"], k.strict), verdict(x["label"], k.rfc), k.rules
        runs.append(run)
    return runs


def table(paths):
    """Passed/failed/undetermined of each run and class, once for each profile."""
    runs = load(paths)
    for profile, title in (("rfc", "`rfc`: what the RFCs demand of everyone"), ("strict", "`strict`: our rules")):
        print("\n%s (passed/failed, then /undetermined if any)\n" % title)
        print("| Class | " + " | ".join(r["name"] for r in runs) + " |")
        print("|---|" + "---|" * len(runs))
        for key, name in CLASSES + [(None, "**all**")]:
            row = []
            for r in runs:
                n = collections.Counter(x[profile] for x in r["cases"] if key in (None, x["cls"]))
                row.append("%d/%d%s" % (n["pass"], n["fail"], "/%d" % n["undetermined"] if n["undetermined"] else "")
                           if n["pass"] + n["fail"] + n["undetermined"] else "–")
            if set(row) != {"–"}:
                print("| %s | %s |" % (name, " | ".join(row)))


def contested(paths, profile="rfc", least=3):
    runs = load(paths)
    by = collections.OrderedDict()
    for r in runs:
        for x in r["cases"]:
            by.setdefault(x["id"], []).append((r["name"], x))
    for cid, xs in by.items():
        bad = [(n, x) for n, x in xs if x[profile] == "fail"]
        if len(bad) >= least:
            print("%s (%d of %d)" % (cid, len(bad), len(xs)))
            for n, x in xs:
                print("    %-10s %-5s %-20s %s" % (n, x[profile][:5], x["label"], x["why"][:130]))


def dumps(head, results):
    """One case a line, so that two runs can be compared with diff."""
    return json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(r) for r in results) + "\n]}\n"


def first_line(patterns):
    """The first line of the first file that one of the comma-separated patterns names."""
    for pat in patterns.split(","):
        for f in sorted(glob.glob(os.path.expanduser(pat))):
            with open(f) as fh:
                return fh.readline().strip()
    return None


def last_words(target):
    try:
        with open(os.path.join(target.work, "stdout.log"), errors="replace") as f:
            return "its last lines:\n" + "".join(f.readlines()[-8:])
    except OSError:
        return "see " + target.work


def summary(paths):
    """Cases, passed, failed, undetermined of each run in both profiles, and what fails. True if nothing fails our rules."""
    runs = load(paths)
    print("%-10s %6s   %-28s   %s" % ("", "", "strict (our rules)", "rfc"))
    print("%-10s %6s   %7s %7s %12s   %7s %7s %12s" % (("run", "cases") + ("passed", "failed", "undetermined") * 2))
    for r in runs:
        n = [collections.Counter(x[p] for x in r["cases"]) for p in ("strict", "rfc")]
        print("%-10s %6d   %7d %7d %12d   %7d %7d %12d" % ((r["name"], len(r["cases"])) + tuple(
            k[v] for k in n for v in ("pass", "fail", "undetermined"))))
    for what, title in (("fail", "failed"), ("undetermined", "undetermined")):
        by = collections.OrderedDict()
        for r in runs:
            for x in r["cases"]:
                if x["strict"] == what:
                    by.setdefault(x["id"], []).append((r["name"], x))
        if by:
            print("\n%s (! = also against the RFC):" % title)
        for cid, xs in by.items():
            x = xs[0][1]
            print("%s %-42s %-12s %-24s %s  %s" % ("!" if any(y["rfc"] == "fail" for _, y in xs) else " ", cid, ",".join(x["rules"])[:12],
                                                " ".join(n for n, _ in xs), x["label"], x["why"][:80]))
    return all(x["strict"] != "fail" for r in runs for x in r["cases"])


def coverage(paths):
    """Cases that no run failed, and cases that no run passed: an oracle that can't do both says nothing."""
    runs = load(paths)
    for profile in ("strict", "rfc"):
        got = collections.defaultdict(set)
        for r in runs:
            for x in r["cases"]:
                got[x["id"]].add(x[profile])
        todo = [k for k in CASES if getattr(k, profile) != "-"]
        for v in ("fail", "pass"):
            ids = [k.id for k in todo if v not in got[k.id]]
            print("%s: %d of %d cases were never seen to %s%s" % (profile, len(ids), len(todo), v, ": " + " ".join(ids) if ids else ""))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--proxy", help="HOST:PORT of the proxy under test")
    p.add_argument("--origin-port", type=int, default=28081)
    p.add_argument("--origin-host", default="127.0.0.1")
    p.add_argument("--mode", choices=("reverse", "forward"), default="reverse")
    p.add_argument("--path-prefix", help="put before each path (prefix gateway)")
    p.add_argument("--host", help="Host value for ordinary requests")
    p.add_argument("--json")
    p.add_argument("--only", help="patterns of case ids, comma-separated")
    p.add_argument("--profile", choices=("strict", "rfc"), default="strict")
    p.add_argument("--peer", help="a peer of peers/make.py: write its configuration, start, run, stop")
    p.add_argument("--target", help="target description (JSON): start, run, stop")
    p.add_argument("--port", type=int, default=28080, help="port for --peer")
    p.add_argument("--name")
    p.add_argument("--netns", action="store_true")
    p.add_argument("--verbose", "-v", action="store_true")
    p.add_argument("--pid", help="process ids to measure memory of, comma-separated")
    p.add_argument("--header-timeout", type=float, default=10)
    p.add_argument("--body-timeout", type=float, default=10)
    p.add_argument("--idle-timeout", type=float, default=15)
    p.add_argument("--upstream-timeout", type=float, default=10)
    p.add_argument("--retry-gap", type=float, default=0, help="seconds for which the proxy remembers a failed load")
    p.add_argument("--idle-conns", type=int, default=1000)
    p.add_argument("--admin", help="HOST:PORT of the admin listener")
    p.add_argument("--admin-token")
    p.add_argument("--admin-path", default="/v1/resources")
    p.add_argument("--scan", help="directories to search for planted credentials at the end")
    p.add_argument("--list", action="store_true")
    p.add_argument("--table", nargs="+", metavar="JSON")
    p.add_argument("--contested", nargs="+", metavar="JSON")
    p.add_argument("--summary", nargs="+", metavar="JSON")
    p.add_argument("--coverage", nargs="+", metavar="JSON")
    a = p.parse_args()
    if a.list:
        for k in CASES:
            print("%-44s %-3s %-14s strict: %s | rfc: %s" % (k.id, k.modes, ",".join(k.rules), k.strict, k.rfc))
        print(len(CASES), "cases,", len({r for k in CASES for r in k.rules}), "rules")
        return
    if a.table:
        return table(a.table)
    if a.contested:
        return contested(a.contested, a.profile)
    if a.coverage:
        return coverage(a.coverage)
    if a.summary:
        sys.exit(0 if summary(a.summary) else 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    raise_fd_limit()
    if a.netns:
        enter_netns()
    target = None
    work = None
    if a.peer:
        work = tempfile.mkdtemp(prefix="strict-" + a.peer + "-")
        os.chmod(work, 0o755)
        make = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers", "make.py")
        a.scan = a.scan or work
        d = json.loads(subprocess.run([sys.executable, make, a.peer, "--port", str(a.port), "--origin-port",
                                       str(a.origin_port), "--work", work], check=True, capture_output=True, text=True).stdout)
    elif a.target:
        with open(a.target) as f:
            d = json.load(f)
    if a.peer or a.target:
        target = Target(d, work)
        a.proxy = d["base"]
        a.origin_host, a.origin_port = hostport(d["origin"])
        a.mode = "forward" if d.get("forward") else "reverse"
        a.path_prefix = a.path_prefix or d.get("path_prefix")
        a.host = a.host or d.get("host")
        for k in ("admin", "admin_token", "scan"):
            if d.get(k) and not getattr(a, k):
                setattr(a, k, target._x(d[k]))
    if not a.proxy:
        p.error("--proxy, --peer or --target is needed")
    a.name = a.name or (target.name if target else a.proxy)
    origin = Origin(a.origin_port, a.origin_host)
    rc = 0
    try:
        if target and not target.start():
            sys.exit("target did not become ready; " + last_words(target))
        if target and target.d.get("admin_token_files") and not a.admin_token:
            a.admin_token = first_line(target._x(target.d["admin_token_files"]))
        c = Ctx(a, hostport(a.proxy), origin, target)
        if not c.alive(10):
            sys.exit("no answer through the proxy: is it running, and does it use origin port %d?" % a.origin_port)
        n = c.nonce()
        c.handle(n, lambda q, k, i: (k.send(resp(200, [b"Cache-Control: max-age=60"], b"x")), True)[1])
        for _i in range(2):
            c.get(b"/z/" + n)
            time.sleep(0.25)
        c.get(b"/z/" + n)
        c.caches = c.count(n) == 1
        t0 = time.time()
        results = run_all(c, a.only, a.verbose)
        summarise(results, a.profile)
        print("\n%d cases in %.0f s; caching seen: %s" % (len(results), time.time() - t0, c.caches))
        if a.json:
            with open(a.json, "w") as f:
                f.write(dumps(dict(name=a.name, mode=a.mode, prefix=a.path_prefix, caches=c.caches), results))
        rc = 1 if any(r[a.profile] == "fail" for r in results) else 0
    finally:
        if target:
            target.stop()
        origin.stop_listening()
        if work:
            shutil.rmtree(work, ignore_errors=True)
    sys.exit(rc)


if __name__ == "__main__":
    main()
