"""A Python package index: the simple API (PEP 503, PEP 691, PEP 658) and the host of its files."""

import hashlib
import io
import json
import zipfile

from .site import Site, missing, reply

JSON = "application/vnd.pypi.simple.v1+json"


def wheel(name, version, requires=()):
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    info = f"{name}-{version}.dist-info"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}/__init__.py", f"version = {version!r}\n" + f"# {name}\n" * 2000)
        archive.writestr(info + "/METADATA", metadata)
        archive.writestr(info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(info + "/RECORD", "")
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue(), metadata.encode()


class Files(Site):
    """Files under the digests of their content."""

    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.files = {}

    def add(self, name, content):
        digest = hashlib.blake2b(content, digest_size=32).hexdigest()
        path = f"/packages/{digest[:2]}/{digest[2:4]}/{digest[4:]}/{name}"
        self.files[path] = content
        return path

    def answer(self, exchange, path, query):
        if path not in self.files:
            return missing(exchange)
        kind = "text/plain" if path.endswith(".metadata") else "application/octet-stream"
        return reply(exchange, self.files[path], kind, "Cache-Control: max-age=365000000, immutable, public", compress=False)


class Index(Site):
    """The index: absolute links, two forms of one page, a short lifetime."""

    def __init__(self, authority, name, files):
        super().__init__(authority, name)
        self.files = files
        self.projects = {}

    def add(self, name, version, requires=()):
        filename, content, metadata = wheel(name, version, requires)
        path = self.files.add(filename, content)
        self.files.files[path + ".metadata"] = metadata
        sums = hashlib.sha256(content).hexdigest(), hashlib.sha256(metadata).hexdigest()
        self.projects.setdefault(name, []).append((filename, self.files.url(path), sums))

    def answer(self, exchange, path, query):
        parts = path.strip("/").split("/")
        if len(parts) != 2 or parts[0] != "simple" or parts[1] not in self.projects:
            return missing(exchange)
        if not path.endswith("/"):
            return exchange.reply("301 Moved Permanently", f"Location: {path}/", "Cache-Control: max-age=600, public")
        fields = ("Cache-Control: max-age=600, public", "X-PyPI-Last-Serial: 7")
        files = self.projects[parts[1]]
        if JSON in (exchange.request["Accept"] or ""):
            page = {"meta": {"api-version": "1.1", "_last-serial": 7}, "name": parts[1], "files": []}
            for name, url, (digest, metadata) in files:
                hashes = {"sha256": digest}
                page["files"].append({"filename": name, "url": url, "hashes": hashes, "core-metadata": {"sha256": metadata}})
            return reply(exchange, json.dumps(page).encode(), JSON, *fields, vary=["Accept"])
        page = "<!DOCTYPE html><html><body>\n"
        for name, url, (digest, metadata) in files:
            page += f'<a href="{url}#sha256={digest}" data-core-metadata="sha256={metadata}">{name}</a><br/>\n'
        return reply(exchange, (page + "</body></html>").encode(), "text/html; charset=UTF-8", *fields, vary=["Accept"])
