"""A sparse index for cargo, and the host its `dl` names."""

import hashlib
import io
import json
import tarfile

from .site import Site, missing, reply


def crate(name, version, source, dependencies):
    manifest = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2018"\n[dependencies]\n'
    manifest += "".join(f'{other} = "{wanted}"\n' for other, wanted in dependencies.items())
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, content in (("Cargo.toml", manifest), ("src/lib.rs", source)):
            entry = tarfile.TarInfo(f"{name}-{version}/{path}")
            entry.size = len(content.encode())
            tar.addfile(entry, io.BytesIO(content.encode()))
    return buffer.getvalue()


class Downloads(Site):
    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.crates = {}

    def answer(self, exchange, path, query):
        content = self.crates.get(path)
        if not content:
            return missing(exchange)
        return reply(exchange, content, "application/gzip", "Cache-Control: public,max-age=31536000,immutable", compress=False)


class Index(Site):
    def __init__(self, authority, name, downloads):
        super().__init__(authority, name)
        self.downloads = downloads
        self.entries = {}

    def add(self, name, version, source, dependencies=None):
        content = crate(name, version, source, dependencies or {})
        self.downloads.crates[f"/crates/{name}/{version}/download"] = content
        needs = [
            {"name": other, "req": wanted, "features": [], "optional": False, "default_features": True, "target": None, "kind": "normal"}
            for other, wanted in (dependencies or {}).items()
        ]
        digest = hashlib.sha256(content).hexdigest()
        line = {"name": name, "vers": version, "deps": needs, "cksum": digest, "features": {}, "yanked": False}
        self.entries.setdefault(f"/{name[:2]}/{name[2:4]}/{name}", []).append(json.dumps(line))

    def answer(self, exchange, path, query):
        brief = "Cache-Control: public,max-age=600"
        if path == "/config.json":
            config = {"dl": self.downloads.url("/crates"), "api": self.url("/")}
            return reply(exchange, json.dumps(config).encode(), "application/json", brief)
        if path in self.entries:
            return reply(exchange, ("\n".join(self.entries[path]) + "\n").encode(), "text/plain", brief)
        return missing(exchange)
