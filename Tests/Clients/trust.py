#!/usr/bin/env python3
"""`respite ca trust` and `untrust` for real: the system's store and browsers' databases, in copies of their own.

Needs root and a mount namespace (unshare), so that nothing of this machine changes; says so and skips where there is none.
"""

import hashlib
import json
import os
import shutil
import ssl
import subprocess
import sys

from clients import Directory, Origin, binary, check, finish, has, run

LOCAL = "/usr/local/share/ca-certificates"
CERTIFICATES = "/etc/ssl/certs"
HOOKS = "/etc/ca-certificates/update.d"


def enter():
    """Runs this program once more, in a namespace of its own; does not return."""
    if os.getuid() != 0 or run(["unshare", "-m", "true"]).returncode:
        print("skipped: no mount namespace here (it takes root and unshare): the trust store of this machine stays as it is")
        finish()
    done = subprocess.run(["unshare", "-m", sys.executable, os.path.abspath(__file__), "--inside"])
    sys.exit(done.returncode)


def isolate(scratch):
    """Copies in the place of whatever is changed."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    os.makedirs(LOCAL, exist_ok=True)
    for number, path in enumerate(["/etc", LOCAL]):
        copy = f"{scratch}/copy-{number}"
        subprocess.run(["cp", "-a", path, copy], check=True)
        subprocess.run(["mount", "--bind", copy, path], check=True)
    # Java's keystore is made by a hook that asks dpkg, whose state is no copy: in its place one that writes down what it is told.
    shutil.rmtree(HOOKS, ignore_errors=True)
    os.makedirs(HOOKS)
    with open(HOOKS + "/told", "w") as file:
        file.write(f"#!/bin/sh\ncat >> {scratch}/told\n")
    os.chmod(HOOKS + "/told", 0o755)


def checksums():
    """Every file and link of the system's store."""
    found = {}
    for top in (CERTIFICATES, LOCAL, "/etc/ca-certificates.conf"):
        for place, _, names in os.walk(top) if os.path.isdir(top) else [(os.path.dirname(top), [], [os.path.basename(top)])]:
            for name in names:
                path = os.path.join(place, name)
                if os.path.islink(path):
                    found[path] = "-> " + os.readlink(path)
                else:
                    with open(path, "rb") as file:
                        found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


