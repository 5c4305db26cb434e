#!/usr/bin/env python3
"""Checks the Debian package as its users meet it: in a fresh Debian 12, made by debootstrap.

usage: run.py PROGRAM PACKAGE        the program, and the package that was made of it
"""

import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from chroot import PLACE, Daemon, Failure, Root, require, run  # noqa: E402

from harness.network import free_port  # noqa: E402
from harness.origin import Origin  # noqa: E402

SETTINGS = "/etc/respite/respite.toml"
# A user id of those that systemd gives to units with DynamicUser=yes.
DYNAMIC, PLAIN = 61184, 1000
TOOLS = ("debootstrap", "lintian", "curl", "unshare", "chroot", "setpriv", "apt-ftparchive", "gpg", "dpkg-deb")


class Checks:
    def __init__(self, program, package):
        self.program, self.package = pathlib.Path(program), pathlib.Path(package)
        self.origin = Origin(lambda exchange: exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"hello"))
        self.port, self.admin = free_port(), free_port()
        self.packages = PLACE / "packages"

    def versions(self):
        """the program, the package and CHANGELOG.md have the same version"""
        self.version = run(["dpkg-deb", "--field", self.package, "Version"]).strip()
        changes = re.search(r"^## (.+)$", pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
        program = run([self.program, "--version"]).split()[1]
        require(self.version == changes == program, f"package {self.version}, CHANGELOG {changes}, program {program}")

    def lint(self):
        """lintian finds no error and nothing to warn of"""
        run(["lintian", "--fail-on", "error,warning", self.package])

    def prepare(self):
        """a fresh Debian 12 has what the package depends on"""
        self.root = Root()
        shutil.rmtree(self.packages, ignore_errors=True)
        self.packages.mkdir()
        self.root.apt("update")
        depends = run(["dpkg-deb", "--field", self.package, "Depends"]).strip()
        self.root.apt("satisfy", depends)
        for place in ("cache", "lib", "log"):
            self.root.file(f"/var/{place}/private").mkdir(mode=0o700)
        self.before = self.root.names()

    def install(self):
        """apt installs the package file, the program runs, and the units are enabled"""
        self.root.apt("install", self.inside(self.package))
        require(self.root.run("respite", "--version") == f"respite {self.version}\n", "another version runs")
        for wanted in ("sockets.target.wants/respite.socket", "multi-user.target.wants/respite.service"):
            require(self.root.file(f"/etc/systemd/system/{wanted}").is_symlink(), f"{wanted} is missing")
        socket_unit = self.root.file("/lib/systemd/system/respite.socket").read_text(encoding="utf-8")
        require("\nListenStream=127.0.0.1:3128\n" in socket_unit, "the socket is another")
        self.root.run("respite", "config", "check")
        for place in ("bash-completion/completions/respite", "zsh/vendor-completions/_respite", "fish/vendor_completions.d/respite.fish"):
            script = self.root.file(f"/usr/share/{place}").read_text(encoding="utf-8")
            require("Completion of respite(1)" in script, f"{place} is no completion")
        secrets = self.root.file("/etc/respite/secrets").stat()
        require(secrets.st_mode & 0o777 == 0o700 and secrets.st_uid == 0, "secrets are open to others")

    def serve(self):
        """the unit's command line serves as an unprivileged user, and its second answer is a hit"""
        self.root.write(
            "/etc/respite/conf.d/ports.toml",
            f'listen = ["127.0.0.1:{self.port}"]\nadmin = ["127.0.0.1:{self.admin}"]\n',
        )
        self.root.write("/etc/respite/secrets/token", "secret")
        for place in ("cache", "lib"):
            private = self.root.file(f"/var/{place}/private")
            os.chmod(private, 0o711)
            (private / "respite").mkdir(mode=0o700)
            os.chown(private / "respite", DYNAMIC, DYNAMIC)
            self.root.file(f"/var/{place}/respite").symlink_to("private/respite")
        with self.daemon() as daemon:
            require(daemon.users == {DYNAMIC}, f"it runs as {daemon.users}")
            require("fwd=uri-miss" in self.ask("/"), "the first answer is no miss")
            require("respite; hit" in self.ask("/"), "the second answer is no hit")
        require(self.origin.count("/") == 1, f"the origin was asked {self.origin.count('/')} times")

    def serve_plainly(self):
        """a user's own daemon serves out of the user's own directories"""
        self.root.file("/home/ada").mkdir()
        os.chown(self.root.file("/home/ada"), PLAIN, PLAIN)
        with Daemon(self.root, ["respite", "serve"], PLAIN, {"HOME": "/home/ada"}) as daemon:
            require(daemon.users == {PLAIN}, f"it runs as {daemon.users}")
            self.ask("/plain")
            require("respite; hit" in self.ask("/plain"), "the second answer is no hit")
        require(self.root.file("/home/ada/.cache/respite/cache.db").exists(), "the store is elsewhere")

    def upgrade(self):
        """an upgrade with other comments asks nothing, and keeps settings and store"""
        settings = self.root.file(SETTINGS)
        with settings.open("a", encoding="utf-8") as file:
            file.write("loops = 1\n")
        ours = settings.read_text(encoding="utf-8")
        sample, notes = "/usr/share/doc/respite/respite.toml", "/etc/respite/conf.d/README"
        self.root.apt("install", self.inside(self.next_package("1", {sample: "# new\n", notes: "new\n"})))
        require(self.installed() == f"{self.version}+1", "the version is the old one")
        require(settings.read_text(encoding="utf-8") == ours, "the settings are others")
        require(self.root.file(notes).read_text(encoding="utf-8").endswith("new\n"), "an unchanged file stays old")
        with self.daemon():
            require("respite; hit" in self.ask("/"), "the store is lost")

    def upgrade_settings(self):
        """an upgrade with another respite.toml lets the administrator keep theirs"""
        settings = self.root.file(SETTINGS)
        ours = settings.read_text(encoding="utf-8")
        package = self.inside(self.next_package("2", {SETTINGS: "# new\n"}))
        self.root.apt("install", "-o", "Dpkg::Options::=--force-confold", package)
        require(settings.read_text(encoding="utf-8") == ours, "the settings are others")
        require(settings.with_suffix(".toml.dpkg-dist").exists(), "the new ones are not beside them")

    def purge(self):
        """a removal keeps settings and store; a purge leaves nothing below /etc, /usr and /var"""
        self.root.apt("remove", "respite")
        require(self.root.file(SETTINGS).exists(), "a removal takes the settings")
        require(self.root.file("/var/cache/respite/cache.db").exists(), "a removal takes the store")
        self.root.apt("purge", "respite")
        left = self.root.names() - self.before
        require(not left, f"a purge leaves {sorted(left)}")
        lost = self.before - self.root.names()
        require(not lost, f"a purge takes {sorted(lost)}")

    def unsigned(self):
        """apt installs from a repository without a signature, if it is trusted, and refuses it otherwise"""
        self.repository("unsigned", "", [self.package])
        require(self.update("deb file:/srv/unsigned ./\n", refused=True), "apt trusts it unasked")
        self.update("deb [trusted=yes] file:/srv/unsigned ./\n")
        self.root.apt("install", "respite")
        require(self.installed() == self.version, "another version is installed")

    def signed(self):
        """apt upgrades from a signed repository, and refuses it with another index"""
        with tempfile.TemporaryDirectory() as home:
            os.environ["GNUPGHOME"] = home
            key = "respite-test@respite.example"
            run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", key, "default", "default", "never"])
            self.repository("signed", key, [self.package, self.packages / f"respite_{self.version}+1.deb"])
            run(["gpgconf", "--kill", "all"])
            del os.environ["GNUPGHOME"]
        source = "deb [signed-by=/srv/signed/respite.gpg] file:/srv/signed ./\n"
        self.update(source)
        self.root.apt("upgrade")
        require(self.installed() == f"{self.version}+1", "apt does not upgrade")
        release = self.root.file("/srv/signed/InRelease")
        release.write_text(release.read_text(encoding="utf-8").replace("Origin: Respite", "Origin: respite"), encoding="utf-8")
        require(self.update(source, refused=True), "apt accepts a changed index")

    # Steps of these.

    def inside(self, package):
        """A package's name in the root."""
        self.root.file("/srv").mkdir(exist_ok=True)
        shutil.copy(package, self.root.file("/srv"))
        return f"/srv/{package.name}"

    def daemon(self):
        """What systemd starts for the unit."""
        unit = self.root.file("/lib/systemd/system/respite.service").read_text(encoding="utf-8")
        require("\nDynamicUser=yes\n" in unit, "the unit has no user of its own")
        line = re.search(r"^ExecStart=(.+)$", unit, re.MULTILINE)[1].replace("${CACHE_DIRECTORY}", "/var/cache/respite")
        return Daemon(self.root, shlex.split(line), DYNAMIC, {"CACHE_DIRECTORY": "/var/cache/respite"})

    def ask(self, path):
        """The head of a response through the daemon."""
        return run(["curl", "-sS", "-D", "-", "-o", "/dev/null", "--noproxy", "", "-x", f"http://127.0.0.1:{self.port}", self.origin.url(path)])

    def installed(self):
        return self.root.run("dpkg-query", "--show", "--showformat=${Version}", "respite")

    def next_package(self, suffix, additions):
        """The package again, of a higher version, with text added to some of its files."""
        tree = self.packages / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        run(["dpkg-deb", "--raw-extract", self.package, tree])
        control = (tree / "DEBIAN/control").read_text(encoding="utf-8")
        control = control.replace(f"Version: {self.version}\n", f"Version: {self.version}+{suffix}\n")
        (tree / "DEBIAN/control").write_text(control, encoding="utf-8")
        for name, text in additions.items():
            with (tree / name.lstrip("/")).open("a", encoding="utf-8") as file:
                file.write(text)
        package = self.packages / f"respite_{self.version}+{suffix}.deb"
        run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, package])
        return package

    def repository(self, name, key, packages):
        run(["tools/make-apt-repository", self.root.file(f"/srv/{name}"), key, *packages])

    def update(self, source, refused=False):
        """Has apt read this source alone; with `refused`, whether it refuses."""
        self.root.write("/etc/apt/sources.list", source)
        words = ["apt-get", "update", "--error-on=any"]
        return self.root.refuses(*words) if refused else self.root.run(*words)


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        print("skipped: " + (f"{', '.join(missing)} is missing" if missing else "only root can make a chroot"))
        return 0
    checks = Checks(*sys.argv[1:])
    steps = [
        checks.versions, checks.lint, checks.prepare, checks.install, checks.serve, checks.serve_plainly, checks.upgrade,
        checks.upgrade_settings, checks.purge, checks.unsigned, checks.signed,
    ]
    for step in steps:
        try:
            step()
        except Failure as failure:
            print(f"failed  {step.__doc__}\n{failure}")
            return 1
        print(f"passed  {step.__doc__}", flush=True)
    return 0


sys.exit(main())
