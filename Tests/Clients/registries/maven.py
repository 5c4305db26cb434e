"""A repository with Maven's layout, with POMs alone."""

import hashlib

from .site import Site, missing, reply

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version><packaging>pom</packaging>{more}</project>
"""


def pom(group, name, version, more=""):
    return POM.format(group=group, name=name, version=version, more=more)


class Repository(Site):
    def __init__(self, authority, name):
        super().__init__(authority, name)
        self.files = {}

    def add(self, group, name, version, more=""):
        content = pom(group, name, version, more).encode()
        path = f"/maven2/{group.replace('.', '/')}/{name}/{version}/{name}-{version}.pom"
        self.files[path] = content
        self.files[path + ".sha1"] = hashlib.sha1(content).hexdigest().encode()

    def answer(self, exchange, path, query):
        if path not in self.files:
            return missing(exchange)
        return reply(exchange, self.files[path], "text/xml", compress=False)
