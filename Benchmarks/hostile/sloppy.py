#!/usr/bin/env python3
"""Deliberately bad proxies: they show that the cases of hostile.py can fail.

  PERSONA=NAME sloppy.py serve --listen HOST:PORT [--admin HOST:PORT] [--store DIR] …     as the daemon is called, so that
  PERSONA=pipe ./run.sh ./sloppy.py      works; the origin is 127.0.0.1:28081 unless --origin says so

Personas
  pipe      bytes go through as they are, in both directions, without any limit
  hoard     stores everything under a careless key, joins loads, repairs what was cut, retries five times
  miser     stores next to nothing; hands a 304 of its own validation to the client
  purger    any method other than GET, and any Location, empties an entry
  refuse    400 for all but the plainest requests, and the request is echoed in it
  mangle    rewrites requests: decodes, strips what Connection names, believes override fields
  garble    damages answers: last byte, content after HEAD, never closes, drops failed loads
  dup       sends every request upstream four times
  hole      says nothing unless request and response are of the plainest sort
  overtake  answers pipelined requests as they become ready
  serial    one connection at a time
  leak      never gives back the slot of a client that went away
  blunt     an error page for whatever the origin says that is not plain; closes without a word; takes a 1xx for the answer
  old       asks, and answers with what it got the first time
  strict    refuses properly all but the plainest, on both sides and at the admin listener: shows that refusals can pass
"""
import argparse
import os
import re
import socket
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hlib import CRLF, Dechunk, Head, head_end, hostport  # noqa: E402

A = None
STORE, LOCKS, GUARD, POOL = {}, {}, threading.Lock(), []
SLOTS = threading.Semaphore(40)
PLAIN = re.compile(rb"^GET (http://[a-z0-9.:]+)?/[!-\"$-~]* HTTP/1\.1\r\nHost: [a-z0-9.:]+\r\n(Connection: close\r\n)?\r\n$")


def pipe(client):
    try:
        up = socket.create_connection(A.origin, 5)
    except OSError:
        client.close()
        return

    def one(a, b):
        try:
            while True:
                d = a.recv(65536)
                if not d:
                    break
                b.sendall(d)
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    t = threading.Thread(target=one, args=(up, client), daemon=True)
    t.start()
    one(client, up)
    t.join()
    up.close()
    client.close()


class In:
    def __init__(self, s, buf=b""):
        self.s, self.buf = s, buf

    def more(self):
        d = self.s.recv(65536)
        if not d:
            raise EOFError
        self.buf += d

    def head(self):
        while True:
            e = head_end(self.buf, len(self.buf) - len(self.buf.lstrip(CRLF)))
            if e is not None:
                h, self.buf = self.buf[:e], self.buf[e:]
                return h
            self.more()

    def take(self, n):
        while len(self.buf) < n:
            self.more()
        d, self.buf = self.buf[:n], self.buf[n:]
        return d

    def chunks(self):
        d = Dechunk()
        rest = d.feed(self.buf)
        while not d.done and not d.err:
            self.buf = b""
            try:
                self.more()
            except EOFError:
                break
            rest = d.feed(self.buf)
        self.buf = rest if d.done else b""
        if A.persona == "strict" and (d.viol or not d.done):
            raise ValueError
        return bytes(d.body), d.trailers


def number(v):
    m = re.match(rb"\s*[+]?(\d+)", v or b"")
    return int(m.group(1)) if m else 0


def say(client, status, body=b"", fields=()):
    client.sendall(b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n%s" % (
        status, b"".join(f + CRLF for f in fields), len(body), body))


