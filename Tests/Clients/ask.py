"""Asks an origin through the proxy by one Python library and prints the answers as JSON."""

import asyncio
import hashlib
import json
import sys

library, proxy, base = sys.argv[1:]
CHUNKS = [b"part one, ", b"part two"]


def digest(content):
    return hashlib.sha256(content).hexdigest()


def report(ask):
    """`ask(method, path, fields, content)` gives status, fields and content, or raises where an answer is cut."""
    found = {}
    found["cached"] = ask("GET", "cached")[2].decode()
    _, fields, content = ask("GET", "cached")
    found["again"] = content.decode()
    found["again-status"] = "hit" if "; hit" in fields.get("Cache-Status", "") else "miss"
    found["moved"] = ask("GET", "moved")[2].decode()
    found["gzip"] = digest(ask("GET", "gzip")[2])
    found["posted"] = ask("POST", "echo", None, b"posted content")[2].decode()
    found["chunked"] = ask("POST", "echo", None, CHUNKS)[2].decode()
    found["large"] = digest(ask("GET", "large")[2])
    found["large-again"] = digest(ask("GET", "large")[2])
    _, fields, content = ask("GET", "validated")
    found["validated"] = content.decode()
    status = ask("GET", "validated", {"If-None-Match": fields["ETag"]})[0]
    found["validated-again"] = "validated answer" if status == 304 else str(status)
    found["missing"] = ask("GET", "missing")[0]
    try:
        found["cut"] = str(ask("GET", "cut")[0])
    except Exception:
        found["cut"] = "error"
    print(json.dumps(found))


def with_requests():
    import requests

    session = requests.Session()

    def ask(method, path, fields=None, content=None):
        body = iter(content) if isinstance(content, list) else content
        answer = session.request(method, base + path, headers=fields, data=body, timeout=30, stream=True)
        # Older versions do not compare what came with Content-Length themselves.
        whole = answer.content
        length = answer.headers.get("Content-Length")
        if length and "Content-Encoding" not in answer.headers and method != "HEAD" and answer.status_code == 200 and int(length) != len(whole):
            raise IOError("cut")
        return answer.status_code, answer.headers, whole

    report(ask)


def with_httpx():
    import httpx

    client = httpx.Client(proxies={"http://": proxy}, timeout=30, follow_redirects=True)

    def ask(method, path, fields=None, content=None):
        body = iter(content) if isinstance(content, list) else content
        answer = client.request(method, base + path, headers=fields, content=body)
        return answer.status_code, answer.headers, answer.content

    report(ask)


def with_aiohttp():
    import aiohttp

    async def parts(content):
        for part in content:
            yield part

    async def one(session, method, path, fields, content):
        body = parts(content) if isinstance(content, list) else content
        async with session.request(method, base + path, headers=fields, data=body, proxy=proxy) as answer:
            return answer.status, answer.headers, await answer.read()

    async def main():
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(30)) as session:
            loop = asyncio.get_running_loop()

            def ask(method, path, fields=None, content=None):
                return asyncio.run_coroutine_threadsafe(one(session, method, path, fields, content), loop).result()

            await loop.run_in_executor(None, report, ask)

    asyncio.run(main())


{"requests": with_requests, "httpx": with_httpx, "aiohttp": with_aiohttp}[library]()
