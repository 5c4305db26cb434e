"""An OCI registry: a Bearer challenge, a token service, manifests, and blobs on another host under signed URLs."""

import base64
import hashlib
import hmac
import io
import gzip
import json
import secrets
import tarfile
import time
import urllib.parse

from .site import Site, missing

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


class Tokens(Site):
    """Tokens of a few minutes for anybody, and for users with their password; each answer is another token."""

    LIFETIME = 300

    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.users = {}
        self.granted = {}

    def answer(self, exchange, path, query):
        user = None
        credential = exchange.request["Authorization"]
        if credential:
            user, _, password = base64.b64decode(credential.removeprefix("Basic ")).decode().partition(":")
            if self.users.get(user) != password:
                return exchange.reply("401 Unauthorized", content=b"")
        scope = urllib.parse.parse_qs(query).get("scope", [""])[0]
        token = secrets.token_urlsafe(24)
        self.granted[token] = (user, scope, time.time() + self.LIFETIME)
        issued = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        answer = {"token": token, "access_token": token, "expires_in": self.LIFETIME, "issued_at": issued}
        return exchange.reply("200 OK", "Content-Type: application/json", content=json.dumps(answer).encode())

    def allows(self, credential, repository, users):
        """Whether a Bearer token is for this repository, and of one of these users (nil: anybody's)."""
        user, scope, end = self.granted.get((credential or "").removeprefix("Bearer "), (None, "", 0))
        return end > time.time() and scope.startswith(f"repository:{repository}:") and (users is None or user in users)


class Blobs(Site):
    """Content under URLs that are signed for a short time; like object stores it refuses a second credential."""

    LIFETIME = 60

    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.blobs = {}
        self.key = secrets.token_bytes(16)
        self.credentials = 0

    def signature(self, path, expires):
        return hmac.new(self.key, f"{path} {expires}".encode(), "sha256").hexdigest()

    def signed(self, name):
        path = f"/registry/v2/blobs/sha256/{name[7:9]}/{name[7:]}/data"
        expires = int(time.time()) + self.LIFETIME
        # Two signatures of one second are not alike either.
        return self.url(f"{path}?X-Expires={expires}&X-Nonce={secrets.token_hex(4)}&X-Signature={self.signature(path, expires)}")

    def answer(self, exchange, path, query):
        values = dict(urllib.parse.parse_qsl(query))
        if exchange.request["Authorization"]:
            self.credentials += 1
            return exchange.reply("400 Bad Request", content=b"only one way to authenticate\n")
        expires = int(values.get("X-Expires", 0))
        if expires < time.time() or values.get("X-Signature") != self.signature(path, expires):
            return exchange.reply("403 Forbidden", content=b"the signature is none\n")
        name = "sha256:" + path.split("/")[-2]
        if name not in self.blobs:
            return missing(exchange)
        fields = ("Content-Type: application/octet-stream", f'ETag: "{name[7:39]}"', "Last-Modified: Fri, 02 Jan 2026 03:04:05 GMT")
        return exchange.reply("200 OK", *fields, "Accept-Ranges: bytes", content=self.blobs[name])


class Registry(Site):
    def __init__(self, authority, name, tokens, blobs):
        super().__init__(authority, name)
        self.tokens = tokens
        self.blobs = blobs
        self.manifests = {}
        self.readers = {}

    def add(self, repository, tag, layers, readers=None):
        """An image; `readers` are the users who may have it, else it is public."""
        self.readers[repository] = readers
        packed, diffs = [], []
        for content in layers:
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w") as tar:
                entry = tarfile.TarInfo("file")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            diffs.append(digest(buffer.getvalue()))
            packed.append(gzip.compress(buffer.getvalue(), mtime=0))
        config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": diffs}}).encode()
        for blob in [config, *packed]:
            self.blobs.blobs[digest(blob)] = blob

        def described(kind, content):
            return {"mediaType": kind, "digest": digest(content), "size": len(content)}

        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": described(CONFIG, config)}
        manifest["layers"] = [described(LAYER, content) for content in packed]
        content = json.dumps(manifest).encode()
        for reference in (tag, digest(content)):
            self.manifests[repository, reference] = content

    def answer(self, exchange, path, query):
        version = "Docker-Distribution-Api-Version: registry/2.0"
        parts = path.strip("/").split("/")
        repository = "/".join(parts[1:-2])
        if repository not in self.readers or not self.tokens.allows(exchange.request["Authorization"], repository, self.readers[repository]):
            challenge = f'Bearer realm="{self.tokens.url("/token")}",service="{self.origin.authority}"'
            if repository:
                challenge += f',scope="repository:{repository}:pull"'
            content = b'{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}\n'
            return exchange.reply("401 Unauthorized", version, f"WWW-Authenticate: {challenge}", "Content-Type: application/json", content=content)
        kind, reference = parts[-2:]
        if kind == "blobs" and reference in self.blobs.blobs:
            return exchange.reply("307 Temporary Redirect", version, "Location: " + self.blobs.signed(reference), content=b"")
        content = self.manifests.get((repository, reference))
        if kind != "manifests" or not content:
            return exchange.reply("404 Not Found", version, content=b'{"errors":[{"code":"MANIFEST_UNKNOWN"}]}\n')
        name = digest(content)
        return exchange.reply("200 OK", version, f"Content-Type: {MANIFEST}", f"Docker-Content-Digest: {name}", f'ETag: "{name}"', content=content)