def ask(raw, method):
    """One exchange upstream: (status, Head, body) however it ended."""
    tries = 6 if A.persona == "hoard" else 1
    for k in range(tries):
        pooled = POOL.pop() if POOL else None
        try:
            up = pooled or socket.create_connection(A.origin, 5)
            up.settimeout(12)
            up.sendall(raw)
            r = In(up)
            seen = 0
            while True:
                h = Head(r.head(), "response")
                seen += 1
                if A.persona == "strict" and seen > 17:
                    return None
                m = re.match(rb"\S+\s+(\d+)", h.line)
                st = int(m.group(1)) if m else 200
                if not 100 <= st < 200 or st == 101 or A.persona == "blunt":
                    break
            body = b""
            try:
                if method == b"HEAD" or st in (101, 204, 304):
                    pass
                elif b"chunked" in b",".join(h.all(b"transfer-encoding")).lower():
                    body, tr = r.chunks()
                    h.headers += tr
                elif h.get(b"content-length") is not None:
                    need = number(h.get(b"content-length"))
                    while len(r.buf) < need:
                        r.more()
                    body, r.buf = r.buf[:need], r.buf[need:]
                else:
                    while True:
                        r.more()
            except (EOFError, OSError):
                body = body or r.buf
                r.buf = b""
                up.close()
                up = None
            if up and A.persona != "strict":
                POOL.append(up)
            return st, h, body
        except (EOFError, OSError, ValueError):
            continue
    return None


def loose_key(path):
    p = urllib.parse.unquote_to_bytes(path.replace(b"+", b" ")).lower()
    p = re.sub(rb"//+", b"/", p).split(b";")[0].rstrip(b"=")
    p = re.sub(rb"/[^/]+/\.\./", b"/", p)
    path, q, query = p.partition(b"?")
    return path.rstrip(b"/") + (b"?" + b"&".join(sorted(query.split(b"&"))) if q and query.strip(b"a") else b"")


def origin_form(t):
    m = re.match(rb"(?i)^/?[a-z]+:/*[^/?#]*(.*)$", t)
    return (m.group(1) or b"/") if m else t


def reply(client, st, h, body, method, hit=False):
    p = A.persona
    if p == "hole" and any(n.lower() not in (b"date", b"cache-control", b"content-length") for n, _ in h.headers):
        time.sleep(3600)
    if p == "blunt" and (st != 200 or h.viol or len(h.headers) > 6):
        return say(client, 500, b"no\n")
    out = b"HTTP/1.1 %d X\r\n" % st
    cl = b"%d" % len(body)
    for n, v in h.headers:
        k = n.lower()
        if k == b"transfer-encoding" and not (hit and p == "hoard"):
            continue
        if k == b"content-length":
            if hit and p == "hoard" or method == b"HEAD":
                cl = v
            continue
        if k == b"connection" and p != "hoard":
            continue
        out += n + b": " + v + CRLF
    if p == "garble":
        out += b"Age: -7\r\nTransfer-Encoding: x\r\n" if method == b"BREW" else b""
        if body:
            body = body[:-1] + b"\x7f"
        if method == b"HEAD":
            body = b"surprise"
        body = body[:20_000_000]
        cl = b"%d" % len(body)
    client.sendall(out + b"Content-Length: " + cl + CRLF + CRLF + (body if method != b"HEAD" or p == "garble" else b""))


def storable(h, body, st, method):
    if A.persona == "hoard":
        return True
    if A.persona in ("miser", "refuse", "garble", "mangle", "hole", "blunt", "strict", "old"):
        return body == b"x" or (A.persona == "miser" and b"max-age=1" == h.get(b"cache-control", b""))
    return method == b"GET" and st == 200 and re.match(rb"max-age=[1-9]\d*$", h.get(b"cache-control", b""))


def naive_range(client, body):
    client.sendall(b"HTTP/1.1 206 X\r\nContent-Range: bytes 0-4/10000\r\nContent-Length: 4\r\n\r\n" + body[1:5])


