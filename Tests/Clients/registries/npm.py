"""A registry of npm's: documents of packages with absolute links to their archives, and the archives."""

import base64
import hashlib
import io
import json
import tarfile
import urllib.parse

from .site import Site, missing, reply

SHORT = "application/vnd.npm.install-v1+json"


def archive(name, version, dependencies):
    manifest = {"name": name, "version": version, "main": "index.js", "dependencies": dependencies}
    files = {"package.json": json.dumps(manifest).encode(), "index.js": f"module.exports = {version!r};\n".encode() * 1000}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo("package/" + path)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return manifest, buffer.getvalue()


class Registry(Site):
    def __init__(self, authority, name, **place):
        super().__init__(authority, name, **place)
        self.packages = {}
        self.archives = {}
        self.audits = 0

    def add(self, name, version, dependencies=None):
        manifest, content = archive(name, version, dependencies or {})
        path = f"/{name}/-/{name.rsplit('/', 1)[-1]}-{version}.tgz"
        self.archives[path] = content
        manifest["dist"] = {
            "tarball": self.url(path),
            "shasum": hashlib.sha1(content).hexdigest(),
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode(),
        }
        package = self.packages.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
        package["versions"][version] = manifest
        package["dist-tags"]["latest"] = version

    def answer(self, exchange, path, query):
        if exchange.method == "POST" and path.endswith("/security/advisories/bulk"):
            exchange.reader.rest()
            self.audits += 1
            return exchange.reply("200 OK", "Content-Type: application/json", content=b"{}")
        if path in self.archives:
            fields = "Cache-Control: public, immutable, max-age=31557600"
            return reply(exchange, self.archives[path], "application/octet-stream", fields, compress=False)
        package = self.packages.get(urllib.parse.unquote(path[1:]))
        if exchange.method != "GET" or not package:
            return missing(exchange)
        kind = SHORT if SHORT in (exchange.request["Accept"] or "") else "application/json"
        return reply(exchange, json.dumps(package).encode(), kind, "Cache-Control: public, max-age=300", vary=["Accept"])