class Site:
    """An https server with a certificate that the CA has signed."""

    def __init__(self, scratch, ca):
        key, request, certificate = (f"{scratch}/site.{end}" for end in ("key", "csr", "pem"))
        new = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=site"]
        subprocess.run([*new, "-keyout", key, "-out", request], check=True, capture_output=True)
        with open(scratch + "/names", "w") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        sign = ["openssl", "x509", "-req", "-in", request, "-CA", ca + "/ca.pem", "-CAkey", ca + "/ca.key", "-days", "2"]
        subprocess.run([*sign, "-extfile", scratch + "/names", "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.url = Origin(lambda exchange: exchange.reply("200 OK", content=b"hello"), context=context, name="localhost").url("/")

    def accepted(self):
        """By curl without options and without variables."""
        return subprocess.run(["env", "-i", "/usr/bin/curl", "-s", self.url], capture_output=True).stdout == b"hello"


class User:
    """A home with databases of browsers."""

    PLACES = [".pki/nssdb", ".mozilla/firefox/a.default", "snap/firefox/common/.mozilla/firefox/b.default"]

    def __init__(self, scratch):
        self.home = scratch + "/home"
        self.databases = [f"{self.home}/{place}" for place in self.PLACES] if has("certutil") else []
        for database in self.databases:
            os.makedirs(database)
            subprocess.run(["certutil", "-N", "-d", "sql:" + database, "--empty-password"], check=True)
        os.makedirs(self.home + "/.mozilla/firefox/no-profile", exist_ok=True)
        self.environment = {"HOME": self.home, "PATH": "/usr/bin:/bin", "XDG_DATA_HOME": self.home + "/data"}
        self.ca = self.home + "/data/respite/ca"

    def respite(self, *words, wrapper=()):
        return run([*wrapper, os.path.abspath(binary()), *words], env=self.environment)

    def listing(self):
        texts = []
        for database in self.databases:
            texts.append(run(["certutil", "-L", "-d", "sql:" + database]).stdout)
        return texts


def trust(scratch):
    user = User(scratch)
    created = user.respite("ca", "create")
    check(created.returncode == 0, f"respite ca create: {created.stderr.strip().splitlines()[:1]}")
    site = Site(scratch, user.ca)
    # What lay in the copies unprocessed is nobody's doing here.
    subprocess.run(["update-ca-certificates"], check=True, capture_output=True)
    open(scratch + "/told", "w").close()
    before, listed = checksums(), user.listing()
    check(not site.accepted(), "before: curl without options refuses the site")

    plan = user.respite("ca", "trust", "--dry-run")
    check(plan.returncode == 0 and "would write" in plan.stdout, f"a plan: {plan.stdout.strip()!r} {plan.stderr.strip()!r}")
    check(checksums() == before and user.listing() == listed, "a plan changes nothing")

    done = user.respite("ca", "trust")
    print(done.stdout + done.stderr, end="")
    check(done.returncode == 0 and site.accepted(), "respite ca trust: curl without options accepts the site")
    check(all("respite-" in text and "C,," in text for text in user.listing()), f"{len(user.databases)} databases of browsers have it")
    between = checksums()
    replaced = user.respite("ca", "create", "--force")
    check(replaced.returncode == 1 and "ca untrust" in replaced.stderr, f"a CA that is trusted is not replaced: {replaced.stderr.strip()!r}")
    again = user.respite("ca", "trust", "--json")
    stores = json.loads(again.stdout)["stores"]
    check({store["outcome"] for store in stores} == {"unchanged"} and len(stores) == 1 + len(user.databases), "again: nothing to do")
    check(checksums() == between, "and nothing is done")

    done = user.respite("ca", "untrust")
    print(done.stdout + done.stderr, end="")
    check(done.returncode == 0 and not site.accepted(), "respite ca untrust: curl refuses the site")
    after = checksums()
    differences = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    check(not differences, f"all {len(before)} files and links of the system's store are as before {differences[:5]}")
    check(user.listing() == listed, "so are the databases")
    with open(scratch + "/told") as file:
        told = [line[0] for line in file.read().split()]
    check(told == ["+", "-"], f"hooks, such as Java's, were told of both: {told}")
    again = user.respite("ca", "untrust")
    check(again.returncode == 0 and "does not trust the CA" in again.stdout, "again: nothing to do")
    check(not os.path.exists("/run/respite-ca-certificates.conf"), "nothing is left")
    half(user, site, before)
    unprivileged(user, site, before)
    anchors(scratch, user)


def half(user, site, before):
    """A trust that did not come to its end is taken back, too."""
    name = "respite-" + json.loads(user.respite("ca", "show", "--json").stdout)["fingerprint"].replace(":", "")[:16].lower()
    placed = f"{LOCAL}/{name}.crt"
    shutil.copy(user.ca + "/ca.pem", placed)
    done = user.respite("ca", "untrust")
    check(done.returncode == 0 and checksums() == before, "the file alone: ca untrust takes it away")
    shutil.copy(user.ca + "/ca.pem", placed)
    subprocess.run(["update-ca-certificates"], check=True, capture_output=True)
    os.remove(placed)
    check(user.respite("ca", "untrust").returncode == 0 and not site.accepted(), "links and bundle without the file: so it does")
    differences = sorted(path for path in before.keys() | checksums().keys() if before.get(path) != checksums().get(path))
    check(not differences, f"nothing of it is left {differences[:5]}")
    os.rename("/etc/ca-certificates.conf", "/etc/ca-certificates.away")
    os.mkdir("/etc/ca-certificates.conf")
    shutil.copy(user.ca + "/ca.pem", placed)
    done = user.respite("ca", "untrust")
    check(done.returncode == 1 and "cannot read" in done.stdout, f"without the system's list nothing is done: {done.stdout.strip()!r}")
    os.rmdir("/etc/ca-certificates.conf")
    os.rename("/etc/ca-certificates.away", "/etc/ca-certificates.conf")
    check(user.respite("ca", "untrust").returncode == 0 and checksums() == before, "with it: all is as before")


def anchors(scratch, user):
    """p11-kit's own program, with a directory where Debian's has one file."""
    if not has("trust"):
        return
    bundle = CERTIFICATES + "/ca-certificates.crt"
    system = scratch + "/system.pem"
    shutil.move(bundle, system)
    os.makedirs(bundle + "/anchors")
    shutil.copy(system, bundle + "/anchors/system.pem")
    # Debian's lacks the program that is run at the end, and must not have the other one.
    place, programs = "/usr/libexec", scratch + "/libexec"
    os.makedirs(programs + "/p11-kit")
    with open(programs + "/p11-kit/trust-extract-compat", "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(programs + "/p11-kit/trust-extract-compat", 0o755)
    os.makedirs(place, exist_ok=True)
    subprocess.run(["mount", "--bind", programs, place], check=True)
    subprocess.run(["mount", "--bind", "/dev/null", shutil.which("update-ca-certificates")], check=True)

    def outcome(word):
        done = user.respite("ca", word, "--ca-directory", user.ca, "--json")
        return done.returncode, json.loads(done.stdout)["stores"][0]["outcome"] if done.stdout else done.stderr

    for word in ("trust", "untrust"):
        first, second = outcome(word), outcome(word)
        check((first, second) == ((0, "changed"), (0, "unchanged")), f"p11-kit: ca {word}: {first}, again: {second}")
    check(os.listdir(bundle + "/anchors") == ["system.pem"], "nothing of it is left")


def unprivileged(user, site, before):
    """Without root: the user's databases, and a word on the rest."""
    subprocess.run(["chown", "-R", "65534:65534", user.home], check=True)
    os.chmod(os.path.dirname(user.home), 0o755)
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    done = user.respite("ca", "trust", wrapper=nobody)
    print(done.stdout + done.stderr, end="")
    hint = f"sudo respite ca trust --ca-directory {user.ca}"
    check(done.returncode == 1 and hint in done.stdout, "without root: what is to be done is told")
    check(all("respite-" in text for text in user.listing()), "the user's databases have it")
    check(checksums() == before and not site.accepted(), "the system is as it was")
    # What was told, as root.
    user.environment["HOME"] = "/nonexistent"
    check(user.respite(*hint.split()[2:]).returncode == 0 and site.accepted(), "then it does")
    check(user.respite("ca", "untrust", "--ca-directory", user.ca).returncode == 0 and not site.accepted(), "and no more")


if "--inside" not in sys.argv:
    if not has("update-ca-certificates", "unshare", "openssl", "curl"):
        finish()
    enter()
with Directory() as scratch:
    isolate(scratch)
    trust(scratch)
finish()