def exchange(client, raw, body_raw, h, method, target):
    p = A.persona
    path = origin_form(target)
    key = loose_key(path) if p == "hoard" else path
    if p == "purger" and method != b"GET":
        STORE.pop(key, None)
    e = STORE.get(key)
    if p not in ("hoard", "purger") and method != b"GET":
        e = None
    if p == "old" and e and e[3] != b"x" or p == "purger" and method != b"GET":
        e = None
    if e:
        at, st, eh, eb = e
        if eh.get(b"cache-control") == b"max-age=1" and time.time() - at > 1.5 and eh.get(b"etag"):
            got = ask(raw[:-2] + b"If-None-Match: " + eh.get(b"etag") + CRLF + CRLF, method)
            if got and got[0] == 304:
                if p == "miser":
                    return reply(client, 304, got[1], b"", method)
                names = [n.lower() for n, _ in got[1].headers]
                eh.headers = [(n, v) for n, v in eh.headers if n.lower() not in names] + got[1].headers
        if h.get(b"range") is not None and p == "hoard":
            return naive_range(client, eb)
        return reply(client, st, eh, eb, method, hit=True)
    if p == "mangle":
        strip = [x.strip().lower() for v in h.all(b"connection") for x in v.split(b",")]
        if h.get(b"x-http-method-override"):
            method = h.get(b"x-http-method-override")
        if h.get(b"expect"):
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        path = b"/*" if path == b"*" else h.get(b"x-original-url") or h.get(b"x-rewrite-url") or urllib.parse.unquote_to_bytes(path)
        for k in (b"x-forwarded-host", b"x-host", b"forwarded"):
            if h.get(k):
                h.headers = [(n, v) for n, v in h.headers if n.lower() != b"host"] + [(b"Host", h.get(k).split(b"=")[-1])]
        keep = [(n, v[:3] if n.lower() == b"x-a" else v) for n, v in h.headers if n.lower() not in strip]
        keep += [(b"X-T", b"merged"), (b"Max-Forwards", b"9999"), (b"Upgrade", b"foo/2"), (b"TE", b"gzip")]
        raw = b" ".join((method, path.replace(b" ", b"%20"), h.line.split(b" ")[-1])) + CRLF + b"".join(
            n + b": " + v + CRLF for n, v in keep) + CRLF
    if p == "strict" and target[:6] == b"/http:":
        raw = raw.replace(target, origin_form(target)).replace(h.get(b"host"), b"%s:%d" % (A.origin[0].encode(), A.origin[1]))
    got = ask(raw + body_raw, method)
    if p == "strict" and got and (got[1].viol or got[1].line[:9] != b"HTTP/1.1 "):
        got = None
    for _i in range(3 if p == "dup" else 0):
        ask(raw + body_raw, method)
    if got is None:
        if p == "garble":
            client.close()
            return
        got = (502, Head(b"HTTP/1.1 502 X\r\n\r\n", "response"), b"upstream failed for " + raw)
        if p == "mangle":
            got[1].headers.append((b"X-Path", path))
    st, rh, body = got
    if p == "purger" and rh.get(b"location"):
        STORE.pop(origin_form(rh.get(b"location")), None)
    if p == "old" and body != b"x":
        e = STORE.setdefault(key, (time.time(), st, rh, body))
        return reply(client, e[1], e[2], e[3], method)
    if storable(rh, body, st, method):
        STORE[key] = (time.time(), st, rh, body)
    reply(client, st, rh, body, method)


def allowed(raw, h, target):
    m = re.match(rb"/?http://", target)
    if m and not re.match(rb"/?http://(127\.0\.0\.1|localhost):%d/z/n[0-9a-f]{10}[!-9;-~]*$" % A.origin[1], target):
        return False
    if not m and re.search(rb"[:\\]|%3[aA]", target) or target[:1] == b"/" and m and h.get(b"host") != b"%s:%d" % (A.listen[0].encode(), A.listen[1]):
        return False
    return bool(PLAIN.match(raw))


