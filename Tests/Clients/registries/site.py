"""What the registries share: a TLS origin with a name, and answers as such servers give them."""

import gzip
import hashlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from clients import Origin  # noqa: E402


class Site:
    """A TLS server called `name`; `routes` are asked in turn until one has answered."""

    def __init__(self, authority, name, **place):
        self.requests = []
        self.origin = Origin(self._script, context=authority.context(name), name=name, **place)

    def url(self, path):
        return self.origin.url(path)

    def _script(self, exchange):
        self.requests.append((exchange.method, exchange.target))
        path, _, query = exchange.target.partition("?")
        self.answer(exchange, path, query)

    def answer(self, exchange, path, query):
        raise NotImplementedError


def reply(exchange, content, kind, *fields, vary=(), compress=True):
    """200 with a strong ETag, or 304; compressed for those who take gzip."""
    coded = compress and "gzip" in (exchange.request["Accept-Encoding"] or "")
    if coded:
        content = gzip.compress(content, mtime=0)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    names = (["Accept-Encoding"] if compress else []) + list(vary)
    fields = [f"ETag: {tag}", *(["Vary: " + ", ".join(names)] if names else []), *fields]
    if exchange.request["If-None-Match"] == tag:
        return exchange.head("304 Not Modified", *fields)
    fields += [f"Content-Type: {kind}", *(["Content-Encoding: gzip"] if coded else [])]
    return exchange.reply("200 OK", *fields, content=content)


def missing(exchange, *fields):
    return exchange.reply("404 Not Found", "Content-Type: text/plain", *fields, content=b"not found\n")
