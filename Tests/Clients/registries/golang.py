"""A module proxy for Go (the GOPROXY protocol)."""

import io
import json
import re
import urllib.parse
import zipfile

from .site import Site, missing, reply


class Proxy(Site):
    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.modules = {}

    def add(self, module, version, go, requires=()):
        """A module of one package, `go` is its source."""
        mod = f"module {module}\n\ngo 1.16\n"
        mod += "".join(f"\nrequire {path} {wanted}\n" for path, wanted in requires)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in (("go.mod", mod), ("module.go", go)):
                archive.writestr(f"{module}@{version}/{path}", content)
        info = json.dumps({"Version": version, "Time": "2026-01-02T03:04:05Z"})
        escaped = re.sub("[A-Z]", lambda found: "!" + found[0].lower(), module)
        self.modules.setdefault(escaped, {})[version] = {"info": info.encode(), "mod": mod.encode(), "zip": buffer.getvalue()}

    def answer(self, exchange, path, query):
        path = urllib.parse.unquote(path)
        brief = "Cache-Control: public, max-age=60"
        if path.endswith("/@latest"):
            versions = self.modules.get(path[1:-8])
            if versions:
                return reply(exchange, versions[max(versions)]["info"], "application/json", brief, compress=False)
        module, _, name = path[1:].partition("/@v/")
        versions = self.modules.get(module)
        if not versions or not name:
            return missing(exchange, brief)
        if name == "list":
            return reply(exchange, "\n".join(versions).encode(), "text/plain; charset=UTF-8", brief, compress=False)
        version, _, kind = name.rpartition(".")
        if kind not in versions.get(version, ()):
            return missing(exchange, brief)
        types = {"info": "application/json", "mod": "text/plain; charset=UTF-8", "zip": "application/zip"}
        return reply(exchange, versions[version][kind], types[kind], "Cache-Control: public, max-age=10800", compress=False)
