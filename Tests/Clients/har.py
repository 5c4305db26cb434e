"""Checks a HAR file, field by field, against what the HTTP Archive format 1.2 says.

`faults(file)` lists the places that are wrong. As a program it checks files and prints their faults.
"""

import base64
import binascii
import datetime
import json
import re
import sys
import urllib.parse

DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")


class Optional:
    """A member that may be missing."""

    def __init__(self, kind):
        self.kind = kind


def text(value):
    return None if isinstance(value, str) else "no text"


def number(value):
    return None if isinstance(value, (int, float)) and not isinstance(value, bool) else "no number"


def flag(value):
    return None if isinstance(value, bool) else "neither true nor false"


def duration(value):
    """Milliseconds."""
    return number(value) or (None if value >= 0 else "a negative time")


def known_duration(value):
    """Milliseconds; -1: not known, or there was no such part."""
    return number(value) or (None if value >= 0 or value == -1 else "a negative time other than -1")


def size(value):
    """Bytes; -1: not known."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return None if whole and value >= -1 else "no number of bytes"


def count(value):
    return size(value) or (None if value >= 0 else "negative")


def status(value):
    whole = isinstance(value, int) and not isinstance(value, bool)
    return None if whole and (value == 0 or 100 <= value <= 599) else "no status"


def date(value):
    """ISO 8601 with date, time and zone."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return "no time such as 2026-01-31T12:00:00.000Z"
    try:
        datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return "no such day or time"
    return None


def url(value):
    if not isinstance(value, str):
        return "no text"
    parts = urllib.parse.urlsplit(value)
    if not parts.scheme or not parts.netloc and parts.scheme in ("http", "https"):
        return "no absolute URL"
    return "has a fragment" if parts.fragment else None


def version(value):
    return None if value == "1.2" else "not 1.2"


COMMENT = {"comment": Optional(text)}
PROGRAM = {"name": text, "version": text, **COMMENT}
PAIR = {"name": text, "value": text, **COMMENT}
COOKIE = {
    "name": text, "value": text, "path": Optional(text), "domain": Optional(text), "expires": Optional(date),
    "httpOnly": Optional(flag), "secure": Optional(flag), **COMMENT,
}
CACHED = {"expires": Optional(date), "lastAccess": date, "eTag": text, "hitCount": count, **COMMENT}
POSTED = {"name": text, "value": Optional(text), "fileName": Optional(text), "contentType": Optional(text), **COMMENT}
MESSAGE = {"httpVersion": text, "cookies": [COOKIE], "headers": [PAIR], "headersSize": size, "bodySize": size, **COMMENT}
ENTRY = {
    "pageref": Optional(text), "startedDateTime": date, "time": duration,
    "request": {
        "method": text, "url": url, "queryString": [PAIR],
        "postData": Optional({"mimeType": text, "params": [POSTED], "text": text, **COMMENT}), **MESSAGE,
    },
    "response": {
        "status": status, "statusText": text, "redirectURL": text,
        "content": {
            "size": count, "compression": Optional(number), "mimeType": text, "text": Optional(text),
            "encoding": Optional(text), **COMMENT,
        },
        **MESSAGE,
    },
    "cache": {"beforeRequest": Optional(CACHED), "afterRequest": Optional(CACHED), **COMMENT},
    "timings": {
        "blocked": Optional(known_duration), "dns": Optional(known_duration), "connect": Optional(known_duration),
        "send": duration, "wait": duration, "receive": duration, "ssl": Optional(known_duration), **COMMENT,
    },
    "serverIPAddress": Optional(text), "connection": Optional(text), **COMMENT,
}
PAGE = {
    "startedDateTime": date, "id": text, "title": text,
    "pageTimings": {"onContentLoad": Optional(known_duration), "onLoad": Optional(known_duration), **COMMENT}, **COMMENT,
}
FILE = {
    "log": {"version": version, "creator": PROGRAM, "browser": Optional(PROGRAM), "pages": Optional([PAGE]), "entries": [ENTRY], **COMMENT},
}


def of_schema(value, schema, path):
    """Members that begin with an underscore are anybody's own."""
    if isinstance(schema, Optional):
        schema = schema.kind
    if callable(schema):
        fault = schema(value)
        return [f"{path}: {fault}"] if fault else []
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{path}: no array"]
        return [fault for index, one in enumerate(value) for fault in of_schema(one, schema[0], f"{path}[{index}]")]
    if not isinstance(value, dict):
        return [f"{path}: no object"]
    found = [f"{path}.{name}: missing" for name, kind in schema.items() if name not in value and not isinstance(kind, Optional)]
    found += [f"{path}.{name}: unknown" for name in value if name not in schema and not name.startswith("_")]
    return found + [fault for name, kind in schema.items() if name in value for fault in of_schema(value[name], kind, f"{path}.{name}")]


def of_entry(entry, path):
    """What members of an entry say about each other."""
    timings = entry["timings"]
    # The time to connect has that of TLS in it.
    parts = sum(max(0, timings.get(name, 0)) for name in ("blocked", "dns", "connect", "send", "wait", "receive"))
    if abs(entry["time"] - parts) > 1:
        yield f"{path}.time: {entry['time']}, but the parts take {parts}"
    content = entry["response"]["content"]
    if "text" in content:
        try:
            data = base64.b64decode(content["text"], validate=True) if content.get("encoding") == "base64" else content["text"].encode()
            if len(data) != content["size"]:
                yield f"{path}.response.content.size: {content['size']}, but there are {len(data)} bytes"
        except binascii.Error:
            yield f"{path}.response.content.text: no Base64"
    query = urllib.parse.urlsplit(entry["request"]["url"]).query
    pairs = [pair for pair in query.split("&") if pair]
    if len(pairs) != len(entry["request"]["queryString"]):
        yield f"{path}.request.queryString: {len(entry['request']['queryString'])} of {len(pairs)} parameters"


def faults(file):
    """Where a file is not what the format says."""
    found = of_schema(file, FILE, "$")
    if found:
        return found
    for index, entry in enumerate(file["log"]["entries"]):
        found += of_entry(entry, f"$.log.entries[{index}]")
    pages = [page["id"] for page in file["log"].get("pages", [])]
    found += [f"$.log.entries: no page {entry['pageref']}" for entry in file["log"]["entries"] if entry.get("pageref", None) not in [None, *pages]]
    return found


if __name__ == "__main__":
    wrong = 0
    for name in sys.argv[1:]:
        with open(name) as opened:
            for fault in faults(json.load(opened)):
                print(f"{name}: {fault}")
                wrong = 1
    sys.exit(wrong)
