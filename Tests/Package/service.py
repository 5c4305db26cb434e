#!/usr/bin/env python3
"""Checks the installed service under a real systemd, in a machine of its own that systemd-nspawn boots.

usage: service.py PACKAGE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from chroot import MIRROR, PLACE, SUITE, Failure, require, run  # noqa: E402

TOOLS = ("debootstrap", "systemd-nspawn", "nsenter", "unshare", "dpkg-deb")
INCLUDED = "systemd-sysv,dbus,curl,ca-certificates"
ORIGIN = """
import http.server
class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Origin).serve_forever()
"""


class Machine:
    """A booted Debian 12 with a network of its own."""

    def __init__(self, package):
        base, self.path = PLACE / (SUITE + "-systemd"), PLACE / "machine"
        if not (base / "etc/debian_version").exists():
            PLACE.mkdir(exist_ok=True)
            making = PLACE / "making"
            shutil.rmtree(making, ignore_errors=True)
            run(["debootstrap", "--variant=minbase", f"--include={INCLUDED}", SUITE, making, MIRROR])
            making.rename(base)
        if self.path.exists():
            shutil.rmtree(self.path)
        run(["cp", "-a", base, self.path])
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        shutil.copy(package, self.path / "srv")
        # The machine has no way to a mirror once it runs.
        depends = run(["dpkg-deb", "--field", package, "Depends"]).strip()
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--quiet", "--no-install-recommends"]
        run(["chroot", self.path, *quiet, "update"])
        run(["chroot", self.path, *quiet, "satisfy", depends])
        command = ["systemd-nspawn", "--register=no", "--keep-unit", "--settings=no", "--private-network", "--boot"]
        self.log = open(PLACE / "machine.log", "w", encoding="utf-8")
        self.nspawn = subprocess.Popen(
            [*command, "--machine=respite-test", f"--directory={self.path}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip

    def boot(self):
        """systemd boots"""
        self.init = self.wait("the machine boots", self.leader)
        self.wait("systemd runs", lambda: self.code("systemctl", "is-system-running", "--wait") in (0, 1))
        inside = ["nsenter", "--target", self.init, "--net", sys.executable, "-c", ORIGIN]
        self.origin = subprocess.Popen(list(map(str, inside)))
        self.wait("the origin answers", lambda: self.code("curl", "-s", "http://127.0.0.1:8000/") == 0)

    def wait(self, what, found):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.nspawn.poll() is None:
            if result := found():
                return result
            time.sleep(0.2)
        raise Failure(f"not within two minutes: {what}; see {self.log.name}")

    def leader(self):
        """The process 1 of the machine, as seen from outside."""
        children = pathlib.Path(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children").read_text().split()
        return next((int(child) for child in children if "systemd" in pathlib.Path(f"/proc/{child}/comm").read_text()), None)

    def words(self, command):
        return ["nsenter", "--target", str(self.init), "--all", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", *map(str, command)]

    def run(self, *command):
        return run(self.words(command))

    def code(self, *command):
        return subprocess.run(self.words(command), stdin=subprocess.DEVNULL, capture_output=True, timeout=540).returncode

    def stop(self):
        for process in (getattr(self, "origin", None), self.nspawn):
            if process:
                process.kill()
                process.wait()
        self.log.close()


class Checks:
    def __init__(self, package):
        self.package = pathlib.Path(package)
        self.machine = Machine(self.package)

    def shows(self, *properties):
        text = self.machine.run("systemctl", "show", "respite.service", *(f"--property={name}" for name in properties))
        return dict(line.split("=", 1) for line in text.splitlines())

    def ask(self, path="/"):
        """The head of a response, for an ordinary user."""
        words = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "curl", "-sS", "-D", "-", "-o", "/dev/null"]
        return self.machine.run(*words, "-x", "http://127.0.0.1:3128", "http://127.0.0.1:8000" + path)

    def install(self):
        """the package's units start with it"""
        self.machine.run("dpkg", "--install", "/srv/" + self.package.name)
        for unit in ("respite.socket", "respite.service"):
            require(self.machine.code("systemctl", "is-active", unit) == 0, f"{unit} does not run")
            require(self.machine.code("systemctl", "is-enabled", unit) == 0, f"{unit} is not enabled")

    def serve(self):
        """it serves as a user of its own, and the second request of an ordinary user is a hit"""
        shown = self.shows("MainPID", "DynamicUser", "StatusText", "Type", "NRestarts")
        status = self.machine.run("cat", f"/proc/{shown['MainPID']}/status")
        user = int(re.search(r"^Uid:\s+(\d+)", status, re.MULTILINE)[1])
        require(shown["DynamicUser"] == "yes" and 61184 <= user <= 65519, f"it runs as {user}")
        require(shown["Type"].startswith("notify") and shown["StatusText"], f"systemd knows nothing of it: {shown}")
        require("fwd=uri-miss" in self.ask(), "the first answer is no miss")
        require("respite; hit" in self.ask(), "the second answer is no hit")
        require("respite" in self.machine.run("respite", "status"), "the administrator cannot look inside")

    def journal(self):
        """its messages are in the journal, with levels"""
        require(self.machine.run("journalctl", "--unit=respite.service", "--priority=info", "--quiet").strip(), "the journal has nothing")

    def reload(self):
        """a reload puts changed settings in force, and a wrong file changes nothing"""
        settings = self.machine.path / "etc/respite/conf.d/test.toml"
        settings.write_text('[[rule]]\nmatch = "http://127.0.0.1:8000/denied"\ndeny = "not here"\n', encoding="utf-8")
        self.machine.run("systemctl", "reload", "respite.service")
        require(" 403 " in self.ask("/denied"), "the rule is not in force")
        settings.write_text("wrong", encoding="utf-8")
        self.machine.code("systemctl", "reload", "respite.service")
        require(" 403 " in self.ask("/denied") and "respite; hit" in self.ask(), "a wrong file changed something")
        settings.unlink()
        self.machine.run("systemctl", "reload", "respite.service")

    def crash(self):
        """after SIGKILL systemd starts it again, and the store is there"""
        before = self.shows("MainPID")["MainPID"]
        self.machine.run("sh", "-c", f"kill -KILL {before}")
        self.machine.wait("it runs again", lambda: self.shows("MainPID")["MainPID"] not in ("0", before))
        require("respite; hit" in self.ask(), "the store is lost")

    def restart(self):
        """no request is refused while it restarts: the socket stays"""
        started = subprocess.Popen(self.machine.words(["systemctl", "restart", "respite.service"]))
        for _ in range(20):
            require(" 200 " in self.ask(), "a request failed")
        require(started.wait(120) == 0 and "respite; hit" in self.ask(), "it did not restart")

    def confinement(self):
        """systemd judges the unit to be confined: an exposure below 2.0"""
        text = self.machine.run("systemd-analyze", "security", "--no-pager", "respite.service")
        exposure = float(re.search(r"exposure level.*?: (\d+\.\d+)", text)[1])
        require(exposure < 2.0, f"the exposure is {exposure}")
        print(f"        exposure {exposure}")

    def purge(self):
        """a purge stops it, and leaves no unit, store or user"""
        self.machine.run("dpkg", "--purge", "respite")
        require(self.machine.code("systemctl", "is-active", "respite.service") != 0, "it still runs")
        require(self.machine.code("curl", "-s", "http://127.0.0.1:3128/") == 7, "somebody listens")
        for name in ("etc/respite", "var/cache/respite", "var/cache/private/respite", "var/lib/private/respite"):
            require(not os.path.lexists(self.machine.path / name), f"/{name} is left")


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        print("skipped: " + (f"{', '.join(missing)} is missing" if missing else "only root can boot a machine"))
        return 0
    checks = Checks(sys.argv[1])
    steps = [
        checks.machine.boot, checks.install, checks.serve, checks.journal, checks.reload, checks.crash, checks.restart, checks.confinement,
        checks.purge,
    ]  # fmt: skip
    try:
        for step in steps:
            try:
                step()
            except Failure as failure:
                print(f"failed  {step.__doc__}\n{failure}")
                return 1
            print(f"passed  {step.__doc__}", flush=True)
        return 0
    finally:
        checks.machine.stop()


sys.exit(main())