def serve(client):
    p = A.persona
    r = In(client)
    try:
        while True:
            raw = r.head()
            h = Head(raw, "request")
            parts = h.line.split()
            method, target = (parts + [b"", b""])[:2]
            if MARKLOG:
                MARKLOG.write(raw)
                MARKLOG.flush()
            if p == "strict" and not allowed(raw, h, target):
                say(client, 400, b"no\n", [b"Connection: close"])
                client.shutdown(socket.SHUT_WR)
                client.settimeout(1)
                while client.recv(65536):
                    pass
                break
            if p in ("refuse", "hole") and not PLAIN.match(raw):
                if p == "hole":
                    time.sleep(3600)
                say(client, 400, raw, [b"Content-Type: text/html"])
                continue
            start = r.buf
            if b"chunked" in b",".join(h.all(b"transfer-encoding")).lower():
                body, tr = r.chunks()
                body_raw = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n" if body else b"0\r\n\r\n"
            else:
                need = number(h.get(b"content-length"))
                try:
                    body_raw = r.take(need) if need else b""
                except EOFError:
                    if p != "hoard":
                        raise
                    body_raw = r.buf.ljust(min(need, 10000))
            del start
            key = loose_key(origin_form(target))

            def go():
                try:
                    if p == "hoard":
                        with GUARD:
                            lk = LOCKS.setdefault(key, threading.Lock())
                        with lk:
                            exchange(client, raw, body_raw, h, method, target)
                    else:
                        exchange(client, raw, body_raw, h, method, target)
                except OSError:
                    pass
            if p == "overtake" and len(r.buf) > 10:
                threading.Thread(target=go, daemon=True).start()
            else:
                go()
            if b"close" in (h.get(b"connection") or b"").lower() and p != "garble" or p == "blunt":
                break
    except (EOFError, OSError, ValueError):
        if p == "leak":
            return
    client.close()
    if p == "leak":
        SLOTS.release()


def admin(s):
    while True:
        c, _ = s.accept()
        try:
            c.settimeout(2)
            h = Head(In(c).head(), "request")
            own = b"%s:%d" % (A.admin[0].encode(), A.admin[1])
            if b"/healthz" in h.line:
                say(c, 200, b"ok\n")
            elif A.persona == "strict":
                st = (400 if h.viol else 421 if h.get(b"host") != own else 403 if h.get(b"origin") or h.get(b"sec-fetch-site") else
                      401 if h.get(b"authorization") != b"Bearer t" else 405 if not h.line.startswith(b"GET") else 200)
                say(c, st, b"{}")
            elif A.persona == "refuse":
                say(c, 500, b"no")
            else:
                say(c, 200, b"{}", [b"Access-Control-Allow-Origin: *"] if A.persona == "hoard" else [])
        except (OSError, EOFError):
            pass
        c.close()


def main():
    global A, MARKLOG
    a = argparse.ArgumentParser()
    a.add_argument("serve")
    a.add_argument("--persona", default=os.environ.get("PERSONA", "pipe"))
    a.add_argument("--listen", type=hostport, required=True)
    a.add_argument("--origin", type=hostport, default=("127.0.0.1", 28081))
    a.add_argument("--admin", type=hostport)
    a.add_argument("--store")
    A = a.parse_known_args()[0]
    MARKLOG = open(os.path.join(A.store, "log"), "ab") if A.store else None
    if A.store:
        with open(os.path.join(A.store, "token"), "w") as f:
            f.write("t\n")
    if A.admin:
        s = socket.create_server(A.admin)
        threading.Thread(target=admin, args=(s,), daemon=True).start()
    ls = socket.create_server(A.listen, backlog=1024)
    while True:
        c, _ = ls.accept()
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if A.persona == "serial":
            c.settimeout(30)
            serve(c)
            continue
        if A.persona == "leak" and not SLOTS.acquire(timeout=600):
            continue
        threading.Thread(target=pipe if A.persona == "pipe" else serve, args=(c,), daemon=True).start()


if __name__ == "__main__":
    main()
