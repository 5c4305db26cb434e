"""A gem server: the compact index, specifications and gems."""

import gzip
import hashlib
import os
import subprocess
import zlib

from clients import run

from .site import Site, missing, reply

BUILD = """
require "rubygems/package"
spec = Gem::Specification.new do |s|
  s.name, s.version, s.summary, s.authors, s.files = ARGV[0], ARGV[1], "a test", ["test"], ["#{ARGV[0]}.rb"]
  ARGV[2..].each { |name| s.add_dependency name }
end
File.write("#{ARGV[0]}.rb", "module Words; end\\n")
Gem::Package.build(spec, true)
File.binwrite("spec", Marshal.dump(spec))
"""
LIST = 'print Marshal.dump(ARGV.map { |one| name, version = one.split("="); [name, Gem::Version.new(version), "ruby"] })'


class Gems(Site):
    def __init__(self, authority, name, directory):
        super().__init__(authority, name)
        self.directory = directory
        self.files = {}
        self.info = {}
        os.makedirs(directory)

    def add(self, name, version, needs=()):
        done = run(["ruby", "-e", BUILD, name, version, *needs], cwd=self.directory)
        if done.returncode:
            raise OSError(done.stderr)
        with open(f"{self.directory}/{name}-{version}.gem", "rb") as file:
            content = file.read()
        with open(self.directory + "/spec", "rb") as file:
            self.files[f"/quick/Marshal.4.8/{name}-{version}.gemspec.rz"] = zlib.compress(file.read())
        self.files[f"/gems/{name}-{version}.gem"] = content
        listed = ",".join(f"{other}:>= 0" for other in needs)
        self.info.setdefault(name, []).append(f"{version} {listed}|checksum:{hashlib.sha256(content).hexdigest()}")
        all_gems = [path.split("/")[-1][:-4].rsplit("-", 1) for path in self.files if path.startswith("/gems/")]
        with open(self.directory + "/list", "wb") as file:
            subprocess.run(["ruby", "-e", LIST, *[f"{one}={number}" for one, number in all_gems]], stdout=file, check=True)
        with open(self.directory + "/list", "rb") as file:
            packed = gzip.compress(file.read(), mtime=0)
        for kind in ("specs", "latest_specs", "prerelease_specs"):
            self.files[f"/{kind}.4.8.gz"] = packed

    def answer(self, exchange, path, query):
        if path in self.files:
            return reply(exchange, self.files[path], "application/octet-stream", compress=False)
        if path.startswith("/info/") and path[6:] in self.info:
            return reply(exchange, ("---\n" + "\n".join(self.info[path[6:]]) + "\n").encode(), "text/plain")
        if path == "/versions":
            lines = [f"{name} {','.join(line.split()[0] for line in lines)} {hashlib.md5(name.encode()).hexdigest()}" for name, lines in self.info.items()]
            return reply(exchange, ("created_at: 2026-01-01T00:00:00Z\n---\n" + "\n".join(lines) + "\n").encode(), "text/plain")
        return missing(exchange)
